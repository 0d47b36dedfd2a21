"""The driver with guards that do one thing wrong each: what they do must be seen in its records."""

import asyncio
import time

import pytest

from benchmarks.peers import driver, measures
from benchmarks.peers.streams import Stream

TEXT = "The sea is deep.\n\nThe moon is square. The land is dry"
STREAM = Stream(id="a", text=TEXT, query="What is dry?", references=("The land is dry.",), false=((18, 37),))
CUTS = ("word", 1, 3, 50)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(driver, "STUB_SECONDS", 0.005)
    monkeypatch.setattr(driver, "SETTLE", 0.02)


class Passing:
    async def stream(self, source, run):
        async for delta in source:
            yield delta


class DropsLineBreaks:
    async def stream(self, source, run):
        async for delta in source:
            yield delta.replace("\n", "")


class DropsTail:
    """Releases each sentence with its stop, and forgets what has none."""

    async def stream(self, source, run):
        held = ""
        async for delta in source:
            held += delta
            while "." in held:
                sentence, held = held.split(".", 1)
                yield sentence + "."


class LeaksOne:
    """Blocks as soon as a false sentence is complete, having shown its first character."""

    async def stream(self, source, run):
        held = ""
        async for delta in source:
            held += delta
            if await run.stub.check(held):
                yield TEXT[:19]
                raise driver.Blocked("false")
        yield held


class ChecksWholeDeltas:
    """Judges each delta by itself: what it does hangs on how the stream was cut."""

    async def stream(self, source, run):
        async for delta in source:
            if run.stub.is_false(delta):
                yield driver.Notice("[withheld]")
            else:
                yield delta


class OpenOnError:
    async def stream(self, source, run):
        async for delta in source:
            try:
                false = await run.stub.check(delta)
            except driver.StubFailed:
                false = False
            if not false:
                yield delta


class Blocking:
    """Scores on the loop itself."""

    async def stream(self, source, run):
        async for delta in source:
            time.sleep(0.03)  # noqa: ASYNC251  that is what is wrong with it
            yield delta


class Sync:
    def stream_sync(self, source, run):
        for delta in source:
            if run.stub.check_blocking(delta):
                raise driver.Blocked("false")
            yield delta


class Prefetching:
    """Reads its source in a task that nobody ends."""

    async def stream(self, source, run):
        queue = asyncio.Queue()

        async def read():
            async for delta in source:
                queue.put_nowait(delta)

        self.reading = asyncio.create_task(read())
        while True:
            yield await queue.get()


def drive(guard, *, cut="word", **how):
    return asyncio.run(driver.drive(guard, STREAM.request(cut=cut, limit_s=5.0, **how)))


@pytest.mark.parametrize("cut", CUTS)
def test_the_cuts_make_up_the_text(cut):
    assert "".join(driver.cut(TEXT, cut)) == TEXT
    assert "".join(driver.cut("  two \n words \n", cut)) == "  two \n words \n"
    record = drive(Passing(), cut=cut)
    assert measures.released(record) == TEXT
    assert measures.damage(STREAM, record) == {"lost": 0, "added": 0, "changed": 0}
    assert measures.leaked(STREAM, record) == 19
    assert record["taken_chars"] == len(TEXT)


def test_lost_line_breaks_and_tails_are_seen():
    assert measures.damage(STREAM, drive(DropsLineBreaks()))["lost"] == 2
    assert measures.damage(STREAM, drive(DropsTail()))["lost"] == len(" The land is dry")


def test_one_leaked_character_is_seen():
    record = drive(LeaksOne(), cut=3)
    assert record["blocked"]
    assert measures.leaked(STREAM, record) == 1
    assert measures.saved(STREAM, record) > 0
    assert len(record["calls"]) > 5


def test_an_outcome_that_hangs_on_the_cut_is_seen():
    outcomes = {cut: measures.outcome(drive(ChecksWholeDeltas(), cut=cut)) for cut in CUTS}
    assert len(set(outcomes.values())) > 1
    assert "[withheld]" in outcomes[50][1]
    assert "[withheld]" not in outcomes[50][0]
    assert len({measures.outcome(drive(Passing(), cut=cut)) for cut in CUTS}) == 1


def test_a_verifier_that_fails_is_seen():
    failing = drive(OpenOnError(), cut=50, fault="raise")
    assert measures.ending(STREAM, failing).startswith("ends as if nothing were wrong; 19 false")
    assert measures.ending(STREAM, drive(LeaksOne(), fault="raise")).startswith("raises StubFailed; 0 false")


def test_a_verifier_that_hangs_is_cut_off():
    record = asyncio.run(driver.drive(LeaksOne(), STREAM.request(fault="hang", limit_s=0.1)))
    assert measures.ending(STREAM, record).startswith("no end after 0.1 s; 0 false")
    assert record["source_closed"]


def test_a_loop_that_a_hanging_verifier_blocks_is_told_too(monkeypatch):
    class BlockedLoop:
        async def stream(self, source, run):
            async for delta in source:
                run.stub.check_blocking(delta)
                yield delta

    monkeypatch.setattr(driver, "HANG_SECONDS", 0.2)
    record = asyncio.run(driver.drive(BlockedLoop(), STREAM.request(fault="hang", limit_s=0.1)))
    assert record["error"] == "no end after 0.1 s"


def test_a_consumer_that_leaves_closes_a_good_guard_and_not_a_careless_one():
    good = drive(Passing(), cut=1, leave_after=10)
    assert good["left"]
    assert good["taken_chars"] == 10
    assert measures.leaving(good) == "closes its source"
    careless = drive(Prefetching(), cut=1, leave_after=10, rate=300)
    assert careless["taken_after_end"] > 0
    assert measures.leaving(careless) != "closes its source"


def test_a_synchronous_guard_is_driven_in_a_thread():
    assert measures.released(drive(Sync(), cut="word")) == TEXT  # no word is a false sentence
    stopped = drive(Sync(), cut=50)
    assert stopped["blocked"]
    assert measures.released(stopped) == ""
    left = drive(Sync(), cut=1, leave_after=5)
    assert left["taken_chars"] == 5
    assert left["source_closed"]
    assert drive(Sync(), fault="raise")["error"].startswith("StubFailed")


def test_a_blocked_loop_is_seen_and_a_free_one_too():
    def lag(guard):
        return asyncio.run(driver.serve(guard, {"runs": [STREAM.request(cut="word")]}))["lag"]

    assert lag(Blocking())["max"] > 0.02
    assert lag(Passing())["p50"] < 0.02


def test_streams_at_once_take_as_long_as_one():
    request = {"runs": [STREAM.request(cut="word", rate=50)] * 5, "concurrent": True}
    begun = time.perf_counter()
    reply = asyncio.run(driver.serve(Passing(), request))
    assert time.perf_counter() - begun < 5 * 0.22
    assert [measures.released(record) for record in reply["runs"]] == [TEXT] * 5


def test_deltas_arrive_at_the_models_pace_whatever_the_cut():
    words = len(TEXT.split())
    for cut in CUTS:
        record = drive(Passing(), cut=cut, rate=100)
        assert record["arrivals"][-1] == (pytest.approx(words / 100), len(TEXT))
        assert record["end_t"] >= words / 100


def test_the_stub_knows_a_false_sentence_in_any_unit():
    run = driver.Run(STREAM.request())
    assert run.stub.is_false(TEXT)
    assert run.stub.is_false("The moon is square.")
    assert run.stub.is_false("themoon issquare")
    assert run.stub.is_false("deep. The moon is squ")
    assert not run.stub.is_false("The moon")
    assert not run.stub.is_false("The sea is deep. The land is dry")
    assert not driver.Run({"id": "b", "text": TEXT}).stub.is_false(TEXT)

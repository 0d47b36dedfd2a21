"""The shell of a turn on every backend: order, reading, cancellation, closing."""

import asyncio
import dataclasses

import anyio
import anyio.lowlevel
import pytest

from scripted_turns import ON_FALSE, SCRIPT, TEXT, Source, all_decided, session, slowly, text_of
from vista_stream import turn as turn_module
from vista_stream.claims import Evidence, Finding, Scores, SecondOpinion, Span
from vista_stream.errors import SessionStateError, TurnWithheld
from vista_stream.events import TextReleased, TextReplaced, TurnEnded, VitalContradiction
from vista_stream.policy import NOTICE, Policy, raise_, stop
from vista_stream.session import Session
from vista_stream.testing import ScriptedStages, WholeSentences, replay

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("no_blocking_calls")]


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_the_false_sentence_is_replaced_and_the_rest_arrives_in_order(size):
    text = await text_of(session().turn(replay(TEXT, size=size)))
    assert text == f"One is true. {NOTICE} Three is true."


async def test_verdicts_may_arrive_in_any_order_and_release_stays_in_order():
    slow_first = session(delay=lambda text: 0.05 if "One" in text else 0.0)
    assert await text_of(slow_first.turn([TEXT])) == f"One is true. {NOTICE} Three is true."


class Together(ScriptedStages):
    """No claim's verification ends before so many others have begun."""

    def __init__(self, count):
        super().__init__()
        self._missing, self._all = count, anyio.Event()

    async def verify(self, claim, grounds):
        self._missing -= 1
        if not self._missing:
            self._all.set()
        await self._all.wait()
        return Finding()


async def test_claims_are_verified_at_the_same_time_while_the_source_goes_on():
    deltas = [f"Sentence {number} is true. " for number in range(40)]
    with anyio.fail_after(20):
        text = await text_of(Session(stages=Together(8).stages()).turn(deltas))
    assert text == "".join(deltas)


@pytest.mark.parametrize("size", [1, 2, 7, 100])
async def test_the_callback_hears_of_a_vital_contradiction_before_any_of_its_text(size):
    seen = []
    guarded = session()
    guarded.on(VitalContradiction, lambda event: seen.append("flag"))
    guarded.on(TextReleased, lambda event: seen.append(event.text))

    async def replaced(event):
        await anyio.lowlevel.checkpoint()
        seen.append("replaced")

    guarded.on(TextReplaced, replaced)
    await text_of(guarded.turn(replay(TEXT, size=size)))
    assert seen.index("flag") < seen.index("replaced")
    assert not any("FALSE" in piece for piece in seen)


async def test_events_end_with_the_report():
    async with session().turn([TEXT]) as turn:
        with pytest.raises(SessionStateError, match="has not ended"):
            _ = turn.report
        events = [event async for event in turn]
    assert isinstance(events[-1], TurnEnded)
    assert turn.report is events[-1].report
    assert turn.report.received == len(TEXT)


async def test_a_turn_that_ended_before_anyone_read_it_is_read_whole():
    async with session().turn([TEXT]) as turn:
        await all_decided(turn)
        assert "".join([piece async for piece in turn.text()]) == f"One is true. {NOTICE} Three is true."


async def test_drain_reads_to_the_end():
    async with session().turn([TEXT]) as turn:
        report = await turn.drain()
    assert report.withheld == len("Two is FALSE.")


async def test_leaving_early_closes_a_source_that_never_ends():
    source = Source(["It is true. "], endless=True)
    guarded = session()
    with anyio.fail_after(5):
        async with guarded.turn(source) as turn:
            async for _ in turn.text():
                break
    assert source.closed == 1
    assert await text_of(guarded.turn(["Next is true."])) == "Next is true."
    assert turn.report.left


async def test_a_consumer_that_raises_closes_the_source_and_keeps_its_error():
    source = Source(["It is true. "], endless=True)
    with pytest.raises(KeyError, match="mine"):
        async with session().turn(source) as turn:
            async for _ in turn:
                raise KeyError("mine")
    assert source.closed == 1


async def test_cancelling_the_consumer_closes_the_source():
    source = Source(["It is true. "], endless=True)

    async def consume():
        async with session().turn(source) as turn:
            async for _ in turn:
                await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(consume)
        await anyio.sleep(0.05)
        tasks.cancel_scope.cancel()
    assert source.closed == 1


async def test_who_leaves_waits_until_the_source_is_closed_even_when_cancelled():
    class Slow(Source):
        async def aclose(self):
            await anyio.sleep(0.05)
            await super().aclose()

    source = Slow(["It is true. "], endless=True)
    with anyio.CancelScope() as scope:
        async with session().turn(source) as turn:
            await anext(turn)
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    assert (scope.cancelled_caught, source.closed) == (True, 1)


async def test_a_slow_consumer_slows_the_source(monkeypatch):
    monkeypatch.setattr(turn_module, "_UNREAD_EVENTS", 4)
    source = Source(["It is true. "], endless=True)
    async with session().turn(source) as turn:
        await anyio.sleep(0.3)
        given = source.given
        await anyio.sleep(0.1)
        assert source.given == given
        await anext(aiter(turn))
    assert given < 400


async def test_a_reader_that_was_too_slow_for_a_while_gets_every_event(monkeypatch):
    monkeypatch.setattr(turn_module, "_UNREAD_EVENTS", 4)
    async with session().turn([TEXT]) as turn:
        await anyio.sleep(0.1)
        assert "".join([piece async for piece in turn.text()]) == f"One is true. {NOTICE} Three is true."


async def test_a_reader_may_stay_when_the_turn_has_ended():
    async with session().turn([TEXT]) as turn:
        report = await turn.drain()
        await turn._over.wait()
    assert turn.report is report


async def test_a_sync_source_is_read_in_a_thread_and_closed():
    closed = []

    def deltas():
        try:
            yield from TEXT
        finally:
            closed.append(True)

    assert NOTICE in await text_of(session().turn(deltas()))
    assert closed == [True]


class ForeseeingDecompose(WholeSentences):
    """Hangs in what it foresees; remembers what that was."""

    def __init__(self):
        self.foreseen = []

    async def foresee(self, sentence):
        self.foreseen.append(sentence.text)
        await anyio.sleep_forever()


async def test_a_sentence_is_foreseen_before_the_character_that_ends_it():
    scripted, decompose = ScriptedStages(SCRIPT), ForeseeingDecompose()
    stages = type(scripted.stages())(decompose=decompose, rank=scripted, verify=scripted, categorise=scripted)
    with anyio.fail_after(5):
        text = await text_of(Session(stages=stages).turn(slowly(*TEXT)))
    assert text == await text_of(session().turn([TEXT]))
    assert decompose.foreseen[:2] == ["One is true.", "Two is FALSE."]
    assert len(decompose.foreseen) <= 3


async def test_a_sentence_is_foreseen_once_whatever_happens_meanwhile():
    async def deltas():
        yield "One is true. Two is true."
        await anyio.sleep(0.1)

    scripted, decompose = ScriptedStages(), ForeseeingDecompose()
    stages = dataclasses.replace(scripted.stages(), decompose=decompose)
    assert await text_of(Session(stages=stages).turn(deltas())) == "One is true. Two is true."
    assert decompose.foreseen == ["Two is true."]


async def test_stop_cancels_the_source_and_ends_with_the_closing_text():
    source = Source([TEXT], endless=True)
    with anyio.fail_after(5):
        text = await text_of(session(Policy(rules={ON_FALSE: stop("[stopped]")})).turn(source))
    assert text == "One is true. [stopped]"
    assert source.closed == 1


async def test_raise_gives_what_came_before_and_then_turn_withheld():
    pieces = []
    with pytest.raises(TurnWithheld, match="Two is FALSE") as caught:
        async with session(Policy(rules={ON_FALSE: raise_()})).turn([TEXT]) as turn:
            async for piece in turn.text():
                pieces.append(piece)
    assert "".join(pieces) == "One is true. "
    assert caught.value.verdict.claim.text == "Two is FALSE."


async def test_raise_for_a_claim_without_a_verdict_says_so():
    policy = Policy(deadline=0.05, unresolved={ON_FALSE[1]: raise_()})
    with pytest.raises(TurnWithheld, match=r"^the policy raises for: an unresolved claim$") as caught:
        await text_of(session(policy, delay=lambda text: 60.0).turn(["It is true."]))
    assert caught.value.verdict is None


async def test_text_cannot_take_back_what_optimistic_mode_releases():
    optimistic = session(Policy(mode="optimistic"))
    with pytest.raises(
        SessionStateError, match=r"^text\(\) cannot .*: in optimistic mode iterate the events$"
    ):
        await text_of(optimistic.turn([TEXT]))


async def test_a_turn_is_entered_once_and_before_it_is_read():
    turn = session().turn([TEXT])
    with pytest.raises(SessionStateError, match=r"^enter the turn first: .* as turn$"):
        await anext(turn)
    async with turn:
        with pytest.raises(SessionStateError, match=r"^a turn can be entered once$"):
            await turn.__aenter__()


async def test_twenty_turns_at_once_do_not_mix():
    texts = [f"Speaker {number} is true. " * 5 for number in range(20)]
    heard: dict[int, str] = {}

    async def hear(number: int) -> None:
        heard[number] = await text_of(session().turn(replay(texts[number], size=3)))

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(hear, number)
    assert [heard[number] for number in range(20)] == texts


async def test_findings_reach_the_verdict():
    class Finding3(ScriptedStages):
        async def verify(self, claim, grounds):
            return found

    passage, other = (Evidence(text=t, document="d", span=Span(0, 3), sentence=0) for t in ("It.", "No."))
    found = Finding(
        scores=Scores(0.9, 0.1, 0.0),
        evidence=passage,
        tier="model",
        opposing=other,
        second=SecondOpinion(by="Judge"),
    )
    async with Session(stages=Finding3().stages()).turn(["It is true."]) as turn:
        report = await turn.drain()
    (verdict,) = report.verdicts
    told = {field.name: getattr(verdict, field.name) for field in dataclasses.fields(Finding)}
    assert Finding(**told) == found


async def test_the_report_says_what_each_stage_took():
    guarded = session(delay=lambda text: 0.02)
    async with guarded.turn([TEXT], query="What is true?") as turn:
        report = await turn.drain()
    calls = {stage: took.calls for stage, took in report.stage_times.items()}
    assert calls == {"prepare": 1, "decompose": 3, "rank": 3, "verify": 3, "categorise": 3}
    assert report.stage_times["verify"].seconds > 0.05  # timers may fire a little early
    assert report.stage_times["categorise"].seconds < 0.5 * report.stage_times["verify"].seconds
    assert guarded.report.stage_times == report.stage_times


async def text_in_a_generator(turn):
    async with turn:
        async for piece in turn.text():
            yield piece


async def test_a_generator_around_a_turn_may_be_left_and_closed_by_anyone():
    guarded, source = session(), Source(["One is true. "], endless=True)
    pieces = text_in_a_generator(guarded.turn(source))
    assert await anext(pieces) == "One is true."
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pieces.aclose)
    await anyio.sleep(0.01)  # nothing is left behind that cancels what its reader does next
    assert source.closed == 1
    assert await text_of(guarded.turn(["Two is true."])) == "Two is true."


async def test_each_piece_may_be_read_by_a_task_of_its_own():
    pieces, read = text_in_a_generator(session().turn(["One is true. ", "Two is true."])), []

    async def read_one():
        read.append(await anext(pieces))

    for _ in range(3):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read_one)
    await pieces.aclose()
    assert "".join(read) == "One is true. Two is true."


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_reader_that_is_cancelled_as_an_event_comes_gets_it_when_it_asks_again():
    async def code():
        for line in lines:
            await anyio.wait_all_tasks_blocked()
            yield line

    lines, read, cancelled = ["```\n", "one\n", "two\n", "```\n"], [], 0
    guarded = session()
    guarded.on(TextReleased, lambda event: asyncio.get_running_loop().call_soon(reading.cancel))
    async with guarded.turn(code()) as turn:
        pieces = turn.text()
        with anyio.fail_after(5):
            while None not in read:
                reading = asyncio.ensure_future(anext(pieces, None))
                await asyncio.wait([reading])
                cancelled += reading.cancelled()
                read += [] if reading.cancelled() else [reading.result()]
    assert read == [*lines, None]
    assert cancelled

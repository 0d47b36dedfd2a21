"""A turn with something that hangs or takes long."""

import threading
from dataclasses import replace

import anyio
import pytest

from scripted_turns import SCRIPT, session, text_of
from vista_stream.claims import Finding, UnresolvedReason
from vista_stream.errors import VerifierError
from vista_stream.events import ClaimFound, ClaimUnresolved, TextReleased
from vista_stream.policy import NOTICE, UNRESOLVED_NOTICE, Policy
from vista_stream.session import Session
from vista_stream.testing import ScriptedStages, WholeSentences, replay

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("no_blocking_calls")]


class OneAtATime(ScriptedStages):
    """Verifies one claim after another, a little while each."""

    def __init__(self, seconds):
        super().__init__(SCRIPT)
        self._seconds = seconds
        self._busy = anyio.Lock()

    async def verify(self, claim, grounds):
        async with self._busy:
            await anyio.sleep(self._seconds)
        return Finding()


@pytest.mark.parametrize("size", [None, 1024])
async def test_a_long_text_that_comes_at_once_is_verified_to_its_end(size):
    text = " ".join(f"Sentence {number} is true." for number in range(149)) + " The last is FALSE."
    stages = OneAtATime(0.02).stages()
    async with Session(stages=stages, policy=Policy(deadline=2.4)).turn(
        [text] if size is None else replay(text, size=size)
    ) as turn:
        shown = "".join([piece async for piece in turn.text()])
    assert not turn.report.unresolved
    assert len(turn.report.verdicts) == 150
    assert shown == text.replace("The last is FALSE.", NOTICE)


async def test_a_long_delta_holds_back_no_more_than_was_verified_meanwhile():
    stages = OneAtATime(0.01)
    async with Session(stages=stages.stages()).turn(["It is true. " * 500]) as turn:
        await anyio.sleep(0.1)
        assert turn._protocol.backlog < 100
        assert turn._protocol.wants_text


@pytest.mark.parametrize(("size", "backlog"), [(None, {32}), (256, {64, 65, 66})])
async def test_the_source_waits_at_a_backlog_that_is_smaller_for_a_long_delta(size, backlog):
    text = f"{'It is true'.ljust(254, 'e')}. " * 100  # a sentence, and the space after it, in 256 characters
    hanging = session(Policy(deadline=60), delay=lambda text: 60.0)
    async with hanging.turn([text] if size is None else replay(text, size=size, interval=0.001)) as turn:
        for _ in range(1000):
            await anyio.sleep(0.01)
            if turn._protocol.backlog >= min(backlog):
                break
        await anyio.sleep(0.2)
        assert turn._protocol.backlog in backlog  # a short delta may be on its way while the driver works


async def test_a_verifier_that_hangs_is_unresolved_after_the_deadline():
    policy = Policy(deadline=0.05)
    hanging = session(policy, delay=lambda text: 60.0)
    with anyio.fail_after(5):
        assert await text_of(hanging.turn(["It is true."])) == UNRESOLVED_NOTICE


class HangingDecompose(WholeSentences):
    async def decompose(self, sentence):
        await anyio.sleep_forever()


async def test_a_decomposer_that_hangs_is_unresolved_after_the_deadline():
    scripted = ScriptedStages()
    stages = scripted.stages()
    stages = type(stages)(decompose=HangingDecompose(), rank=scripted, verify=scripted, categorise=scripted)
    hanging = Session(stages=stages, policy=Policy(deadline=0.05))
    with anyio.fail_after(5):
        assert await text_of(hanging.turn(["It is true. So it is."])) == (
            f"{UNRESOLVED_NOTICE} {UNRESOLVED_NOTICE}"
        )


@pytest.mark.parametrize("cancellable", [True, False])
async def test_a_sentence_that_comes_after_the_decomposer_hung_is_decomposed(cancellable):
    class Hanging(WholeSentences):
        async def decompose(self, sentence):
            if "Three" not in sentence.text:
                with anyio.CancelScope(shield=not cancellable):
                    await anyio.sleep(30 if cancellable else 1)
            return await super().decompose(sentence)

    async def deltas():
        yield "One is true. Two is true. Th"
        await both.wait()
        yield "ree is true. "

    def count(event):
        expired.append(event)
        if len(expired) == 2:
            both.set()

    expired, both = [], anyio.Event()
    stages = replace(ScriptedStages(SCRIPT).stages(), decompose=Hanging())
    guarded = Session(stages=stages, policy=Policy(deadline=0.7))
    guarded.on(ClaimUnresolved, count)
    with anyio.fail_after(20):
        shown = await text_of(guarded.turn(deltas()))
    assert shown == f"{UNRESOLVED_NOTICE} {UNRESOLVED_NOTICE} Three is true. "


@pytest.mark.parametrize("stage", ["decompose", "verify"])
async def test_a_stage_is_cut_off_at_the_deadline_while_the_reader_stops_the_clock(stage):
    class Hanging(ScriptedStages, WholeSentences):
        async def decompose(self, sentence):
            if stage == "decompose" and "Two" in sentence.text:
                await anyio.sleep_forever()
            return await WholeSentences.decompose(self, sentence)

        async def verify(self, claim, grounds):
            if stage == "verify" and "Two" in claim.text:
                await anyio.sleep_forever()
            return Finding()

    parts = Hanging(SCRIPT)
    guarded = Session(stages=replace(parts.stages(), decompose=parts), policy=Policy(deadline=0.2))
    # The clock stands still while the stage runs into its deadline: only the stage's own limit ends it.
    seen = TextReleased if stage == "decompose" else ClaimFound
    guarded.on(seen, lambda event: anyio.sleep(0.6))
    async with guarded.turn(["One is true. Two is true. "]) as turn:
        report = await turn.drain()
    (unresolved,) = report.unresolved
    assert (unresolved.claim.text, unresolved.reason, unresolved.error) == (
        "Two is true.",
        UnresolvedReason.DEADLINE,
        "",
    )
    assert all(0 < held < 60 for held in report.hold_backs)


@pytest.mark.parametrize("way", ["verified", "no claims", "error", "expired", "half a character at the end"])
async def test_the_report_tells_how_long_a_sentence_was_held_back_whatever_became_of_it(way):
    class Slow(ScriptedStages, WholeSentences):
        async def decompose(self, sentence):
            await anyio.sleep(0.02)
            return [] if way == "no claims" else await WholeSentences.decompose(self, sentence)

        async def verify(self, claim, grounds):
            with anyio.CancelScope(
                shield=True
            ):  # then the turn itself must notice that the deadline has passed
                await anyio.sleep(0.6 if way == "expired" else 0.02)
            if way == "error":
                raise VerifierError("down")
            return Finding()

    parts = Slow(SCRIPT)
    policy = Policy(deadline=0.2 if way == "expired" else 5.0)
    guarded = Session(stages=replace(parts.stages(), decompose=parts), policy=policy)
    text = "It is true \ud83d" if way.startswith("half") else "It is true."
    async with guarded.turn([text]) as turn:
        report = await turn.drain()
    assert len(report.hold_backs) == 1
    assert 0.01 < report.hold_backs[0] < 5


async def test_markup_goes_out_though_its_decomposer_hangs():
    scripted = ScriptedStages()
    stages = type(scripted.stages())(
        decompose=HangingDecompose(), rank=scripted, verify=scripted, categorise=scripted
    )
    hanging = Session(stages=stages, policy=Policy(deadline=0.05))
    with anyio.fail_after(5):
        assert await text_of(hanging.turn(["- One.\n\n---\n"])) == f"- {UNRESOLVED_NOTICE}\n\n---\n"


class HangingToPrepare(ScriptedStages):
    async def prepare(self, grounds):
        await anyio.sleep_forever()


async def test_what_hangs_while_it_prepares_is_unresolved_after_the_deadline():
    hanging = Session(stages=HangingToPrepare().stages(), policy=Policy(deadline=0.05))
    with anyio.fail_after(5):
        assert await text_of(hanging.turn(["It is true. "])) == f"{UNRESOLVED_NOTICE} "


async def test_time_that_the_reader_takes_does_not_count():
    guarded = session(Policy(deadline=0.8))
    guarded.on(TextReleased, lambda event: anyio.sleep(1.2) if event.span.start == 0 else None)
    text = "It is true. " * 30
    assert await text_of(guarded.turn(replay(text, size=7))) == text


async def test_a_stage_that_the_deadline_cuts_off_counts_until_then():
    slow = session(Policy(deadline=0.5), delay=lambda text: 9.0)
    async with slow.turn(["One is true."]) as turn:
        report = await turn.drain()
    assert [unresolved.reason for unresolved in report.unresolved] == [UnresolvedReason.DEADLINE]
    assert 0.0 < report.stage_times["verify"].seconds < 5.0
    assert "categorise" not in report.stage_times


async def test_claims_in_threads_that_cannot_be_cancelled_are_unresolved_after_the_deadline():
    release = threading.Event()

    class Slow(ScriptedStages):
        async def verify(self, claim, grounds):
            await anyio.to_thread.run_sync(release.wait, 10)
            return Finding()

    guarded = Session(stages=Slow(SCRIPT).stages(), policy=Policy(deadline=0.05))
    began = anyio.current_time()
    assert await text_of(guarded.turn(["One is true. Two is true."])) == (
        f"{UNRESOLVED_NOTICE} {UNRESOLVED_NOTICE}"
    )
    assert anyio.current_time() - began < 5
    release.set()
    reasons = [claim.reason for claim in guarded.report.turns[0].unresolved]
    assert reasons == [UnresolvedReason.DEADLINE] * 2


@pytest.mark.parametrize("first", ["It is true. ", "It is true."])
async def test_a_pause_of_the_source_behind_a_stop_costs_a_sentence_no_time(first):
    async def source():
        yield first
        await anyio.sleep(0.3)
        yield " So is this."

    async with session(Policy(deadline=0.2), delay=lambda text: 0.05).turn(source()) as turn:
        shown = "".join([piece async for piece in turn.text()])
    assert not turn.report.unresolved
    assert shown == first + " So is this."

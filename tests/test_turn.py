"""The shell of a turn on every backend: order, errors, cancellation, closing."""

import asyncio
import threading
from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest

from vista_stream import turn as turn_module
from vista_stream.claims import Category, Finding, Importance, UnresolvedReason
from vista_stream.errors import (
    LanguageUnsupported,
    Overload,
    SessionStateError,
    StageError,
    TurnWithheld,
    UpstreamError,
    VerifierError,
    VistaError,
)
from vista_stream.events import (
    ClaimUnresolved,
    TextReleased,
    TextReplaced,
    TurnEnded,
    VitalContradiction,
)
from vista_stream.policy import NOTICE, UNRESOLVED_NOTICE, Policy, raise_, stop
from vista_stream.session import Session
from vista_stream.testing import ScriptedStages, WholeSentences, replay

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("no_blocking_calls")]


TEXT = "One is true. Two is FALSE. Three is true."
SCRIPT = {"FALSE": Category.CONTRADICTED}
ON_FALSE = (Category.CONTRADICTED, Importance.VITAL)


def session(policy: Policy | None = None, **scripted) -> Session:
    return Session(stages=ScriptedStages(SCRIPT, **scripted).stages(), policy=policy)


async def text_of(turn) -> str:
    async with turn:
        return "".join([piece async for piece in turn.text()])


class Source:
    """An async source that knows whether it was closed."""

    def __init__(self, deltas, *, error: Exception | None = None, endless: bool = False):
        self.closed = 0
        self.given = 0
        self._deltas = deltas
        self._error = error
        self._endless = endless

    def __aiter__(self):
        self._run = self._generate()
        return self

    async def __anext__(self):
        return await anext(self._run)

    async def aclose(self):
        await self._run.aclose()
        self.closed += 1

    async def _generate(self):
        while True:
            for delta in self._deltas:
                await anyio.lowlevel.checkpoint()
                self.given += 1
                yield delta
            if self._error is not None:
                raise self._error
            if not self._endless:
                return


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


async def test_drain_reads_to_the_end():
    async with session().turn([TEXT]) as turn:
        report = await turn.drain()
    assert report.withheld == len("Two is FALSE.")


async def test_a_source_that_raises_gives_what_came_before_and_then_upstream_error():
    broken = ConnectionError("gone")
    source = Source(["One is true. Two is tr", "ue"], error=broken)
    pieces = []
    with pytest.raises(UpstreamError, match="ConnectionError: gone") as caught:
        async with session().turn(source) as turn:
            async for piece in turn.text():
                pieces.append(piece)
    assert caught.value.__cause__ is broken
    assert "".join(pieces) == "One is true. Two is true"
    assert source.closed == 1
    assert turn.report.received == len("One is true. Two is true")


async def test_leaving_early_closes_a_source_that_never_ends():
    source = Source(["It is true. "], endless=True)
    guarded = session()
    with anyio.fail_after(5):
        async with guarded.turn(source) as turn:
            async for _ in turn.text():
                break
    assert source.closed == 1
    assert await text_of(guarded.turn(["Next is true."])) == "Next is true."


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
    stages = OneAtATime(0.01).stages()
    async with Session(stages=stages, policy=Policy(deadline=1.2)).turn(
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


async def test_an_error_in_a_callback_cancels_the_turn_and_reaches_the_reader():
    guarded = session()

    @lambda callback: guarded.on(VitalContradiction, callback)
    def refuse(event):
        raise LookupError("callback")

    source = Source([TEXT], endless=True)
    with pytest.raises(LookupError, match="callback"):
        await text_of(guarded.turn(source))
    assert source.closed == 1


async def test_an_exit_that_a_callback_asks_for_reaches_the_reader():
    guarded = session()

    @lambda callback: guarded.on(VitalContradiction, callback)
    def leave(event):
        raise SystemExit(3)

    with pytest.raises(SystemExit, match="3"):
        await text_of(guarded.turn([TEXT]))


async def test_a_failure_that_was_not_read_is_raised_on_leaving():
    guarded = session()
    guarded.on(TurnEnded, lambda event: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        async with guarded.turn(["It is true."]):
            await anyio.sleep(0.1)


@pytest.mark.parametrize("bad", [b"bytes", None, 3])
async def test_a_delta_that_is_not_text_is_a_value_error(bad):
    with pytest.raises(ValueError, match=f"deltas must yield str, not {type(bad).__name__}"):
        await text_of(session().turn(["It is true. ", bad]))


async def test_a_sync_source_is_read_in_a_thread_and_closed():
    closed = []

    def deltas():
        try:
            yield from TEXT
        finally:
            closed.append(True)

    assert NOTICE in await text_of(session().turn(deltas()))
    assert closed == [True]


class Failing(ScriptedStages):
    def __init__(self, error):
        super().__init__()
        self.error = error

    async def verify(self, claim, grounds):
        raise self.error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("broken"), UnresolvedReason.VERIFIER_ERROR),
        (VerifierError("broken"), UnresolvedReason.VERIFIER_ERROR),
        (StageError("no answer"), UnresolvedReason.STAGE_ERROR),
        (Overload("full"), UnresolvedReason.OVERLOAD),
        (LanguageUnsupported("Bonjour"), UnresolvedReason.LANGUAGE),
    ],
)
async def test_a_verifier_that_raises_leaves_its_claims_unresolved_and_says_why(error, reason):
    async with Session(stages=Failing(error).stages()).turn(["It is true."]) as turn:
        events = [event async for event in turn]
    (unresolved,) = [event for event in events if isinstance(event, ClaimUnresolved)]
    assert (unresolved.reason, unresolved.error) == (reason, error)
    assert any(isinstance(e, TextReplaced) and e.replacement == UNRESOLVED_NOTICE for e in events)
    assert turn.report.unresolved[0].error == str(error)


class FailingToPrepare(Failing):
    async def prepare(self, grounds):
        raise self.error


async def test_a_verifier_that_cannot_prepare_leaves_every_claim_unresolved():
    failing = Session(stages=FailingToPrepare(VerifierError("no memory")).stages())
    assert await text_of(failing.turn(["It is true."])) == UNRESOLVED_NOTICE


async def test_the_policy_may_let_a_verifiers_error_end_the_turn():
    policy = Policy(on_verifier_error="raise")
    failing = Session(stages=Failing(RuntimeError("broken")).stages(), policy=policy)
    with pytest.raises(VerifierError, match="RuntimeError: broken"):
        await text_of(failing.turn(["It is true."]))


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


async def test_many_failures_of_one_kind_are_one_error():
    class Down(ScriptedStages):
        def __init__(self):
            super().__init__()
            self.asked = 0
            self.all_asked = anyio.Event()

        async def verify(self, claim, grounds):
            self.asked += 1
            if self.asked == 3:
                self.all_asked.set()
            await self.all_asked.wait()
            raise ConnectionError("down")

    failing = Session(stages=Down().stages(), policy=Policy(on_verifier_error="raise"))
    with pytest.raises(VerifierError, match="ConnectionError: down"):
        await text_of(failing.turn(["One. Two. Three. "]))


async def test_an_end_of_iteration_from_a_callback_is_an_error():
    guarded = session()

    async def ends(event):
        raise StopAsyncIteration

    guarded.on(TextReleased, ends)
    with pytest.raises(RuntimeError, match="raised StopAsyncIteration"):
        await text_of(guarded.turn(["It is true. "]))


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancelled_task_that_the_source_awaits_does_not_end_the_turn_in_silence():
    async def source():
        yield "It is true. "
        task = asyncio.ensure_future(asyncio.sleep(60))
        task.cancel()
        await task

    with pytest.raises(VistaError, match="cancelled elsewhere"):
        await text_of(session().turn(source()))


class ForeseeingDecompose(WholeSentences):
    """Hangs in what it foresees; remembers what that was."""

    def __init__(self):
        self.foreseen = []

    async def foresee(self, text):
        self.foreseen.append(text)
        await anyio.sleep_forever()


async def test_a_sentence_is_foreseen_before_the_character_that_ends_it():
    scripted, decompose = ScriptedStages(SCRIPT), ForeseeingDecompose()
    stages = type(scripted.stages())(decompose=decompose, rank=scripted, verify=scripted, categorise=scripted)
    with anyio.fail_after(5):
        text = await text_of(Session(stages=stages).turn(replay(TEXT, size=1, interval=0.002)))
    assert text == await text_of(session().turn([TEXT]))
    assert decompose.foreseen[:2] == ["One is true.", "Two is FALSE."]
    assert len(decompose.foreseen) <= 3


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


async def test_text_cannot_take_back_what_optimistic_mode_releases():
    optimistic = session(Policy(mode="optimistic"))
    with pytest.raises(SessionStateError, match="iterate the events"):
        await text_of(optimistic.turn([TEXT]))


async def test_a_turn_is_entered_once_and_before_it_is_read():
    turn = session().turn([TEXT])
    with pytest.raises(SessionStateError, match="enter the turn first"):
        await anext(turn)
    async with turn:
        with pytest.raises(SessionStateError, match="entered once"):
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
            return Finding(tier="model")

    async with Session(stages=Finding3().stages()).turn(["It is true."]) as turn:
        report = await turn.drain()
    assert report.verdicts[0].tier == "model"


async def test_the_report_says_what_each_stage_took():
    guarded = session(delay=lambda text: 0.02)
    async with guarded.turn([TEXT], query="What is true?") as turn:
        report = await turn.drain()
    calls = {stage: took.calls for stage, took in report.stage_times.items()}
    assert calls == {"prepare": 1, "decompose": 3, "rank": 3, "verify": 3, "categorise": 3}
    assert report.stage_times["verify"].seconds > 0.05  # timers may fire a little early
    assert report.stage_times["categorise"].seconds < 0.5 * report.stage_times["verify"].seconds
    assert guarded.report.stage_times == report.stage_times


async def test_a_stage_that_the_deadline_cuts_off_counts_until_then():
    slow = session(Policy(deadline=0.05), delay=lambda text: 9.0)
    async with slow.turn(["One is true."]) as turn:
        report = await turn.drain()
    assert [unresolved.reason for unresolved in report.unresolved] == [UnresolvedReason.DEADLINE]
    assert 0.0 < report.stage_times["verify"].seconds < 5.0
    assert "categorise" not in report.stage_times


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
async def test_a_cancelled_task_that_a_callback_awaits_does_not_end_the_turn_in_silence():
    sender = asyncio.ensure_future(asyncio.sleep(60))
    guarded = session()

    async def show(event):
        if event.span.start >= 13:
            sender.cancel()
            await sender

    guarded.on(TextReleased, show)
    with pytest.raises(VistaError, match="cancelled elsewhere"):
        await text_of(guarded.turn(["One is true. Two is true. Three is true."]))


async def test_a_verifier_in_a_thread_that_cannot_be_cancelled_is_unresolved_after_the_deadline():
    release = threading.Event()

    class Slow(ScriptedStages):
        async def verify(self, claim, grounds):
            await anyio.to_thread.run_sync(release.wait, 10)
            return Finding()

    guarded = Session(stages=Slow(SCRIPT).stages(), policy=Policy(deadline=0.05))
    with anyio.fail_after(5):
        assert await text_of(guarded.turn(["One is true."], query=None)) == UNRESOLVED_NOTICE
    release.set()
    (claim,) = guarded.report.turns[0].unresolved
    assert claim.reason is UnresolvedReason.DEADLINE


@pytest.mark.parametrize("wrong", [None, "contradicted", 1])
async def test_a_category_that_is_none_leaves_the_claim_unresolved(wrong):
    class Odd(ScriptedStages):
        async def categorise(self, claim, finding):
            return wrong

    guarded = Session(stages=Odd(SCRIPT).stages())
    assert await text_of(guarded.turn(["One is true."])) == UNRESOLVED_NOTICE
    (claim,) = guarded.report.turns[0].unresolved
    assert claim.reason is UnresolvedReason.STAGE_ERROR
    assert "categorise must give Category" in claim.error


@pytest.mark.parametrize("wrong", [None, [], ["vital"], [None], "vital"])
async def test_ranks_that_are_none_leave_the_sentence_unresolved(wrong):
    class Odd(ScriptedStages):
        async def rank(self, drafts, query, *, position):
            return wrong

    guarded = Session(stages=Odd(SCRIPT).stages())
    assert await text_of(guarded.turn(["Two is FALSE."])) == UNRESOLVED_NOTICE
    assert "rank must give" in guarded.report.turns[0].unresolved[0].error


@pytest.mark.parametrize("size", [1, 100])
async def test_a_sentence_that_cannot_be_foreseen_is_decomposed_all_the_same(size):
    class Blind(WholeSentences):
        async def foresee(self, text):
            raise ConnectionError("down")

    stages = replace(ScriptedStages(SCRIPT).stages(), decompose=Blind())
    assert await text_of(Session(stages=stages).turn(replay(TEXT, size=size))) == TEXT.replace(
        "Two is FALSE.", NOTICE
    )


async def test_an_error_of_the_source_that_was_stopped_is_not_the_readers():
    class Sulking(Source):
        async def aclose(self):
            raise OSError("cannot be closed")

    guarded = session(Policy(rules={ON_FALSE: stop("[s]")}))
    text = await text_of(guarded.turn(Sulking([TEXT], endless=True)))
    assert text.endswith("[s]")

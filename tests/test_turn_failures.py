"""A turn whose source, callback or stage raises, or gives what it must not."""

import asyncio
from dataclasses import replace

import anyio
import pytest

from scripted_turns import ON_FALSE, SCRIPT, TEXT, Source, session, text_of
from vista_stream.claims import UnresolvedReason
from vista_stream.errors import (
    LanguageUnsupported,
    Overload,
    StageError,
    StoreError,
    UpstreamError,
    VerifierError,
    VistaError,
)
from vista_stream.events import ClaimUnresolved, TextReleased, TextReplaced, VitalContradiction
from vista_stream.policy import NOTICE, UNRESOLVED_NOTICE, Policy, stop
from vista_stream.session import Session
from vista_stream.stores.memory import MemoryStore
from vista_stream.testing import ScriptedStages, WholeSentences, replay

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("no_blocking_calls")]


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


class Quit(BaseException):
    """No Exception, as what pytest.fail() raises."""


class Quitting(WholeSentences):
    async def decompose(self, sentence):
        raise Quit("mine")


@pytest.mark.parametrize("where", ["callback", "stage", "source"])
async def test_what_is_no_exception_reaches_the_reader_unchanged(where):
    def leave(event):
        raise Quit("mine")

    stages = ScriptedStages().stages()
    guarded = Session(stages=replace(stages, decompose=Quitting()) if where == "stage" else stages)
    if where == "callback":
        guarded.on(TextReleased, leave)
    with pytest.raises(Quit, match="mine"):
        await text_of(guarded.turn(Source([TEXT], error=Quit("mine") if where == "source" else None)))
    assert not guarded._busy


async def test_a_failure_that_was_not_read_is_raised_on_leaving():
    guarded = session()
    guarded.on(TextReleased, lambda event: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        async with guarded.turn(["It is true."]) as turn:
            await turn._over.wait()


@pytest.mark.parametrize("bad", [b"bytes", None, 3])
async def test_a_delta_that_is_not_text_is_a_value_error(bad):
    with pytest.raises(ValueError, match=f"deltas must yield str, not {type(bad).__name__}"):
        await text_of(session().turn(["It is true. ", bad]))


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


class FailingToDecompose(WholeSentences):
    def __init__(self, error):
        self.error = error

    async def decompose(self, sentence):
        raise self.error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("broken"), UnresolvedReason.VERIFIER_ERROR),
        (StageError("no answer"), UnresolvedReason.STAGE_ERROR),
    ],
)
async def test_a_decomposer_that_raises_leaves_its_sentence_unresolved_and_says_why(error, reason, caplog):
    stages = replace(ScriptedStages().stages(), decompose=FailingToDecompose(error))
    async with Session(stages=stages).turn(["It is true."]) as turn:
        report = await turn.drain()
    (unresolved,) = report.unresolved
    assert (unresolved.claim.text, unresolved.reason, unresolved.error) == ("It is true.", reason, str(error))
    (record,) = caplog.records
    assert record.getMessage() == f"a claim stays unresolved: {type(error).__name__}"
    assert record.exc_info[1] is error


@pytest.mark.parametrize("error", [Overload("full"), LanguageUnsupported("Bonjour")])
async def test_what_is_no_fault_is_not_logged_as_one(error, caplog):
    await text_of(Session(stages=Failing(error).stages()).turn(["It is true."]))
    assert not caplog.records


async def test_what_was_decided_is_reported_though_it_cannot_be_kept():
    class Full(MemoryStore):
        async def append(self, conversation, statements):
            raise StoreError("full")

    guarded = Session(stages=ScriptedStages().stages(), store=Full())
    turn = guarded.turn(["The mill is red."])
    with pytest.raises(StoreError, match="full"):
        await text_of(turn)
    assert [verdict.claim.text for verdict in turn.report.verdicts] == ["The mill is red."]


class FailingToPrepare(Failing):
    async def prepare(self, grounds):
        raise self.error


async def test_a_verifier_that_cannot_prepare_leaves_every_claim_unresolved():
    failing = Session(stages=FailingToPrepare(VerifierError("no memory")).stages())
    assert await text_of(failing.turn(["It is true."])) == UNRESOLVED_NOTICE


class Unheard(WholeSentences):
    def __init__(self, error):
        self.error = error

    async def hear(self, utterance):
        raise self.error


@pytest.mark.parametrize("error", [RuntimeError("broken"), StageError("no answer"), VerifierError("down")])
@pytest.mark.parametrize("stage", ["hear", "prepare"])
async def test_any_error_before_the_first_sentence_goes_by_the_policy(error, stage):
    stages = FailingToPrepare(error).stages() if stage == "prepare" else ScriptedStages().stages()
    if stage == "hear":
        stages = replace(stages, decompose=Unheard(error))
    shown = await text_of(Session(stages=stages).turn(["It is true."], query="Is it?"))
    assert shown == ("It is true." if stage == "hear" else UNRESOLVED_NOTICE)
    strict = Session(stages=stages, policy=Policy(on_verifier_error="raise"))
    with pytest.raises((VerifierError, StageError), match=str(error)):
        await text_of(strict.turn(["It is true."], query="Is it?"))


async def test_a_store_that_fails_while_the_reader_leaves_is_the_readers_error():
    class Failing(MemoryStore):
        async def append(self, conversation, statements):
            await anyio.sleep(0.05)
            raise StoreError("down")

    guarded = Session(stages=ScriptedStages().stages(), store=Failing())
    with pytest.raises(StoreError, match="down"):
        async with guarded.turn(["The mill is red."]) as turn:
            await anext(turn.text())


async def test_the_policy_may_let_a_verifiers_error_end_the_turn():
    policy = Policy(on_verifier_error="raise")
    failing = Session(stages=Failing(RuntimeError("broken")).stages(), policy=policy)
    with pytest.raises(VerifierError, match="RuntimeError: broken"):
        await text_of(failing.turn(["It is true."]))


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


@pytest.mark.parametrize("wrong", [None, "yes"])
async def test_a_finding_that_is_none_leaves_the_claim_unresolved(wrong):
    class Odd(ScriptedStages):
        async def verify(self, claim, grounds):
            return wrong

    guarded = Session(stages=Odd().stages())
    assert await text_of(guarded.turn(["One is true."])) == UNRESOLVED_NOTICE
    (claim,) = guarded.report.turns[0].unresolved
    told = f"verify must give a Finding, not {type(wrong).__name__}"
    assert (claim.reason, claim.error) == (UnresolvedReason.STAGE_ERROR, told)


@pytest.mark.parametrize(
    ("field", "wrong", "told"),
    [
        ("text", None, "a str as a Draft's text, not None"),
        ("span", None, "a Span as a Draft's span, not None"),
        ("span", (0, 3), "a Span as a Draft's span, not (0, 3)"),
        ("kind", "fact", "a ClaimKind as a Draft's kind, not 'fact'"),
    ],
)
async def test_a_claim_with_a_field_of_the_wrong_type_leaves_the_sentence_unresolved(field, wrong, told):
    class Odd(WholeSentences):
        async def decompose(self, sentence):
            return [replace(draft, **{field: wrong}) for draft in await super().decompose(sentence)]

    guarded = Session(stages=replace(ScriptedStages().stages(), decompose=Odd()))
    assert await text_of(guarded.turn(["One is true."])) == UNRESOLVED_NOTICE
    (claim,) = guarded.report.turns[0].unresolved
    assert (claim.reason, claim.error) == (UnresolvedReason.STAGE_ERROR, f"decompose must give {told}")


@pytest.mark.parametrize("wrong", [None, [], ["vital"], [None], "vital"])
async def test_ranks_that_are_none_leave_the_sentence_unresolved(wrong):
    class Odd(ScriptedStages):
        async def rank(self, drafts, query, *, position):
            return wrong

    guarded = Session(stages=Odd(SCRIPT).stages())
    assert await text_of(guarded.turn(["Two is FALSE."])) == UNRESOLVED_NOTICE
    assert "rank must give" in guarded.report.turns[0].unresolved[0].error


@pytest.mark.parametrize("wrong", [None, 3, "claims"])
async def test_claims_that_are_none_leave_the_sentence_unresolved(wrong):
    class Odd(WholeSentences):
        async def decompose(self, sentence):
            return wrong

    guarded = Session(stages=replace(ScriptedStages(SCRIPT).stages(), decompose=Odd()))
    assert await text_of(guarded.turn(["Two is FALSE."])) == UNRESOLVED_NOTICE
    (unresolved,) = guarded.report.turns[0].unresolved
    assert unresolved.error == f"decompose must give a sequence of Draft, not {type(wrong).__name__}"


@pytest.mark.parametrize("size", [1, 100])
async def test_a_sentence_that_cannot_be_foreseen_is_decomposed_all_the_same(size, caplog):
    class Blind(WholeSentences):
        async def foresee(self, sentence):
            raise ConnectionError("down")

    stages = replace(ScriptedStages(SCRIPT).stages(), decompose=Blind())
    assert await text_of(Session(stages=stages).turn(replay(TEXT, size=size))) == TEXT.replace(
        "Two is FALSE.", NOTICE
    )
    told = {"a sentence could not be foreseen: ConnectionError"}
    assert set(caplog.messages) == (told if size == 1 else set())


async def test_an_error_of_the_source_that_was_stopped_is_not_the_readers(caplog):
    class Sulking(Source):
        async def aclose(self):
            raise OSError("cannot be closed")

    guarded = session(Policy(rules={ON_FALSE: stop("[s]")}))
    text = await text_of(guarded.turn(Sulking([TEXT], endless=True)))
    assert text.endswith("[s]")
    assert caplog.messages == ["the source of deltas raised OSError when it was left"]

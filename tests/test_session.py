import gc
import time
import warnings
from dataclasses import replace
from functools import partial
from unittest.mock import Mock

import anyio
import anyio.lowlevel
import pytest
import sniffio
from blockbuster import BlockingError

from vista_stream.claims import Category, Importance, Scores, Utterance
from vista_stream.core.common_ground import Statement
from vista_stream.errors import SessionStateError, StoreError
from vista_stream.events import TextReleased, TurnEnded
from vista_stream.policy import NOTICE, Policy, withhold
from vista_stream.policy import replace as replaced
from vista_stream.retrieval.reference import Reference
from vista_stream.session import Session
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.stages import Stages
from vista_stream.stores import MemoryStore
from vista_stream.testing import ScriptedStages, ScriptedVerifier, WholeSentences, replay
from vista_stream.verifiers.embedded import EmbeddedVerifier

pytestmark = pytest.mark.usefixtures("no_blocking_calls")

SURE = Policy(thresholds={"contradiction": 0.9})


def scripted(**kwargs) -> Session:
    return Session(stages=ScriptedStages({"FALSE": Category.CONTRADICTED}).stages(), **kwargs)


async def run(session: Session, text: str, query: str | None = None) -> str:
    async with session.turn([text], query=query) as turn:
        return "".join([piece async for piece in turn.text()])


def test_the_sync_facade_gives_the_same_text():
    text = "".join(scripted().turn_sync(list("One is true. Two is FALSE.")))
    assert text == f"One is true. {NOTICE}"


def test_the_sync_facade_may_be_left_early():
    session = scripted()
    pieces = session.turn_sync(["One is true. ", "Two is true. "])
    assert next(pieces) == "One is true."
    pieces.close()
    assert "".join(session.turn_sync(["Three is true."])) == "Three is true."


@pytest.mark.anyio
async def test_verified_and_out_of_scope_claims_join_the_common_ground_once():
    script = {
        "FALSE": Category.CONTRADICTED,
        "nice": Category.OUT_OF_SCOPE,
        "maybe": Category.LACKING_EVIDENCE,
    }
    session = Session(stages=ScriptedStages(script).stages(), background=["The shop is open."])
    await run(session, "One is true. Bern is nice. Two may be maybe. Two is FALSE.")
    await run(session, "ONE is true!")
    assert [(s.text, s.turn) for s in session.common_ground] == [
        ("The shop is open.", -1),
        ("One is true.", 0),
        ("Bern is nice.", 0),
    ]
    assert len(session.report.turns) == 2


def test_a_statement_is_retracted_without_a_loop_too():
    session = scripted()
    "".join(session.turn_sync(["One is true. Two is true."]))
    session.retract_sync(session.common_ground[0])
    assert [s.text for s in session.common_ground] == ["Two is true."]


@pytest.mark.anyio
async def test_what_cannot_be_retracted_is_said():
    session = scripted()
    with pytest.raises(ValueError, match="statement must be in the common ground, and this is not: 'One'"):
        await session.retract("One")
    with pytest.raises(ValueError, match="statement must be a Statement or its text, not int"):
        await session.retract(1)
    async with session.turn(["One is true."]) as turn:
        with pytest.raises(SessionStateError, match="is running"):
            await session.retract("One is true.")
        await turn.drain()
    await session.retract("One is true.")
    assert session.common_ground == ()


@pytest.mark.anyio
async def test_one_turn_at_a_time():
    session = scripted()
    async with session.turn(["One is true."]):
        with pytest.raises(SessionStateError, match="is running"):
            session.turn(["Two is true."])
    assert await run(session, "Two is true.") == "Two is true."


@pytest.mark.anyio
async def test_a_turn_that_was_made_but_never_entered_bars_no_other():
    session = scripted()
    forgotten = session.turn(["One is true."])
    with pytest.raises(SessionStateError, match="enter the turn first"):
        await anext(forgotten.text())
    other = session.turn(["Three is true."])
    async with session.turn(["Two is true."]) as turn:
        with pytest.raises(SessionStateError, match="is running"):
            await other.__aenter__()
        assert "".join([piece async for piece in turn.text()]) == "Two is true."
    for turn in (other, forgotten):
        async with turn:
            pass


@pytest.mark.anyio
async def test_a_store_carries_the_common_ground_from_session_to_session():
    store = MemoryStore()
    await run(scripted(store=store, conversation="a"), "One is true.")
    await run(scripted(store=store, conversation="b"), "Two is true.")
    later = scripted(store=store, conversation="a")
    await run(later, "Three is true.")
    assert [s.text for s in later.common_ground] == ["One is true.", "Three is true."]


@pytest.mark.anyio
async def test_history_and_query_are_heard_before_the_answer_and_history_once():
    heard = []

    class Listening(WholeSentences):
        async def hear(self, utterance):
            heard.append((utterance.role, utterance.text))

    parts = ScriptedStages()
    stages = type(parts.stages())(decompose=Listening(), rank=parts, verify=parts, categorise=parts)
    session = Session(stages=stages, history=[Utterance(role="assistant", text=f"Hello. {NOTICE}")])
    await run(session, "One is true.", query="Is it?")
    await run(session, "Two is true.", query="And?")
    assert heard == [("assistant", "Hello."), ("user", "Is it?"), ("user", "And?")]


@pytest.mark.anyio
async def test_a_callback_that_is_registered_after_its_turn_was_made_is_called():
    session, heard = scripted(), []
    turn = session.turn(["One is true."])
    session.on(TurnEnded, heard.append)
    async with turn:
        await turn.drain()
    assert len(heard) == 1


@pytest.mark.anyio
async def test_callbacks_hear_their_event_only():
    session = scripted()
    seen = []
    assert session.on(TextReleased, seen.append) == seen.append
    await run(session, "One is true.")
    assert [type(event) for event in seen] == [TextReleased]


@pytest.mark.parametrize(
    "callback",
    [lambda event, seen=None: None, lambda *events: None, partial(print, end=""), Mock(), max, [].append],
)
def test_a_callback_that_takes_one_event_is_registered(callback):
    assert scripted().on(TextReleased, callback) is callback


def test_references_come_from_text_file_or_a_reference(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Lyon lies in France.", encoding="utf-8")
    session = scripted()
    built = Reference("Rome lies in Italy.", name="rome")
    for reference in ("Paris lies in France.", path, built):
        session.add_reference(reference)
    assert [r.text for r in session.references] == [
        "Paris lies in France.",
        "Lyon lies in France.",
        "Rome lies in Italy.",
    ]
    assert session.references[2] is built


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: Session(ScriptedVerifier(), stages=ScriptedStages().stages()),
            "verifier or stages, not both",
        ),
        (lambda: scripted(background="one"), "background must be an iterable"),
        (lambda: scripted().on(Statement, print), "event must be one of the Event classes"),
        (lambda: scripted().on(TextReleased, "print"), "callback must be callable, with an event, not str"),
        (
            lambda: scripted().on(TextReleased, lambda: None),
            r"callback must take one argument, the event; <lambda>\(\) does not: too many",
        ),
        (
            lambda: scripted().on(TextReleased, scripted().prepare),
            r"must take one argument, the event; prepare",
        ),
        (
            lambda: scripted().on(TextReleased, lambda event, turn: None),
            "missing a required argument: 'turn'",
        ),
        (lambda: scripted().add_reference("  "), "more than white space"),
        (lambda: scripted().add_reference("notes.txt"), r"reference 'notes.txt' names a file.*give Path"),
        (lambda: scripted().add_reference("/my/Notes.MD"), "names a file"),
        (lambda: scripted().add_reference(b"It is so."), "must be a str, Path or Reference, not bytes"),
        (
            lambda: scripted().add_reference(Reference("It is so.", name="one"), name="two"),
            "name must be None for a Reference: it has its own, 'one'",
        ),
        (lambda: Session(Policy()), r"verifier must be .* not Policy; .* Session\(policy=\.\.\.\)"),
        (lambda: Session(ScriptedVerifier), "verifier must be .* not the class ScriptedVerifier"),
        (lambda: scripted(policy="x"), "policy must be a Policy, not str"),
        (lambda: scripted(policy={}), "policy must be a Policy, not dict"),
        (
            lambda: scripted(policy=SURE),
            "thresholds must be empty: the categorise stage, ScriptedStages, has",
        ),
        (lambda: Session(stages=ScriptedStages()), "stages must be Stages, not ScriptedStages"),
        (lambda: scripted(store={}), "store must have the async methods load and append, not dict"),
        (lambda: scripted(history=["Hello."]), "history must hold Utterance only, not str"),
        (lambda: scripted(history="Hello."), "history must be an iterable of Utterance, not one str"),
        (lambda: scripted(history=5), "history must be an iterable of Utterance, not one int"),
        (lambda: scripted(background=[None]), "background must hold str only, not NoneType"),
        (
            lambda: scripted(history=[Utterance(role="system", text="Be kind.")]),
            "history must hold the roles 'user' and 'assistant' only, not 'system'",
        ),
        (
            lambda: scripted(history=[Utterance(role="user", text=None)]),
            "history must hold a str as the text of an Utterance, not NoneType",
        ),
        (lambda: scripted(conversation=5), "conversation must be a str or None, not int"),
        (lambda: scripted(store=MemoryStore), "store must have .* not the class MemoryStore"),
        (lambda: scripted().add_reference("It is so.", name=5), "name must be a str"),
        (lambda: scripted().turn(str), "deltas must be .* not the class str: call it"),
    ],
)
def test_bad_arguments_are_named(act, message):
    with pytest.raises(ValueError, match=message):
        act()


@pytest.mark.anyio
async def test_what_is_no_verifier_is_named_before_it_is_preloaded():
    with pytest.raises(ValueError, match=r"verifier must be .* not the class EmbeddedVerifier"):
        await Session.create(EmbeddedVerifier)


@pytest.mark.parametrize(
    "text",
    ["See notes.txt", "The ferry sails.\nnotes.txt", "Lyon.", "巴黎是法国的首都。", "x" * 2000 + ".txt"],
)
def test_a_text_that_only_looks_somewhat_like_a_file_is_a_text(text):
    assert scripted().add_reference(text).text == text


def test_a_reference_may_hold_what_would_be_a_file_name():
    assert scripted().add_reference(Reference("notes.txt", name="note")).text == "notes.txt"


@pytest.mark.anyio
async def test_the_policys_thresholds_hold_from_turn_to_turn():
    parts = ScriptedStages()
    verify = EmbeddedVerify(ScriptedVerifier({"FALSE": Scores(0.1, 0.1, 0.8)}))
    stages = Stages(decompose=WholeSentences(), rank=parts, verify=verify, categorise=EmbeddedCategorise())
    session = Session(stages=stages)
    session.add_reference("Three is true.")
    for policy, category in (
        (Policy(), Category.CONTRADICTED),
        (SURE, Category.LACKING_EVIDENCE),
        (Policy(thresholds={"entailment": 0.9}), Category.CONTRADICTED),
    ):
        session.policy = policy
        async with session.turn(["Two is FALSE."]) as turn:
            report = await turn.drain()
        assert [verdict.category for verdict in report.verdicts] == [category]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (SURE, "thresholds must be empty"),
        ("strict", "policy must be a Policy, not str"),
        (None, "must be a P"),
    ],
)
def test_a_policy_that_cannot_be_is_refused_where_it_is_set(policy, message):
    session = scripted()
    before = session.policy
    with pytest.raises(ValueError, match=message):
        session.policy = policy
    assert session.policy is before


class Broken(MemoryStore):
    async def append(self, conversation, statements):
        raise OSError("disk full")


@pytest.mark.anyio
async def test_a_turn_goes_by_the_policy_that_it_was_made_with():
    session = scripted(store=Broken(), policy=Policy(on_store_error="raise"))
    session.policy = Policy(on_store_error="continue")
    async with session.turn(["One is true. Two is FALSE."]) as turn:
        session.policy = Policy(on_store_error="raise")
        report = await turn.drain()
    assert "disk full" in str(report.store_error)


def test_the_sync_facade_refuses_at_once_what_a_turn_refuses():
    for arguments in ({"deltas": None}, {"deltas": ["One."], "query": 5}):
        with pytest.raises(ValueError, match="must be"):
            scripted().turn_sync(**arguments)


@pytest.mark.anyio
async def test_a_text_is_one_delta():
    class Counting(str):
        __slots__ = ()

        def __iter__(self):
            raise AssertionError("read by the character")

    async with scripted().turn(Counting("One is true.")) as turn:
        assert "".join([piece async for piece in turn.text()]) == "One is true."


@pytest.mark.anyio
async def test_a_turn_that_is_never_entered_leaves_nothing_open():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scripted().turn(["One is true."])
        gc.collect()


def test_an_empty_reference_is_named_as_such():
    with pytest.raises(ValueError, match="reference must"):
        scripted().add_reference(" ")


class Empty(MemoryStore):
    def __len__(self):
        return 0


@pytest.mark.anyio
async def test_a_store_that_is_empty_is_used():
    store = Empty()
    await run(scripted(store=store, conversation="a"), "One is true.")
    assert [s.text for s in await store.load("a")] == ["One is true."]


@pytest.mark.anyio
async def test_the_detector_detects():
    if sniffio.current_async_library() == "asyncio":
        with pytest.raises(BlockingError):
            time.sleep(0.001)  # noqa: ASYNC251  the point


@pytest.mark.anyio
async def test_the_event_loop_is_not_blocked_while_a_turn_runs():
    rounds = 0
    session = scripted()

    async def watch() -> None:
        nonlocal rounds
        while True:
            await anyio.lowlevel.checkpoint()
            rounds += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        async with session.turn(replay("It is true. " * 200, size=5)) as turn:
            await turn.drain()
        tasks.cancel_scope.cancel()
    assert rounds > 200


@pytest.mark.anyio
async def test_turns_are_numbered_on_from_an_earlier_session_of_the_conversation():
    store = MemoryStore()
    for text in ("One is true.", "Two is true."):
        later = Session(stages=ScriptedStages().stages(), store=store, conversation="c")
        async with later.turn([text]) as turn:
            await turn.drain()
    assert [statement.turn for statement in later.common_ground] == [0, 1]
    assert later.report.before == 1


@pytest.mark.anyio
async def test_a_store_that_hangs_does_not_keep_a_turn_for_ever(monkeypatch):
    monkeypatch.setattr("vista_stream.stores.session_memory._STORING", 0.05)

    class Stuck(MemoryStore):
        async def append(self, conversation, statements):
            await anyio.sleep_forever()

    stuck = Session(stages=ScriptedStages().stages(), store=Stuck())
    with anyio.fail_after(5), pytest.raises(StoreError, match=r"longer than 0.05 seconds"):
        async with stuck.turn(["One is true."]) as turn:
            await turn.drain()


@pytest.mark.anyio
async def test_history_is_heard_though_preparing_was_cancelled():
    heard = []

    class Slow(WholeSentences):
        async def hear(self, utterance):
            await anyio.sleep(0.05)
            heard.append(utterance.text)

    scripted = ScriptedStages()
    stages = type(scripted.stages())(decompose=Slow(), rank=scripted, verify=scripted, categorise=scripted)
    session = Session(stages=stages, history=[Utterance(role="user", text=text) for text in ("h1", "h2")])
    with anyio.move_on_after(0.02):
        await session.prepare()
    await session.prepare()
    assert heard == ["h1", "h2"]


@pytest.mark.parametrize(("fact", "said"), [("", "\ud83d "), ("\ud83d ", ""), ("\ude00", "\ude00")])
def test_half_a_surrogate_pair_in_text_or_reference_does_not_keep_claims_from_verdicts(fact, said):
    shipped = Session()
    shipped.add_reference(f"The tower {fact}was completed in 1889 by Gustave.")
    text = f"The tower {said}was completed in 1889. It is open."

    async def main():
        async with shipped.turn([text], query="When was the tower completed?") as turn:
            return await turn.drain()

    report = anyio.run(main)
    assert report.released == len(text)
    assert report.verdicts[0].scores.entailment == max(report.verdicts[0].scores)
    assert not report.unresolved


@pytest.mark.parametrize(
    ("deltas", "message"),
    [
        (None, "deltas must be an async or sync iterable of str, not NoneType"),
        (5, "not int"),
        (lambda: ["x"], "call it, and give what it returns"),
    ],
)
def test_a_source_that_is_none_is_named_at_once(deltas, message):
    with pytest.raises(ValueError, match=message):
        scripted().turn(deltas)


@pytest.mark.anyio
async def test_a_coroutine_for_a_source_is_to_be_awaited_first():
    async def answer():
        return ["x"]

    with pytest.raises(ValueError, match="await it first"):
        scripted().turn(answer())


@pytest.mark.parametrize("query", [5, b"x"])
def test_a_query_that_is_no_text_is_named(query):
    with pytest.raises(ValueError, match="query must be a str or None"):
        scripted().turn(["x"], query=query)


@pytest.mark.anyio
async def test_history_is_heard_once_by_whoever_prepares():
    heard = []

    class Hearing(WholeSentences):
        async def hear(self, utterance):
            await anyio.sleep(0.01)
            heard.append(utterance.text)

    stages = replace(ScriptedStages().stages(), decompose=Hearing())
    history = [Utterance(role="user", text="Hi."), Utterance(role="assistant", text="Hello.")]
    session = Session(stages=stages, history=history)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(session.prepare)
        tasks.start_soon(session.prepare)
    assert heard == ["Hi.", "Hello."]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.anyio
async def test_an_async_source_inside_of_a_loop_is_refused_where_it_would_hang():
    with pytest.raises(SessionStateError, match="an event loop is running"):
        next(scripted().turn_sync(replay("One is true.")))


@pytest.mark.anyio
@pytest.mark.parametrize("action", [withhold(), replaced("[gone]")])
async def test_claims_of_sentences_that_were_not_shown_stay_out_of_the_common_ground(action):
    rules = {(Category.OUT_OF_SCOPE, importance): action for importance in Importance}
    stages = ScriptedStages({"nice": Category.OUT_OF_SCOPE}).stages()
    session = Session(stages=stages, policy=Policy(rules=rules))
    await run(session, "One is true. It is nice.")
    assert [s.text for s in session.common_ground] == ["One is true."]


def test_a_reference_can_be_removed():
    session = scripted()
    first, second = (session.add_reference(text) for text in ("Paris is big.", "Rome is old."))
    session.remove_reference(first)
    assert session.references == (second,)
    with pytest.raises(ValueError, match="one of the session's"):
        session.remove_reference(first)

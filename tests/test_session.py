import time

import anyio
import pytest
import sniffio
from blockbuster import BlockingError

from vista_stream.claims import Category, Utterance
from vista_stream.core.common_ground import Statement
from vista_stream.errors import SessionStateError
from vista_stream.events import TextReleased
from vista_stream.policy import NOTICE
from vista_stream.retrieval.reference import Reference
from vista_stream.session import Session
from vista_stream.stores import MemoryStore
from vista_stream.testing import ScriptedStages, ScriptedVerifier, WholeSentences, replay

pytestmark = pytest.mark.usefixtures("no_blocking_calls")


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
    await run(session, "One is true. It is nice. It may be maybe. It is FALSE.")
    await run(session, "ONE is true!")
    assert [(s.text, s.turn) for s in session.common_ground] == [
        ("The shop is open.", -1),
        ("One is true.", 0),
        ("It is nice.", 0),
    ]
    assert len(session.report.turns) == 2


@pytest.mark.anyio
async def test_one_turn_at_a_time():
    session = scripted()
    async with session.turn(["One is true."]):
        with pytest.raises(SessionStateError, match="is running"):
            session.turn(["Two is true."])
    assert await run(session, "Two is true.") == "Two is true."


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
    session = Session(stages=stages, history=[Utterance(role="assistant", text="Hello.")])
    await run(session, "One is true.", query="Is it?")
    await run(session, "Two is true.", query="And?")
    assert heard == [("assistant", "Hello."), ("user", "Is it?"), ("user", "And?")]


@pytest.mark.anyio
async def test_callbacks_hear_their_event_only():
    session = scripted()
    seen = []
    assert session.on(TextReleased, seen.append) == seen.append
    await run(session, "One is true.")
    assert [type(event) for event in seen] == [TextReleased]


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
        (lambda: scripted().add_reference("  "), "more than white space"),
    ],
)
def test_bad_arguments_are_named(act, message):
    with pytest.raises(ValueError, match=message):
        act()


@pytest.mark.anyio
async def test_the_detector_detects():
    if sniffio.current_async_library() == "asyncio":
        with pytest.raises(BlockingError):
            time.sleep(0.001)  # noqa: ASYNC251  the point


@pytest.mark.anyio
async def test_the_event_loop_is_not_blocked_while_a_turn_runs():
    longest = 0.0
    session = scripted()

    async def watch() -> None:
        nonlocal longest
        while True:
            before = anyio.current_time()
            await anyio.sleep(0.001)
            longest = max(longest, anyio.current_time() - before)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        async with session.turn(replay("It is true. " * 200, size=5)) as turn:
            await turn.drain()
        tasks.cancel_scope.cancel()
    assert longest < 0.5


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
    assert report.verdicts[0].category is Category.VERIFIED
    assert not report.unresolved

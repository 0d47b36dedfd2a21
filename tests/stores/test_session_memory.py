import contextlib
import sqlite3

import anyio
import pytest

from vista_stream.claims import Category
from vista_stream.core.common_ground import CommonGround
from vista_stream.errors import StoreError
from vista_stream.events import ClaimSettled
from vista_stream.policy import NOTICE, Policy
from vista_stream.session import Session
from vista_stream.stores import MemoryStore
from vista_stream.stores.sqlite import SqliteStore
from vista_stream.testing import ScriptedStages

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("no_blocking_calls")]
GOING_ON = Policy(on_store_error="continue")


def session(store, **settings):
    stages = ScriptedStages({"FALSE": Category.CONTRADICTED}).stages()
    return Session(stages=stages, store=store, conversation="c", **settings)


async def say(session, text):
    """What is shown, and the turn's report."""
    async with session.turn([text]) as turn:
        shown = "".join([piece async for piece in turn.text()])
        return shown, turn.report


def texts(statements):
    return [statement.text for statement in statements]


@pytest.fixture
async def store(tmp_path):
    async with SqliteStore(tmp_path / "a.db", attempt=1, patience=0.2) as opened:
        yield opened


class Lock:
    """Another writer's hold on the file."""

    def __init__(self, store):
        self._connection = sqlite3.connect(store._path, isolation_level=None, check_same_thread=False)
        self._connection.execute("BEGIN IMMEDIATE")

    def release(self):
        self._connection.close()


def lock(store):
    return anyio.to_thread.run_sync(Lock, store)


async def test_two_sessions_of_a_conversation_hear_of_each_other_before_each_turn(store):
    one, other = session(store, background=["The shop is open."]), session(store)
    await say(one, "One is true.")
    await say(other, "Two is true.")
    await say(one, "Three is true.")
    assert [(s.text, s.turn) for s in one.common_ground] == [
        ("The shop is open.", -1),
        ("One is true.", 0),
        ("Two is true.", 1),
        ("Three is true.", 2),
    ]
    assert (one.report.before, other.report.before) == (0, 1)


async def test_what_prepare_read_before_a_turn_ended_does_not_take_its_claims_away(store, monkeypatch):
    async def late(conversation):
        kept = await read(conversation)
        asked.set()
        await ended.wait()
        return kept

    async def deltas():
        yield "One is true.\n"
        await settled.wait()
        monkeypatch.setattr(store, "read", late)
        tasks.start_soon(one.prepare)
        await asked.wait()
        yield "Two is true."

    one, read = session(store), store.read
    settled, asked, ended = anyio.Event(), anyio.Event(), anyio.Event()
    one.on(ClaimSettled, lambda event: settled.set())
    async with anyio.create_task_group() as tasks:
        async with one.turn(deltas()) as turn:
            await turn.drain()
        ended.set()
    assert texts(one.common_ground) == ["One is true.", "Two is true."]


async def test_turns_that_end_at_once_are_numbered_one_after_the_other(store):
    sessions = [session(store) for _ in range(8)]
    async with anyio.create_task_group() as tasks:
        for number, each in enumerate(sessions):
            tasks.start_soon(say, each, f"Fact {number} is true.")
    kept = await store.read("c")
    assert sorted(texts(kept.statements)) == sorted(f"Fact {number} is true." for number in range(8))
    assert [statement.turn for statement in kept.statements] == list(range(8))


async def test_a_turn_without_claims_counts_and_references_are_kept_by_their_digests(store):
    one = session(store)
    reference = one.add_reference("The mill is red.")
    await say(one, "This is FALSE.")
    kept = await store.read("c")
    assert (kept.turns, kept.statements, kept.references) == (1, (), (reference.digest,))


async def test_a_store_that_takes_nothing_in_fails_the_turn_or_is_said(store):
    await say(session(store), "One is true.")
    strict, tolerant = session(store), session(store, policy=GOING_ON)
    held = await lock(store)
    with pytest.raises(StoreError, match="database is locked"):
        await say(strict, "Two is true.")
    shown, report = await say(tolerant, "Three is true. Four is FALSE.")
    assert shown == f"Three is true. {NOTICE}"
    assert "database is locked" in report.store_error
    assert tolerant.report.turns[-1].store_error == report.store_error
    await anyio.to_thread.run_sync(held.release)
    # What was not taken in is written with the next turn, before it.
    _, report = await say(tolerant, "Five is true.")
    assert report.store_error == ""
    await say(strict, "Six is true.")
    kept = await store.read("c")
    assert texts(kept.statements) == [f"{word} is true." for word in ("One", "Three", "Five", "Two", "Six")]
    assert [statement.turn for statement in kept.statements] == [0, 1, 2, 3, 4]
    assert texts(tolerant.common_ground) == ["One is true.", "Three is true.", "Five is true."]


async def test_a_store_that_cannot_be_read_fails_the_turn_or_is_said(tmp_path):
    async with SqliteStore(tmp_path / "later" / "a.db", patience=0) as store:
        with pytest.raises(StoreError, match="unable to open database file"):
            await say(session(store), "One is true.")
        tolerant = session(store, policy=GOING_ON)
        shown, report = await say(tolerant, "Two is true.")
        assert (shown, "unable to open" in report.store_error) == ("Two is true.", True)
        await anyio.Path(tmp_path / "later").mkdir()
        _, report = await say(tolerant, "Three is true.")
        assert report.store_error == ""
        assert texts(await store.load("c")) == ["Two is true.", "Three is true."]


class Broken(MemoryStore):
    """A store of one's own, of the first protocol, that is down."""

    down = True

    async def load(self, conversation):
        if self.down:
            raise StoreError("it is down")
        return await super().load(conversation)

    async def append(self, conversation, statements):
        if self.down:
            raise StoreError("it is down")
        await super().append(conversation, statements)


async def test_a_store_of_ones_own_goes_by_the_policy_too():
    with pytest.raises(StoreError, match="it is down"):
        await say(session(Broken()), "One is true.")
    store = Broken()
    tolerant = session(store, policy=GOING_ON)
    _, report = await say(tolerant, "One is true.")
    assert report.store_error == "it is down"
    store.down = False
    _, report = await say(tolerant, "Two is true.")
    assert report.store_error == ""
    assert texts(await store.load("c")) == ["One is true.", "Two is true."]
    assert texts(tolerant.common_ground) == ["One is true.", "Two is true."]


async def test_what_a_store_of_ones_own_did_not_take_in_is_written_with_the_next_turn():
    store = Broken()
    store.down = False
    one = session(store, policy=GOING_ON)
    await say(one, "One is true. Two is true.")
    store.down = True
    await one.retract("One is true.")
    await say(one, "Three is true.")
    store.down = False
    await say(one, "This is FALSE.")
    later = session(store)
    await later.prepare()
    assert texts(later.common_ground) == texts(one.common_ground) == ["Two is true.", "Three is true."]


async def test_what_a_session_added_before_it_could_load_is_no_earlier_turn():
    class Unread(Broken):
        async def append(self, conversation, statements):
            await MemoryStore.append(self, conversation, statements)

    store = Unread()
    one = session(store, policy=GOING_ON)
    await say(one, "One is true.")
    store.down = False
    await say(one, "Two is true.")
    assert [(s.text, s.turn) for s in one.common_ground] == [("One is true.", 0), ("Two is true.", 1)]
    assert one.report.before == 0


async def test_any_error_of_a_store_of_ones_own_is_a_store_error():
    class Raising(MemoryStore):
        async def load(self, conversation):
            raise ConnectionError("reset")

    with pytest.raises(StoreError, match="the store raised ConnectionError: reset"):
        await say(session(Raising()), "One is true.")
    _, report = await say(session(Raising(), policy=GOING_ON), "One is true.")
    assert report.store_error == "the store raised ConnectionError: reset"


async def test_a_store_that_has_not_answered_at_the_end_of_the_turn_is_said(store):
    class Slow(MemoryStore):
        async def load(self, conversation):
            await anyio.sleep_forever()

    _, report = await say(session(Slow(), policy=GOING_ON), "")
    assert report.store_error == ""
    late = session(Slow(), policy=Policy(on_store_error="continue", deadline=0.1))
    _, report = await say(late, "One is true.")
    assert report.store_error == "the store had not answered when the turn ended"


async def test_what_is_retracted_is_so_for_every_session_and_counts_as_no_turn(store):
    one, other = session(store), session(store)
    await say(one, "One is true. Two is true.")
    await other.retract("ONE is true")
    assert texts(other.common_ground) == ["Two is true."]
    await say(one, "Three is true.")
    assert [(s.text, s.turn) for s in one.common_ground] == [("Two is true.", 0), ("Three is true.", 1)]
    (record,) = one.superseded
    assert (record.old.text, record.reason, record.turn) == ("One is true.", "retracted", 0)
    with pytest.raises(ValueError, match="statement must be in the common ground"):
        await one.retract("One is true.")
    await say(one, "One is true.")
    assert texts(await store.load("c")) == ["Two is true.", "Three is true.", "One is true."]


async def test_sessions_that_retract_at_once_take_out_once(store):
    sessions = [session(store) for _ in range(6)]
    await say(sessions[0], "One is true. Two is true.")

    async def retract(each):
        with contextlib.suppress(ValueError):
            await each.retract("One is true.")

    async with anyio.create_task_group() as tasks:
        for each in sessions:
            tasks.start_soon(retract, each)
    kept = await store.read("c")
    assert (texts(kept.statements), len(kept.superseded), kept.turns) == (["Two is true."], 1, 1)


async def test_background_that_is_retracted_is_so_in_later_sessions_of_the_conversation(store):
    one = session(store, background=["The shop is open."])
    await one.retract("The shop is open.")
    later = session(store, background=["The shop is open.", "The mill is red."])
    await say(later, "One is true.")
    assert [(s.text, s.turn) for s in later.common_ground] == [("The mill is red.", -1), ("One is true.", 0)]


async def test_a_retraction_that_the_store_does_not_take_in_raises_or_is_written_later(store):
    strict, tolerant = session(store), session(store, policy=GOING_ON)
    await say(strict, "One is true. Two is true.")
    await say(tolerant, "Three is true.")
    held = await lock(store)
    await tolerant.retract("One is true.")
    assert texts(tolerant.common_ground) == ["Two is true.", "Three is true."]
    with pytest.raises(StoreError, match="database is locked"):
        await strict.retract("Two is true.")
    await anyio.to_thread.run_sync(held.release)
    await say(tolerant, "Four is true.")
    assert texts(await store.load("c")) == ["Two is true.", "Three is true.", "Four is true."]


async def test_a_store_that_cannot_be_read_may_have_what_is_to_be_retracted():
    store = Broken()
    one = session(store, background=["The shop is open."], policy=GOING_ON)
    with pytest.raises(StoreError, match="it is down"):
        await one.retract("One is true.")
    await one.retract("The shop is open.")
    assert one.common_ground == ()
    store.down = False
    with pytest.raises(ValueError, match="statement must be in the common ground"):
        await one.retract("One is true.")


async def test_a_store_of_ones_own_keeps_retractions_as_they_came():
    store = MemoryStore()
    one = session(store)
    await say(one, "One is true. Two is true.")
    await one.retract(one.common_ground[0])
    later = session(store)
    await say(later, "Three is true.")
    assert texts(later.common_ground) == ["Two is true.", "Three is true."]
    assert [record.old.text for record in later.superseded] == ["One is true."]
    assert list(CommonGround(await store.load("c"))) == list(later.common_ground)

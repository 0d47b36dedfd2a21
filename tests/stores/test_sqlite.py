import multiprocessing
import sqlite3
from contextlib import asynccontextmanager

import anyio
import pytest

from store_writers import acknowledged, check, writers
from vista_stream.core.common_ground import Statement
from vista_stream.errors import StoreError
from vista_stream.stores import Bounds, EndedTurn
from vista_stream.stores.sqlite import SqliteStore

pytestmark = pytest.mark.usefixtures("no_blocking_calls")


def said(text):
    return [Statement(text=text, origin="claim", turn=0)]


def texts(statements):
    return [statement.text for statement in statements]


def executed(path, *commands):
    """A connection of its own that has run them, in a thread; the last one's rows."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    rows = [connection.execute(command).fetchall() for command in commands]
    return connection, rows[-1]


@asynccontextmanager
async def locked(path):
    """The file while another writer holds it."""
    connection, _ = await anyio.to_thread.run_sync(executed, path, "BEGIN IMMEDIATE")
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(connection.close)


@pytest.mark.anyio
async def test_what_is_added_is_there_for_another_store_of_the_file(tmp_path):
    async with SqliteStore(tmp_path / "a.db") as one, SqliteStore(tmp_path / "a.db") as other:
        await one.end_turn("a", EndedTurn(statements=said("One."), references=["d"]))
        kept = await other.end_turn("a", EndedTurn(statements=said("Two.")))
        assert await one.read("a") == kept
        assert [(s.text, s.turn) for s in kept.statements] == [("One.", 0), ("Two.", 1)]
        assert kept.references == ("d",)
        await one.append("\ud800", said("Odd \ud800."))
        assert texts(await other.load("\ud800")) == ["Odd \ud800."]
        assert list(await one.load("b")) == []


class SmallDisk(SqliteStore):
    """A store whose file has room for eight pages, until `room` is made."""

    room = 8

    def _open(self):
        connection = super()._open()
        connection.execute(f"PRAGMA max_page_count = {self.room}")
        return connection


@pytest.mark.anyio
async def test_a_full_disk_is_told_and_what_was_kept_stays(tmp_path):
    async with SmallDisk(tmp_path / "a.db") as store:
        kept = []
        with pytest.raises(StoreError, match="full"):
            for number in range(100):
                await store.append("a", said(f"Number {number} " + "and so on " * 100))
                kept.append(number)
        assert kept
        assert [int(text.split()[1]) for text in texts(await store.load("a"))] == kept
        store.room = 1000
        await store.aclose()
        await store.append("a", said("After."))
        assert len(await store.load("a")) == len(kept) + 1


@pytest.mark.anyio
async def test_a_turn_that_is_written_twice_counts_once(tmp_path):
    async with SqliteStore(tmp_path / "a.db") as store:
        turn = EndedTurn(statements=said("One."))
        assert await store.end_turn("a", turn) == await store.end_turn("a", turn)


@pytest.mark.anyio
async def test_conversations_are_forgotten_by_number_and_by_time(tmp_path):
    async with SqliteStore(tmp_path / "a.db", bounds=Bounds(conversations=2)) as store:
        for number, key in enumerate(("a", "b", "a", "c")):
            await store.append(key, said(f"Of {key}, {number}."))
        assert [len(await store.load(key)) for key in "abc"] == [2, 0, 1]
    async with SqliteStore(tmp_path / "a.db", bounds=Bounds(ttl=0.2)) as store:
        await anyio.sleep(0.3)
        assert list(await store.load("a")) == []
        await store.append("d", said("Of d."))
    connection, rows = await anyio.to_thread.run_sync(
        executed, tmp_path / "a.db", "SELECT name FROM conversations"
    )
    await anyio.to_thread.run_sync(connection.close)
    assert rows == [("d",)]


@pytest.mark.anyio
async def test_turns_that_end_at_once_are_all_kept(tmp_path):
    async with SqliteStore(tmp_path / "a.db") as one, SqliteStore(tmp_path / "a.db") as other:
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon([one, other][number % 2].append, "a", said(f"{number}."))
        kept = await one.read("a")
    assert sorted(texts(kept.statements)) == sorted(f"{number}." for number in range(20))
    assert [statement.turn for statement in kept.statements] == list(range(20))


@pytest.mark.anyio
async def test_a_file_that_is_locked_is_waited_for_and_then_given_up(tmp_path):
    path = tmp_path / "a.db"
    async with SqliteStore(path) as patient:  # a busy disk may take long to make the file
        await patient.append("a", said("One."))
    async with SqliteStore(path, attempt=0.2, patience=0.5) as store:
        async with locked(path):
            assert texts(await store.load("a")) == ["One."]  # a reader waits for no writer
            with pytest.raises(StoreError, match=r"a\.db cannot be used: database is locked"):
                await store.append("a", said("Two."))
        await store.append("a", said("Three."))
        assert texts(await store.load("a")) == ["One.", "Three."]


@pytest.mark.anyio
async def test_a_lock_that_passes_costs_time_alone(tmp_path):
    path = tmp_path / "a.db"
    async with SqliteStore(path, attempt=0.1, patience=5) as store:
        await store.append("a", said("One."))
        async with anyio.create_task_group() as tasks, locked(path):
            tasks.start_soon(store.append, "a", said("Two."))
            await anyio.sleep(0.4)
        assert texts(await store.load("a")) == ["One.", "Two."]


@pytest.mark.anyio
async def test_what_cannot_pass_is_said_at_once(tmp_path):
    await anyio.Path(tmp_path / "text.db").write_text("This is no database. " * 100)
    async with SqliteStore(tmp_path / "text.db", patience=30) as store:
        with anyio.fail_after(5), pytest.raises(StoreError, match="file is not a database"):
            await store.load("a")
    async with SqliteStore(tmp_path / "no" / "a.db", patience=0) as store:
        with pytest.raises(StoreError, match="unable to open database file"):
            await store.load("a")


@pytest.mark.anyio
async def test_a_file_that_was_removed_is_made_again(tmp_path):
    path = tmp_path / "a.db"
    async with SqliteStore(path) as store:
        await store.append("a", said("One."))
        for name in ("a.db", "a.db-wal", "a.db-shm"):
            await anyio.Path(tmp_path / name).unlink(missing_ok=True)
        await store.append("a", said("Two."))
        async with SqliteStore(path) as other:
            assert texts(await other.load("a")) == ["Two."]


@pytest.mark.anyio
async def test_another_programs_text_is_no_conversation(tmp_path):
    async with SqliteStore(tmp_path / "a.db") as store:
        await store.append("a", said("One."))
        command = "UPDATE conversations SET document = 'x'"
        connection, _ = await anyio.to_thread.run_sync(executed, tmp_path / "a.db", command)
        await anyio.to_thread.run_sync(connection.close)
        with pytest.raises(StoreError, match="no conversation of vista_stream"):
            await store.append("a", said("Two."))


@pytest.mark.anyio
async def test_a_call_that_is_cancelled_returns_at_once(tmp_path):
    async with SqliteStore(tmp_path / "a.db", attempt=5) as store:
        await store.append("a", said("One."))
        async with locked(tmp_path / "a.db"):
            begun = anyio.current_time()
            with anyio.move_on_after(0.2):
                await store.append("a", said("Two."))
            assert anyio.current_time() - begun < 1


def _in_child(store):
    anyio.run(store.append, "a", said("Of the child."))
    anyio.run(store.aclose)


def test_a_forked_process_opens_the_file_anew(tmp_path):
    store = SqliteStore(tmp_path / "a.db")
    anyio.run(store.append, "a", said("Of the parent."))
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(store,))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert texts(anyio.run(store.load, "a")) == ["Of the parent.", "Of the child."]
    anyio.run(store.aclose)


def test_processes_that_end_turns_at_once_lose_nothing(tmp_path):
    path = tmp_path / "a.db"
    with writers(f"sqlite:///{path}", "ABCD", 40) as running:
        told = acknowledged(running)
    check(anyio.run(SqliteStoreReader(path)), told)


def test_a_process_that_is_killed_takes_nothing_with_it_that_was_acknowledged(tmp_path):
    path = tmp_path / "a.db"
    with writers(f"sqlite:///{path}", "ABC", 60) as running:
        killed = running.pop("A")
        told = {"A": [killed.stdout.readline().strip() for _ in range(10)]}
        killed.kill()
        told["A"] += killed.stdout.read().splitlines()
        told |= acknowledged(running)
    kept = anyio.run(SqliteStoreReader(path))
    last = [text for text in texts(kept.statements) if text.startswith("A ")][len(told["A"]) :]
    assert len(last) <= 1  # added, and killed before it could say so
    told["A"] += last
    check(kept, told)


class SqliteStoreReader:
    """Reads the conversation and closes the file."""

    def __init__(self, path):
        self.path = path

    async def __call__(self):
        async with SqliteStore(self.path) as store:
            return await store.read("talk")

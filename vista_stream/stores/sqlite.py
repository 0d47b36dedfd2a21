"""Conversations in one SQLite file, for any number of processes on one machine."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

import anyio
from anyio.lowlevel import RunVar

from vista_stream.stores.conversation import Bounds
from vista_stream.stores.shared import Change, SharedStore

T = TypeVar("T")
_THREADS = 4
_SCHEMA = """
CREATE TABLE IF NOT EXISTS conversations (
    name TEXT PRIMARY KEY NOT NULL,
    document TEXT NOT NULL,
    used REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS conversations_by_use ON conversations (used);
"""
_PASSING_CODES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}

_threads: RunVar[anyio.CapacityLimiter] = RunVar("vista_stream.sqlite")


class SqliteStore(SharedStore):
    """Keeps conversations in a SQLite file in WAL mode; an acknowledged turn is on the disk.

    Args:
        path: the file, created if it is missing; its folder must exist. Not on a network file system.
        bounds: how much is kept.
        attempt: seconds that one attempt may take, waiting for other processes included.
        patience: seconds during which failed attempts are repeated, before StoreError is raised.

    Calls run in threads, on any event loop. Close the store with `aclose()`, or use `async with`.
    """

    errors = (sqlite3.Error,)

    def __init__(
        self, path: str | Path, *, bounds: Bounds | None = None, attempt: float = 1.0, patience: float = 3.0
    ) -> None:
        super().__init__(bounds=bounds, attempt=attempt, patience=patience)
        self._path = Path(path).absolute()  # stays the same file if the working directory changes
        self._busy = Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int, int] | None = None

    @property
    def place(self) -> str:
        """The file."""
        return f"the store {self._path}"

    async def aclose(self) -> None:
        """Close the file; a later call opens it again."""
        with anyio.CancelScope(shield=True):
            await self._offload(self._close_alone)

    async def _fetch(self, conversation: str) -> str | bytes | None:
        return await self._offload(lambda: self._selected(conversation))

    async def _swap(self, conversation: str, change: Change) -> None:
        await self._offload(lambda: self._swapped(conversation, change))

    def _passes(self, error: Exception) -> bool:
        # The low byte is the primary error code; the rest is SQLite's extended code.
        code = getattr(error, "sqlite_errorcode", None)
        return code is not None and code & 0xFF in _PASSING_CODES

    async def _offload(self, work: Callable[[], T]) -> T:
        limiter = _threads.get(None)
        if limiter is None:
            limiter = anyio.CapacityLimiter(_THREADS)
            _threads.set(limiter)
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)

    # -- in a thread

    def _selected(self, conversation: str) -> str | None:
        with self._opened_connection() as connection:
            row = connection.execute(
                "SELECT document FROM conversations WHERE name = ? AND used > ?",
                (_name(conversation), self._expired()),
            ).fetchone()
            return None if row is None else str(row[0])

    def _swapped(self, conversation: str, change: Change) -> None:
        name = _name(conversation)
        with self._opened_connection() as connection, _transaction(connection):
            connection.execute("DELETE FROM conversations WHERE used <= ?", (self._expired(),))
            row = connection.execute("SELECT document FROM conversations WHERE name = ?", (name,)).fetchone()
            new = change(None if row is None else row[0])
            if new is None:
                return
            connection.execute(
                "INSERT INTO conversations VALUES (?, ?, ?) ON CONFLICT (name) "
                "DO UPDATE SET document = excluded.document, used = excluded.used",
                (name, new, time.time()),
            )
            connection.execute(
                "DELETE FROM conversations WHERE name IN "
                "(SELECT name FROM conversations ORDER BY used DESC LIMIT -1 OFFSET ?)",
                (self.bounds.conversations,),
            )

    def _expired(self) -> float:
        """Unix time in seconds; conversations last used then or earlier are forgotten."""
        return 0.0 if self.bounds.ttl is None else time.time() - self.bounds.ttl

    @contextmanager
    def _opened_connection(self) -> Iterator[sqlite3.Connection]:
        # An abandoned call holds the connection until SQLite's own time-out.
        if not self._busy.acquire(timeout=self._attempt):
            raise TimeoutError
        try:
            if self._connection is None or self._opened != self._stamp():
                self._close()
                self._connection = self._open()
                self._opened = self._stamp()
            yield self._connection
        except sqlite3.Error:
            self._close()
            raise
        finally:
            self._busy.release()

    def _open(self) -> sqlite3.Connection:
        # SQLite's time-out is shorter than an attempt, so that its own message is reported. `_busy` lets one
        # thread at a time use the connection.
        connection = sqlite3.connect(
            self._path, timeout=0.8 * self._attempt, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")  # in WAL mode, less may lose acknowledged turns
            connection.executescript(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def _stamp(self) -> tuple[int, int, int] | None:
        """Process, device and inode of the file; None without a file.

        The connection is opened again when this changes: the file was replaced, or the process forked.
        """
        try:
            status = self._path.stat()
        except OSError:
            return None
        return os.getpid(), status.st_dev, status.st_ino

    def _close_alone(self) -> None:
        with self._busy:
            self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A write transaction, of one writer at a time; an exception rolls it back."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back when the disk or the memory is full
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _name(conversation: str) -> str:
    # A lone surrogate has no UTF-8 form: it is written as its Python escape.
    return conversation.encode("utf-8", "backslashreplace").decode()

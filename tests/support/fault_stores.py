"""Stores that fail by script: in memory, of one's own, shared with retries, and a SQLite file."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import Any

from fault_parts import Script
from vista_stream.errors import StoreError
from vista_stream.stores.memory import MemoryStore
from vista_stream.stores.shared import Change, Conflict, SharedStore
from vista_stream.stores.sqlite import SqliteStore


class PlainStore(MemoryStore):
    """A store of one process that may fail."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    async def load(self, conversation: str) -> Any:
        await self._script.call(StoreError)
        return await super().load(conversation)

    async def append(self, conversation: str, statements: Any) -> None:
        match await self._script.call(StoreError):
            case "done and refuses":
                await super().append(conversation, statements)
                raise StoreError("done")
            case "full disk":
                raise _full_disk()
        await super().append(conversation, statements)


class FaultySharedStore(SharedStore):
    """The real attempts and retries over texts in memory."""

    errors = (OSError,)

    def __init__(self, script: Script, *, attempt: float) -> None:
        super().__init__(bounds=None, attempt=attempt, patience=0.06)
        self._script = script
        self._texts: dict[str, str] = {}

    @property
    def place(self) -> str:
        return "the store in memory"

    async def aclose(self) -> None:
        """Nothing is open."""

    async def _fetch(self, conversation: str) -> str | None:
        await self._script.call(OSError)
        return self._texts.get(conversation)

    async def _swap(self, conversation: str, change: Change) -> None:
        fault = await self._script.call(OSError)
        if fault == "conflict":
            raise Conflict
        if fault == "full disk":
            raise _full_disk()
        if (new := change(self._texts.get(conversation))) is not None:
            self._texts[conversation] = new
        if fault == "done and refuses":
            raise OSError("done")

    def _passes(self, error: Exception) -> bool:
        return True


def _full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class FaultySqliteStore(SqliteStore):
    """The real file, in pages of 512 bytes, which may have no room for one more of them."""

    def __init__(self, script: Script, path: Path, *, attempt: float) -> None:
        connection = sqlite3.connect(path)
        connection.executescript("PRAGMA page_size = 512; CREATE TABLE kept (row); DROP TABLE kept")
        connection.close()
        super().__init__(path, attempt=attempt, patience=attempt)
        self._script = script
        self._full = False

    async def _fetch(self, conversation: str) -> Any:
        await self._script.call(sqlite3.OperationalError)
        return await super()._fetch(conversation)

    async def _swap(self, conversation: str, change: Change) -> None:
        fault = await self._script.call(sqlite3.OperationalError)
        if fault == "conflict":
            raise Conflict
        self._full = fault == "full disk"
        try:
            await super()._swap(conversation, change)
        except sqlite3.OperationalError as error:
            self._script.note(f"{error}")
            raise
        if fault == "done and refuses":
            raise sqlite3.OperationalError("done")

    def _swapped(self, conversation: str, change: Change) -> None:
        with self._opened_connection() as connection:
            connection.execute(f"PRAGMA max_page_count = {1 if self._full else 10**6}")
        super()._swapped(conversation, change)

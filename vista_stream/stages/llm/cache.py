"""A cache of LLM replies on disk, so that the same question is paid for once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from pathlib import Path
from typing import NamedTuple


class Reply(NamedTuple):
    """A server's reply, with the token counts that it reported."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    """Seconds from the request to the reply."""


class ReplyCache:
    """A SQLite file of replies by question; may be used from several threads and processes.

    Raises sqlite3.Error where the file cannot be opened or is not a database.
    """

    def __init__(self, path: str | Path) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, timeout=30)
        try:
            self._prepare()
        except sqlite3.Error:
            self._database.close()
            raise

    def _prepare(self) -> None:
        with self._lock, self._database:
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS timed_reply (question TEXT PRIMARY KEY, text TEXT NOT NULL, "
                "prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, seconds REAL NOT NULL)"
            )
        self.get(None)  # raises now if the table is damaged

    def get(self, question: object) -> Reply | None:
        """The reply to a question (any JSON value); None where none is kept."""
        with self._lock:
            row = self._database.execute(
                "SELECT text, prompt_tokens, completion_tokens, seconds FROM timed_reply WHERE question = ?",
                (_key(question),),
            ).fetchone()
        return None if row is None else Reply(*row)

    def put(self, question: object, reply: Reply) -> None:
        """Keep a reply; a question that has one keeps its first reply."""
        with self._lock, self._database:
            self._database.execute(
                "INSERT OR IGNORE INTO timed_reply VALUES (?, ?, ?, ?, ?)", (_key(question), *reply)
            )

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _key(question: object) -> str:
    canonical = json.dumps(question, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()

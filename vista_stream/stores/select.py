"""Makes a store from a URL."""

from __future__ import annotations

from vista_stream.stores.conversation import Bounds
from vista_stream.stores.shared import SharedStore

STORES = "sqlite:///PATH, redis://HOST:PORT/DB, rediss://HOST:PORT/DB or unix:///PATH"
_SQLITE = "sqlite:///"


def open_store(url: str, *, bounds: Bounds | None = None) -> SharedStore:
    """The store that a URL names; it connects at its first use.

    `sqlite:///notes.db` is a path from the working directory, `sqlite:////var/notes.db` one from the root.
    Raises ValueError for any other URL, also SQLite's ":memory:". Raises ImportError, which says what
    to install, for a missing package.
    """
    if url == f"{_SQLITE}:memory:":  # else a file of this name
        raise ValueError(f"store must be {STORES}; in memory is MemoryStore(), the default")
    if url.startswith(_SQLITE) and url != _SQLITE:
        from vista_stream.stores.sqlite import SqliteStore

        return SqliteStore(url.removeprefix(_SQLITE), bounds=bounds)
    if url.startswith(("redis://", "rediss://", "unix://")):
        from vista_stream.stores.redis import RedisStore

        return RedisStore(url, bounds=bounds)
    # The message does not quote the URL: it may hold a password.
    raise ValueError(f"store must be {STORES}")

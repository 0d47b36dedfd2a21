"""Conversations in Redis, for replicas on any number of machines."""

from __future__ import annotations

import asyncio
import re
import time
from importlib.util import find_spec
from threading import Lock
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import anyio

from vista_stream.errors import SessionStateError, missing_extra
from vista_stream.stores.conversation import Bounds
from vista_stream.stores.shared import Change, Conflict, SharedStore

try:
    from redis import asyncio as client
    from redis import exceptions
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
except ImportError as error:
    raise ImportError(missing_extra("RedisStore needs the redis package", "redis")) from error

_URL = re.compile(r"(rediss?://[^/?#]*(/[0-9]*/?)?|unix://([^/?#]*@)?/[^?#]+)(\?[^#@]*)?")
_FORM = (
    "url must be redis://HOST:PORT/DB, rediss://HOST:PORT/DB or unix:///PATH, with numbers as PORT and DB; in"
    ' user, password and options "/", "?", "#" and "@" must be percent-encoded: %2F, %3F, %23 and %40'
)
_CONNECTION: dict[str, Any] = {"driver_info": None} if find_spec("redis.driver_info") else {}
"""Connection arguments. Without `driver_info=None` newer versions of the redis package read their own version
number from disk, on the event loop, for every connection."""


class RedisStore(SharedStore):
    """Keeps conversations in a Redis server or a compatible one; a Redis Cluster is not supported.

    Args:
        url: `redis://host:port/db`, `rediss://…` for TLS, or `unix:///path`; user, password and options as in
            the redis package, with "/", "?", "#" and "@" percent-encoded.
        bounds: how much is kept.
        attempt: seconds that one attempt may take, connecting included.
        patience: seconds during which failed attempts are repeated, before StoreError is raised.
        prefix: start of each key, so that services can share a database.

    It runs on asyncio, with separate connections for each event loop; on trio it raises SessionStateError.
    How safe an acknowledged write is depends on the Redis server's settings: see docs/stores.md. Close the
    store with `aclose()`, or use `async with`. Raises ValueError for a URL that cannot be read; it does not
    quote it.
    """

    errors = (exceptions.RedisError, OSError)

    def __init__(
        self,
        url: str,
        *,
        bounds: Bounds | None = None,
        attempt: float = 1.0,
        patience: float = 3.0,
        prefix: str = "vista_stream:",
    ) -> None:
        super().__init__(bounds=bounds, attempt=attempt, patience=patience)
        _check(url)
        self._url = url
        self._prefix = prefix
        self._index = f"{prefix}index"
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()
        self._keeping = Lock()  # synchronous clients in threads have an event loop each

    @property
    def place(self) -> str:
        """The server, without user and password."""
        parts = urlsplit(self._url)
        return f"the store {parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    async def aclose(self) -> None:
        """Close this event loop's connections; a later call opens new ones."""
        with self._keeping:
            connected = self._clients.pop(asyncio.get_running_loop(), None)
        if connected is not None:
            with anyio.CancelScope(shield=True):  # nobody else knows it any more
                await connected.aclose()

    async def _fetch(self, conversation: str) -> str | bytes | None:
        found = await self._client().get(self._key(conversation))
        return found if found is None or isinstance(found, bytes) else str(found)

    async def _swap(self, conversation: str, change: Change) -> None:
        try:
            kept = await self._changed(conversation, change)
        except exceptions.WatchError as error:
            raise Conflict from error  # or a lost connection, which the next attempt raises as such
        if (excess := kept - self.bounds.conversations) > 0:
            await self._forget(excess)

    async def _changed(self, conversation: str, change: Change) -> int:
        """Replace the text by the changed one; returns how many conversations are kept, 0 for no change."""
        key, ttl = self._key(conversation), self.bounds.ttl
        async with self._client().pipeline(transaction=True) as pipe:
            await pipe.watch(key)
            new = change(await pipe.get(key))
            if new is None:
                return 0
            now = time.time()
            pipe.multi()
            pipe.set(key, new, px=None if ttl is None else max(1, round(1000 * ttl)))
            pipe.zadd(self._index, {key: now})
            pipe.zremrangebyscore(self._index, "-inf", "-inf" if ttl is None else now - ttl)
            pipe.zcard(self._index)
            return int((await pipe.execute())[-1])

    async def _forget(self, excess: int) -> None:
        """Drop the `excess` least recently used conversations; if that fails, the next turn tries again."""
        async with self._client().pipeline(transaction=True) as pipe:
            try:
                await pipe.watch(self._index)
                keys = await pipe.zrange(self._index, 0, excess - 1)
                if not keys:
                    return
                pipe.multi()
                pipe.zrem(self._index, *keys)
                pipe.unlink(*keys)
                await pipe.execute()
            except (exceptions.RedisError, OSError):
                return  # the turn itself is kept and acknowledged

    def _passes(self, error: Exception) -> bool:
        refused = (exceptions.AuthenticationError, exceptions.AuthorizationError)  # they are ConnectionErrors
        passing = (exceptions.ConnectionError, exceptions.TimeoutError, OSError)
        return isinstance(error, passing) and not isinstance(error, refused)

    def _key(self, conversation: str) -> bytes:
        return f"{self._prefix}conversation:{conversation}".encode("utf-8", "backslashreplace")

    def _client(self) -> Any:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise SessionStateError("RedisStore runs on asyncio alone: on trio take SqliteStore") from None
        with self._keeping:
            found = self._clients.get(loop)
            if found is None:
                # Only SharedStore retries: it first reads again what a broken transaction may have written.
                found = self._clients[loop] = client.Redis.from_url(
                    self._url,
                    retry=Retry(NoBackoff(), 0),
                    socket_timeout=self._attempt,
                    socket_connect_timeout=self._attempt,
                    **_CONNECTION,
                )
        return found


def _check(url: str) -> None:
    """Raise ValueError for a URL that the redis package would not take, or would take for another one.

    Neither the message nor the traceback quotes the URL: what stands in a wrong place may be a password.
    """
    try:
        whole = _URL.fullmatch(url) and urlsplit(url).port != 0
    except ValueError:  # a port that is no number, or brackets without an address
        whole = False
    if not whole:
        raise ValueError(_FORM)
    try:  # a connection that is made, but not opened, tells of options that it does not take
        client.ConnectionPool.from_url(url, **_CONNECTION).make_connection()
    except (TypeError, ValueError, exceptions.RedisError):
        told = "url has an option that the redis package does not take, or not with this value"
        raise ValueError(told) from None

"""Conversations in Redis, for replicas on any number of machines."""

from __future__ import annotations

import asyncio
import time
from importlib.util import find_spec
from threading import Lock
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

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

_SCHEMES = ("redis", "rediss", "unix")
_CONNECTION: dict[str, Any] = {"driver_info": None} if find_spec("redis.driver_info") else {}
"""Else later versions of the package read their own version from the disk, on the event loop, each time."""


class RedisStore(SharedStore):
    """Keeps conversations in a Redis server or what speaks its protocol; not in a Redis Cluster.

    Args:
        url: `redis://host:port/db`, `rediss://…` for TLS, `unix://path`; user and password as the redis
            package takes them.
        bounds: how much is kept.
        attempt: seconds that one attempt may take, connecting included.
        patience: seconds that attempts are made again for, before StoreError is raised.
        prefix: begins each key, so that services may share a database.

    It runs on asyncio, with connections of each event loop's own; on trio it raises SessionStateError. What
    is acknowledged is as safe as Redis keeps it: see docs/stores.md. Close it with `aclose()`, or use
    `async with`.
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
        if urlsplit(url).scheme not in _SCHEMES:
            raise ValueError("url must begin with redis://, rediss:// or unix://")
        try:
            client.ConnectionPool.from_url(url)
        except ValueError as error:
            raise ValueError(f"url cannot be read by the redis package: {error}") from error
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
            await connected.aclose()

    async def _fetch(self, conversation: str) -> str | bytes | None:
        found = await self._client().get(self._key(conversation))
        return found if found is None or isinstance(found, bytes) else str(found)

    async def _swap(self, conversation: str, change: Change) -> None:
        try:
            kept = await self._changed(conversation, change)
        except exceptions.WatchError as error:
            raise Conflict from error  # or the connection was lost, which the next attempt meets by its name
        if (excess := kept - self.bounds.conversations) > 0:
            await self._forget(excess)

    async def _changed(self, conversation: str, change: Change) -> int:
        """Put the changed text in the old one's place; how many conversations are kept then."""
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
        """Forget those used longest ago; where something comes between, the next turn does it."""
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
                # Retried by SharedStore alone, which reads anew what a broken transaction may have written.
                found = self._clients[loop] = client.Redis.from_url(
                    self._url,
                    retry=Retry(NoBackoff(), 0),
                    socket_timeout=self._attempt,
                    socket_connect_timeout=self._attempt,
                    **_CONNECTION,
                )
        return found

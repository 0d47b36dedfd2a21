"""Counts the answers in progress and the conversations in use, limits both, and drains at shutdown."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from time import monotonic

from vista_stream_adapters.proxy.errors import ApiError


class Traffic:
    """Admits answers up to a limit, `each` of them for one client, and none once draining has begun."""

    def __init__(self, limit: int, *, each: int) -> None:
        self._limit = limit
        self._each = each
        self._running: Counter[str] = Counter()
        self._idle = asyncio.Event()
        self._idle.set()
        self.draining = False
        """Whether the proxy is shutting down, set by `drain`."""

    @property
    def running(self) -> int:
        """Number of answers in progress."""
        return self._running.total()

    @contextmanager
    def admit(self, client: str) -> Iterator[None]:
        """Count one answer of a client while the block runs.

        Raises ApiError: 503 over the limit or while draining, 429 where the client has its share.
        """
        if self.draining:
            raise ApiError(503, "the proxy is shutting down", code="draining", retry_after=5)
        for status, running, most in (
            (503, self.running, self._limit),
            (429, self._running[client], self._each),
        ):
            if running >= most:
                told = f"{most} answers are under way already"
                raise ApiError(status, told, code="too_many_streams", retry_after=2)
        self._running[client] += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._running[client] -= 1
            self._running += Counter()  # drops clients without an answer
            if not self._running:
                self._idle.set()

    async def drain(self, *, within: float) -> bool:
        """Admit no more answers and wait for those in progress; False if that takes over `within` seconds."""
        self.draining = True
        try:
            async with asyncio.timeout(within):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True


class Conversations:
    """The known conversations by key: at most `limit`, each with one answer at a time.

    `each` is how many a client may have (`inf` for either limits nothing), `idle` the seconds without an
    answer after which a conversation may be forgotten, and `busy` the seconds for which a request waits for
    the conversation's last answer to end.
    """

    def __init__(self, limit: float, *, each: float, idle: float, busy: float) -> None:
        self._limit = limit
        self._each = each
        self._idle = idle
        self._patience = busy
        self._used: OrderedDict[str, float] = OrderedDict()
        self._owners: dict[str, str] = {}
        self._busy: dict[str, asyncio.Event] = {}

    def __len__(self) -> int:
        return len(self._used)

    @asynccontextmanager
    async def enter(self, key: str | None, client: str) -> AsyncIterator[None]:
        """Reserve a client's conversation while the block runs; with None, do nothing.

        Raises ApiError: 409 where the conversation's last answer does not end in time, 429 where a limit is
        reached and no other conversation has been idle long enough to be forgotten.
        """
        if key is None:
            yield
            return
        await self._last_answer(key)
        self._admit(key, client)
        ended = self._busy[key] = asyncio.Event()
        try:
            yield
        finally:
            del self._busy[key]
            self._used[key] = monotonic()
            self._used.move_to_end(key)
            ended.set()

    async def _last_answer(self, key: str) -> None:
        """Wait for its end: a client that breaks it off and asks again is faster than the breaking off."""
        try:
            async with asyncio.timeout(self._patience):
                while (ended := self._busy.get(key)) is not None:
                    await ended.wait()
        except TimeoutError:
            told = "this conversation has an answer under way"
            raise ApiError(409, told, code="conversation_busy", retry_after=2) from None

    def _admit(self, key: str, client: str) -> None:
        if key in self._used:
            return
        self._forget_idle()
        own = sum(owner == client for owner in self._owners.values())
        for kept, most in ((len(self._used), self._limit), (own, self._each)):
            if kept >= most:
                told = f"{most} conversations are open already"
                raise ApiError(429, told, code="too_many_sessions", retry_after=60)
        self._used[key] = monotonic()
        self._owners[key] = client

    def _forget_idle(self) -> None:
        before = monotonic() - self._idle
        for key, used in list(self._used.items()):
            if used > before:
                break
            if key not in self._busy:
                del self._used[key], self._owners[key]

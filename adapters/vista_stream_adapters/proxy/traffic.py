"""Counts the answers in progress and the conversations in use, limits both, and drains at shutdown."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from vista_stream_adapters.proxy.errors import ApiError


class Traffic:
    """Admits answers up to a limit, and none once draining has begun."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.draining = False
        """Whether the proxy is shutting down, set by `drain`."""

    @property
    def running(self) -> int:
        """Number of answers in progress."""
        return self._running

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Count one answer while the block runs; ApiError 503 over the limit or while draining."""
        if self.draining:
            raise ApiError(503, "the proxy is shutting down", code="draining", retry_after=5)
        if self._running >= self._limit:
            raise ApiError(
                503, f"{self._limit} answers are under way already", code="too_many_streams", retry_after=2
            )
        self._running += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._running -= 1
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

    `idle`: seconds without an answer after which a conversation may be forgotten.
    """

    def __init__(self, limit: int, *, idle: float) -> None:
        self._limit = limit
        self._idle = idle
        self._used: OrderedDict[str, float] = OrderedDict()
        self._busy: set[str] = set()

    def __len__(self) -> int:
        return len(self._used)

    @contextmanager
    def enter(self, key: str | None) -> Iterator[None]:
        """Reserve a conversation while the block runs; with None, do nothing.

        Raises ApiError: 409 where the conversation has an answer in progress, 429 where the limit is reached
        and no other conversation has been idle long enough to be forgotten.
        """
        if key is None:
            yield
            return
        self._admit(key)
        self._busy.add(key)
        try:
            yield
        finally:
            self._busy.discard(key)
            self._used[key] = monotonic()
            self._used.move_to_end(key)

    def _admit(self, key: str) -> None:
        if key in self._busy:
            raise ApiError(409, "this conversation has an answer under way", code="conversation_busy")
        if key in self._used:
            return
        self._forget_idle()
        if len(self._used) >= self._limit:
            raise ApiError(
                429, f"{self._limit} conversations are open already", code="too_many_sessions", retry_after=60
            )
        self._used[key] = monotonic()

    def _forget_idle(self) -> None:
        before = monotonic() - self._idle
        for key, used in list(self._used.items()):
            if used > before:
                break
            if key not in self._busy:
                del self._used[key]

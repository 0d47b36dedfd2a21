"""The queue from a task to its reader; bounded, so that a slow reader slows the task."""

from __future__ import annotations

from collections import deque
from typing import Generic, Self, TypeVar

import anyio

T = TypeVar("T")


class Outbox(Generic[T]):
    """A queue with one writer, iterated by its reader. One that was cancelled misses nothing when it goes on.

    An item stays until it is returned. An anyio stream hands it to the reader that waits, and it is lost
    where that one is cancelled before it runs again.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: deque[T] = deque()
        self._closed = False
        self._asking = 0
        """How many reads wait: one that was cancelled may not have ended yet when the next one begins."""
        # Events are made where they are waited for: a queue may be made under another event loop.
        self._filled: anyio.Event | None = None
        """Set where there is something to take, or nothing will come; None before a read has waited."""
        self._stepped: anyio.Event | None = None
        """Set when a read begins or ends; None before the writer has waited."""

    async def put(self, item: T) -> None:
        """Add an item, then wait until at most `limit` are unread."""
        self._items.append(item)
        self._tell(self._filled)
        while len(self._items) > self._limit:
            await self._step_of_reader()

    async def all_taken(self) -> None:
        """Wait until the reader has taken every item and asks for the next one."""
        while self._items or not self._asking:
            await self._step_of_reader()

    def close(self, *, drop: bool = False) -> None:
        """No more items come. The reader still gets those that are there, unless they are dropped."""
        self._closed = True
        if drop:
            self._items.clear()
        self._tell(self._filled)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        self._asking += 1
        self._tell(self._stepped)
        try:
            while not (self._items or self._closed):
                if self._filled is None or self._filled.is_set():
                    self._filled = anyio.Event()
                await self._filled.wait()
            if self._items:
                return self._items.popleft()
            raise StopAsyncIteration
        finally:
            self._asking -= 1
            self._tell(self._stepped)

    @staticmethod
    def _tell(waited: anyio.Event | None) -> None:
        if waited is not None:
            waited.set()

    async def _step_of_reader(self) -> None:
        self._stepped = anyio.Event()
        await self._stepped.wait()

"""The queue from a turn's tasks to its driver; bounded for the source, unbounded for the workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

import anyio

Post: TypeAlias = tuple[Callable[..., None], tuple[Any, ...]]
"""A function that the driver calls, and its arguments."""


class Inbox:
    """A queue with one reader. `post` never waits: the source waits while it is `full`, for backpressure."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._posts: deque[Post] = deque()
        self._filled: anyio.Event | None = None
        """What the reader waits for; an event is set only for somebody who waits, since deltas are many."""
        self._emptied: anyio.Event | None = None

    @property
    def full(self) -> bool:
        """Whether `limit` posts are unread."""
        return len(self._posts) >= self._limit

    def post(self, verb: Callable[..., None], *args: Any) -> None:
        """Add a post without waiting; workers, whose number is bounded elsewhere, need not wait."""
        self._posts.append((verb, args))
        if self._filled is not None:
            self._filled.set()
            self._filled = None

    async def taken(self) -> None:
        """Wait until every post is taken; for the source."""
        if self._posts:
            self._emptied = emptied = self._emptied or anyio.Event()
            await emptied.wait()

    async def take(self) -> list[Post]:
        """All posts since the last call, in order; waits until there is one."""
        while not self._posts:
            self._filled = filled = anyio.Event()
            await filled.wait()
        posts = list(self._posts)
        self._posts.clear()
        if self._emptied is not None:
            self._emptied.set()
            self._emptied = None
        return posts

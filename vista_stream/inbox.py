"""The queue from a turn's tasks to its driver; bounded for the source, unbounded for the workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

import anyio

Post: TypeAlias = tuple[Callable[..., None], tuple[Any, ...]]
"""A function that the driver calls, and its arguments."""


class Inbox:
    """A queue with one reader. `post` never waits; `post_text` waits while `limit` posts are unread."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._posts: deque[Post] = deque()
        self._filled: anyio.Event | None = None
        """What the reader waits for; an event is set only for somebody who waits, since deltas are many."""
        self._emptied: anyio.Event | None = None

    @property
    def full(self) -> bool:
        """Whether `post_text` would wait."""
        return len(self._posts) >= self._limit

    def post(self, verb: Callable[..., None], *args: Any) -> None:
        """Add a post without waiting; for workers, whose number is bounded elsewhere."""
        self._posts.append((verb, args))
        if self._filled is not None:
            self._filled.set()
            self._filled = None

    async def post_text(self, verb: Callable[..., None], *args: Any) -> None:
        """Add a post once fewer than `limit` posts are unread; for the source (backpressure)."""
        while self.full:
            await self.taken()
        self.post(verb, *args)

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

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
        self._filled = anyio.Event()
        self._emptied = anyio.Event()

    def post(self, verb: Callable[..., None], *args: Any) -> None:
        """Add a post without waiting; for workers, whose number is bounded elsewhere."""
        self._posts.append((verb, args))
        self._filled.set()

    async def post_text(self, verb: Callable[..., None], *args: Any) -> None:
        """Add a post once fewer than `limit` posts are unread; for the source (backpressure)."""
        while len(self._posts) >= self._limit:
            self._emptied = anyio.Event()
            await self._emptied.wait()
        self.post(verb, *args)

    async def taken(self) -> None:
        """Wait until every post is taken; for the source."""
        if self._posts:
            self._emptied = anyio.Event()
            await self._emptied.wait()

    async def take(self) -> list[Post]:
        """All posts since the last call, in order; waits until there is one."""
        while not self._posts:
            self._filled = anyio.Event()
            await self._filled.wait()
        posts = list(self._posts)
        self._posts.clear()
        self._emptied.set()
        return posts

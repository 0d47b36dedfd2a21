"""A producer in a task of its own, for readers that are async generators or SDK streams."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import anyio

from vista_stream.detached import spawn
from vista_stream.failures import cancelled_within
from vista_stream.outbox import Outbox
from vista_stream_adapters.shell.kept import Kept

T = TypeVar("T")


class Detached(Generic[T]):
    """The items that `run(send)` sends, as an async iterator. Any task may read it, and another may close it.

    A guarded answer is a task group, which must be left in the task that entered it, and a generator must
    not yield inside it. But an SDK's stream is read in one task and may be closed in another. So `run` has a
    task of its own, from the first read until its end or `aclose`. It is at most one item ahead of the
    reader. An exception that it raises is raised to the reader, and VistaError where it ended because what
    it awaited was cancelled elsewhere.
    """

    def __init__(self, run: Callable[[Callable[[T], Awaitable[None]]], Awaitable[None]]) -> None:
        self._produce = run
        self._scope: anyio.CancelScope | None = None
        self._failure: BaseException | None = None
        self._closed = False
        self._items: Outbox[T] = Outbox(0)

    def __aiter__(self) -> Detached[T]:
        return self

    async def __anext__(self) -> T:
        if self._closed:
            raise StopAsyncIteration
        if self._scope is None:
            self._scope = anyio.CancelScope()
            self._over = anyio.Event()
            spawn(self._run)
        try:
            return await anext(self._items)
        except StopAsyncIteration:
            failure, self._failure = self._failure, None
            if failure is None:
                raise
            raise failure from failure.__cause__

    async def aclose(self) -> None:
        """Cancel the producer and wait for its end."""
        self._closed = True
        if self._scope is None:
            return
        with anyio.CancelScope(shield=True):
            self._scope.cancel()
            await self._over.wait()
            self._items.close(drop=True)

    async def _run(self) -> None:
        assert self._scope is not None
        kept, ended = Kept(), False
        try:
            with kept, self._scope:
                await self._produce(self._items.put)
                ended = True
        finally:
            if not (ended or self._closed):
                self._failure = kept.error or cancelled_within()
            self._items.close()
            self._over.set()

"""Where blocking inference runs: in threads, a batch at a time on each event loop."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import Lock
from typing import TypeVar

import anyio
from anyio.lowlevel import RunVar
from anyio.to_thread import run_sync

T = TypeVar("T")
_LOOK = 0.002
"""Seconds between two looks at whether a call that was abandoned is over."""


class _Turns:
    """Calls that run one after the other, also after one that nobody waits for any more."""

    def __init__(self) -> None:
        self._next = anyio.Lock()
        self._threads = anyio.CapacityLimiter(inf)
        self._busy = Lock()

    async def run(self, function: Callable[..., T], args: tuple[object, ...]) -> T:
        left = False

        def work() -> T:
            with self._busy:
                if left:
                    raise RuntimeError("nobody waits for this call")
                return function(*args)

        async with self._next:
            # Looked at, and not waited for in a thread: each call that is cancelled would leave one behind.
            while self._busy.locked():  # noqa: ASYNC110 - the thread that ends it can set no such event
                await anyio.sleep(_LOOK)
            try:
                return await run_sync(work, abandon_on_cancel=True, limiter=self._threads)
            finally:
                left = True


_batches: RunVar[_Turns] = RunVar("vista_stream.batches")
_brief: RunVar[_Turns] = RunVar("vista_stream.brief")
_long: RunVar[anyio.CapacityLimiter] = RunVar("vista_stream.long")
_LONG_AT_ONCE = 2


async def offload(function: Callable[..., T], *args: object) -> T:
    """Run a batch off the event loop; cancelling returns at once and abandons it.

    A batch uses all its threads itself, so a second one beside it would only slow both down: they wait
    for each other, in order, also for what was abandoned, which runs to its end: keep each call to some
    tens of milliseconds.
    """
    return await _of(_batches).run(function, args)


async def offload_brief(function: Callable[..., T], *args: object) -> T:
    """The same for calls of some milliseconds, such as parsing or embedding: they wait for no batch.

    One at a time too: threads that all hold the interpreter would keep it from the event loop in turn.
    """
    return await _of(_brief).run(function, args)


async def offload_long(function: Callable[..., T], *args: object) -> T:
    """The same for some tenths of a second of preparing, such as a slice of a long reference.

    On threads of their own: neither calls of the user's, which may take all of anyio's, nor claims wait.
    """
    limiter = _long.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(_LONG_AT_ONCE)
        _long.set(limiter)
    return await run_sync(function, *args, abandon_on_cancel=True, limiter=limiter)


def _of(held: RunVar[_Turns]) -> _Turns:
    turns = held.get(None)
    if turns is None:
        turns = _Turns()
        held.set(turns)
    return turns

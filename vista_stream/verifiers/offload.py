"""Runs blocking inference in threads, one batch at a time for each event loop."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from threading import Condition, Lock
from typing import TypeVar

import anyio
from anyio.lowlevel import RunVar, checkpoint_if_cancelled
from anyio.to_thread import run_sync

T = TypeVar("T")
_LOOK = 0.002
"""Seconds between two checks whether an abandoned call has ended."""
_AT_EXIT = 5.0
"""Seconds that the end of the process waits at most for calls that were abandoned."""


class _Calls:
    """The calls that run now. A process that ends while one is in native code would abort."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._running = 0

    def run(self, function: Callable[..., T], args: tuple[object, ...]) -> T:
        with self._changed:
            self._running += 1
        try:
            return function(*args)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def wait(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._running, _AT_EXIT)


_calls = _Calls()


def _begin_anew() -> None:
    """After a fork the parent's calls do not run in the child process."""
    global _calls
    _calls = _Calls()


def wait_for_calls() -> None:
    """Wait for the calls that run, at the exit of the process; some seconds at most."""
    _calls.wait()


atexit.register(wait_for_calls)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


class _Line:
    """A lock that goes to the most urgent of those that wait; of several, to the one that came first."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, anyio.Event]] = []
        self._numbers = count()
        self._taken = False

    async def take(self, urgency: int) -> None:
        """Wait for the lock; `urgency` is 0 for what is most urgent."""
        await checkpoint_if_cancelled()
        if not self._taken:
            self._taken = True
            return
        mine = urgency, next(self._numbers), anyio.Event()
        heappush(self._waiting, mine)
        served = False
        try:
            await mine[2].wait()
            served = True
        finally:
            if not served:
                self._leave(mine)

    def _leave(self, one: tuple[int, int, anyio.Event]) -> None:
        """Wait no longer: it was cancelled, perhaps just when its turn came."""
        if one in self._waiting:
            self._waiting.remove(one)
            heapify(self._waiting)
        else:
            self.pass_on()

    def pass_on(self) -> None:
        """Give the lock to the next one."""
        if self._waiting:
            heappop(self._waiting)[2].set()
        else:
            self._taken = False


class _Turns:
    """Runs calls one after the other; a new call also waits for one that was abandoned on cancellation."""

    def __init__(self) -> None:
        self._next = _Line()
        self._threads = anyio.CapacityLimiter(inf)
        self._busy = Lock()

    async def run(self, function: Callable[..., T], args: tuple[object, ...], urgency: int = 0) -> T:
        left = False

        def work() -> T:
            with self._busy:
                if left:
                    raise RuntimeError("nobody waits for this call")
                return _calls.run(function, args)

        await self._next.take(urgency)
        try:
            # Polled, and not waited for in a thread: each cancelled call would leave such a thread behind.
            while self._busy.locked():  # noqa: ASYNC110 - a thread cannot set an anyio event
                await anyio.sleep(_LOOK)
            return await run_sync(work, abandon_on_cancel=True, limiter=self._threads)
        finally:
            left = True
            self._next.pass_on()


_batches: RunVar[_Turns] = RunVar("vista_stream.batches")
_brief: RunVar[_Turns] = RunVar("vista_stream.brief")
_long: RunVar[anyio.CapacityLimiter] = RunVar("vista_stream.long")
_LONG_AT_ONCE = 2


async def offload(function: Callable[..., T], *args: object) -> T:
    """Run a batch off the event loop; cancelling returns at once and abandons the call.

    A batch uses all inference threads itself, so two batches at once would only slow each other down.
    Batches therefore run one after the other, in order. An abandoned call runs to its end, and the next one
    waits for it: keep each call to some tens of milliseconds.
    """
    return await _of(_batches).run(function, args)


CLAIM, DRAFTS, SENTENCE = range(3)
"""Urgencies of brief calls: what is nearest to a verdict goes first. In the order of arrival a claim would
wait behind all new sentences with each of its calls, and under too high a load few would be in time."""


async def offload_brief(function: Callable[..., T], *args: object, urgency: int = CLAIM) -> T:
    """As `offload`, for calls of some milliseconds, such as parsing or embedding. They wait for no batch.

    They too run one at a time: several threads that need the interpreter lock would keep it from the event
    loop. Those with a lower `urgency` go first.
    """
    return await _of(_brief).run(function, args, urgency)


async def offload_long(function: Callable[..., T], *args: object) -> T:
    """Run preparation of some tenths of a second, such as indexing a slice of a long reference, in a thread.

    At most two such calls run at once, in no fixed order; cancelling abandons the call. They have their own
    thread limit, so they do not wait for the application's use of anyio's threads, and claims do not wait
    for them.
    """
    limiter = _long.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(_LONG_AT_ONCE)
        _long.set(limiter)
    return await run_sync(_calls.run, function, args, abandon_on_cancel=True, limiter=limiter)


def _of(held: RunVar[_Turns]) -> _Turns:
    turns = held.get(None)
    if turns is None:
        turns = _Turns()
        held.set(turns)
    return turns

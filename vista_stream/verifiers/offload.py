"""Where blocking inference runs: in threads, a batch at a time on each event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio.lowlevel import RunVar
from anyio.to_thread import run_sync

T = TypeVar("T")
_batches: RunVar[anyio.CapacityLimiter] = RunVar("vista_stream.batches")
_brief: RunVar[anyio.CapacityLimiter] = RunVar("vista_stream.brief")


async def offload(function: Callable[..., T], *args: object) -> T:
    """Run a batch off the event loop; cancelling returns at once and abandons it.

    A batch uses all its threads itself, so a second one beside it would only slow both down: they wait
    for each other, in order. What is abandoned runs to its end, so keep each call to some tens of
    milliseconds.
    """
    return await run_sync(function, *args, abandon_on_cancel=True, limiter=_one(_batches))


async def offload_brief(function: Callable[..., T], *args: object) -> T:
    """The same for calls of some milliseconds, such as parsing or embedding: they wait for no batch.

    One at a time too: threads that all hold the interpreter would keep it from the event loop in turn.
    """
    return await run_sync(function, *args, abandon_on_cancel=True, limiter=_one(_brief))


def _one(held: RunVar[anyio.CapacityLimiter]) -> anyio.CapacityLimiter:
    limiter = held.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(1)
        held.set(limiter)
    return limiter

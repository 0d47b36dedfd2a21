"""Where blocking inference runs: in a thread, one call at a time on each event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio.lowlevel import RunVar
from anyio.to_thread import run_sync

T = TypeVar("T")
_limiter: RunVar[anyio.CapacityLimiter] = RunVar("vista_stream.inference")


async def offload(function: Callable[..., T], *args: object) -> T:
    """Call a blocking function off the event loop; cancelling returns at once and abandons the call.

    An inference call uses all its threads itself, so a second one beside it would only slow both down:
    calls wait for each other, in order. What is abandoned runs to its end, so keep each call short.
    """
    limiter = _limiter.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(1)
        _limiter.set(limiter)
    return await run_sync(function, *args, abandon_on_cancel=True, limiter=limiter)

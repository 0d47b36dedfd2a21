"""Starts a task that may be waited for from another task than started it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any

_running: set[asyncio.Task[None]] = set()
"""The event loop itself keeps only weak references to its tasks."""


def spawn(run: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Begin `run` in a task of its own, in the caller's context; nobody waits for it or gets its errors.

    For what a reader may leave in another task than it entered it in, as an async generator that is closed
    by the event loop does: a task group could not be left there. `run` must say itself when it is over.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        import trio

        trio.lowlevel.spawn_system_task(run, context=copy_context())
        return
    task = loop.create_task(run())
    _running.add(task)
    task.add_done_callback(_running.discard)

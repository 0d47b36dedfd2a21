"""Starts a task outside of any task group, so that any task can wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any

_running: set[asyncio.Task[None]] = set()
"""Strong references to the tasks: asyncio itself keeps only weak ones."""


def spawn(run: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Start `run` in a task of its own, in the caller's context; nobody waits for it or gets its errors.

    A task group must be left in the task that entered it. A reader may leave in another task, as an async
    generator does that the event loop closes; then `spawn` is needed. `run` itself must signal its end.
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

"""An event loop in a thread, for synchronous callers."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

_ENDING = 2.0
"""Seconds that the process's end waits for what closes its connections."""


class _Shared:
    """One event loop for the whole process, in a thread that ends with it.

    What stages and stores keep open, such as the connections to a server, belongs to the event loop that
    opened it: with a loop for each turn, the second turn would find the first one's connections, and fail.
    """

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._portal: BlockingPortal | None = None
        self._thread: threading.Thread | None = None

    def portal(self) -> BlockingPortal:
        with self._starting:
            if self._portal is None or self._thread is None or not self._thread.is_alive():
                started: Future[BlockingPortal] = Future()
                self._thread = threading.Thread(
                    target=anyio.run, args=(_serve, started), name="vista_stream", daemon=True
                )
                self._thread.start()
                self._portal = started.result()
            return self._portal

    def is_current_thread(self) -> bool:
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        """End what still runs; a reader that is closed later would wait for a thread that runs no more."""
        if self._portal is not None and self._thread is not None and self._thread.is_alive():
            self._portal.call(self._portal.stop, True)
            self._thread.join(_ENDING)


async def _serve(started: Future[BlockingPortal]) -> None:
    async with BlockingPortal() as portal:
        started.set_result(portal)
        await portal.sleep_until_stopped()


_shared = _Shared()


def _begin_anew() -> None:
    """A process that was forked has the parent's portal, but not its thread."""
    global _shared
    _shared = _Shared()


atexit.register(lambda: _shared.stop())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


@contextmanager
def blocking_portal() -> Iterator[BlockingPortal]:
    """What runs coroutines for a thread without an event loop: the process's own loop.

    In that loop's thread itself, as in a callback that begins another turn, it is a loop for this one use:
    the other waits for the callback.
    """
    if _shared.is_current_thread():
        with start_blocking_portal() as own:
            yield own
    else:
        yield _shared.portal()

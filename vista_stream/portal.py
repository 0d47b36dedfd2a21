"""An event loop in a thread, for synchronous callers."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

import vista_stream.verifiers.offload  # noqa: F401 - registered first, its exit runs last

T = TypeVar("T")

_ENDING = 2.0
"""Seconds that the exit of the process waits for the event loop to close its connections."""


class _Shared:
    """One event loop for the whole process, in a daemon thread.

    Connections that stages and stores keep open belong to the event loop that opened them. With a loop for
    each turn, the second turn would find the connections of the first turn's loop, and fail.
    """

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._portal: BlockingPortal | None = None
        self._thread: threading.Thread | None = None
        self.stopped = False
        """Whether the process is ending: what ran in the loop is cancelled, and it takes no more calls."""

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
        """Stop the loop and cancel what runs in it, at the exit of the process.

        A reader that is closed later would wait for a thread that no longer runs.
        """
        if self._portal is not None and self._thread is not None and self._thread.is_alive():
            self.stopped = True
            self._portal.call(self._portal.stop, True)
            self._thread.join(_ENDING)


async def _serve(started: Future[BlockingPortal]) -> None:
    async with BlockingPortal() as portal:
        started.set_result(portal)
        await portal.sleep_until_stopped()


_shared = _Shared()


def _begin_anew() -> None:
    """After a fork, drop the parent's portal: its thread does not exist in the child process."""
    global _shared
    _shared = _Shared()


atexit.register(lambda: _shared.stop())  # then `offload` waits for the calls that this left behind
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


@contextmanager
def blocking_portal() -> Iterator[BlockingPortal]:
    """A portal that runs coroutines for a thread without an event loop, in the process's shared loop.

    In the shared loop's own thread, as in a callback that starts another turn, it is a new loop. The shared
    loop waits for the callback and could not run anything else.
    """
    if _shared.is_current_thread():
        with start_blocking_portal() as own:
            yield own
    else:
        yield _shared.portal()


def call_through(portal: BlockingPortal, call: Callable[..., Awaitable[T]], *args: object) -> T:
    """`portal.call(call, *args)`, after which the portal always goes on.

    What is no Exception, such as what `pytest.fail()` raises in a callback, would end the loop that others
    share.
    """
    return begun_through(portal, call, *args)()


def begun_through(
    portal: BlockingPortal, call: Callable[..., Awaitable[T]], *args: object
) -> Callable[[], T]:
    """As `call_through`, begun at once; what is returned waits for its end and gives what it gives."""
    running: Future[tuple[tuple[T, ...], BaseException | None]]
    running = portal.start_task_soon(_tried, call, args)

    def ended() -> T:
        outcome, error = running.result()
        if error is not None:
            raise error
        (value,) = outcome
        return value

    return ended


async def _tried(
    call: Callable[..., Awaitable[T]], args: tuple[object, ...]
) -> tuple[tuple[T, ...], BaseException | None]:
    try:
        return (await call(*args),), None
    except (Exception, anyio.get_cancelled_exc_class()):
        raise
    except BaseException as error:
        return (), error


@contextmanager
def entered(portal: BlockingPortal, manager: AbstractAsyncContextManager[T, bool | None]) -> Iterator[T]:
    """The manager, entered and left by `call_through`; it must allow being left in another task.

    At the exit of the process it is not left: the loop has cancelled it.
    """
    value = call_through(portal, manager.__aenter__)
    try:
        yield value
    except BaseException as error:
        if _shared.stopped or not call_through(
            portal, manager.__aexit__, type(error), error, error.__traceback__
        ):
            raise
    else:
        call_through(portal, manager.__aexit__, None, None, None)

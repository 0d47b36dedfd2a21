"""Reads any iterable of deltas, sync or async, and always closes it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from typing import Any, TypeAlias

import anyio
from anyio import CapacityLimiter, from_thread, to_thread

from vista_stream.errors import BadDelta

Deltas: TypeAlias = AsyncIterable[str] | Iterable[str]
"""The source of a turn: pieces of text, cut anywhere."""

Receive: TypeAlias = Callable[[str], Coroutine[Any, Any, bool]]
"""Takes one delta; returns False when no more are wanted."""

logger = logging.getLogger("vista_stream")

_CLOSING = 10.0
"""Seconds that a turn waits for its async source to close."""
LONGEST_PIECE = 256
"""Code points. A longer delta is cut into pieces, so that a long text is not received all at once."""


async def pump(deltas: Deltas, receive: Receive) -> None:
    """Give each delta to `receive` until the source ends or no more is wanted; then close the source.

    A list or tuple is read on the event loop. Any other sync iterable is read in a worker thread, since its
    `next` may block; if the pump is cancelled during a `next`, the source is closed when that returns.
    Raises what the source raises, and BadDelta for a delta that is not a str.
    """
    if isinstance(deltas, AsyncIterable):
        await _pump_async(deltas, receive)
    elif isinstance(deltas, list | tuple):
        for delta in deltas:
            if not await receive(_checked(delta)):
                return
    else:
        reader = _Reader(receive)
        try:
            # Its own limiter: the thread lasts as long as the source and would keep a token of a shared one.
            own = CapacityLimiter(1)
            await to_thread.run_sync(reader.read, deltas, abandon_on_cancel=True, limiter=own)
        finally:
            reader.leave()


async def _pump_async(deltas: AsyncIterable[str], receive: Receive) -> None:
    iterator = aiter(deltas)
    async with AsyncExitStack() as closing:
        for close in _closers(("aclose", "close"), iterator, deltas):
            closing.push_async_callback(_close, close)
        async for delta in iterator:
            if not await receive(_checked(delta)):
                return


async def _close(close: Callable[[], object]) -> None:
    with anyio.move_on_after(_CLOSING, shield=True) as closing:
        awaited = close()
        if isinstance(awaited, Awaitable):
            await awaited
    if closing.cancelled_caught:
        logger.warning("the source of deltas took longer than %g seconds to close", _CLOSING)


def _closers(names: Sequence[str], iterator: object, deltas: object) -> Iterator[Callable[[], object]]:
    """The functions that close an iterator and the source it was made from, which may need closing too.

    They are for an exit stack, which calls the last one first, and the other even where that raises.
    """
    for each in (iterator,) if iterator is deltas else (deltas, iterator):
        close = next((getattr(each, name) for name in names if hasattr(each, name)), None)
        if close is not None:
            yield close


def pieces(delta: str) -> Iterator[str]:
    """Cut a delta into pieces of at most LONGEST_PIECE code points; an empty delta gives one empty piece."""
    for start in range(0, len(delta) or 1, LONGEST_PIECE):
        yield delta[start : start + LONGEST_PIECE]


class _Reader:
    """Reads a source in a thread; `leave` tells the thread that it was abandoned on cancellation."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = False
        self._offering = anyio.CancelScope()

    def read(self, deltas: Iterable[str]) -> None:
        """Give each delta to the event loop until it wants no more, then close the source."""
        iterator = iter(deltas)
        with ExitStack() as closing:
            for close in _closers(("close",), iterator, deltas):
                closing.callback(close)
            for delta in iterator:
                # Checked here too: after the event loop is closed, nothing can be offered to it.
                if self._left or not from_thread.run(self._offer, _checked(delta)):
                    return

    def leave(self) -> None:
        """Stop offering deltas: nobody receives them any more."""
        self._left = True
        self._offering.cancel()

    async def _offer(self, delta: str) -> bool:
        if self._left:
            return False
        with anyio.CancelScope() as self._offering:
            return await self._receive(delta)
        return False


def _checked(delta: object) -> str:
    if not isinstance(delta, str):
        hint = ": leave out what is None, as `delta.content or ''` does" if delta is None else ""
        raise BadDelta(f"deltas must yield str, not {type(delta).__name__}{hint}")
    # A subclass of str may override joining and slicing, as one for HTML does that escapes what is added.
    return delta if type(delta) is str else str.__str__(delta)

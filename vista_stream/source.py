"""Any iterable of deltas, sync or async, as one async iterator that is always closed."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import anyio
from anyio import CapacityLimiter, from_thread, to_thread

from vista_stream.errors import BadDelta

Deltas: TypeAlias = AsyncIterable[str] | Iterable[str]
"""The source of a turn: pieces of text, cut anywhere."""

Receive: TypeAlias = Callable[[str], Coroutine[Any, Any, bool]]
"""Takes one delta; False says that no more are wanted."""

logger = logging.getLogger("vista_stream")

_CLOSING = 10.0
"""Seconds that a source may take to close: a turn that is left waits for it, and not for longer."""
LONGEST_PIECE = 256
"""Code points; a longer delta is cut, so that a text that comes at once is not all received at once."""


async def pump(deltas: Deltas, receive: Receive) -> None:
    """Give each delta to `receive` until the source is over or no more is wanted, then close it.

    A list or tuple is read on the event loop; any other sync iterable in a worker thread, since its
    `next` may block: where the pump is cancelled meanwhile, it is closed as soon as that returns. Raises
    what the source raises, and BadDelta for a delta that is not a str.
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
            # A thread for as long as the source lasts: of a limiter shared with others it would keep a token.
            own = CapacityLimiter(1)
            await to_thread.run_sync(reader.read, deltas, abandon_on_cancel=True, limiter=own)
        finally:
            reader.leave()


async def _pump_async(deltas: AsyncIterable[str], receive: Receive) -> None:
    iterator = aiter(deltas)
    try:
        async for delta in iterator:
            if not await receive(_checked(delta)):
                return
    finally:
        for close in _closers(("aclose", "close"), iterator, deltas):
            with anyio.move_on_after(_CLOSING, shield=True) as closing:
                awaited = close()
                if isinstance(awaited, Awaitable):
                    await awaited
            if closing.cancelled_caught:
                logger.warning("the source of deltas took longer than %g seconds to close", _CLOSING)


def _closers(names: Sequence[str], iterator: object, deltas: object) -> Iterator[Callable[[], object]]:
    """How to close an iterator, and the source that made it: what it iterates may stay open otherwise."""
    for each in (iterator,) if iterator is deltas else (iterator, deltas):
        close = next((getattr(each, name) for name in names if hasattr(each, name)), None)
        if close is not None:
            yield close


def pieces(delta: str) -> Iterator[str]:
    """A delta in pieces of at most LONGEST_PIECE; at least one, empty where the delta is."""
    for start in range(0, len(delta) or 1, LONGEST_PIECE):
        yield delta[start : start + LONGEST_PIECE]


class _Reader:
    """Reads a source in a thread that is abandoned on cancellation, and must learn of it."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = False
        self._offering = anyio.CancelScope()

    def read(self, deltas: Iterable[str]) -> None:
        """Give each delta to the event loop until it wants no more, then close the source."""
        iterator = iter(deltas)
        try:
            for delta in iterator:
                # Asked here too: once its event loop is closed, nothing can be offered to it.
                if self._left or not from_thread.run(self._offer, _checked(delta)):
                    return
        finally:
            for close in _closers(("close",), iterator, deltas):
                close()

    def leave(self) -> None:
        """Nobody is there to receive any more."""
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
    # A subclass may join and cut in its own way: one for HTML escapes what is added to it.
    return delta if type(delta) is str else str.__str__(delta)

"""Any iterable of deltas, sync or async, as one async iterator that is always closed."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from typing import Any, TypeAlias

import anyio
from anyio import from_thread, to_thread

Deltas: TypeAlias = AsyncIterable[str] | Iterable[str]
"""The source of a turn: pieces of text, cut anywhere."""

Receive: TypeAlias = Callable[[str], Coroutine[Any, Any, bool]]
"""Takes one delta; False says that no more are wanted."""


class BadDelta(ValueError):
    """The source yielded something that is not text."""


async def pump(deltas: Deltas, receive: Receive) -> None:
    """Give each delta to `receive` until the source is over or no more is wanted, then close it.

    A list or tuple is read on the event loop; any other sync iterable in a worker thread, since its
    `next` may block. Raises what the source raises, and BadDelta for a delta that is not a str.
    """
    if isinstance(deltas, AsyncIterable):
        await _pump_async(aiter(deltas), receive)
    elif isinstance(deltas, list | tuple):
        for delta in deltas:
            if not await receive(_checked(delta)):
                return
    else:
        await to_thread.run_sync(_pump_sync, iter(deltas), receive, abandon_on_cancel=True)


async def _pump_async(iterator: AsyncIterator[str], receive: Receive) -> None:
    try:
        async for delta in iterator:
            if not await receive(_checked(delta)):
                return
    finally:
        close = getattr(iterator, "aclose", None) or getattr(iterator, "close", None)
        if close is not None:
            with anyio.CancelScope(shield=True):
                closing = close()
                if isinstance(closing, Awaitable):
                    await closing


def _pump_sync(iterator: Iterator[str], receive: Receive) -> None:
    try:
        for delta in iterator:
            if not from_thread.run(receive, _checked(delta)):
                return
    finally:
        close = getattr(iterator, "close", None)
        if close is not None:
            close()


def _checked(delta: object) -> str:
    if not isinstance(delta, str):
        raise BadDelta(f"deltas must yield str, not {type(delta).__name__}")
    return delta

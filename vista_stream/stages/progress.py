"""How far the indexing of references has come, told to whoever prepares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Follow: TypeAlias = Callable[[int, int], None]
"""Called with the windows that are indexed and with all of them; on the event loop."""

_FOLLOW: ContextVar[Follow | None] = ContextVar("vista_stream.progress", default=None)


@contextmanager
def following(follow: Follow) -> Iterator[None]:
    """Tell `follow` what `report_indexed` reports in the block."""
    token = _FOLLOW.set(follow)
    try:
        yield
    finally:
        _FOLLOW.reset(token)


def report_indexed(done: int, total: int) -> None:
    """Report that `done` of `total` windows are indexed; where nobody follows, do nothing."""
    follow = _FOLLOW.get()
    if follow is not None:
        follow(done, total)

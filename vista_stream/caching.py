"""Keeps the users of a process apart in its caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import TypeVar

__all__ = ["cache_scope", "current_scope"]

T = TypeVar("T")

SHARED = ""
"""The scope outside of every `cache_scope`. What is cached in it answers in all scopes."""

_SCOPE: ContextVar[str] = ContextVar("vista_stream.cache_scope", default=SHARED)


@contextmanager
def cache_scope(name: str) -> Iterator[None]:
    """Cache what the block works out under a name, such as a client's: other names do not find it.

    The block itself finds only what was cached under its own name or outside of every scope. So nobody can
    tell by the time taken what texts another has sent. Tasks that the block starts belong to it.
    """
    token = _SCOPE.set(name)
    try:
        yield
    finally:
        _SCOPE.reset(token)


def current_scope() -> str:
    """The name of the scope that the caller is in."""
    return _SCOPE.get()


def cached_by_scope(size: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Decorate a function of a text so that its last `size` results are kept, for each scope apart.

    The function itself is `__wrapped__`. The results must not be changed.
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        @lru_cache(maxsize=size)
        def within(_scope: str, text: str) -> T:
            return function(text)

        @wraps(function)
        def asked(text: str) -> T:
            return within(current_scope(), text)

        _emptied.append(within.cache_clear)
        return asked

    return decorate


def forget_all() -> None:
    """Empty the caches of all functions that are `cached_by_scope`, as measurements want it."""
    for empty in _emptied:
        empty()


_emptied: list[Callable[[], None]] = []

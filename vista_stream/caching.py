"""Keeps the users of a process apart in its caches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["cache_scope", "current_scope"]

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

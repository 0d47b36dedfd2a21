"""Checks of collections that are given: a ValueError names the argument and what it takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from vista_stream.errors import kind_of

_T = TypeVar("_T")


def members(name: str, given: Iterable[_T], kind: type[_T]) -> list[_T]:
    """The argument as a list; raises ValueError for a member of another type than `kind`."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"{name} must be an iterable of {kind.__name__}, not one {kind_of(given)}")
    held = list(given)
    for member in held:
        if not isinstance(member, kind):
            raise ValueError(f"{name} must hold {kind.__name__} only, not {kind_of(member)}")
    return held


def check_tokens(tokens: Iterable[str]) -> None:
    """Raise ValueError, which quotes none, for bearer tokens that any client can show, or no client."""
    # A lone str would be taken for the tokens of one character each.
    for token in members("tokens", tokens, str):
        if not token or token != token.strip():
            raise ValueError("tokens must hold no empty token, and none with white space around it")

"""Checks of numbers that are given: a ValueError names the argument and what it takes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TypeGuard


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_probability(name: str, value: object) -> None:
    """Raise ValueError unless the value is a number above 0 and at most 1."""
    if not (is_number(value) and 0 < value <= 1):
        raise ValueError(f"{name} must be a probability above 0 and at most 1, not {value!r}")


def check_count(name: str, value: object, *, of: str, least: int) -> None:
    """Raise ValueError unless the value is a whole number, of such things, from `least` on."""
    if not (is_whole(value) and value >= least):
        raise ValueError(f"{name} must be a number of {of}, {least} or more, not {value!r}")


def check_seconds(name: str, value: object, *, zero: bool = False) -> None:
    """Raise ValueError unless the value is a number of seconds above 0, or 0 where `zero` allows it."""
    if not (is_number(value) and (value > 0 or (zero and value == 0))):
        raise ValueError(
            f"{name} must be a number of seconds{', 0 or more' if zero else ' above 0'}, not {value!r}"
        )

"""Reads the unit of a number from the words after it; a number without one may be a code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.core.text.units import UNITS

_CODE = re.compile(r"00|0\d{2,}")


class Measure(NamedTuple):
    """The unit of a number; value in the base unit = number * factor + shift."""

    dimension: str = ""
    unit: str = ""
    factor: float = 1.0
    shift: float = 0.0
    length: int = 0
    """Words taken."""


def read_unit(words: Sequence[str], at: int, currency: str) -> Measure:
    """The unit that begins at a word, or the `currency` before the number; a nameless one without either.

    A number with a zero at its front is a code then, and its unit is what is written; but "05" is 5.
    """
    if currency:
        return Measure(currency, currency)
    for length in (3, 2, 1):
        if at + length > len(words):
            continue
        written = " ".join(words[at : at + length])
        unit = UNITS.get(written) or UNITS.get(written.lower())
        if unit and not (length == 1 and written == "in" and _is_word_here(words, at)):
            return Measure(unit.dimension, unit.name, unit.factor, unit.shift, length)
    before = words[at - 1] if at else ""
    return Measure("code", before) if _CODE.fullmatch(before) else Measure()


def _is_word_here(words: Sequence[str], at: int) -> bool:
    """Whether "in" is a preposition: it is an inch only at the end, or before "tall" and the like."""
    following = words[at + 1].lower() if at + 1 < len(words) else ""
    return following not in ("", "tall", "long", "wide", "high", "deep")

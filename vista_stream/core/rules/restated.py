"""Restates a claim's quantities in the words of the evidence, so that a model need not convert units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isclose
from typing import TypeAlias

from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.quantity_relations import read_otherwise
from vista_stream.core.rules.reckoned import times
from vista_stream.core.rules.wording import Atom, atoms_of

Measure: TypeAlias = tuple[Quantity, str]
"""A quantity that has a dimension, and its words as written."""


_RATE = "rate of "
"""Before the dimension of a rate's amount; its unit is the period."""


def measures(atoms: Sequence[Atom]) -> list[Measure]:
    """The measures of a text, in order; before them its rates, such as "$10 a month"."""
    told = [
        (atom.value, atom.written)
        for atom in atoms
        if isinstance(atom.value, Quantity) and atom.value.dimension and atom.written
    ]
    return [*_rates(atoms), *told]


def _rates(atoms: Sequence[Atom]) -> Iterator[Measure]:
    for amount, period in pairwise(atoms):
        paid, each = amount.value, period.value
        if not (isinstance(paid, Quantity) and isinstance(each, Quantity)) or period.boundary:
            continue
        if paid.dimension and each.dimension == "period":
            rate = replace(paid, dimension=_RATE + paid.dimension, unit=each.unit)
            yield rate, f"{amount.written} {period.written}"


def restated(claim: str, own: Sequence[Measure], evidence: str) -> str:
    """The claim, with its `own` measures as the evidence writes the same ones: "two weeks" for "14 days".

    Only equal quantities of one dimension are exchanged, rates for another period ("$120 a year" for "$10 a
    month"), and times of day of which both texts say the half of the day. A quantity that the evidence also
    writes as the claim does stays, and so does one whose words are not found in the claim exactly once.
    """
    given = measures(atoms_of(evidence))
    for quantity, written in own:
        same = [words for other, words in given if _equal(quantity, other)]
        if same and written not in same:
            claim = _exchanged(claim, written, same[0])
    return claim


def _equal(one: Quantity, other: Quantity) -> bool:
    if one.dimension == "clock" and "12 h" in (one.unit, other.unit):
        return False
    if one.dimension in ("period", "code") and one.unit != other.unit:
        return False  # a rate's "a week" and "a day": both are one period; 007 is not 07
    if one.dimension.startswith(_RATE):
        alike = (one.dimension, one.hedge) == (other.dimension, other.hedge)
        return alike and isclose(one.low, other.low * times(other.unit, one.unit))
    return _compared(one) == _compared(other) and not read_otherwise(one, other)


def _compared(quantity: Quantity) -> tuple[str, str, float, float]:
    return quantity.dimension, quantity.hedge, quantity.low, quantity.high


def _exchanged(claim: str, written: str, words: str) -> str:
    pattern = r"(?<!\w)" + r"[\s-]*".join(map(re.escape, written.split())) + r"(?!\w)"
    places = list(re.finditer(pattern, claim))
    if len(places) != 1:
        return claim
    start, end = places[0].span()
    if claim[end:].startswith("."):
        words = words.removesuffix(".")  # of "8 p.m." at the end of a sentence
    return claim[:start] + _cased(words, as_in=claim[start:end]) + claim[end:]


def _cased(words: str, *, as_in: str) -> str:
    """The words with a first letter as those that they replace have it; a unit such as "GB" stays."""
    if as_in[:1].isupper() and words[:1].islower():
        return words[0].upper() + words[1:]
    worded = words[:1].isupper() and words[1:2].islower()
    return words[0].lower() + words[1:] if worded and as_in[:1].islower() else words

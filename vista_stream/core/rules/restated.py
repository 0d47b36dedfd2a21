"""Restates a claim's quantities in the words of the evidence, so that a model need not convert units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isclose, log
from typing import TypeAlias

from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.hedges import TRAILERS, read_hedge
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.quantity_relations import read_otherwise, unhedged
from vista_stream.core.rules.reckoned import times
from vista_stream.core.rules.retold import in_days, retold
from vista_stream.core.rules.said import DECADE, DOZENS, FREQUENCY, Measure, said
from vista_stream.core.rules.wording import Atom, atoms_of
from vista_stream.core.text.stems import word_set

_Said: TypeAlias = tuple[Sequence[Measure], Sequence[Atom]]
"""A sentence's measures, with their words as it has them, and its atoms."""
_RATE = "rate of "
"""Before the dimension of a rate's amount; its unit is the period."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_BEGINNING = 5
"""Letters of a stem that are compared."""
_SHORT = 2
"""Letters of the words that tell nothing of what a sentence is about, beside `_COMMON`."""
_COMMON = word_set(
    """
    all and any are but can did for had has have her his how its may must not off one our out per she than
    that the them then there they this was were when who will with you your
    """
)


def measures(atoms: Sequence[Atom]) -> list[Measure]:
    """The measures of a text, in order; before them its rates, such as "$10 a month"."""
    told = [
        (atom.value, atom.written)
        for atom in atoms
        if isinstance(atom.value, Quantity) and atom.value.dimension and atom.written
    ]
    return [*_rates(atoms), *told]


def told_measures(text: str, atoms: Sequence[Atom]) -> list[Measure]:
    """The measures of a text whose atoms these are, and what it says as people do (`said`)."""
    read = measures(atoms)
    written = {words.lower() for _, words in read}
    more = (each for each in said(text) if each[0].dimension == FREQUENCY or each[1].lower() not in written)
    return [*read, *more]


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

    Equal quantities of one dimension are exchanged, rates for another period ("$120 a year" for "$10 a
    month"), and times of day of which both texts say the half of the day. Other quantities are told in the
    form that the sentence has which shares most words with the claim: "60 minutes" for "an hour" where it
    has "90 minutes". A quantity that the evidence also writes as the claim does stays, and so does one whose
    words are not found in the claim exactly once.
    """
    given = measures(atoms_of(evidence))
    written_there = {words for _, words in given}
    near: list[_Said] | None = None
    for quantity, written in own:
        if any(written.lower() in words.lower() and len(written) < len(words) for _, words in own):
            continue  # "an hour" of "three quarters of an hour"
        same = [words for other, words in given if _equal(quantity, other)]
        if same and written not in written_there:
            claim = _exchanged(claim, written, _as_written(evidence, same[0]))
        elif not (same or quantity.dimension.startswith(_RATE)):
            near = _nearest(claim, evidence) if near is None else near
            claim = _in_its_form(claim, quantity, written, near, evidence)
    return claim


def _as_written(text: str, words: str) -> str:
    """A measure's words as a text has them, where it has them: "£8.50" for "£ 8.50"."""
    found = re.search(_pattern(words), text)
    return found.group() if found else words


def _pattern(words: str) -> str:
    return r"(?<!\w)" + r"[\s-]*".join(map(re.escape, words.split())) + r"(?!\w|['’]s\b)"


def _in_its_form(claim: str, quantity: Quantity, written: str, near: Sequence[_Said], evidence: str) -> str:
    """The claim with one of its measures in the form that the evidence's nearest sentence has."""
    core = _core(written)
    if not core:
        return claim
    if quantity.dimension == DOZENS:
        return claim if "dozen" in evidence.lower() else _exchanged(claim, core, f"{quantity.number:g}")
    found = [form for measures, atoms in near for form in _forms(quantity, core, measures, atoms)]
    words = min(found, default=(0.0, core))[1]
    return claim if words == core else _exchanged(claim, core, words)


def _nearest(claim: str, evidence: str) -> list[_Said]:
    """What the sentences of the evidence say that share most words with the claim, or nearly so."""
    own = _beginnings(atoms_of(claim))
    texts = [(text, atoms_of(text)) for text in _SENTENCE.split(evidence) if text]
    shared = [len(own & _beginnings(atoms)) for _, atoms in texts]
    least = max(1, max(shared, default=0) - 1)
    return [
        ([(other, _as_written(text, words)) for other, words in told_measures(text, atoms)], atoms)
        for (text, atoms), held in zip(texts, shared, strict=True)
        if held >= least
    ]


def _forms(
    quantity: Quantity, core: str, given: Sequence[Measure], atoms: Sequence[Atom]
) -> Iterator[tuple[float, str]]:
    """The measure's words in the forms that one sentence has, each with how far its measure is apart."""
    if quantity.dimension == DECADE:
        years = [atom.value.years[0] for atom in atoms if isinstance(atom.value, Date) and atom.value.years]
        yield from ((0.0, f"{_decade(int(quantity.number), year)}s") for year in years)
        return
    for other, words in given:
        its = _core(words)
        told = retold(unhedged(quantity), core, unhedged(other), its) if its else None
        if told is not None:
            yield _apart(quantity, other), told


def _apart(one: Quantity, other: Quantity) -> float:
    """How far two measures are apart, as a ratio's logarithm; months and days may be compared."""
    mine, its = (abs(in_days(each)) for each in (unhedged(one), unhedged(other)))
    return abs(log(mine / its)) if mine and its else 0.0


def _decade(within: int, year: int) -> int:
    """The first year of the decade, such as 60, that is nearest to a year, and not after its century."""
    if within >= 100:
        return within
    century = year // 100 * 100
    return min(century + within, century - 100 + within, key=lambda first: abs(first - year))


def _core(written: str) -> str:
    """A measure's words without a hedge before them; empty where one follows them."""
    words = written.split()
    if words[-1] == "+" or tuple(word.lower() for word in words[-2:]) in TRAILERS:
        return ""
    return " ".join(words[read_hedge(words, 0)[1] :])


def _beginnings(atoms: Sequence[Atom]) -> set[str]:
    """What the longer words of a sentence begin with, which "vaccination" and "vaccinated" share."""
    told = (atom for atom in atoms if atom.value is None and atom.key not in _COMMON)
    return {atom.stem[:_BEGINNING] for atom in told if len(atom.key) > _SHORT}


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
    places = list(re.finditer(_pattern(written), claim))
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

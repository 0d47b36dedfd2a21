"""Numbers that a step of arithmetic on a sentence gives: a total, a difference, what a rate comes to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, product

from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import Atom
from vista_stream.core.text.units import UNITS

_WHOLE = 100.0
"""All of something, in percent."""
_MOST = 8
"""Numbers of a sentence from which sums are made; with more, almost any number is a sum of some."""
_WORDED = {"one": 1.0, "once": 1.0, "later": 1.0, "earlier": 1.0, "half": 0.5, "double": 2.0}
"""Numbers that are not read as values: "a year later", "one extra day", "half as much"."""
_TIMES = {
    ("week", "year"): 52.0, ("day", "year"): 365.0, ("quarter", "year"): 4.0, ("month", "quarter"): 3.0,
}  # fmt: skip
"""How often a period comes in a longer one, for rates; where both are no units of one dimension."""
_EACH = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "yearly": "year", "annual": "year", "annually": "year",
}  # fmt: skip
"""The period of a rate in one word: "monthly instalments of 210 euros"."""
_PER = frozenset({"per", "for", "in", "every"})
"""Words between the two values of a rate: "5 litres per 100 km"."""
_OF_A_RATE = 2
"""Values of a rate."""
_UNSUMMED = frozenset({"", "temperature", "clock", "ordinal", "period", "percent", "code"})
"""Dimensions that are reckoned with as written only."""


def reckoned(own: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether the claim's number follows from numbers of the sentence, and from others of the claim.

    With "38 euros, each passenger pays 9 euros more", two passengers pay 56. What remains of 100 % counts,
    and so does "a year later" after 1929.
    """
    wanted, given = _number(own), _numbers(sentence)
    if _is("clock", own) and any(math.isclose(number, wanted or 0) for number in _clocks(sentence)):
        return True
    if _in_base_unit(own, claim, sentence) or _in_proportion(claim, sentence):
        return True
    if wanted is None or not given or len(given) > _MOST or _is("ordinal", own):
        return False
    if _is_rated(own, claim, sentence):
        return True
    told = _numbers(atom for atom in claim if atom is not own)
    shares = [number for atom in sentence if _is("percent", atom) and (number := _number(atom)) is not None]
    if wanted in given and not _is("period", own):  # told as it stands, of something else: "$5" for "5 euros"
        return False
    found = _is_factor(wanted, given, told) or _is_made(wanted, given, told, shares)
    return found or _is_whole(wanted, sentence)


def _in_base_unit(own: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether the claim's measure follows in another unit: 1 kg from 450 g and 550 g."""
    if not isinstance(own.value, Quantity) or own.value.dimension in _UNSUMMED:
        return False
    given = _base_numbers(atom for atom in sentence if _is("", atom) or _is(own.value.dimension, atom))
    told = _numbers(atom for atom in claim if isinstance(atom.value, Quantity) and _is("", atom))
    if len(given) > _MOST or any(math.isclose(own.value.low, number) for number in given):
        return False
    return _is_made(own.value.low, given, told, ())


def _is_factor(wanted: float, given: Sequence[float], told: Sequence[float]) -> bool:
    """Whether another number of the claim follows by it: two cups contain 160 mg, where each contains 80."""
    return any(math.isclose(wanted * one, other) for one, other in product(given, told) if other not in given)


def _in_proportion(claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether each has one rate, and the claim's is the same: 10 litres for 200 km, from 5 per 100 km."""
    mine, theirs = _rate(claim), _rate(sentence)
    if not mine or not theirs or [one.dimension for one in mine] != [one.dimension for one in theirs]:
        return False
    return math.isclose(mine[0].low * theirs[1].low, mine[1].low * theirs[0].low)


def _rate(atoms: Sequence[Atom]) -> list[Quantity]:
    """The only two values, where a word for a rate stands before the second; empty where it does not."""
    places = [k for k, atom in enumerate(atoms) if atom.value is not None]
    values = [atom.value for atom in atoms if isinstance(atom.value, Quantity)]
    if len(places) != len(values) or len(places) != _OF_A_RATE or atoms[places[1] - 1].key not in _PER:
        return []
    return values if all(value.low == value.high > 0 for value in values) else []


def _is_whole(wanted: float, sentence: Sequence[Atom]) -> bool:
    """Whether the sentence has a share or a multiple of it: 900 votes, where half of them are 450."""
    factors = [(atom, factor) for atom in sentence if (factor := _factor(atom))]
    return any(
        math.isclose(wanted * factor, number)
        for told, factor in factors
        for number in _numbers(atom for atom in sentence if atom is not told)
    )


def _factor(atom: Atom) -> float:
    """What "a third", "30 %", "twice", "ten times" or "double" makes of a number; 0 for other words."""
    if atom.value is None:
        return _WORDED["double"] if atom.key == "double" else 0
    number = _number(atom) or 0
    return number / _WHOLE if _is("percent", atom) else number * _is("times", atom)


def _is_made(wanted: float, given: Sequence[float], told: Sequence[float], shares: Sequence[float]) -> bool:
    return any(math.isclose(number, wanted) for number in _made(given, told, shares))


def _clocks(atoms: Sequence[Atom]) -> Iterator[float]:
    """Times of day, in minutes, that lie a length of time before or after another of the sentence."""
    values = [atom.value for atom in atoms if isinstance(atom.value, Quantity)]
    times = [value.low for value in values if value.dimension == "clock"]
    spans = [value.low / 60 for value in values if value.dimension == "time"]
    for time, span in product(times, spans):
        yield from (time - span, time + span)


def _is(dimension: str, atom: Atom) -> bool:
    return isinstance(atom.value, Quantity) and atom.value.dimension == dimension


def _numbers(atoms: Iterable[Atom]) -> list[float]:
    numbers = [
        _WORDED.get(atom.key) if atom.value is None else _number(atom)
        for atom in atoms
        if not (_is("ordinal", atom) or _is("period", atom))
    ]
    return [number for number in numbers if number is not None]


def _number(atom: Atom) -> float | None:
    match atom.value:
        case Date(years=(first, last)) if first == last:
            return float(first)
        case Quantity(number=number):
            return number
    return None


def _base_numbers(atoms: Iterable[Atom]) -> list[float]:
    """The plain numbers in the base units of their dimensions."""
    values = [atom.value for atom in atoms if isinstance(atom.value, Quantity)]
    return [value.low for value in values if value.low == value.high]


def _is_rated(own: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether the claim's amount is the sentence's for another period: 120 a year, from 10 a month."""
    periods = product(_periods(sentence), _periods(claim))
    factors = [times(old, new) for old, new in periods if old != new]
    amounts = [atom for atom in claim if atom is not own] if _is("period", own) else [own]
    return any(
        math.isclose(amount, factor * given)
        for read in (_numbers, _base_numbers)
        for amount, factor, given in product(read(amounts), factors, read(sentence))
    )


def times(period: str, other: str) -> float:
    """How often the one period or unit comes in the other: 12 for a month in a year; 0 if it is not fixed."""
    one, two = UNITS.get(period), UNITS.get(other)
    if one and two and one.dimension == two.dimension:
        return two.factor / one.factor
    return _TIMES.get((period, other)) or 1 / _TIMES.get((other, period), math.inf)


def _periods(atoms: Sequence[Atom]) -> list[str]:
    told = [each.value.unit for each in atoms if isinstance(each.value, Quantity) and _is("period", each)]
    return [*told, *(_EACH[atom.key] for atom in atoms if atom.key in _EACH)]


def _made(given: Sequence[float], told: Sequence[float], shares: Sequence[float]) -> Iterator[float]:
    """What the given numbers make with each other, and with those that the claim tells besides."""
    for one, two in permutations(given, 2):
        yield from (one + two, one - two, one * two)
        yield from (one + times * two for times in told)
    for one, other in product(given, told):
        yield from (one + other, one * other, other - one)
    for share in shares:
        yield from (_WHOLE - share, share - _WHOLE)
        parts = (share, _WHOLE - share, _WHOLE + share)
        yield from (one * part / _WHOLE for one in given for part in parts)
    yield from (_WHOLE - one - two for one, two in combinations(shares, 2))

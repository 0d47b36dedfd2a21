"""Tells one measure in the form of another: "an hour" as "60 minutes" beside "90 minutes"."""

from __future__ import annotations

import re
from math import isclose

from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.said import A_YEAR, EVERY, FREQUENCY
from vista_stream.core.rules.times import HALF_DAY
from vista_stream.core.text.units import UNITS

_EQUAL = 0.005
"""Share by which two measures of one dimension may differ after conversion."""
_MONTH_DAYS = 365.25 / 12
_DAY = UNITS["day"].factor
_ROUGHLY = 0.06
"""Share by which days, weeks and months may differ and yet be told for each other: "a month", "30 days"."""
_FAR = 30
"""How many times another measure one is that hardly tells of the same thing: a week, beside 20 minutes."""
_SHORT = 3
"""Months up to which one is taken for four weeks."""
_OFTEN = 0.1
"""The same of frequencies: every two weeks is 26 times a year, and twice a month 24 times."""
_CONVERTED = frozenset({"time", "months", "length", "area", "volume", "mass", "energy", "power", "storage"})
_PLURALS = {"foot": "feet", "inch": "inches", "century": "centuries", "stone": "stone"}
_ONE_IN = re.compile(r"\w+ (?!in |out )(\w+) (?:in|out of) ", re.IGNORECASE)
"""The beginning of "one dog in twenty", with what is counted."""
_DIGITS = re.compile(r"(\d{1,2})([:.])(\d\d)(?: ?([ap]\.?m\b\.?))?", re.IGNORECASE)


def retold(own: Quantity, words: str, other: Quantity, others: str) -> str | None:
    """What a measure is called in the form of another one: its own words where it has that form already.

    Both are without hedges; `words` and `others` are how they are written. None where the form does not suit
    it: for other dimensions, intervals, and numbers that would not be round.
    """
    if own.low != own.high or other.low != other.high or not own.low or not other.low:
        return None
    pair = {own.dimension, other.dimension}
    if len(pair) == 1 and own.dimension in _CONVERTED:
        return _converted(own, words, other, others)
    if pair == {"time", "months"}:
        return _over_months(own, other, others)
    if len(pair) > 1:
        return None
    match own.dimension:
        case "percent":
            return _percent(own, words, other, others)
        case "clock":
            return _clock(own, words, other, others)
        case _ if own.dimension == FREQUENCY:
            return _frequency(own, words, other, others)
    if own.unit == "spoken":  # a price
        return others if isclose(own.low, other.low) else _price(own, others)
    return None


def in_days(quantity: Quantity) -> float:
    """A length of time in days; of another measure the value in its base unit."""
    factor = {"months": _MONTH_DAYS, "time": 1 / _DAY}.get(quantity.dimension, 1.0)
    return quantity.low * factor


def _converted(own: Quantity, words: str, other: Quantity, others: str) -> str | None:
    if own.unit == other.unit:
        return words
    if isclose(own.low, other.low, rel_tol=_EQUAL):
        return others
    ratio = own.low / other.low
    if not 1 / _FAR < ratio < _FAR or other.unit not in UNITS:
        return None
    number = own.low / UNITS[other.unit].factor
    whole = isclose(round(number), number, rel_tol=_EQUAL)
    return None if _near(ratio) and not whole else _counted(number, other.unit)


def _near(ratio: float) -> bool:
    """Whether one may be the other, rounded: then both are left as they are."""
    return abs(ratio - 1) < _OFTEN


def _counted(number: float, unit: str) -> str | None:
    """A number of units, in three digits; of time a whole one, or None."""
    rounded = round(number)
    if rounded and isclose(rounded, number, rel_tol=_EQUAL):
        return f"{rounded} {_plural(unit, rounded)}"
    return None if UNITS[unit].dimension == "time" else f"{float(f'{number:.3g}'):g} {_plural(unit, number)}"


def _plural(unit: str, number: float) -> str:
    return unit if number == 1 else _PLURALS.get(unit, unit + "s")


def _over_months(own: Quantity, other: Quantity, others: str) -> str | None:
    """Months and years in days and weeks, and the reverse, which come out roughly."""
    mine, its = in_days(own), in_days(other)
    if isclose(mine, its, rel_tol=_ROUGHLY):
        return others
    factor = UNITS[other.unit].factor
    if not 1 / _FAR < mine / its < _FAR or (other.dimension == "time" and factor < _DAY):
        return None
    number = mine / (factor * _MONTH_DAYS if other.dimension == "months" else factor / _DAY)
    if own.dimension == "months" and other.unit == "week" and own.low <= _SHORT:
        number = 4 * own.low  # as people say it
    if round(number) < 1:
        return None
    if own.dimension == "time" and not isclose(round(number), number, rel_tol=_ROUGHLY):
        return None
    return f"{round(number)} {_plural(other.unit, round(number))}"


def _percent(own: Quantity, words: str, other: Quantity, others: str) -> str | None:
    if own.unit == other.unit:
        return words
    if other.unit == "share":
        return others if isclose(own.low, other.low, rel_tol=_EQUAL) else None
    of_what = _ONE_IN.match(words)
    told = re.sub(r"[\d.,]+", f"{own.low:.0f}", others, count=1)
    return f"{told} of {of_what[1]}s" if of_what else told


def _price(own: Quantity, others: str) -> str:
    """A spoken price in figures, with the sign of another one where that has one."""
    amount, sign = f"{own.low:.2f}", re.match(r"[$£€]", others)
    return f"{sign.group()}{amount}" if sign else f"{amount} {others.split()[-1]}"


def _clock(own: Quantity, words: str, other: Quantity, others: str) -> str | None:
    found = _DIGITS.fullmatch(others)
    if found is None or _DIGITS.fullmatch(words):
        return None if found is None else words
    minutes = own.low
    if own.unit == "12 h" and other.unit == "24 h":
        minutes = min((minutes, minutes + HALF_DAY), key=lambda each: abs(each - other.low))
    hour, rest = divmod(int(minutes), 60)
    if found[4] or own.unit == "12 h" == other.unit:
        shown = f"{(hour - 1) % 12 + 1}{found[2]}{rest:02}"
        return f"{shown} {'pm' if hour >= 12 else 'am'}" if found[4] else shown
    return f"{hour}{found[2]}{rest:02}"


def _frequency(own: Quantity, words: str, other: Quantity, others: str) -> str | None:
    if own.unit == other.unit and own.number == other.number:
        return words
    if isclose(own.low, other.low, rel_tol=_OFTEN):
        return others
    how, period = other.unit.split()
    often = own.low / A_YEAR[period]
    if often < 1:
        return _every(1 / often, period)
    return _every(1, period) if how == EVERY and isclose(often, 1, rel_tol=_OFTEN) else _times(often, period)


def _every(number: float, period: str) -> str | None:
    if isclose(round(number), number, rel_tol=_OFTEN):
        number = round(number)
    return f"every {period}" if number == 1 else f"every {number:.1f} {period}s".replace(".0 ", " ")


def _times(number: float, period: str) -> str | None:
    if not isclose(round(number), number, rel_tol=_OFTEN):
        return None
    often = {1: "once", 2: "twice"}.get(round(number), f"{round(number)} times")
    return f"{often} a {period}"

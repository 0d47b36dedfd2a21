"""Times of day, and the periods of rates: "8 p.m.", "20:00", "$20 a month"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.core.rules.measures import read_unit
from vista_stream.core.text.stems import word_set


class Clock(NamedTuple):
    """A time of day and how many words it takes."""

    minutes: int
    """Minutes since midnight; where `sure` is False, since midnight or noon."""
    sure: bool
    """Whether the text says if it is before or after noon."""
    length: int
    """Words taken."""


HALF_DAY = 720
"""Minutes."""
_CLOCK = re.compile(r"(\d{1,2})(?:([:.])([0-5]\d))?(?:([ap])\.?m\.?)?", re.IGNORECASE)
_HALVES = {"am": 0, "a.m.": 0, "a.m": 0, "pm": HALF_DAY, "p.m.": HALF_DAY, "p.m": HALF_DAY}
_NAMED = {"noon": HALF_DAY, "midnight": 0}
_SPOKEN = "one two three four five six seven eight nine ten eleven twelve"
_HOURS = {word: hour for hour, word in enumerate(_SPOKEN.split(), 1)}
_PARTS: dict[tuple[str, ...], int] = {
    ("in", "the", "morning"): 0,
    ("in", "the", "afternoon"): HALF_DAY,
    ("in", "the", "evening"): HALF_DAY,
}
_AT_NIGHT = ("at", "night")
_EVENING_FROM = 6
"""The hour from which on "at night" is before midnight."""
_LONGEST = 8
"""Words of a time of day at most: "twenty minutes past seven in the evening"."""
_QUARTER = 15
_AMOUNTS = {"quarter": _QUARTER, "half": 30, "twenty": 20, "five": 5, "ten": 10}
"""Minutes past or to the hour, as they are said."""
_PERIODS = word_set("night quarter")
"""Periods that are no units."""
_MEASURED = frozenset({"time", "months", "length", "area", "volume", "mass"})
"""Dimensions of the units for one of which a rate may be told: "a month", "per kilo"."""
_RATED = re.compile(r".*\d|[$£€¥₹%]$")
_COUNTED = word_set(
    f"""
    percent cent dollars euros pounds times once twice {_SPOKEN}
    twenty thirty forty fifty sixty hundred thousand million billion
    """
)
_NO_PERIOD = word_set("later ago after before earlier old long from in")
_FARTHEST = 4
"""How many words before "a month" are searched for the amount that is paid for it."""


def read_clock(words: Sequence[str], at: int) -> Clock | None:
    """The time of day that begins at a word; None where none begins, as at the "9" of "at 9"."""
    if words[at] in _NAMED:
        return Clock(_NAMED[words[at]], True, 1)
    return _read_spoken(words, at) or _read_digits(words, at)


def _read_spoken(words: Sequence[str], at: int) -> Clock | None:
    """ "nine in the evening", "9 o'clock", "half past seven"; None without one of the phrases."""
    said = [word.lower().replace("’", "'") for word in words[at : at + _LONGEST]]
    past, taken = _read_past(said)
    word = said[taken] if taken < len(said) else ""
    if taken and word in _NAMED:
        return Clock((_NAMED[word] + past) % (2 * HALF_DAY), True, taken + 1)
    found = _CLOCK.fullmatch(word)
    hour = _HOURS.get(word, 0) or (int(found[1]) if found and not found[4] else 0)
    if not 1 <= hour <= 12 or (taken and found and found[3]) or said[taken + 1 : taken + 2] == ["quarters"]:
        return None  # "a quarter to three quarters of it"
    minutes = (hour % 12 * 60 + (int(found[3] or 0) if found else 0) + past) % HALF_DAY
    whole = taken + (2 if said[taken + 1 : taken + 2] == ["o'clock"] else 1)
    half = _PARTS.get(tuple(said[whole : whole + 3]))
    if half is not None:
        return Clock(minutes + half, True, whole + 3)
    if tuple(said[whole : whole + 2]) == _AT_NIGHT:
        return Clock(minutes + HALF_DAY * (hour >= _EVENING_FROM and minutes >= 60), True, whole + 2)
    return Clock(minutes, False, whole) if whole >= 2 else None


def _read_past(said: Sequence[str]) -> tuple[int, int]:
    """The minutes of "half past" or "a quarter to", and how many words they take; (0, 0) without."""
    start = int(said[:1] == ["a"])
    amount = _AMOUNTS.get(said[start], 0) if start < len(said) else 0
    minutes = said[start + 1 : start + 2] == ["minutes"]
    after = start + 1 + minutes
    which = said[after] if after < len(said) else ""
    if not amount or (start and amount != _QUARTER):
        return 0, 0
    if which == "past":
        return amount, after + 1
    if which == "to" and (amount == _QUARTER or minutes):
        return -amount, after + 1
    return 0, 0


def _read_digits(words: Sequence[str], at: int) -> Clock | None:
    found = _CLOCK.fullmatch(words[at])
    if found is None:
        return None
    hour, minute = int(found[1]), int(found[3] or 0)
    after = words[at + 1].lower() if at + 1 < len(words) else ""
    half, length = (HALF_DAY * (found[4].lower() == "p"), 1) if found[4] else (_HALVES.get(after), 2)
    if half is not None:
        return Clock(hour % 12 * 60 + minute + half, True, length) if 1 <= hour <= 12 else None
    if found[2] != ":" or hour > 24:
        return None
    sure = hour == 0 or hour > 12
    return Clock((hour % 24 if sure else hour % 12) * 60 + minute, sure, 1)


def read_period(words: Sequence[str], at: int) -> tuple[str, int]:
    """What a rate is told for, in one spelling, and how many words it takes; ("", 0) where none begins here.

    A period or a unit stands after "per", or after "a" and an amount: "per month", "$5 a kilo".
    """
    first = words[at].lower()
    period, length = _read_one(words, at + 1) if first in ("per", "a", "an") else ("", 0)
    after = words[at + 1 + length].lower() if at + 1 + length < len(words) else ""
    if not period or after in _NO_PERIOD:
        return "", 0
    amount = (word.lower() for word in words[max(0, at - _FARTHEST) : at])
    rated = first == "per" or (period != "second" and after != "of" and any(map(_is_amount, amount)))
    return (period, 1 + length) if rated else ("", 0)


def _read_one(words: Sequence[str], at: int) -> tuple[str, int]:
    """The period or unit of one of which a rate may be told, and how many words it takes."""
    word = words[at].lower() if at < len(words) else ""
    if word in _PERIODS:
        return word, 1
    if word == "s":
        return "second", 1
    measure = read_unit(words, at, "")
    return (measure.unit, measure.length) if measure.dimension in _MEASURED else ("", 0)


def _is_amount(word: str) -> bool:
    return word in _COUNTED or _RATED.match(word) is not None

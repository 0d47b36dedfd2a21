"""Reads amounts as people say them: "an hour", "every other week", "two fifths", "eight pounds fifty".

The reader of quantities leaves them alone, since their words often mean something else ("an hour" in "20 km
an hour"). What is read here decides nothing: it tells a claim to a model in other words (`restated`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from vista_stream.core.rules.quantities import FRACTIONS, PARTS, SMALL_NUMBERS, TENS, Quantity
from vista_stream.core.rules.times import HALF_DAY
from vista_stream.core.text.stems import word_set
from vista_stream.core.text.units import UNITS

Measure: TypeAlias = tuple[Quantity, str]
"""A quantity that has a dimension, and its words as written."""

FREQUENCY, DECADE, DOZENS = "frequency", "decade", "dozens"
"""Dimensions of this module's own: times a year, the first year of a decade within its century, a count."""
EVERY, TIMES = "every", "times"
"""How a frequency is told, before its period in `Quantity.unit`: "every week", "times week"."""
A_YEAR = {
    "second": 31_536_000.0, "minute": 525_600.0, "hour": 8760.0, "day": 365.0, "night": 365.0,
    "week": 52.0, "fortnight": 26.0, "month": 12.0, "quarter": 4.0, "year": 1.0,
}  # fmt: skip
"""How often a period comes in a year."""
_ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "fortnightly": "fortnight",
    "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year",
}  # fmt: skip
_VALUES = {"a": 1, "an": 1} | SMALL_NUMBERS | TENS
_SMALL = [word for word, number in SMALL_NUMBERS.items() if 1 <= number <= 12]
_TEENS = [word for word, number in SMALL_NUMBERS.items() if number >= 10]
_NTH = {"second": 2, "other": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}
_CENTURIES = {"eighteen": 1800, "nineteen": 1900}
_DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
    "eighties": 80, "nineties": 90,
}  # fmt: skip
_MONEY = {"pound": "gbp", "euro": "eur", "dollar": "usd", "franc": "chf"}
_BEFORE_SPAN = word_set(
    """
    for within after in of to by is was be than about around roughly nearly almost over under just only barely
    mere full good whole take takes taken took last lasts lasted need needs needed have has had get gets give
    gives given got wait spend spends up least most inside
    """
)
"""Words before "a week" where it is seven days; behind a noun it is a rate's: "three visits a week"."""
_LONGEST = 20
"""Code points beside an amount in which the word next to it is looked for."""
_AFTER_SPAN = word_set("ahead later earlier before after ago old long back beforehand in")
_AT = frozenset({"at", "by", "until", "till", "around", "about", "before", "after"})
"""Words after which "ten to nine" is a time of day, and no range."""
_MINUTES = {"five": 5, "ten": 10, "quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}


def _any(words: Iterable[str]) -> str:
    return "(?:" + "|".join(words) + ")"


_DIGIT = _any(_SMALL[:9])
_SPOKEN = f"(?:{_any(TENS)}(?:[ -]{_DIGIT})?|{_any(_TEENS)}|{_any(_SMALL)})"
"""A number below a hundred in words."""
_COUNT = rf"(?:\d+|{_SPOKEN})"
_PERIOD = _any(A_YEAR)
_JOINING = "and or but at on in from for by to with per each a an if when as less more"
_ENDS = rf"(?=\s*(?:[.,;:!?)]|$)|\s{_any(_JOINING.split())}\b)"
"""After an amount that goes with no noun."""
_WHAT_SHARE = r"(?=\s(?:of (?!an?\b)|(?:off|less|more|cheaper|lower|higher)\b)|\s*(?:[.,;!?)]|$))"
"""After a share: "two fifths of the price", but not "a quarter of an hour"."""
_NOBODYS = "".join(rf"(?<!\b{whose} )" for whose in ("my", "your", "his", "her", "their"))
"""Before a decade, which is no age: "in her sixties"."""


def said(text: str) -> Iterator[Measure]:
    """The amounts of a text that are said in one of these ways, with their words, in no fixed order."""
    for pattern, read in _COMPILED:
        for found in pattern.finditer(text):
            quantity = read(found)
            if quantity is not None:
                yield quantity, found.group()


def _plain(value: float, dimension: str, unit: str, number: float | None = None) -> Quantity:
    exact = float(value)
    return Quantity(exact, exact, dimension, unit, "", 1, exact if number is None else float(number))


def _number(word: str) -> float:
    """The number that a word or two say, or digits; 1 for "a" and "an"."""
    parts = [part for part in re.split(r"[\s-]", word.lower()) if part]
    return float(sum(int(part) if part.isdecimal() else _VALUES[part] for part in parts))


def _word_before(found: re.Match[str]) -> str:
    """The word before what was found, in lower case; empty where there is none."""
    words = found.string[max(0, found.start() - _LONGEST) : found.start()].split()
    return words[-1].lower() if words else ""


def _span(found: re.Match[str]) -> Quantity | None:
    unit = UNITS[found["unit"].lower()]
    after = re.match(r"\s(\w+)", found.string[found.end() : found.end() + _LONGEST])
    if _word_before(found) not in _BEFORE_SPAN and not (after and after[1] in _AFTER_SPAN):
        return None
    first, second = (found["more"] or " ").lower().split(" ")
    number = 1 + PARTS.get((first, second), 0.0)
    return _plain(number * unit.factor, unit.dimension, unit.name, number)


def _amount(found: re.Match[str]) -> Quantity:
    unit = UNITS[found["unit"].lower()]
    return _plain(unit.factor, unit.dimension, unit.name, 1)


def _quid(found: re.Match[str]) -> Quantity:
    return _plain(_number(found["whole"]), "gbp", "spoken")


def _one_in(found: re.Match[str]) -> Quantity | None:
    some, whole = _number(found["some"]), _number(found["all"])
    return _plain(100 * some / whole, "percent", "share") if whole > some else None


def _always(found: re.Match[str]) -> Quantity:
    return _plain(A_YEAR["day"], FREQUENCY, f"{TIMES} day", 1)


def _times(found: re.Match[str]) -> Quantity | None:
    count = {"once": 1.0, "twice": 2.0}.get(found["often"].lower()) or _number(found["often"].split()[0])
    period = found["period"].lower()
    return _plain(count * A_YEAR[period], FREQUENCY, f"{TIMES} {period}", count)


def _every(found: re.Match[str]) -> Quantity | None:
    which, period = (found["which"] or "").strip().lower(), found["period"].lower()
    count = float(_NTH.get(which, 0)) or _number(which or "a")
    return _plain(A_YEAR[period] / count, FREQUENCY, f"{EVERY} {period}", count) if count else None


def _adverb(found: re.Match[str]) -> Quantity:
    period = _ADVERBS[found.group().lower()]
    return _plain(A_YEAR[period], FREQUENCY, f"{EVERY} {period}", 1)


def _share(found: re.Match[str]) -> Quantity | None:
    percent = 100 * _number(found["count"] or "a") / FRACTIONS[found["part"].lower()]
    return _plain(percent, "percent", "share") if 0 < percent <= 100 else None


def _decade(found: re.Match[str]) -> Quantity:
    century = _CENTURIES.get((found["century"] or "").lower().rstrip("- "), 0)
    return _plain(century + _DECADES[found["decade"].lower()], DECADE, DECADE)


def _dozens(found: re.Match[str]) -> Quantity:
    how_many = found["count"].lower()
    return _plain(12 * (0.5 if how_many.startswith("half") else _number(how_many)), DOZENS, DOZENS)


def _price(found: re.Match[str]) -> Quantity:
    value = _number(found["whole"]) + _number(found["cents"]) / 100
    return _plain(value, _MONEY[found["money"].lower().rstrip("s")], "spoken")


def _clock(found: re.Match[str]) -> Quantity | None:
    amount, past = found["minutes"].lower().replace(" ", "-"), found["which"].lower() == "past"
    part = (found["part"] or "").split()[-1:]
    if not (past or amount == "quarter" or part or _word_before(found) in _AT):
        return None  # "ten to twelve people"
    minutes = int(_number(found["hour"])) % 12 * 60 + (_MINUTES[amount] if past else -_MINUTES[amount])
    half = 0 if part in ([], ["morning"]) else HALF_DAY
    return _plain(minutes % HALF_DAY + half, "clock", "24 h" if part else "12 h")


_SPAN = r"\ban?\s(?P<unit>minute|hour|day|week|fortnight|month|year|decade|century)\b"
_UNIT = r"(?P<unit>metre|meter|kilometre|kilometer|mile|foot|kilo|litre|liter|tonne)\b"
_SHARE = r"(?P<part>half|halves|(?:third|quarter|fifth|sixth|eighth|tenth)s?)"
_PAST = (
    r"\b(?:a\s)?(?P<minutes>five|ten|quarter|twenty[\s-]five|twenty|half)\s(?:minutes\s)?(?P<which>past|to)\s"
)
_OFTEN = rf"\b(?P<often>once|twice|{_COUNT}\stimes)\s(?:an?|per|each|every)"
_OF_DAY = r"(?:\so'clock)?(?P<part>\sin the (?:morning|afternoon|evening)|\sat night)?\b"
_COMPILED = [
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (_SPAN + r"(?:\sand\s(?P<more>a half|a quarter|three quarters)\b)?", _span),
        (rf"\ban?\s(?:full\s|good\s|whole\s|mere\s)?{_UNIT}", _amount),
        (rf"\b(?P<whole>{_COUNT})\squid\b", _quid),
        (
            rf"\b(?P<some>one|1|two|2|three|3)(?:\s[a-z]+)?\s(?:in|out of)\s(?:every\s)?(?P<all>{_COUNT})\b",
            _one_in,
        ),
        (r"\b(?:seven|7) days a week\b", _always),
        (rf"{_OFTEN}\s(?P<period>{_PERIOD})\b", _times),
        (
            rf"\b(?:every|each)(?P<which>\s(?:{_any(_NTH)}|{_COUNT}))?\s(?P<period>{_PERIOD})s?\b(?!\sand\sa\b)",
            _every,
        ),
        (rf"\b{_any(_ADVERBS)}\b{_ENDS}", _adverb),
        (rf"\b(?:(?P<count>an?|{_any(_SMALL)})[\s-])?{_SHARE}{_WHAT_SHARE}", _share),
        (rf"{_NOBODYS}\b(?P<century>{_any(_CENTURIES)}[-\s])?(?P<decade>{_any(_DECADES)})\b", _decade),
        (rf"\b(?P<count>half an?|an?|{_any(_SMALL)})\sdozen\b", _dozens),
        (
            rf"\b(?P<whole>an?|{_COUNT})\s(?P<money>{_any(_MONEY)})s?\s(?P<cents>{_SPOKEN}){_ENDS}",
            _price,
        ),
        (rf"(?<!from ){_PAST}(?P<hour>{_COUNT}){_OF_DAY}", _clock),
    )
]

"""Reads dates from words, and compares them field by field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vista_stream.core.rules.measures import read_unit
from vista_stream.core.text.stems import word_set

Relation: TypeAlias = Literal["same", "differs", "unclear"]
"""What evidence says of a claim's value: it is the same, it differs, or it is unclear which."""

_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name: number for number, name in enumerate(_NAMES.split(), start=1)}
SHORT_MONTHS = {name[:3]: number for name, number in _MONTHS.items() if name != "may"} | {"sept": 9}
"""Abbreviations of months in lower case, which may have a period; "may" is none."""
_MONTHS |= SHORT_MONTHS
WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
_ALSO_WORDS = {"may", "march", "mar", "dec", "jan", "sun", "oct"}
_ENDINGS = ("st", "nd", "rd", "th")
_ERAS = {"bc": -1, "bce": -1, "ad": 1, "ce": 1}
_BEFORE_YEAR = word_set(
    """
    in since of by from until till during between and to early late mid around circa c before after
    through summer spring autumn fall winter born died founded established released year years
    """
)

_BEFORE_MONTH = frozenset({"in", "from", "since", "until", "till", "during"})
_JOINS_MONTHS = frozenset({"to", "and", "or", "through"})


@dataclass(frozen=True, slots=True)
class Date:
    """A calendar date, or the parts of one that the text gives."""

    years: tuple[int, int] | None = None
    """First and last year: equal for one year, 1990 and 1999 for a decade; negative before Christ."""
    month: int | None = None
    day: int | None = None


def relate_dates(claim: Date, evidence: Date) -> Relation:
    """The relation of the claim's date to the evidence's.

    "differs" where a field that both have differs. "unclear" where the claim has a field that the evidence
    lacks, or a narrower range of years. Else "same": a date implies the coarser date that it lies in.
    """
    if claim.years and evidence.years and not _overlap(claim.years, evidence.years):
        return "differs"
    fields = ((claim.month, evidence.month), (claim.day, evidence.day))
    if any(own and other and own != other for own, other in fields):
        return "differs"
    if any(own and not other for own, other in fields):
        return "unclear"
    if claim.years is None:
        return "same"
    if evidence.years is None:
        return "unclear"
    inside = claim.years[0] <= evidence.years[0] and evidence.years[1] <= claim.years[1]
    return "same" if inside else "unclear"


def lies_between(date: Date, first: Date, last: Date) -> bool:
    """Whether a month or day without a year lies in a span of them, which may go on into the next year."""
    if date.years or date.month is None or first.month is None or last.month is None:
        return False
    months, whole = (date.month - first.month) % 12, (last.month - first.month) % 12
    if date.day is None:
        return months <= whole
    return (0, first.day or 0) <= (months, date.day) <= (whole, last.day or 31)


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def opens_date(word: str) -> bool:
    """Whether a date may begin with this lower-case word; a cheap test that misses no date."""
    return word.rstrip(".") in _MONTHS or any(map(str.isdigit, word))


def read_date(words: Sequence[str], at: int) -> tuple[Date, int] | None:
    """The date that begins at a word, and how many words it takes; None where none begins there.

    Words are as written, without punctuation. Dates are "Oct 3 1990", "3rd of October 1990", "1990-10-03",
    "October 1990", "1990s", "19th century", "44 BC", and "1990" where it is not a count.
    """
    for reader in (_read_iso, _read_month_first, _read_day_first, _read_century, _read_year):
        found = reader(words, at)
        if found:
            return found
    return None


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if 0 <= at < len(words) else ""


def _month(word: str) -> int | None:
    """The month that a word names, 1 to 12; a word with another meaning ("may") must be capitalised."""
    lower = word.lower().rstrip(".")
    if lower in _ALSO_WORDS and not word[:1].isupper():
        return None
    return _MONTHS.get(lower)


def _day(word: str) -> int | None:
    digits = word.lower().removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    return int(digits) if digits.isdecimal() and len(digits) <= 2 and 1 <= int(digits) <= 31 else None


def _full_year(word: str) -> int | None:
    return int(word) if word.isdecimal() and len(word) == 4 and 1000 <= int(word) <= 2199 else None


def _read_iso(words: Sequence[str], at: int) -> tuple[Date, int] | None:
    parts = words[at].split("-")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts) or len(parts[0]) != 4:
        return None
    year, month, day = map(int, parts)
    return (Date((year, year), month, day), 1) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _read_month_first(words: Sequence[str], at: int) -> tuple[Date, int] | None:
    month = _month(words[at])
    if month is None:
        return None
    day = _day(_word(words, at + 1))
    taken = 2 if day else 1
    year = _full_year(_word(words, at + taken))
    if year:
        return Date((year, year), month, day), taken + 1
    if day is None and words[at].lower() in _ALSO_WORDS and not _among_months(words, at):
        return None
    return Date(None, month, day), taken


def _among_months(words: Sequence[str], at: int) -> bool:
    """Whether a word with another meaning stands where a month does: "from March", "October to May"."""
    before = _word(words, at - 1).lower()
    return before in _BEFORE_MONTH or (before in _JOINS_MONTHS and _month(_word(words, at - 2)) is not None)


def _read_day_first(words: Sequence[str], at: int) -> tuple[Date, int] | None:
    day = _day(words[at])
    skip = 1 + (_word(words, at + 1).lower() == "of")
    month = _month(_word(words, at + skip))
    if day is None or month is None:
        return None
    year = _full_year(_word(words, at + skip + 1))
    return (Date((year, year), month, day), skip + 2) if year else (Date(None, month, day), skip + 1)


def _read_century(words: Sequence[str], at: int) -> tuple[Date, int] | None:
    digits, ending = words[at][:-2], words[at][-2:].lower()
    if _word(words, at + 1).lower() != "century" or not digits.isdecimal() or len(digits) > 2:
        return None
    if ending not in _ENDINGS:
        return None
    sign = _ERAS.get(_word(words, at + 2).lower())
    number = int(digits) * (sign or 1)
    years = (number * 100, number * 100 + 100) if number < 0 else (number * 100 - 100, number * 100)
    return Date(years), 2 + (sign is not None)


def _read_year(words: Sequence[str], at: int) -> tuple[Date, int] | None:
    word, before, after = words[at], _word(words, at - 1).lower(), _word(words, at + 1)
    digits = word.removesuffix("s").removesuffix("'")
    if word.endswith("s") and _full_year(digits) and int(digits) % 10 == 0:
        return Date((int(digits), int(digits) + (99 if int(digits) % 100 == 0 else 9))), 1
    sign = _ERAS.get(after.lower()) if after.isupper() else None
    if sign and word.isdecimal() and len(word) <= 5:
        return Date((sign * int(word), sign * int(word))), 2
    year = _full_year(word)
    measured = after.islower() and read_unit(words, at + 1, "").length > 0  # "a capacity of 1800 ml"
    if year is None or measured or (before not in _BEFORE_YEAR and _counts(after)):
        return None
    return Date((year, year)), 1


def _counts(after: str) -> bool:
    """Whether the word after a number makes it a count ("1200 people")."""
    return after.isalpha() and after.islower() and after not in _AFTER_YEAR


_AFTER_YEAR = word_set(
    """
    and or to in at by as is was the a an with for when while where after before until but of on from he
    she it they which that who through were are had has season election census edition film album
    """
)

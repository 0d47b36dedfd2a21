"""Reads numbers from words: in letters or digits, with hedges and units."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from vista_stream.core.rules.hedges import HEDGES, TRAILERS, bounds, read_hedge
from vista_stream.core.rules.measures import Measure, read_unit
from vista_stream.core.rules.times import read_clock, read_period
from vista_stream.core.text.stems import word_set
from vista_stream.core.text.units import CURRENCY_CODES

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
_NTH = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
SMALL_NUMBERS = {word: number for number, word in enumerate(_SMALL.split())}
TENS = {word: 10 * n for n, word in enumerate(_ROUND.split(), 2)}
_SCALES = {
    "dozen": 12.0,
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "bn": 1e9,
}
_ORDINALS = {word: n for n, word in enumerate(_NTH.split(), 1)}
OTHER_DOLLARS = {
    **dict.fromkeys(["a$", "au$"], "aud"),
    **dict.fromkeys(["c$", "ca$"], "cad"),
    "nz$": "nzd",
    "hk$": "hkd",
    "s$": "sgd",
    "nt$": "twd",
}
_CURRENCIES = {
    **{"$": "usd", "£": "gbp", "€": "eur", "¥": "jpy", "₹": "inr", "r$": "brl"},
    **OTHER_DOLLARS,
    **{code: code for code in CURRENCY_CODES},
}
"""Currencies by the sign or code before an amount, in lower case."""
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d\d)+,\d{3}|\d+)(?:\.\d+)?|\.\d+")
_MOST_DIGITS = 14
"""A longer number is not exact as a float, and is usually a card's or account's number."""
_ORDINAL = re.compile(r"(\d{1,9})(?:st|nd|rd|th)")

_CHANGES = word_set("rise increase drop fall decrease warming cooling change difference")
_MOVES = word_set(
    "rose rises risen fell falls fallen dropped drops increased increases decreased decreases warmed"
)
_COMPARISONS = word_set("warmer hotter colder cooler higher lower")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or an interval, in the base unit of its dimension."""

    low: float
    """Lower end; -inf for "at most"."""
    high: float
    """Upper end; inf for "at least"."""
    dimension: str = ""
    """What it measures ("length", "usd", "percent", "ordinal", "clock", "code"); empty for a count."""
    unit: str = ""
    """The unit as written, in one spelling."""
    hedge: str = ""
    """"about", "above", "from" (at least), "below", "to" (at most) or "exact"; empty for a plain number."""
    digits: int = 0
    """Number of significant digits as written."""
    number: float = 0.0
    """The (first) number as written, before conversion to the base unit."""


_FIRST_WORDS = frozenset(
    {words[0] for words in HEDGES}
    | SMALL_NUMBERS.keys()
    | TENS.keys()
    | _ORDINALS.keys()
    | _CURRENCIES.keys()
    | {"a", "an", "half", "quarter", "dozen", "noon", "midnight", "per", "minus", "once", "twice"}
)
_FOR = word_set("for within after last lasts lasted take takes took least")
"""Words after which "a week" is an amount, that is, seven days."""
_SPANS = word_set("minute hour day week month year decade century")
PARTS = {("a", "half"): 0.5, ("a", "quarter"): 0.25, ("three", "quarters"): 0.75}
FRACTIONS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    ending: n for word, n in _ORDINALS.items() if n > 2 for ending in (word, word + "s")
}
"""How many of a part make a whole."""
_OF_WHAT = word_set("of the its his her their our your my this that these those")
"""Words that begin what "half" or "twice" is said of."""
_FINER = {
    "hour": ("minute", 60), "minute": ("second", 60), "foot": ("inch", 12), "pound": ("ounce", 16),
    "eur": ("cent", 100), "usd": ("cent", 100),
}  # fmt: skip
"""For a unit, the finer unit that may follow it and be added ("1 h 30 min"), and how many make one."""
_LEAST_SCALED = 1000
"""The first of two numbers from which on it does not share the scale of the second: "2,000 to 3 million"."""
_STEEPEST = 10
"""How many times the second the first must be below to share its scale: "from 50 to 2 million" grows."""
_PORTIONED = word_set("take takes use add")
"""Verbs after which "one" is a count."""
_NO_PORTION = word_set("of or and to with for from by at in on away off out up down home back look step more")


def opens_quantity(word: str) -> bool:
    """Whether a quantity may begin with this lower-case word; a cheap test that misses none."""
    return word in _FIRST_WORDS or any(map(str.isdigit, word))


def read_quantity(words: Sequence[str], at: int) -> tuple[Quantity, int] | None:
    """The quantity that begins at a word, with its hedge and unit, and how many words it takes.

    None where none begins there. "one" counts only before a scale ("one million"), a unit or a portion ("take
    one tablet"), since it is a pronoun elsewhere. "5 to 10" is one interval.
    """
    hedge, taken = read_hedge(words, at)
    if at + taken < len(words):
        found = _read_time(words, at + taken, hedge) or _read_portion(words, at + taken, hedge)
        if found is not None:
            return found[0], taken + found[1]
    currency = _CURRENCIES.get(_lower(words, at + taken), "")
    taken += bool(currency)
    number = _read_number(words, at + taken)
    if number is None:
        return None if hedge or currency else _read_ordinal(words, at)
    value, digits, length = number
    taken += length
    joined = "and" if _lower(words, at - 1) == "between" else "to"
    value, high, (dimension, unit, scale, shift, length) = _read_span(
        words, at + taken, currency, value, joined=joined
    )
    if words[at].lower() == "one" and not length and not currency and value == 1 and not _portion(words, at):
        return None
    taken += length
    if dimension == "temperature" and _tells_change(words, at, at + taken):
        dimension, shift = "temperature change", 0.0
    if unit in _FINER and high == value:
        more, length = _read_finer(words, at + taken, unit)
        value, high, taken, digits = value + more, value + more, taken + length, digits + bool(length)
    more, length = _read_part(words, at + taken) if dimension and high == value else (0.0, 0)
    if length and (dimension in ("time", "months") or _alone(words, at + taken + length)):
        value, high, taken, digits = value + more, value + more, taken + length, digits + 1
    noun = not dimension and _lower(words, at + taken).isalpha()  # "7 nights or longer"
    if noun and (_lower(words, at + taken + 1), _lower(words, at + taken + 2)) in TRAILERS:
        hedge, _ = _read_trailer(words, at + taken + 1, hedge)
    hedge, trailer = _read_trailer(words, at + taken, hedge)
    taken += trailer
    if trailer and not dimension and high == value:  # "five or more years"
        high, (dimension, unit, scale, shift, length) = value, read_unit(words, at + taken, currency)
        taken += length
    low, high = sorted((_exact(value * scale + shift), _exact(high * scale + shift)))
    low, high = bounds(low, high, hedge)
    return Quantity(low, high, dimension, unit, hedge, digits, value), taken


def _read_time(words: Sequence[str], at: int, hedge: str) -> tuple[Quantity, int] | None:
    """A time of day in minutes, or the period of a rate, and how many words it takes."""
    clock = read_clock(words, at)
    if clock is not None:
        low, high = bounds(clock.minutes, clock.minutes, hedge)
        unit = "24 h" if clock.sure else "12 h"
        return Quantity(low, high, "clock", unit, hedge, 4, clock.minutes), clock.length
    period, length = ("", 0) if hedge else read_period(words, at)
    return (Quantity(1, 1, "period", period, "", 1, 1), length) if period else None


def _read_portion(words: Sequence[str], at: int, hedge: str) -> tuple[Quantity, int] | None:
    """A share in percent ("a third of", "twice the"), or how often something is, and the words it takes."""
    (number, length), dimension, unit = _read_share(words, at), "percent", "share"
    if not length:
        (number, length), dimension, unit = _read_often(words, at), "times", "times"
    low, high = bounds(number, number, hedge)
    return (Quantity(low, high, dimension, unit, hedge, 1, number), length) if length else None


def _read_share(words: Sequence[str], at: int) -> tuple[float, int]:
    first, second, third = (_lower(words, at + k) for k in range(3))
    if first == "half" and second in _OF_WHAT and "the" not in (_lower(words, at - 1), _lower(words, at - 2)):
        return 50.0, 1  # not of "the first half of"
    if first == "twice" and second in _OF_WHAT:
        return 200.0, 1
    if second == "times" and third in _OF_WHAT:
        return _exact(100 * _read_often(words, at)[0]), 2
    count = 1 if first == "a" else SMALL_NUMBERS.get(first, 0)
    part = FRACTIONS.get(second, 0) if third == "of" and _lower(words, at + 3) not in ("a", "an") else 0
    return (100.0 * count / part, 2) if part and count else (0.0, 0)


def _read_often(words: Sequence[str], at: int) -> tuple[float, int]:
    """The 2 of "twice" and "two times", and the 1 of "once a day"; (0, 0) where none begins."""
    first = _lower(words, at)
    if first == "twice" or (first == "once" and at + 1 < len(words) and read_period(words, at + 1)[1]):
        return 2.0 if first == "twice" else 1.0, 1
    if _lower(words, at + 1) != "times":
        return 0.0, 0
    count = (
        float(first) if _NUMBER.fullmatch(first) and "," not in first else float(SMALL_NUMBERS.get(first, 0))
    )
    return (count, 2) if count else (0.0, 0)


def _read_finer(words: Sequence[str], at: int, unit: str) -> tuple[float, int]:
    """The "30 min" of "1 h 30 min", in the coarser unit, and how many words it takes; (0, 0) without one."""
    start = at + (_lower(words, at) == "and")
    number = _read_number(words, start)
    if number is None:
        return 0.0, 0
    value, _, length = number
    measure = read_unit(words, start + length, "")
    finer, ratio = _FINER[unit]
    minutes = unit == "hour" and _lower(words, start + length) == "m"  # "1h 50m"
    if not (measure.unit == finer or minutes) or not value < ratio:
        return 0.0, 0
    return value / ratio, start + length + measure.length - at


def _read_part(words: Sequence[str], at: int) -> tuple[float, int]:
    """The "and a half" of "an hour and a half", and how many words it takes; (0, 0) without one."""
    part = PARTS.get((_lower(words, at + 1), _lower(words, at + 2)), 0.0)
    return (part, 3) if part and _lower(words, at) == "and" else (0.0, 0)


def _alone(words: Sequence[str], at: int) -> bool:
    """Whether no noun or unit begins at `at` that the words before could be a portion of."""
    return at >= len(words) or _lower(words, at) in _NO_PORTION


def _portion(words: Sequence[str], at: int) -> bool:
    """Whether "one" is a count: in "take one tablet", not in "take one of them" or "take one to bed"."""
    after = _lower(words, at + 1)
    return _lower(words, at - 1) in _PORTIONED and after.isalpha() and after not in _NO_PORTION


def _exact(value: float) -> float:
    """Round off the binary error of a multiplication: 8.2 * 1e9 is 8,200,000,000."""
    return float(f"{value:.14g}")


def _read_span(
    words: Sequence[str], at: int, currency: str, low: float, *, joined: str
) -> tuple[float, float, Measure]:
    """The ends and unit of a number, or of an interval: "5 to 10 km", "$ 5 to $ 10", "10 % to 20 %".

    They are in the order of the text. Only where they share a scale may they fall: "9.8 to 9.1 million".
    """
    measure = read_unit(words, at, currency)
    for skipped in {0, measure.length}:
        if _lower(words, at + skipped) != joined:
            continue
        start = at + skipped + 1
        start += bool(currency) and _CURRENCIES.get(_lower(words, start)) == currency
        upper = _read_number(words, start)
        if upper is None or upper[0] <= low:
            continue
        after = read_unit(words, start + upper[2], currency)
        if skipped and after.unit != measure.unit:
            continue
        scale = 1.0 if skipped else _scale(words[start : start + upper[2]])
        if low < _LEAST_SCALED and low * scale < upper[0] * _STEEPEST:
            low *= scale
        return low, upper[0], after._replace(length=start + upper[2] + after.length - at)
    return low, low, measure


def _scale(words: Sequence[str]) -> float:
    """What the scales of a number make of one: a thousand for "five thousand"."""
    return math.prod(_SCALES.get(word.lower(), 1.0) for word in words)


def _tells_change(words: Sequence[str], start: int, end: int) -> bool:
    """Whether a temperature is a change: "by 2 °C", "a rise of 2 °C", "2 °C warmer"."""
    before = _lower(words, start - 1)
    rise = before in _MOVES or (before == "of" and _lower(words, start - 2) in _CHANGES)
    return before == "by" or rise or _lower(words, end) in _COMPARISONS


def _lower(words: Sequence[str], at: int) -> str:
    return words[at].lower() if 0 <= at < len(words) else ""


def _read_trailer(words: Sequence[str], at: int, hedge: str) -> tuple[str, int]:
    """The hedge after a number, such as "or more" or "+", and how many words it takes."""
    after = (_lower(words, at), _lower(words, at + 1))
    if hedge:
        return hedge, 0
    if after[0] in ("+", "onwards", "upwards"):
        return "from", 1
    if _read_number(words, at + 2) is not None:
        return hedge, 0
    if after in (("at", "least"), ("at", "most")):
        return ("from" if after[1] == "least" else "to"), 2
    return (TRAILERS[after], 2) if after in TRAILERS else (hedge, 0)


def _read_number(words: Sequence[str], at: int) -> tuple[float, int, int] | None:
    """A number's value, its significant digits, and the words taken; None where none begins."""
    word = _lower(words, at)
    if word == "minus" and not _counts(_lower(words, at - 1)) and _counts(_lower(words, at + 1)):
        number = _read_number(words, at + 1)
        return number and (-number[0], number[1], number[2] + 1)
    if (fraction := _read_fraction(words, at)) is not None:
        return fraction
    taken, digits = 1, 1
    negative = word.startswith("-") and len(word) > 1
    plain = word.removeprefix("-").replace(",", "")
    if _NUMBER.fullmatch(word.removeprefix("-")) and len(plain) <= _MOST_DIGITS:
        value = float(plain)
        written = plain.replace(".", "").lstrip("0")
        digits = len(written if "." in plain else written.rstrip("0")) or 1
    elif word in SMALL_NUMBERS or word in TENS:
        value, taken = _read_below_hundred(words, at)
    elif word in ("a", "an", "half", "dozen") or word in _SCALES:
        return _read_worded(words, at)
    else:
        return None
    more, length = _read_part(words, at + taken)
    if length and not _alone(words, at + taken + length):
        value, taken, digits = value + more, taken + length, digits + 1
    value, length = _apply_scales(words, at + taken, value)
    return (-value if negative else value), digits, taken + length


def _counts(word: str) -> bool:
    """Whether a word is a number or ends one, so that "minus" behind it takes something off."""
    return word in SMALL_NUMBERS or word in TENS or word in _SCALES or word[-1:].isdigit()


def _read_below_hundred(words: Sequence[str], at: int) -> tuple[float, int]:
    tens = TENS.get(_lower(words, at))
    if tens is None:
        return float(SMALL_NUMBERS[_lower(words, at)]), 1
    ones = SMALL_NUMBERS.get(_lower(words, at + 1), 0)
    return (float(tens + ones), 2) if 0 < ones < 10 else (float(tens), 1)


def _read_worded(words: Sequence[str], at: int) -> tuple[float, int, int] | None:
    """A number such as "half a million", "half an hour", "a dozen", or the "a" of "within a week"."""
    word, following = _lower(words, at), _lower(words, at + 1)
    if word == "dozen":
        return 12.0, 2, 1
    if word in ("a", "an") and following in _SPANS and _lower(words, at - 1) in _FOR:
        return 1.0, 1, 1
    if word == "a" and following == "dozen":
        return 12.0, 2, 2
    if word == "a" and following in _SCALES:
        value, length = _apply_scales(words, at + 1, 1.0)
        return value, 1, 1 + length
    if word == "half" and following in ("a", "an") and read_unit(words, at + 2, "").length:
        return 0.5, 1, 2
    if word == "half" and following == "a" and _lower(words, at + 2) in _SCALES:
        value, length = _apply_scales(words, at + 2, 0.5)
        return value, 1, 2 + length
    return None


def _read_fraction(words: Sequence[str], at: int) -> tuple[float, int, int] | None:
    """A number such as "a quarter of a million", "three quarters of an hour", "every quarter of an hour"."""
    counted = _lower(words, at) not in FRACTIONS
    count = SMALL_NUMBERS.get(_lower(words, at), not counted or _lower(words, at) == "a")
    part, *of = (_lower(words, at + counted + k) for k in range(3))
    if part not in FRACTIONS or not count or of not in (["of", "a"], ["of", "an"]):
        return None
    at_what = at + counted + 3
    value, length = _apply_scales(words, at_what, count / FRACTIONS[part])
    return (value, 1, at_what + length - at) if length or read_unit(words, at_what, "").length else None


def _apply_scales(words: Sequence[str], at: int, value: float) -> tuple[float, int]:
    """Multiply by "hundred", "thousand" or "million" after a number, and add the smaller numbers between.

    Returns the value and the words taken.
    """
    taken, total, current, last = 0, 0.0, value, math.inf
    while True:
        scale = _SCALES.get(_lower(words, at + taken))
        if scale is None or scale >= last:
            return total + current, taken
        current, taken = current * scale, taken + 1
        if scale > 100:
            total, current, last = total + current, 0.0, scale
        skip = _lower(words, at + taken) == "and"
        word = _lower(words, at + taken + skip)
        if word in SMALL_NUMBERS or word in TENS:
            more, length = _read_below_hundred(words, at + taken + skip)
            current, taken = current + more, taken + skip + length


def _read_ordinal(words: Sequence[str], at: int) -> tuple[Quantity, int] | None:
    word = _lower(words, at)
    written = _ORDINAL.fullmatch(word)
    value = int(written[1]) if written else _ORDINALS.get(word)
    if value is None:
        return None
    return Quantity(value, value, "ordinal", "ordinal", "", 1, value), 1

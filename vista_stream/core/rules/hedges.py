"""Words that make a bound or an estimate of a number: "at least 5", "12 or older", "about 40"."""

from __future__ import annotations

import math
from collections.abc import Sequence

DENIALS = ("no", "not", "never")
"""Words that make a limit of a comparison: "never fewer than 5"."""
_MORE = ("more", "longer", "later", "older", "larger", "higher", "greater", "heavier", "taller")
_LESS = ("less", "fewer", "shorter", "earlier", "younger", "smaller", "lower", "lighter")
HEDGES: dict[tuple[str, ...], str] = {
    **dict.fromkeys(
        [
            (w,)
            for w in ("about", "around", "approximately", "roughly", "nearly", "almost", "some", "circa", "~")
        ],
        "about",
    ),
    ("an", "estimated"): "about",
    ("close", "to"): "about",
    **dict.fromkeys(
        [
            *((more, "than") for more in _MORE),
            ("over",),
            ("above",),
            ("exceeding",),
            ("just", "over"),
            (">",),
        ],
        "above",
    ),
    **dict.fromkeys(
        [
            ("at", "least"),
            *((no, less, "than") for no in DENIALS for less in _LESS),
            ("minimum", "of"),
            ("≥",),
            (">=",),
        ],
        "from",
    ),
    **dict.fromkeys(
        [*((less, "than") for less in _LESS), ("under",), ("below",), ("just", "under"), ("<",)], "below"
    ),
    **dict.fromkeys(
        [
            ("at", "most"),
            ("up", "to"),
            *((no, more, "than") for no in DENIALS for more in _MORE),
            ("maximum", "of"),
            ("≤",),
            ("<=",),
        ],
        "to",
    ),
    ("exactly",): "exact",
    ("precisely",): "exact",
}
_LONGEST_HEDGE = 3
TRAILERS = {
    **{("or", more): "from" for more in (*_MORE, "over", "above", "beyond")},
    **{("or", less): "to" for less in (*_LESS, "under", "below")},
    **{("and", more): "from" for more in ("older", "over", "above", "up", "upwards", "beyond")},
    **{("and", less): "to" for less in ("younger", "under", "below")},
}
"""What two words after a number make of it: "12 or older"."""


def read_hedge(words: Sequence[str], at: int) -> tuple[str, int]:
    """The kind of hedge that begins at a word, and how many words it takes; ("", 0) without one."""
    for length in range(_LONGEST_HEDGE, 0, -1):
        hedge = tuple(word.lower() for word in words[at : at + length])
        if hedge in HEDGES:
            return HEDGES[hedge], len(hedge)
    return "", 0


def bounds(value: float, high: float, hedge: str) -> tuple[float, float]:
    """The ends of a number, or of an interval up to `high`, with a hedge; infinite where it is a bound."""
    match hedge:
        case "above":
            return math.nextafter(value, math.inf), math.inf
        case "from":
            return value, math.inf
        case "below":
            return -math.inf, math.nextafter(value, -math.inf)
        case "to":
            return -math.inf, value
    return value, high

"""The content of generated pages of terms (`terms`): kinds of values, the columns of offers, and rules.

The wordings are in `offers.json`. This module draws and writes the values of each kind.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, Final, NamedTuple

from vista_stream.training.made.lexicon import DIGIT_WORDS

_WORDS: Final = {int(digits): word for digits, word in DIGIT_WORDS.items()}
DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Kind(NamedTuple):
    """The kind of a column's values: which there are, how a page writes one, and how an answer does."""

    values: Sequence[int]
    page: Callable[[int, random.Random], str]
    said: Callable[[int, random.Random], str]


def _money(value: int, rng: random.Random) -> str:
    return rng.choice((f"€{value}", f"€{value}.00", f"{value} €", f"EUR {value}"))


def _money_said(value: int, rng: random.Random) -> str:
    return rng.choice((f"€{value}", f"{value} euros"))


def _measure(short: str, long: str) -> tuple[Callable[[int, random.Random], str], ...]:
    def page(value: int, rng: random.Random) -> str:
        return rng.choice((f"{value} {short}", f"{value} {long}"))

    def said(value: int, rng: random.Random) -> str:
        number = _WORDS.get(value, str(value)) if value < 13 and rng.random() < 0.6 else str(value)
        return f"{number} {long[:-1] if value == 1 and long.endswith('s') else long}"

    return page, said


def minutes(value: int, rng: random.Random) -> str:
    """A length of time: "45 minutes", "an hour and a half", "90 minutes", "two hours"."""
    hours, rest = divmod(value, 60)
    if hours and rng.random() < 0.5:
        return _hours(hours, rest)
    return _plural(value, "minute")


def _hours(hours: int, rest: int) -> str:
    parts = {0: "", 15: " and a quarter", 30: " and a half"}
    if hours == 1 and rest in parts:
        return f"an hour{parts[rest]}"
    if rest in (0, 30):
        return f"{_WORDS.get(hours, hours)}{parts[rest]} hours"
    return f"{_plural(hours, 'hour')} and {_plural(rest, 'minute')}"


def _plural(value: int, unit: str) -> str:
    return f"{value} {unit}" if value == 1 else f"{value} {unit}s"


def _clock(value: int, rng: random.Random) -> str:
    return rng.choice((f"{value}:00", f"{value}:00", f"{(value - 1) % 12 + 1} {'ap'[value > 11]}.m."))


def _day(value: int, rng: random.Random) -> str:
    return DAYS[value]


def _bare(value: int, rng: random.Random) -> str:
    return str(value)


def _counted(value: int, rng: random.Random) -> str:
    return _WORDS.get(value, str(value)) if rng.random() < 0.7 else str(value)


KINDS: Final = {
    "fee": Kind(range(4, 60), _money, _money_said),
    "price": Kind(range(30, 400, 5), _money, _money_said),
    "amount": Kind(range(500, 20_000, 500), _money, _money_said),
    "days": Kind((1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 60, 90), *_measure("d", "days")),
    "weeks": Kind((1, 2, 3, 4, 6, 8, 12), *_measure("wks", "weeks")),
    "months": Kind((1, 2, 3, 6, 9, 12, 18, 24), *_measure("months", "months")),
    "years": Kind((2, 3, 4, 5, 10, 15, 20, 25, 30), *_measure("yrs", "years")),
    "hours": Kind((1, 2, 4, 6, 8, 12, 24, 36, 48, 72), *_measure("h", "hours")),
    "minutes": Kind((15, 20, 30, 45, 50, 60, 75, 90, 120, 180), *(_measure("min", "minutes")[0], minutes)),
    "size": Kind(range(12, 90), *_measure("m²", "square metres")),
    "storage": Kind((2, 5, 10, 20, 50, 100, 200, 500), *_measure("GB", "GB")),
    "weight": Kind((2, 5, 8, 10, 15, 20, 23, 25, 30, 32, 40), *_measure("kg", "kilograms")),
    "percent": Kind(range(2, 60), *_measure("%", "percent")),
    "age": Kind((12, 14, 16, 18, 21, 23, 25, 65, 67), _bare, _bare),
    "count": Kind(range(1, 13), _bare, _counted),
    "opens": Kind((7, 8, 9, 10, 11), lambda value, rng: f"{value}:00", _clock),
    "closes": Kind(range(13, 24), lambda value, rng: f"{value}:00", _clock),
    "day": Kind(range(7), _day, _day),
}


class Column(NamedTuple):
    """A column, with one value for each offer. `{o}` is the offer, `{v}` the value, `{p}` another offer."""

    heading: str
    kind: str
    told: str
    """The sentence in which a page states a value."""
    claims: tuple[str, ...]
    """Claims that state the value."""
    above: tuple[str, ...] = ()
    """Claims that one offer has more of it than another."""
    below: tuple[str, ...] = ()
    bounds: tuple[str, str] = ("", "")
    """Claims that it is more, or less, than a value."""
    most: tuple[str, str] = ("", "")
    """Claims that it is the most, or least, of all offers on the page."""


class Domain(NamedTuple):
    """The material of one sort of page. A rule with `{v}` also names the kind of the value."""

    titles: tuple[str, ...]
    offers: tuple[str, ...]
    columns: tuple[Column, ...]
    rules: tuple[tuple[str, str, str], ...]
    """For each rule: a sentence with a value, a claim that says the same, and the kind of the value."""


def _column(values: dict[str, Any]) -> Column:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }
    return Column(**fields)


def _pairs(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row) for row in rows)


_WORDINGS: Final = json.loads(files(__package__).joinpath("offers.json").read_text(encoding="utf-8"))
DOMAINS: Final = tuple(
    Domain(
        tuple(domain["titles"]),
        tuple(domain["offers"]),
        tuple(_column(column) for column in domain["columns"]),
        tuple((told, claimed, kind) for told, claimed, kind in domain["rules"]),
    )
    for domain in _WORDINGS["domains"]
)
EXCEPTIONS: Final = _pairs(_WORDINGS["exceptions"])
"""Sentences about what all offers but one have, each with the claim that an offer has it."""
ONLY: Final = _pairs(_WORDINGS["only"])
"""Sentences about what one offer alone has, each with the claim that an offer has it."""
THINGS: Final = tuple(_WORDINGS["things"])
"""Things that an offer may include."""

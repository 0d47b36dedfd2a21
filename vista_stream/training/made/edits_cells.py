"""Claims that must be computed from one cell of a table: before and after, more and less, how many."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Final

from vista_stream.training.made.edits import Made
from vista_stream.training.made.edits_tables import Table, written
from vista_stream.training.made.lexicon import DIGIT_WORDS, word_set
from vista_stream.training.rows import Label

_YEAR: Final = re.compile(r"\b1[5-9]\d\d\b|\b20[0-3]\d\b")
_MINUTES: Final = re.compile(r"(\d{2,3})\s*(?:minutes|mins?\.?)")
_AMOUNT: Final = re.compile(r"([£$€]?)(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)( [a-zA-Z²]+)?")
_DID: Final = word_set(
    "born died released founded formed introduced recorded established built opened launched completed"
)
_WORDS: Final = {int(digits): word for digits, word in DIGIT_WORDS.items()}
_CENTURIES: Final = {15: "16th", 16: "17th", 17: "18th", 18: "19th", 19: "20th", 20: "21st"}


def reckoned(tables: Sequence[Table], rng: random.Random) -> Iterator[tuple[Made, str]]:
    """Yield claims that computing with one cell entails or contradicts, and the table's licence."""
    for given in tables:
        said = [
            (claim, holds, edit)
            for key, value in given.cells.items()
            for claim, holds, edit in (
                *_of_year(given.title, key, value, rng),
                *_of_minutes(given.title, value, rng),
                *_of_amount(given.title, key, value, rng),
                *_of_list(given.title, key, value, rng),
            )
        ]
        said += _of_life(given, rng)
        for claim, holds, edit in rng.sample(said, min(len(said), 4)):
            label: Label = "entailment" if holds else "contradiction"
            yield Made(written(given, rng), claim, label, f"reckoned_{edit}"), given.licence


_Said = tuple[str, bool, str]
"""A claim, whether it holds, and the name of the edit that makes it."""


def _of_year(title: str, key: str, value: str, rng: random.Random) -> Iterator[_Said]:
    years = {int(year) for year in _YEAR.findall(value)}
    name = key.lower()
    if len(years) != 1 or not (name in _DID or rng.random() < 0.3):
        return
    year = years.pop()
    began = f"{title} was {name}" if name in _DID - {"died"} else f"{title} died"
    if name not in _DID:
        began = f"The {_small(key)} of {title} dates"
        if not re.search(r"date|year|release|founded|established|opening|completed|debut", name):
            return
    when = "from " if began.endswith("dates") else ""
    other = year + rng.choice((-1, 1)) * rng.randint(1, 25)
    if other != year:
        yield f"{began} {when}before {other}.", year < other, "year"
        yield f"{began} {when}after {other}.", year > other, "year"
    for shown in (year, other):
        decade = shown // 10 * 10
        yield f"{began} {when or 'in '}the {decade}s.", year // 10 == shown // 10, "year"
        if shown // 100 in _CENTURIES and year % 100:
            century = shown if shown == year else year + rng.choice((-100, 100))
            if century // 100 in _CENTURIES:
                text = f"{began} {when or 'in '}the {_CENTURIES[century // 100]} century."
                yield text, century // 100 == year // 100, "year"
    low = year - rng.randint(1, 9)
    yield (
        f"{began} {when}between {low} and {year + rng.randint(1, 9)}.",
        True,
        "year",
    )
    yield f"{began} {when}between {low - 12} and {low}.", False, "year"


def _of_life(given: Table, rng: random.Random) -> Iterator[_Said]:
    born, died = (set(map(int, _YEAR.findall(given.cells.get(key, "")))) for key in ("Born", "Died"))
    if len(born) != 1 or len(died) != 1:
        return
    age = died.pop() - born.pop()
    if not 15 <= age <= 105:
        return
    bound = age + rng.choice((-1, 1)) * rng.randint(2, 20)
    yield f"{given.title} lived for more than {bound} years.", age > bound, "life"
    yield f"{given.title} died before the age of {bound}.", age < bound, "life"
    decade = bound // 10 * 10
    if age % 10 not in (0, 9):  # at the edges of a decade the birthday decides
        yield f"{given.title} was over {decade} at the time of death.", age > decade, "life"


def _of_minutes(title: str, value: str, rng: random.Random) -> Iterator[_Said]:
    found = _MINUTES.fullmatch(value.strip())
    if found is None:
        return
    length = int(found[1])
    for hours, words in ((60, "an hour"), (90, "an hour and a half"), (120, "two hours")):
        if length != hours:
            yield f"{title} is longer than {words}.", length > hours, "length"
            yield f"{title} takes less than {words}.", length < hours, "length"
    bound = max(1, length + rng.choice((-1, 1)) * rng.randint(3, 30))
    yield f"{title} runs for more than {bound} minutes.", length > bound, "length"


def _of_amount(title: str, key: str, value: str, rng: random.Random) -> Iterator[_Said]:
    found = _AMOUNT.fullmatch(value.strip())
    if found is None or _YEAR.fullmatch(found[2]) or key.lower() in ("website", "record"):
        return
    amount = float(found[2].replace(",", ""))
    if amount < 20:
        return
    bound = round(amount * rng.choice((0.5, 0.7, 0.85, 1.2, 1.5, 2)))
    if bound == amount:
        return
    shown = f"{found[1]}{bound:,}"
    of = f"The {_small(key)} of {title} is"
    unit = found[3] or ""
    yield f"{of} more than {shown}{unit}.", amount > bound, "amount"
    yield f"{of} under {shown}{unit}.", amount < bound, "amount"
    yield f"{of} at least {shown}{unit}.", amount >= bound, "amount"


def _of_list(title: str, key: str, value: str, rng: random.Random) -> Iterator[_Said]:
    items = [item.strip() for item in value.split(",")]
    name = _small(key)
    if len(items) < 2 or not name.endswith("s") or re.search(r"\d|\(|\)|;| and |/", value):
        return
    if any(not 0 < len(item.split()) <= 4 for item in items) or len(set(items)) < len(items):
        return
    count = len(items)
    bound = max(1, count + rng.choice((-2, -1, 0, 1, 2)))
    said = _WORDS.get(bound, str(bound))
    if bound > 1:
        yield f"{title} has {said} {name}.", bound == count, "count"
        yield f"There are at least {said} {name} of {title}.", count >= bound, "count"
        yield f"{title} has more than {said} {name}.", count > bound, "count"
        yield f"{title} has fewer than {said} {name}.", count < bound, "count"
    yield f"{title} has only one of the {name}: {items[0]}.", False, "count"
    yield f"{rng.choice(items)} is one of the {name} of {title}.", True, "count"


def _small(key: str) -> str:
    return key if key.isupper() else key[:1].lower() + key[1:]

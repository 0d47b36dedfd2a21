"""Table rows as evidence: the same cells written in several forms, and claims about one cell."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from vista_stream.training.made.edits import Made
from vista_stream.training.made.lexicon import word_set
from vista_stream.training.rows import Row

_CELL: Final = re.compile(r"The (.+?) of (.+?) (?:is|are) (.+?)\s*\.(?=\s+The |\s*$)")


class Table(NamedTuple):
    """A title, its cells by key, and the licence of the text."""

    title: str
    cells: dict[str, str]
    licence: str


def table(premise: str, licence: str) -> Table | None:
    """Read a premise of the form "TITLE. The KEY of TITLE is VALUE. …"; None for other premises."""
    title, _, rest = premise.partition(". The ")
    cells = {
        match.group(1): match.group(3)
        for match in _CELL.finditer(f"The {rest}")
        if match.group(2) == title and 0 < len(match.group(3)) <= 160
    }
    return Table(title, cells, licence) if len(cells) >= 2 else None


def written(given: Table, rng: random.Random) -> str:
    """Return the table as text in one of six forms."""
    cells = list(given.cells.items())
    form = rng.randrange(6)
    if form == 0:
        return "\n".join([given.title, *(f"{key}: {value}" for key, value in cells)])
    if form == 1:
        return "\n".join([f"# {given.title}", *(f"- {key}: {value}" for key, value in cells)])
    if form == 2:
        return "\n".join(["| | |", "|---|---|", *(f"| {key} | {value} |" for key, value in cells)]).replace(
            "| | |", f"| {given.title} | |", 1
        )
    if form == 3:
        return f"{given.title} | " + " | ".join(f"{key}: {value}" for key, value in cells)
    if form == 4:
        return f"{given.title}. " + " ".join(
            f"The {key} of {given.title} is {value}." for key, value in cells
        )
    return f"{given.title}: " + "; ".join(f"{key} = {value}" for key, value in cells)


def cell_pairs(tables: Sequence[Table], rng: random.Random) -> Iterator[tuple[Made, str]]:
    """Yield pairs with a claim about one cell, and licences.

    The claim is entailed, contradicted by another value, or neutral beside a table without the row. The claim
    with the other value also occurs entailed, beside a table that holds that value.
    """
    values: dict[str, list[str]] = defaultdict(list)
    for given in tables:
        for key, value in given.cells.items():
            values[key].append(value)
    for given in tables:
        for key in rng.sample(list(given.cells), min(2, len(given.cells))):
            for made in _cell(given, key, rng.choice(values[key]), rng):
                yield made, given.licence


def _cell(given: Table, key: str, drawn: str, rng: random.Random) -> Iterator[Made]:
    value = given.cells[key]
    if set(_words(value)) & set(_words(drawn)) or given.title in drawn:
        return
    changed = given._replace(cells=given.cells | {key: drawn})
    missing = given._replace(cells={name: cell for name, cell in given.cells.items() if name != key})
    if len(missing.cells) < 1:
        return
    right, wrong = (_claim(given.title, key, cell, rng) for cell in (value, drawn))
    yield Made(written(given, rng), right, "entailment", "cell_twin")
    yield Made(written(given, rng), wrong, "contradiction", "cell")
    yield Made(written(changed, rng), wrong, "entailment", "cell_twin")
    yield Made(written(changed, rng), right, "contradiction", "cell")
    if value not in written(missing, random.Random(0)):
        yield Made(written(missing, rng), rng.choice((right, wrong)), "neutral", "cell_missing")


def _claim(title: str, key: str, value: str, rng: random.Random) -> str:
    name = key if key.isupper() else key[:1].lower() + key[1:]
    if name.endswith(" by") or name in _PARTICIPLES:
        return f"{title} was {name} {value}."
    return rng.choice(
        (
            f"The {name} of {title} is {value}.",
            f"{title}'s {name} is {value}.",
            f"{title} has {value} as its {name}.",
            f"For {title}, the {name} is given as {value}.",
            f"{value} is the {name} of {title}.",
        )
    )


_PARTICIPLES: Final = word_set("born released founded formed introduced recorded established built opened")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def rewritten(rows: Iterable[Row], rng: random.Random) -> Iterator[tuple[Made, str]]:
    """Yield pairs that people wrote about tables, with the table in another form, and their licences."""
    for row in rows:
        given = table(row.premise, row.licence) if row.source == "infotabs" else None
        if given is not None and row.premise.count(" of ") <= len(given.cells) + 6:
            yield Made(written(given, rng), row.hypothesis, row.label, "table_form"), row.licence

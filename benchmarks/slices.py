"""Divides the evaluation sets into slices by the hypothesis, to show which pairs a verifier is good at."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.evaluation_sets import DIALOGUE, Row
from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import atoms_of
from vista_stream.retrieval.lexical import words

LONG_PREMISE = 130
"""A premise of this many words or more is long."""
FEW_SHARED = 0.5
"""A hypothesis with a smaller share of its words in the premise counts as a paraphrase."""

Test = Callable[[str, Row], bool]


def overlap(row: Row) -> float:
    """Share of the hypothesis's words that the premise holds, the simplest baseline."""
    wanted = words(row.hypothesis)
    held = set(words(row.premise))
    return sum(word in held for word in wanted) / (len(wanted) or 1)


def _holds(kind: type) -> Test:
    return lambda _, row: any(isinstance(atom.value, kind) for atom in atoms_of(row.hypothesis))


SLICES: Mapping[str, Test] = {
    "numbers": _holds(Quantity),
    "dates": _holds(Date),
    "names": lambda _, row: any(atom.name for atom in atoms_of(row.hypothesis)),
    "negation": lambda _, row: any(atom.negated for atom in atoms_of(row.hypothesis)),
    "paraphrase": lambda _, row: overlap(row) < FEW_SHARED,
    "long premise": lambda _, row: len(row.premise.split()) >= LONG_PREMISE,
    "dialogue": lambda name, _: name in DIALOGUE,
}


def slices_of(name: str, row: Row) -> list[str]:
    """The slices that a row of the named set belongs to; "other" where it belongs to none."""
    return [title for title, test in SLICES.items() if test(name, row)] or ["other"]

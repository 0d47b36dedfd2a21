"""Whether a bound with more room follows from its sentence: who seats more than 500 seats more than 400.

And what was built by 1890 was built by 1900.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vista_stream.core.rules.compare import happens_once
from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.restriction import is_verb, picks_out_by_value
from vista_stream.core.rules.wording import COMMANDS, Atom
from vista_stream.core.text.stems import stem, word_set

_LEAVES = word_set("may might can could")
_DUTIES = word_set("must shall should ought")
_DEMANDS = frozenset(map(stem, ("need", "require", "demand")))
_PREPOSITIONS = word_set("over above under below exceeding")
"""Bounds that are prepositions: "closes below 2 bar" tells when it does, "is below 2 bar" what it is."""
_ENDS = word_set("by before")
_STATES = frozenset(map(stem, ("be", "have")))


def tells_weaker(claim: Sequence[Atom], at: int) -> bool:
    """Whether the claim tells with the bound at index `at` what is, and not what is granted or demanded.

    Then it follows from a narrower bound. "Up to" and "at most" name the very most there is, so they do not
    count, and neither does a bound that says which thing or case is meant ("orders over 60 euros").
    """
    value = claim[at].value
    if not isinstance(value, Quantity) or value.hedge == "to" or not at:
        return False
    if picks_out_by_value(claim, at) or any(atom.negated for atom in claim):
        return False
    before = claim[at - 1]
    if not is_verb(before) or before.key.endswith("ing"):
        return False
    preposition = claim[at].written.split()[0].lower() in _PREPOSITIONS
    if preposition and value.dimension and before.stem not in _STATES:
        return False
    return not _demands(claim) and not (value.hedge == "below" and _keys(claim) & _LEAVES)


def tells_wider(claim: Sequence[Atom], at: int, other: Atom) -> bool:
    """Whether the claim has at index `at` a later year than the other one by which something had happened.

    Or an earlier one after which it had.
    """
    mine, theirs = claim[at].value, other.value
    if not (isinstance(mine, Date) and isinstance(theirs, Date) and mine.years and theirs.years) or not at:
        return False
    if not happens_once(claim[: at - 1]) or _demands(claim) or any(atom.negated for atom in claim):
        return False
    if claim[at - 1].key in _ENDS:
        return mine.years[0] > theirs.years[1]
    return claim[at - 1].key == "after" and mine.years[1] < theirs.years[0]


def _demands(claim: Sequence[Atom]) -> bool:
    """Whether something is to be so: "must be at least 18", "requires at least 2 GB", "wait at least"."""
    if claim[0].key in COMMANDS or _keys(claim) & _DUTIES or any(atom.stem in _DEMANDS for atom in claim):
        return True
    return any(one.stem == stem("have") and two.key == "to" for one, two in pairwise(claim))


def _keys(claim: Sequence[Atom]) -> set[str]:
    return {atom.key for atom in claim}

"""Whether a number of a claim may be true beside another one of its evidence.

What is waterproof to 50 m is so at 30 m, and those whom a sentence calls the others are outside its bound.
"""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.core.rules.compare import is_less
from vista_stream.core.rules.hedges import HEDGES
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.quantity_relations import comparable
from vista_stream.core.rules.wording import Atom, numbers_of
from vista_stream.core.text.stems import word_set

_WITHSTANDING = word_set("waterproof watertight resistant proof")
_OTHERS = word_set("other others otherwise else rest remaining")
_COMPARATIVES = frozenset(words[0] for words in HEDGES if words[1:] == ("than",))
_JOINS = word_set("and but")


def holds_beside(own: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether the claim's number may be true beside those of the sentence."""
    if not isinstance(own.value, Quantity):
        return False
    return _withstood(own, claim, sentence) or _of_the_others(own, claim, sentence)


def _withstood(own: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether it is less than what something is said to withstand."""
    if any(atom.key in _WITHSTANDING for atom in claim):
        return any(_of_a_kind(own, atom) and is_less(own, atom) for atom in sentence)
    down = [atom for k, atom in enumerate(sentence) if [a.key for a in sentence[k - 2 : k]] == ["down", "to"]]
    if any(atom.key == "down" for atom in claim):
        return False
    return any(_of_a_kind(own, atom) and is_less(atom, own) for atom in down)


def _of_the_others(own: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether it is outside the sentence's bound, and the claim's other values are told of the others.

    "Orders over 60 euros are free, others cost 5 euros": an order of 40 euros costs 5.
    """
    at = next((k for k in range(1, len(sentence)) if _others(sentence, k)), 0)
    start = next((k for k in range(at, 0, -1) if sentence[k].boundary or sentence[k].key in _JOINS), at)
    rest = [numbers_of(atom) for atom in claim if atom.value is not None and atom is not own]
    told = [numbers_of(atom) for atom in sentence[start:]]
    if not rest or not all(any(one & other for other in told) for one in rest):
        return False
    return any(_of_a_kind(own, atom) and _outside(own, atom) for atom in sentence[:start])


def _others(sentence: Sequence[Atom], at: int) -> bool:
    """Whether a word there means those outside the bound: "others", "shorter ones"."""
    than = any(atom.key == "than" for atom in sentence[at + 1 : at + 2])
    return sentence[at].key in _OTHERS or (sentence[at].key in _COMPARATIVES and not than)


def _of_a_kind(own: Atom, other: Atom) -> bool:
    mine, theirs = own.value, other.value
    return isinstance(mine, Quantity) and isinstance(theirs, Quantity) and comparable(mine, theirs)


def _outside(own: Atom, bound: Atom) -> bool:
    mine, theirs = own.value, bound.value
    assert isinstance(mine, Quantity)
    assert isinstance(theirs, Quantity)
    return bool(theirs.hedge) and (mine.high < theirs.low or mine.low > theirs.high)

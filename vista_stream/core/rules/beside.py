"""Whether a number may be true beside another: what a sentence calls the others is outside its bound."""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.core.rules.hedges import HEDGES
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.quantity_relations import comparable
from vista_stream.core.rules.wording import Atom, numbers_of
from vista_stream.core.text.stems import word_set

_OTHERS = word_set("other others otherwise else rest remaining")
_COMPARATIVES = frozenset(words[0] for words in HEDGES if words[1:] == ("than",))
_JOINS = word_set("and but")


def holds_beside(own: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether the claim's number is outside the sentence's bound, and its other values are of the others.

    "Orders over 60 euros are free, others cost 5 euros": an order of 40 euros costs 5.
    """
    at = next((k for k in range(1, len(sentence)) if _others(sentence, k)), 0)
    start = next((k for k in range(at, 0, -1) if sentence[k].boundary or sentence[k].key in _JOINS), at)
    rest = [numbers_of(atom) for atom in claim if atom.value is not None and atom is not own]
    told = [numbers_of(atom) for atom in sentence[start:]]
    if not rest or not all(any(one & other for other in told) for one in rest):
        return False
    return any(_outside(own, atom) for atom in sentence[:start])


def _others(sentence: Sequence[Atom], at: int) -> bool:
    """Whether a word there means those outside the bound: "others", "shorter ones"."""
    than = any(atom.key == "than" for atom in sentence[at + 1 : at + 2])
    return sentence[at].key in _OTHERS or (sentence[at].key in _COMPARATIVES and not than)


def _outside(own: Atom, bound: Atom) -> bool:
    """Whether the number is outside a bound of its kind."""
    mine, theirs = own.value, bound.value
    if not (isinstance(mine, Quantity) and isinstance(theirs, Quantity) and comparable(mine, theirs)):
        return False
    return bool(theirs.hedge) and (mine.high < theirs.low or mine.low > theirs.high)

"""What a sentence excepts from what it says: "all rooms except the attic", "unlike gold", "all but two"."""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.core.rules.compare import UNSURE, relate
from vista_stream.core.rules.copies import ALL, Copy, is_content, is_opposite, place_of
from vista_stream.core.rules.wording import Atom
from vista_stream.core.text.stems import word_set

_EXCEPTING = word_set("except excepting excluding unlike")
_IN_TWO_WORDS = frozenset({("rather", "than"), ("instead", "of"), ("other", "than"), ("apart", "from")})
_LINKS = word_set("and or nor in on at for from of by with to than")
"""Words between the one that excepts and what is excepted: "except in March", "rather than the buyer"."""
_JOINS = word_set("and or nor")
_FEW = word_set("nothing nobody nowhere none few little hardly")


def excepting(atoms: Sequence[Atom], at: int) -> str:
    """The word that excepts the word or value at that place, or a list that it stands in; empty if none."""
    for k in range(at, 0, -1):
        if atoms[k].boundary:
            return ""
        if excepts(atoms, k - 1):
            return atoms[k - 1].key
        if atoms[k - 1].key not in _LINKS and atoms[k].key not in _JOINS:
            return ""
    return ""


def excepts(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the word at that place excepts what follows: "except", "rather than", "all guests but"."""
    key, after = atoms[at].key, atoms[at + 1].key if at + 1 < len(atoms) else ""
    if key in _EXCEPTING or (key, after) in _IN_TWO_WORDS:
        return True
    if key != "but" or atoms[at].boundary:
        return False
    one, two = ["", "", *(atom.key for atom in atoms[:at])][-2:]
    return two in ALL or one == "every" or (one == "all" and two.endswith("s"))


def said_of_excepted(copy: Copy) -> list[tuple[Atom, Atom]]:
    """The words and values of a claim, each with the one of its sentence, that only the sentence excepts."""
    return [
        (own, other)
        for own, other in copy.pairs
        if (other.value is not None or is_content(other))
        and excepting(copy.sentence, place_of(copy.sentence, other))
        and not excepting(copy.own, place_of(copy.own, own))
    ]


def includes_excepted(copy: Copy, said: Sequence[tuple[Atom, Atom]]) -> bool:
    """Whether the claim says of what is excepted what the sentence says of the others.

    "Apart from" may as well mean "besides": "apart from Ann, Ben passed".
    """
    if any(atom.key in _FEW for atom in (*copy.own, *copy.sentence)):
        return False
    if sum(atom.negated for atom in copy.own) != sum(atom.negated for atom in copy.sentence):
        return False
    if any(atom.key in UNSURE for atom in copy.own) or any(map(is_opposite, copy.replaced)):
        return False
    return all(
        (own.value is None or relate(own, other) == "same")
        and excepting(copy.sentence, place_of(copy.sentence, other)) != "apart"
        for own, other in said
    )

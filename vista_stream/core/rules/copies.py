"""Finds the part of a sentence that a claim copies, word for word but for values, bounds and opposites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from vista_stream.core.rules.alignment import sort_of
from vista_stream.core.rules.compare import Prepared
from vista_stream.core.rules.opposites import BOUNDS, are_opposite
from vista_stream.core.rules.wording import FUNCTION, Atom
from vista_stream.core.text.stems import word_set

_TALK = word_set("yes no right sure okay ok well note please correct exactly indeed certainly absolutely")
"""Words of a chatbot's answer that state nothing."""
_DESCRIBING = word_set("right sure well correct")
"""Those of them that may describe what follows, where no comma parts them from it."""
_FEWEST_WORDS = 2
ALL = word_set("all every any always everyone everybody everything")
EVEN = word_set("including even")


@dataclass(frozen=True, slots=True)
class Copy:
    """A claim's atoms and the part of a sentence that they copy."""

    own: tuple[Atom, ...]
    """The claim's atoms, without words that state nothing."""
    other: tuple[Atom, ...]
    """The sentence's atoms from the first to the last that the claim shares."""
    sentence: tuple[Atom, ...]
    """All atoms of the sentence."""
    pairs: tuple[tuple[Atom, Atom], ...]
    """Atoms that are the same word, or values of one sort; in order."""
    replaced: tuple[tuple[tuple[Atom, ...], tuple[Atom, ...]], ...]
    """What stands between the pairs, in the claim and in the sentence."""


def copy_of(claim: Prepared, sentence: Prepared) -> Copy | None:
    """The copy of the sentence in the claim; None where the claim has content words that it lacks."""
    own = _stating(claim.atoms)
    content = {atom.stem: atom.key for atom in own if is_content(atom)}
    missing = [key for root, key in content.items() if root not in sentence.stems]
    told = [atom.key for atom in sentence.atoms] if missing else []
    if len(content) < _FEWEST_WORDS or "?" in sentence.text:
        return None
    if not all(any(are_opposite(key, other) for other in told) for key in missing):
        return None
    keys, others = [_key(atom) for atom in own], [_key(atom) for atom in sentence.atoms]
    blocks = SequenceMatcher(None, keys, others, autojunk=False).get_matching_blocks()
    places = [(block.a + k, block.b + k) for block in blocks for k in range(block.size)]
    if not places:
        return None
    first, last = _with_opposite_ends(own, sentence.atoms, places)
    gaps = pairwise([(-1, first - 1), *places, (len(own), last + 1)])
    replaced = tuple(
        (own[a + 1 : c], sentence.atoms[b + 1 : d]) for (a, b), (c, d) in gaps if c - a > 1 or d - b > 1
    )
    pairs = tuple((own[a], sentence.atoms[b]) for a, b in places)
    return Copy(own, sentence.atoms[first : last + 1], sentence.atoms, pairs, replaced)


def _with_opposite_ends(
    own: Sequence[Atom], other: Sequence[Atom], places: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The first and the last atom of the sentence that the claim copies, or puts an opposite in place of."""
    (a, first), (b, last) = places[0], places[-1]
    if a == 1 and first > 0 and is_opposite((own[:1], other[first - 1 : first])):
        first -= 1
    if b == len(own) - 2 and is_opposite((own[-1:], other[last + 1 : last + 2])):
        last += 1
    return first, last


def _stating(atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """The atoms behind what opens an answer: "right, it is closed", but not "right turns"."""
    for k, atom in enumerate(atoms):
        ends = bool(atoms[k + 1 : k + 2]) and bool(atoms[k + 1].boundary)
        if atom.key not in _TALK or (atom.key in _DESCRIBING and not ends):
            return tuple(atoms[k:])
    return ()


def _key(atom: Atom) -> str:
    return atom.stem if atom.value is None else f"#{sort_of(atom)}"


def is_content(atom: Atom) -> bool:
    """Whether an atom is a word that a copy must share with its sentence."""
    return atom.value is None and atom.key not in FUNCTION | BOUNDS | EVEN | ALL


def is_opposite(replaced: tuple[Sequence[Atom], Sequence[Atom]]) -> bool:
    """Whether one word stands in place of its opposite."""
    own, other = replaced
    return len(own) == len(other) == 1 and are_opposite(own[0].key, other[0].key)


def place_of(atoms: Sequence[Atom], at: Atom) -> int:
    """The index of that very atom among the atoms."""
    return next(k for k, atom in enumerate(atoms) if atom is at)


def atom_after(atoms: Sequence[Atom], at: Atom) -> Atom | None:
    """The atom after that very one; None after the last."""
    return next((two for one, two in pairwise(atoms) if one is at), None)

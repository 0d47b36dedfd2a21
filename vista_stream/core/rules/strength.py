"""Whether a near copy claims more than its sentence: of all what holds for some, a duty of what may be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vista_stream.core.rules.copies import ALL, Copy, place_of
from vista_stream.core.rules.wording import Atom
from vista_stream.core.text.stems import word_set

_PARTS = word_set("most many some several few mostly usually often sometimes")
_MAY, _MUST, _HAVE_TO = word_set("may might can could"), word_set("must shall"), word_set("have to")


def is_stronger(copy: Copy) -> bool:
    """Whether the claim may be false where the sentence holds, though nothing else differs."""
    if any(atom.negated for atom in (*copy.own, *copy.other)):
        return (_forbids(copy.own) and _frees(copy.other)) or (_frees(copy.own) and _forbids(copy.other))
    return _of_all_or_a_duty(copy)


def _of_all_or_a_duty(copy: Copy) -> bool:
    """Whether the claim says of all what the sentence says of some, or makes a duty of what it allows."""
    start, first = place_of(copy.own, copy.pairs[0][0]), place_of(copy.sentence, copy.pairs[0][1])
    opening = (
        copy.own[:start],
        copy.sentence[max(first - 2, 0) : first],
    )  # "all rooms" for "most of the rooms"
    gaps = [[{atom.key for atom in part} for part in gap] for gap in (opening, *copy.replaced)]
    return any(
        (own & ALL and other & _PARTS) or (other & _MAY and (own & _MUST or own >= _HAVE_TO))
        for own, other in gaps
    )


def _forbids(atoms: Sequence[Atom]) -> bool:
    """Whether something must or may not be done: "must not pay"."""
    return any(modal.key in _MAY | _MUST and verb.negated for modal, verb in pairwise(atoms))


def _frees(atoms: Sequence[Atom]) -> bool:
    """Whether something need not be done: "need not pay", "do not have to pay"."""
    return any(
        (one.stem == "need" and (one.negated or two.negated))
        or (one.negated and {one.key, two.key} == _HAVE_TO)
        for one, two in pairwise(atoms)
    )

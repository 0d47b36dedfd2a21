"""Finds two values or names of a sentence that have changed places in a copy of it.

"From 15 in March to 12 in April" is not "from 12 in March to 15 in April", though both have the same words.
"Boots and skis" is "skis and boots", "Lima is the capital" is "the capital is Lima", and clauses, or items of
a list, may be told in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from vista_stream.core.rules.alignment import alike
from vista_stream.core.rules.compare import relate
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.restriction import SUBORDINATORS
from vista_stream.core.rules.wording import FUNCTION, Atom
from vista_stream.core.text.stems import stem, word_set

_BE = stem("be")
_JOINS = frozenset({"and", "but"})
_BREAKS = _JOINS | {"while", "whereas"}
_LINKS = _BREAKS | word_set("or nor is are was were be as with by if when because so therefore called named")
"""Words around which two parts may change places without a change of meaning, or with the voice of a verb."""
_COMPARING = word_set("than as after before except other others")
_MUTUAL = frozenset(
    map(
        stem,
        word_set(
            """
            meet met marry married equal face faced play played between share resemble tie tied mean means
            near beside next opposite parallel join joined border borders related sibling cousin
            neighbour neighbor
            """
        ),
    )
)
"""Stems of words of which both sides say the same: "Ann met Bob", "between 5 and 7"."""
_DISTANT = word_set("far away across")
_DISTANCES = frozenset({"length", "time"})
"""Dimensions of what may part two places."""
_LONGEST_DISTANCE = 3
"""Most atoms between "is" and "from": "a mile away"."""
_FEWEST_MARKS = 2
"""Fewest words or values that tell one clause from the other."""
_LONGEST_PART = 5
"""Most atoms of a part that changes its place."""
_LONGEST = 60
"""Most atoms of a claim that is looked at: a long list takes long."""
_MOST_CLAUSES = 10
"""Most clauses of a claim, or of a sentence, that are compared."""


def exchanged(own: Sequence[Atom], other: Sequence[Atom]) -> bool:
    """Whether the claim is the sentence with two of its parts exchanged."""
    if len(own) > _LONGEST or any(a.stem in _MUTUAL or a.key == "respectively" for a in (*own, *other)):
        return False
    if _tells_distance(own) and _tells_distance(other):
        return False
    return _in_a_row(_without_joins(own), _without_joins(other)) or _between_clauses(own, other)


def _tells_distance(atoms: Sequence[Atom]) -> bool:
    """Whether it says only how far one thing is from another: "is 2 km from the church"."""
    keys = [atom.key for atom in atoms]
    if keys.count("from") != 1 or "to" in keys:
        return False
    end = keys.index("from")
    start = max((k for k in range(end) if atoms[k].stem == _BE), default=-1)
    between = atoms[start + 1 : end] if start >= 0 else ()
    return len(between) <= _LONGEST_DISTANCE and any(
        atom.key in _DISTANT or (isinstance(atom.value, Quantity) and atom.value.dimension in _DISTANCES)
        for atom in between
    )


def _same(own: Atom, other: Atom) -> bool:
    """Whether both atoms are the same word or the same value."""
    if not alike(own, other):
        return False
    return own.value is None or relate(own, other) == "same"


def _equal(own: Sequence[Atom], other: Sequence[Atom]) -> bool:
    if len(own) != len(other):
        return False
    return all(_same(one, two) and one.negated == two.negated for one, two in zip(own, other, strict=True))


def _without_joins(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms without "and" and "but", each of which leaves a boundary."""
    joined = zip((None, *atoms), atoms, strict=False)
    return [
        replace(atom, boundary=atom.boundary or ",") if before and before.key in _JOINS else atom
        for before, atom in joined
        if atom.key not in _JOINS
    ]


def _in_a_row(own: Sequence[Atom], other: Sequence[Atom]) -> bool:
    """Whether some part of the sentence, as long as the claim, is the claim with two parts exchanged."""
    starts = range(len(other) - len(own) + 1)
    return any(_in_place(own, other[start : start + len(own)]) for start in starts)


def _in_place(own: Sequence[Atom], other: Sequence[Atom]) -> bool:
    """Whether the claim has "X … Y" where the sentence has "Y … X", and more than a link is between."""
    differing = [k for k in range(len(own)) if not _equal(own[k : k + 1], other[k : k + 1])]
    if not differing:
        return False
    first, last = differing[0], differing[-1] + 1
    mine, theirs = own[first:last], other[first:last]
    sizes = range(1, min(_LONGEST_PART, len(mine) - 1) + 1)
    places = [(one, two) for one in sizes for two in sizes if one + two < len(mine)]
    crossed = any(_crossed(mine, theirs, one, two) for one, two in places)
    return crossed and not _list_told_otherwise(own, other, first, last)


def _list_told_otherwise(own: Sequence[Atom], other: Sequence[Atom], first: int, last: int) -> bool:
    """Whether the atoms from `first` to `last` are items of a list, which the other has in another order.

    Each has a value of its own. It may begin before `first` or go on behind `last`, with a word that all of
    them share.
    """
    for start in range(first, max(first - _LONGEST_PART, -1), -1):
        for end in range(last, min(last + _LONGEST_PART, len(own)) + 1):
            items, others = _items(own[start:end]), _items(other[start:end])
            if all(_tells_value(i) and any(_equal(i, o) for o in others) for i in items):
                return True
    return False


def _items(atoms: Sequence[Atom]) -> list[list[Atom]]:
    items: list[list[Atom]] = [[]]
    for atom in atoms:
        if atom.boundary and items[-1]:
            items.append([])
        items[-1].append(atom)
    return items


def _tells_value(item: Sequence[Atom]) -> bool:
    """Whether an item has a value and a word that it is the value of."""
    return any(atom.value for atom in item) and any(atom.value is None and _marks(atom) for atom in item)


def _crossed(own: Sequence[Atom], other: Sequence[Atom], one: int, two: int) -> bool:
    """Whether the first `one` and the last `two` atoms of the claim have changed places."""
    head, between, tail = own[:one], own[one:-two], own[-two:]
    if all(atom.key in _LINKS for atom in between) or any(atom.negated for atom in (*head, *tail)):
        return False
    return _equal(other, (*tail, *between, *head))


def _between_clauses(own: Sequence[Atom], other: Sequence[Atom]) -> bool:
    """Whether two parts of the claim each mix what the sentence says in one part and in another.

    The first clause of each part must mix them: parts that are only told in another order do not. With a
    negation or a subordinate clause, which may be told first or last, the words do not tell the parts.
    """
    if any(atom.negated or atom.key in SUBORDINATORS | _COMPARING for atom in (*own, *other)):
        return False
    mine, theirs = _clauses(own), _clauses(other)
    if max(len(mine), len(theirs)) > _MOST_CLAUSES:
        return False
    splits = [_apart(theirs[:k], theirs[k:]) for k in range(1, len(theirs))]
    return any(_mixed(mine[:at], mine[at:], marks) for at in range(1, len(mine)) for marks in splits if marks)


def _apart(first: Sequence[Sequence[Atom]], second: Sequence[Sequence[Atom]]) -> list[list[Atom]]:
    """The words and values that only one of the two parts has; none where they tell the parts too poorly."""
    one, two = list(chain.from_iterable(first)), list(chain.from_iterable(second))
    marks = [
        [atom for atom in part if _marks(atom) and not _has([atom], rest)]
        for part, rest in ((one, two), (two, one))
    ]
    return marks if min(map(len, marks)) >= _FEWEST_MARKS else []


def _mixed(
    first: Sequence[Sequence[Atom]], second: Sequence[Sequence[Atom]], marks: Sequence[Sequence[Atom]]
) -> bool:
    """Whether the first clauses of both parts have marks of both sorts that the other part lacks."""
    told = [
        [atom for atom in part[0] if not any(_has([atom], clause) for clause in rest)]
        for part, rest in ((first, second), (second, first))
    ]
    return all(_has(clause, marked) for clause in told for marked in marks)


def _has(clause: Sequence[Atom], marks: Sequence[Atom]) -> bool:
    return any(_same(atom, mark) for atom in clause for mark in marks)


def _marks(atom: Atom) -> bool:
    return atom.value is not None or atom.key not in FUNCTION


def _clauses(atoms: Sequence[Atom]) -> list[list[Atom]]:
    clauses: list[list[Atom]] = [[]]
    for atom in atoms:
        if (atom.boundary or atom.key in _BREAKS) and clauses[-1]:
            clauses.append([])
        if atom.key not in _BREAKS:
            clauses[-1].append(atom)
    return [clause for clause in clauses if clause]

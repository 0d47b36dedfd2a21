"""Lines over a sentence that say for whom, when or whether it holds, and not only what it is about."""

from __future__ import annotations

from vista_stream.core.extraction.genders import is_person
from vista_stream.core.rules.dates import WEEKDAYS, Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import Atom, atoms_of
from vista_stream.core.text.plaintext import strip_markup
from vista_stream.core.text.stems import stem, word_set

_OPENINGS = word_set(
    """
    for if unless only until till except excluding without with before after since during while under over
    from
    """
)
"""Words at a line's front that make it a condition of what is below it; a topic is a noun phrase."""
_DOUBTS = frozenset(
    map(
        stem,
        word_set(
            """
            myth misconception rumour rumor wrong false untrue incorrect mistake mistaken draft outdated
            obsolete deprecated superseded former formerly previous previously example hypothetical fictional
            proposed rejected withdrawn cancelled canceled discontinued debunked exception exclusion excluded
            prohibited forbidden must
            """
        ),
    )
)
"""Stems of words for what is not so, no longer so, not yet so, or only asked for."""
_TIMES = frozenset(f"{day}{ending}" for day in WEEKDAYS for ending in ("", "s")) | word_set(
    "spring summer autumn winter weekend weekends weekday weekdays"
)


def narrows(line: str) -> bool:
    """Whether a heading or introduction may narrow or deny the sentences below it: "For members:", "Myths".

    A topic does not ("Prices", "Opening hours"). A line that ends with a colon may, whatever it says, and so
    may a table's header row.
    """
    if line.endswith(":") or "|" in line:
        return True
    atoms = atoms_of(strip_markup(line).text)
    if not atoms:
        return False
    dated = all(isinstance(atom.value, Date) for atom in atoms)
    return dated or atoms[0].key in _OPENINGS or any(map(_narrowing, atoms))


def _narrowing(atom: Atom) -> bool:
    if isinstance(atom.value, Quantity):
        return bool(atom.value.hedge)  # "under 6"
    return atom.negated or atom.stem in _DOUBTS or atom.key in _TIMES or _means_people(atom.key)


def _means_people(word: str) -> bool:
    """Whether a lower-case word is a plural for people: "members", "children"."""
    return any(one != word and is_person(one) for one in (word.removesuffix("s"), stem(word)))

"""A swapped name: "written by John Lennon" against "written by Paul McCartney", all else alike.

Only where one holder excludes another: the agent of a passive such as "directed by", or who somebody
"is". After "in" or "at" two names may both hold (a town and its state), after "stars" or "joined" too,
and what "a friend is" more than one may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.core.rules.wording import Atom
from vista_stream.core.text.stems import word_set

_BLANK = "\0"


class Holder(NamedTuple):
    """Where a sentence names who holds a place that only one can hold."""

    frame: tuple[Atom, ...]
    """The sentence with one blank atom in the name's place."""
    name: tuple[str, ...]
    """The name's stems."""

    @property
    def stems(self) -> frozenset[str]:
        """Of the words around the name."""
        return frozenset(atom.stem for atom in self.frame if atom.value is None and atom.stem != _BLANK)


_MADE = word_set(
    """
    written directed played portrayed discovered invented painted composed created designed voiced narrated
    authored assassinated murdered sculpted coined
    """
)
_TITLES = word_set(
    """
    actor actress director author writer singer musician songwriter composer painter artist scientist
    physicist chemist inventor engineer architect president king queen emperor general poet novelist
    comedian filmmaker businessman entrepreneur character astronomer explorer captain detective rapper
    dancer philosopher mathematician screenwriter producer journalist politician
    """
)
_PARTICLES = word_set("van von de da del della la le bin al der di du dos")
_SEVERAL = word_set(
    """
    one some many among including another example friend member student influence idol partner rival teacher
    brother sister neighbour neighbor neighbouring neighboring colleague mentor ally cousin uncle aunt son
    daughter child parent pupil competitor customer client supplier sponsor
    """
)
_SHORTEST, _LONGEST = 2, 5


def find_holder(atoms: Sequence[Atom]) -> Holder | None:
    """The first name in a place that only one can hold; None where there is none."""
    if any(atom.key in _SEVERAL for atom in atoms):
        return None
    for start in range(2, len(atoms)):
        if not atoms[start].name or atoms[start - 1].name:
            continue
        end = _run_end(atoms, start)
        trigger = _trigger(atoms, start)
        if trigger is not None and _SHORTEST <= end - start <= _LONGEST and not _listed(atoms, end):
            blank = Atom(_BLANK, _BLANK, boundary=atoms[trigger + 1].boundary, name=True)
            frame = (*atoms[: trigger + 1], blank, *atoms[end:])
            return Holder(frame, tuple(atom.stem for atom in atoms[start:end]))
    return None


def excludes(claim: Holder, evidence: Holder) -> bool:
    """Whether the names cannot mean the same person: no part in common, also not by initials."""
    own, other = set(claim.name), set(evidence.name)
    if own & other:
        return False
    own_initials, other_initials = (sorted(part[:1] for part in names) for names in (own, other))
    return own_initials != other_initials


def _run_end(atoms: Sequence[Atom], start: int) -> int:
    end = start + 1
    while end < len(atoms) and not atoms[end].boundary:
        if not atoms[end].name and atoms[end].key not in _PARTICLES:
            break
        end += 1
    while not atoms[end - 1].name:
        end -= 1
    return end


def _trigger(atoms: Sequence[Atom], start: int) -> int | None:
    """The position of the "by" or "is" that opens the place, titles such as "actor" skipped."""
    at = start - 1
    while at > 1 and atoms[at].key in _TITLES and not atoms[at].boundary:
        at -= 1
    if atoms[start].boundary or atoms[at].negated or any(atom.indefinite for atom in atoms[:at]):
        return None
    if atoms[at].key == "by" and atoms[at - 1].key in _MADE:
        return at
    if atoms[at].key not in ("is", "was") or start - 1 < 2:
        return None
    # Who is said to be somebody by name holds a role, an origin or a faith, and may hold others beside it.
    return None if all(atom.name for atom in atoms[1:at]) else at


def _listed(atoms: Sequence[Atom], end: int) -> bool:
    """Whether more names follow, so that the place has several holders."""
    if end >= len(atoms):
        return False
    following = atoms[end]
    if following.key in ("and", "or", "with", "as"):
        return True
    if following.boundary != "," or not following.name:
        return False
    after = _run_end(atoms, end)  # ", Australian comedian" describes the name, ", Ringo Starr and" goes on
    return after == len(atoms) or bool(atoms[after].boundary) or atoms[after].key in ("and", "or")

"""Finds names in a role that only one can fill, so that another name there contradicts the claim.

An example is "written by John Lennon" against "written by Paul McCartney", with all else the same. Such roles
are the agent of a passive ("directed by …") and the name after "is" ("the founder is …"). Two names may both
be true after "in" or "at" (a town and its state), after "stars" or "joined", or as "a friend".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.core.rules.wording import Atom
from vista_stream.core.text.stems import word_set

_BLANK = "\0"


class Holder(NamedTuple):
    """The name that fills a sentence's exclusive role, and the rest of the sentence."""

    frame: tuple[Atom, ...]
    """The sentence with one blank atom in place of the name."""
    name: tuple[str, ...]
    """The name's stems."""

    @property
    def stems(self) -> frozenset[str]:
        """Stems of the words around the name."""
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
    """The first name in a role that only one can fill; None where there is none."""
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
    """Whether the names cannot mean the same person: they share no part and have different initials."""
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
    """The position of the "by" or "is" before the name, past titles such as "actor"; None without one."""
    at = start - 1
    while at > 1 and atoms[at].key in _TITLES and not atoms[at].boundary:
        at -= 1
    if atoms[start].boundary or atoms[at].negated or any(atom.indefinite for atom in atoms[:at]):
        return None
    if atoms[at].key == "by" and atoms[at - 1].key in _MADE:
        return at
    if atoms[at].key not in ("is", "was") or start - 1 < 2:
        return None
    # With a name as its subject, "is" gives a role, an origin or a faith, of which there may be several.
    return None if all(atom.name for atom in atoms[1:at]) else at


def _listed(atoms: Sequence[Atom], end: int) -> bool:
    """Whether more names follow, so that several fill the role."""
    if end >= len(atoms):
        return False
    following = atoms[end]
    if following.key in ("and", "or", "with", "as"):
        return True
    if following.boundary != "," or not following.name:
        return False
    after = _run_end(atoms, end)  # ", Australian comedian" describes the name, ", Ringo Starr and" is a list
    return after == len(atoms) or bool(atoms[after].boundary) or atoms[after].key in ("and", "or")

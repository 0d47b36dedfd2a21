"""The mentions of entities in a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from vista_stream.core.extraction.genders import Gender

RESTRICTING = frozenset(("who", "that", "which"))
"""Words that open a relative clause."""
_BESIDE = ("another ", "any ", "each ", "every ", "either ")
"""What opens the mention of somebody beside the person that is talked about, or of nobody in particular."""


class Sort(Enum):
    """The sort of entity, as far as pronouns distinguish it."""

    PERSON = "person"
    GROUP = "group"
    """An organisation, a team, a band."""
    PLACE = "place"
    """A town, a country."""
    SITE = "site"
    """Another place: a building, a park, a river, a mountain."""
    THING = "thing"
    UNSURE = "unsure"
    """A name that may be a person's or a thing's."""


class Role(Enum):
    """How prominent the mention is in its clause."""

    SUBJECT = 0
    OBJECT = 1
    OTHER = 2
    SETTING = 3
    """A place where something is or happens: Bern, in "He lives in Bern"."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention of an entity."""

    text: str
    """Its wording in a claim: a name as written, 'a film' as 'the film'."""
    sort: Sort
    plural: bool
    role: Role
    sentence: int
    """Number of the sentence in which it was last mentioned."""
    gender: Gender = ""
    """Of a person, or of a name that may be a person's, where a word shows it."""
    named: bool = False
    members: int = 1
    """How many entities it joins: 2 for 'A and B'."""
    nouns: frozenset[str] = field(default=frozenset())
    """Lower-case nouns by which it was described, such as 'film' or 'capital'."""
    counted: bool = False
    """Whether a numeral counts it: 12 lions, which "they" may mean, but surely does not."""
    new: bool = False
    """Whether its sentence says that something has it: the pool, in "The hotel has a pool"."""
    again: bool = False
    """Whether a pronoun, or a phrase such as "the film", was the last to mention it."""
    qualified: bool = False
    """Whether an adjective is part of its text, which may cease to hold: "unopened milk"."""
    speaker: bool = False
    """Whether its sentence quotes it, which does not call itself "it": '"It is war," Marshal Foch said'."""
    asked: bool = False
    """Whether it is what the user's last words with a mention are about."""
    index: int = -1
    """Index of its head word in the current sentence; -1 for a mention from an earlier one."""

    @property
    def restricted(self) -> bool:
        """Whether a relative clause picks it out: "adults who smoke", which has no possessive."""
        return not self.named and not RESTRICTING.isdisjoint(self.text.split(" "))

    @property
    def possessive(self) -> str:
        """Its text as an owner."""
        if self.text.endswith(("'s", "’s")):
            return self.text
        return self.text + ("'" if self.text.endswith("s") and self.plural else "'s")

    @property
    def passing(self) -> bool:
        """Whether it is somebody beside the person that is talked about: "another Irishman"."""
        return self.sort is Sort.PERSON and self.text.lower().startswith(_BESIDE)

    def same(self, other: Mention) -> bool:
        """Whether two mentions surely mean one entity: equal wording, or one name of a person's full name."""
        mine, theirs = self.text.casefold().split(), other.text.casefold().split()
        if mine == theirs:
            return True
        if not (self.named and other.named) or self.plural or other.plural:
            return False
        shorter, longer = sorted((mine, theirs), key=len)
        person = self.sort is Sort.PERSON or other.sort is Sort.PERSON
        return person and len(shorter) == 1 and shorter[0] in (longer[0], longer[-1])

    def rivals(self, other: Mention) -> bool:
        """Whether another name may be the person's that this one may be."""
        alike = other.named and not other.plural and other.sort in (Sort.PERSON, Sort.UNSURE)
        return alike and not self.same(other)

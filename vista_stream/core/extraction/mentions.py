"""Keeps the entities mentioned so far, and finds the one that a pronoun or short noun phrase refers to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from vista_stream.core.extraction.genders import Gender
from vista_stream.core.text.stems import word_set

RESTRICTING = frozenset(("who", "that", "which"))
"""Words that open a relative clause."""


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
    asked: bool = False
    """Whether it is what the user's last words with a mention are about."""
    index: int = -1
    """Index of its head word in the current sentence; -1 for a mention from an earlier one."""

    @property
    def restricted(self) -> bool:
        """Whether a relative clause picks it out: "adults who smoke", which has no possessive."""
        return not self.named and not RESTRICTING.isdisjoint(self.text.split(" "))

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


_GROUP_NOUNS = word_set(
    "company firm corporation organization organisation team club band group agency university"
)
_PLACE_NOUNS = word_set("city country town nation state capital island village region province")
_WORK_NOUNS = word_set("film movie book novel album song series show play game painting poem")
_MALE_FORMS = frozenset(("he", "him", "his", "himself"))
_FEMALE_FORMS = frozenset(("she", "her", "hers", "herself"))
_PLURAL_FORMS = frozenset(("they", "them", "their", "theirs", "themselves"))
_CLASSES = (_MALE_FORMS, _FEMALE_FORMS, _PLURAL_FORMS, frozenset(("it", "its", "itself")))
"""Pronouns that agree with each other."""
_HUMAN = _MALE_FORMS | _FEMALE_FORMS
_WRAPPINGS = word_set(
    """fact facts summary overview list example examples explanation meaning description detail details
    information info idea lot question answer tip tips plot definition introduction story history"""
)
"""Nouns with which a question asks for something about its subject: 'a summary of Hamlet'."""
_BESIDE = ("another ", "any ", "each ", "every ", "either ")
"""What opens the mention of somebody beside the person that is talked about, or of nobody in particular."""
_PAIR_NOUNS = frozenset(("duo", "pair", "couple", "two"))
_OPENING = 4
"""Words with which a sentence opens, as far as a name at its beginning may end."""
_REMEMBERED = 40
_SENTENCES_BACK = 3
_DESCRIBED_BACK = 8


@dataclass(frozen=True, slots=True)
class Memory:
    """The mentions of a conversation, oldest first. It is immutable: reading a sentence makes a new one."""

    mentions: tuple[Mention, ...] = ()
    sentence: int = 0
    """Number of sentences read."""
    unresolved: frozenset[str] = frozenset()
    """Lower-case pronouns of the last sentence whose antecedent was not clear."""

    def read(self, found: Iterable[Mention], unresolved: Iterable[str] = ()) -> Memory:
        """The memory after one more sentence; a repeated entity moves to the end, under its longest name."""
        kept = list(self.mentions)
        for each in found:
            if each.passing:
                continue  # "Another Irishman had won it before. He …" goes on about the one before
            mention = replace(each, index=-1, sentence=self.sentence)
            earlier = next((m for m in kept if m.same(mention)), None)
            if earlier is not None:
                kept.remove(earlier)
                mention = _merged(earlier, mention)
            kept.append(mention)
        return Memory(tuple(kept[-_REMEMBERED:]), self.sentence + 1, frozenset(unresolved))

    @property
    def just_said(self) -> list[Mention]:
        """The mentions of the last sentence."""
        return [m for m in self.mentions if m.sentence == self.sentence - 1]

    def asked(self) -> Memory:
        """The memory after the user's words, without wrapping nouns of a question.

        'Some facts about penguins' is about penguins. What the user asked about before is past.
        """
        said = self.just_said
        wraps = [m for m in said if not (m.named or m.nouns.isdisjoint(_WRAPPINGS))]
        left = [m for m in self.mentions if m not in wraps or len(wraps) == len(said)]
        return replace(self, mentions=tuple(replace(m, asked=m in said if said else m.asked) for m in left))

    def known(self, mention: Mention) -> Mention:
        """The mention, with the sort, gender and nouns that are remembered of the same entity."""
        earlier = next((m for m in reversed(self.mentions) if m.same(mention)), None)
        if earlier is None:
            return mention
        sort = Sort.PERSON if Sort.PERSON in (earlier.sort, mention.sort) else mention.sort
        return replace(
            mention, sort=sort, gender=mention.gender or earlier.gender, nouns=mention.nouns | earlier.nouns
        )

    def agree(self, word: str, mention: Mention) -> bool:
        """Whether the third-person pronoun agrees with the mention in number, gender and sort."""
        return _agrees(word, mention)

    def pronoun(
        self, word: str, *, subject: bool, named: bool = False, before: Sequence[Mention]
    ) -> Mention | None:
        """The one clear antecedent of a third-person pronoun, else None: a claim without one keeps the word.

        `before` are the mentions before it in its own sentence. They are tried first; a subject pronoun can
        mean only the subjects among them. With `named`, a mention of an earlier sentence must have a name.
        """
        fits = _agrees if word not in _HUMAN or self._person(word, before) else _may_agree
        near = [m for m in before if fits(word, m) and (not subject or m.role is Role.SUBJECT)]
        if near:
            return _clear(near)
        if word in _HUMAN and any(m.named and _may_open(m) and not _excludes(word, m) for m in before):
            return None  # may be a person whose name the parser labelled as something else
        if word not in _HUMAN and any(_agrees(word, m) for m in before):
            return None  # "I love that little car, it fits everywhere"
        if word in _PLURAL_FORMS and any(m.counted for m in before):
            return None
        if any(word in group and not group.isdisjoint(self.unresolved) for group in _CLASSES):
            return None  # it means what that one meant
        for back in range(1, _SENTENCES_BACK + 1):
            said = [m for m in self.mentions if m.sentence == self.sentence - back]
            level = [m for m in said if fits(word, m)]
            found = _clear(level)
            if found and _rivalled(found, level):
                return None
            if level:
                return (
                    found
                    if found and self._sure(word, found, said) and not (named and not found.named)
                    else None
                )
            if word not in _HUMAN and any(_may_be_meant(word, m) for m in said):
                return None
        far = [m for m in self.mentions if m.named and word in _HUMAN and fits(word, m)]
        return far[0] if len(far) == 1 and not self._outdone(far[0]) else None

    def _sure(self, word: str, found: Mention, said: Sequence[Mention]) -> bool:
        """Whether a mention of an earlier sentence, with `said` in it, is more than a guess.

        A person, and a named subject, are taken; a lone name, which may be a place's, only where no other
        name may be the person's. Others are taken from the sentence right before, where it has nothing else
        that the pronoun may mean.
        """
        if word in _HUMAN:
            if self._outdone(found):
                return False
            if not (found.named or found.gender):  # a "model" may be no person
                return not any(m.named and m.gender and _agrees(word, m) for m in self.mentions)
            return bool(found.gender) or " " in found.text or not any(map(found.rivals, self.mentions))
        if found.named and found.role is Role.SUBJECT:
            return True
        if found.sentence != self.sentence - 1:
            return False
        if found.role is Role.SUBJECT and not found.asked:
            return True
        topics = (m for m in self.mentions if m.asked or (m.named and self._recent(m)))
        if any(m is not found and m.role is Role.SUBJECT and _agrees(word, m) for m in topics):
            return False  # what it is all about: "How long is the trial?" "You need no card. It …"
        return not any(_may_be_meant(word, m) and m.text not in found.text for m in said)

    def _outdone(self, found: Mention) -> bool:
        """Whether a name since then may be the person's: "The leader wears yellow. Eddy Merckx won. He …"."""
        since = (m for m in self.mentions if m.sentence > found.sentence and m.role is Role.SUBJECT)
        names = (m for m in since if m.named and not m.plural and " " in m.text)
        return any(m.sort is Sort.UNSURE or (m.sort is Sort.GROUP and not found.named) for m in names)

    def _person(self, word: str, before: Sequence[Mention]) -> bool:
        """Whether a recent mention that is surely a person agrees, so that unsure names need not be tried."""
        recent = [m for m in self.mentions if self._recent(m)]
        return any(_agrees(word, m) for m in (*before, *recent))

    def _recent(self, mention: Mention) -> bool:
        return self.sentence - mention.sentence <= _SENTENCES_BACK

    def described(self, noun: str) -> Mention | None:
        """The antecedent of 'the NOUN': the one named mention that was described so or is of that sort."""
        recent = [m for m in self.mentions if m.named and self.sentence - m.sentence <= _DESCRIBED_BACK]
        if noun in _PAIR_NOUNS:
            return _only([m for m in recent if m.members == 2])
        said = [m for m in recent if noun in m.nouns]
        if said:
            return _only(said)
        rivals = any(
            noun in m.nouns or m.text.casefold().endswith(" " + noun) for m in self.mentions if not m.named
        )
        whole = [m for m in recent if not any(m is not o and m.text in o.text for o in recent)]
        near = [m for m in whole if self._recent(m) and m.role is Role.SUBJECT]
        sole = len([m for m in whole if _of_sort(noun, m)]) == 1
        return None if rivals or not sole else _only([m for m in near if _of_sort(noun, m)])


def _merged(earlier: Mention, later: Mention) -> Mention:
    """The later mention with what is known of the earlier; in one sentence, with the more prominent role."""
    longer = earlier if len(earlier.text) > len(later.text) else later
    sort = Sort.PERSON if Sort.PERSON in (earlier.sort, later.sort) else later.sort
    gender = later.gender or earlier.gender
    role = later.role
    if earlier.sentence == later.sentence:
        role = min(earlier.role, later.role, key=lambda each: each.value)
    nouns = earlier.nouns | later.nouns
    return replace(later, text=longer.text, sort=sort, gender=gender, nouns=nouns, role=role)


def _clear(level: list[Mention]) -> Mention | None:
    """The only subject, else the only object, else the only mention; None where two are equally prominent.

    Of "Lincoln's vice president" and "Lincoln", it is "Lincoln".
    """
    for role in (Role.SUBJECT, Role.OBJECT):
        ranked = [m for m in level if m.role is role]
        if ranked:
            found = _only(ranked)
            return found and _owner(found, level)
    return _only(level)


def _owner(found: Mention, level: list[Mention]) -> Mention:
    owners = [
        m for m in level if m.named and not m.plural and found.text.startswith((f"{m.text}'s", f"{m.text}’s"))
    ]
    return owners[0] if owners and not found.named else found


def _rivalled(found: Mention, level: list[Mention]) -> bool:
    """Whether another mention of the sentence may as well be meant, though it is less prominent.

    "Edison did not pay him. He left.", "Her sister played. She won.", "The hotel has a pool. It is warm."
    """
    if found.again:
        return found.role is Role.OTHER and any(m.role is Role.SUBJECT for m in level)
    if not found.named and any(m.new and m is not found for m in level):
        return True
    return any(m.again and not m.same(found) for m in level)


def _only(found: list[Mention]) -> Mention | None:
    return found[0] if found and all(m.same(found[0]) for m in found) else None


def _agrees(pronoun: str, mention: Mention) -> bool:
    if mention.plural is not (pronoun in _PLURAL_FORMS):
        return False
    if not mention.named and mention.role is Role.OTHER and not (mention.plural and mention.asked):
        return False
    if mention.plural:
        return True
    if pronoun in _MALE_FORMS:
        return mention.sort is Sort.PERSON and mention.gender != "f"
    if pronoun in _FEMALE_FORMS:
        return mention.sort is Sort.PERSON and mention.gender != "m"
    return mention.sort is not Sort.PERSON and mention.role is not Role.SETTING


def _may_be_meant(pronoun: str, mention: Mention) -> bool:
    """Whether 'it' or 'they' may mean the mention, however little prominent; 'they' also a band or firm."""
    if pronoun in _PLURAL_FORMS:
        return mention.plural or (mention.named and mention.sort in (Sort.GROUP, Sort.UNSURE))
    # A parser may take "Kafka" for a person, and "Fenrir" for a plural.
    name = mention.text[0].isupper() and " " not in mention.text and not mention.gender
    if mention.plural:
        return name and not mention.text.endswith("s")
    return mention.sort is not Sort.PERSON or (name and mention.named)


def _may_open(mention: Mention) -> bool:
    """Whether a name may be the subject of its sentence, also where the parser made a longer name of it."""
    longer = mention.role is Role.OTHER and " " in mention.text and mention.index < _OPENING
    return mention.role is Role.SUBJECT or longer


def _excludes(pronoun: str, mention: Mention) -> bool:
    """Whether a mention is a man and the pronoun 'she', or the other way round."""
    other = "m" if pronoun in _FEMALE_FORMS else "f"
    return mention.sort is Sort.PERSON and mention.gender == other


def _may_agree(pronoun: str, mention: Mention) -> bool:
    """For 'he' and 'she': whether it is a name of two words or more of an unknown sort, without digits."""
    lettered = " " in mention.text and mention.text[0].isupper() and not any(map(str.isdigit, mention.text))
    return mention.sort is Sort.UNSURE and mention.named and not mention.plural and lettered


def _of_sort(noun: str, mention: Mention) -> bool:
    if mention.plural or mention.nouns:
        return False
    if noun in _GROUP_NOUNS:
        return mention.sort is Sort.GROUP
    if noun in _PLACE_NOUNS:
        return mention.sort is Sort.PLACE and noun != "capital"
    return noun in _WORK_NOUNS and mention.sort is Sort.THING

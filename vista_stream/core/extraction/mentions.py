"""Keeps the entities mentioned so far, and finds the one that a pronoun or short noun phrase refers to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from vista_stream.core.extraction.genders import Gender, gender_of, is_first_name, is_person
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS, PLURAL_TAGS, PROPER_TAGS
from vista_stream.core.text.stems import word_set


class Sort(Enum):
    """The sort of entity, as far as pronouns distinguish it."""

    PERSON = "person"
    GROUP = "group"
    """An organisation, a team, a band."""
    PLACE = "place"
    THING = "thing"
    UNSURE = "unsure"
    """A name that may be a person's or a thing's."""


class Role(Enum):
    """How prominent the mention is in its clause."""

    SUBJECT = 0
    OBJECT = 1
    OTHER = 2


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
    index: int = -1
    """Index of its head word in the current sentence; -1 for a mention from an earlier one."""

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


_ENTITY_SORTS = {
    "PERSON": Sort.PERSON, "NORP": Sort.PERSON, "ORG": Sort.GROUP, "GPE": Sort.PLACE, "LOC": Sort.PLACE,
    "FAC": Sort.PLACE, "PRODUCT": Sort.THING, "EVENT": Sort.THING, "WORK_OF_ART": Sort.THING,
    "LAW": Sort.THING, "LANGUAGE": Sort.THING,
}  # fmt: skip
_NO_REFERENT = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"))
_SUBJECT_DEPS = frozenset(("nsubj", "nsubjpass"))
_OBJECT_DEPS = frozenset(("dobj", "attr", "oprd", "dative"))
_GROUP_NOUNS = word_set(
    "company firm corporation organization organisation team club band group agency university"
)
_PLACE_NOUNS = word_set("city country town nation state capital island village region province")
_WORK_NOUNS = word_set("film movie book novel album song series show play game painting poem")
_MALE_FORMS = frozenset(("he", "him", "his", "himself"))
_FEMALE_FORMS = frozenset(("she", "her", "hers", "herself"))
_HUMAN = _MALE_FORMS | _FEMALE_FORMS
_NO_HEAD = frozenset(("compound", "npadvmod", "nmod", "amod"))
_OWN = frozenset(("my", "your", "our"))
_PREDICATES = frozenset(("attr", "appos", "oprd"))  # say what something is, and bring in nothing new
_WRAPPINGS = word_set(
    """fact facts summary overview list example examples explanation meaning description detail details
    information info idea lot question answer tip tips plot definition introduction"""
)
"""Nouns with which a question asks for something about its subject: 'a summary of Hamlet'."""
_PAIR_NOUNS = frozenset(("duo", "pair", "couple", "two"))
_REMEMBERED = 40
_SENTENCES_BACK = 3
_DESCRIBED_BACK = 8


@dataclass(frozen=True, slots=True)
class Memory:
    """The mentions of a conversation, oldest first. It is immutable: reading a sentence makes a new one."""

    mentions: tuple[Mention, ...] = ()
    sentence: int = 0
    """Number of sentences read."""

    def read(self, found: Iterable[Mention]) -> Memory:
        """The memory after one more sentence; a repeated entity moves to the end, under its longest name."""
        kept = list(self.mentions)
        for each in found:
            mention = replace(each, index=-1, sentence=self.sentence)
            earlier = next((m for m in kept if m.same(mention)), None)
            if earlier is not None:
                kept.remove(earlier)
                mention = _merged(earlier, mention)
            kept.append(mention)
        return Memory(tuple(kept[-_REMEMBERED:]), self.sentence + 1)

    def asked(self) -> Memory:
        """The memory without wrapping nouns of a question: 'some facts about penguins' is about penguins."""
        said = [m for m in self.mentions if m.sentence == self.sentence - 1]
        wraps = [m for m in said if not (m.named or m.nouns.isdisjoint(_WRAPPINGS))]
        if len(wraps) == len(said):
            return self
        return Memory(tuple(m for m in self.mentions if m not in wraps), self.sentence)

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
        """The one clear antecedent of a third-person pronoun, else None.

        `before` are the mentions before it in its own sentence. They are tried first; a subject pronoun can
        mean only the subjects among them. With `named`, a mention of an earlier sentence must have a name.
        """
        fits = _agrees if word not in _HUMAN or self._person(word, before) else _may_agree
        near = [m for m in before if fits(word, m) and (not subject or m.role is Role.SUBJECT)]
        if near:
            return _clear(near)
        if word in _HUMAN and any(m.named and m.role is Role.SUBJECT for m in before):
            return None  # may be a person whose name the parser labelled as something else
        for back in range(1, _SENTENCES_BACK + 1):
            level = [m for m in self.mentions if m.sentence == self.sentence - back and fits(word, m)]
            if level:
                found = _clear(level)
                return found if found is not None and (found.named or not named) else None
        far = [m for m in self.mentions if m.named and word in _HUMAN and fits(word, m)]
        return far[0] if len(far) == 1 else None

    def _person(self, word: str, before: Sequence[Mention]) -> bool:
        """Whether a recent mention that is surely a person agrees, so that unsure names need not be tried."""
        recent = [m for m in self.mentions if self.sentence - m.sentence <= _SENTENCES_BACK]
        return any(_agrees(word, m) for m in (*before, *recent))

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
        near = [m for m in whole if self.sentence - m.sentence <= _SENTENCES_BACK and m.role is Role.SUBJECT]
        sole = len([m for m in whole if _of_sort(noun, m)]) == 1
        return None if rivals or not sole else _only([m for m in near if _of_sort(noun, m)])


def mentions_in(tree: Tree, sentence: int, renames: Mapping[int, str] | None = None) -> list[Mention]:
    """The mentions of one sentence, in order; pronouns are not mentions.

    `renames` gives, by word index, what to write for the possessive pronouns inside the mentions.
    """
    reader = _Reader(tree, sentence, renames or {})
    return [m for word in tree.words for m in (reader.joined(word), reader.single(word)) if m is not None]


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


def _only(found: list[Mention]) -> Mention | None:
    return found[0] if found and all(m.same(found[0]) for m in found) else None


def _agrees(pronoun: str, mention: Mention) -> bool:
    if pronoun in ("they", "them", "their", "theirs", "themselves"):
        return mention.plural
    if mention.plural:
        return False
    if not mention.named and mention.role is Role.OTHER:
        return False
    if pronoun in _MALE_FORMS:
        return mention.sort is Sort.PERSON and mention.gender != "f"
    if pronoun in _FEMALE_FORMS:
        return mention.sort is Sort.PERSON and mention.gender != "m"
    return mention.sort is not Sort.PERSON


def _may_agree(pronoun: str, mention: Mention) -> bool:
    """For 'he' and 'she': whether it is a name of two words or more of an unknown sort."""
    return mention.sort is Sort.UNSURE and mention.named and not mention.plural and " " in mention.text


def _of_sort(noun: str, mention: Mention) -> bool:
    if mention.plural or mention.nouns:
        return False
    if noun in _GROUP_NOUNS:
        return mention.sort is Sort.GROUP
    if noun in _PLACE_NOUNS:
        return mention.sort is Sort.PLACE and noun != "capital"
    return noun in _WORK_NOUNS and mention.sort is Sort.THING


def _conjuncts(tree: Tree, word: Word) -> list[Word]:
    chain, current = list[Word](), word
    while (following := tree.child(current, "conj")) is not None and following.tag in NOUN_TAGS:
        chain.append(following)
        current = following
    return chain


def _first(tree: Tree, word: Word) -> Word:
    """The first member of the coordination that the word is in."""
    while word.dep == "conj":
        word = tree.head(word)
    return word


def _role(word: Word) -> Role:
    return (
        Role.SUBJECT if word.dep in _SUBJECT_DEPS else Role.OBJECT if word.dep in _OBJECT_DEPS else Role.OTHER
    )


class _Reader:
    """Reads the mentions of one sentence."""

    def __init__(self, tree: Tree, sentence: int, renames: Mapping[int, str]) -> None:
        self._tree = tree
        self._sentence = sentence
        self._renames = renames

    def joined(self, word: Word) -> Mention | None:
        """'A and B' as one plural mention, at its first member."""
        chain = _conjuncts(self._tree, word)
        if word.tag not in NOUN_TAGS or word.entity in _NO_REFERENT or not chain:
            return None
        if word.dep in ("conj", "compound", *_PREDICATES):
            return None
        members = [word, *chain]
        joints = [cc.lower for m in members for cc in self._tree.children(m, "cc")]
        if not joints or any(j not in ("and", "&") for j in joints):
            return None
        people = all(m.entity == "PERSON" or is_person(m.lower) for m in members)
        return Mention(
            text=_written([w for w in self._tree.region(word) if w.dep != "preconj"], self._renames),
            sort=Sort.PERSON if people else Sort.THING,
            plural=True,
            role=_role(word),
            sentence=self._sentence,
            named=all(m.tag in PROPER_TAGS for m in members),
            members=len(members),
            index=word.index,
        )

    def single(self, word: Word) -> Mention | None:
        """The noun phrase that the word heads."""
        named = word.tag in PROPER_TAGS and not is_person(word.lower)  # "the Executive Director" names nobody
        if word.tag not in NOUN_TAGS or word.dep in _NO_HEAD or word.entity in _NO_REFERENT:
            return None
        if any(
            c.index < word.index for c in self._tree.children(word, "nummod")
        ) and not word.entity.startswith(("ORG", "NORP")):
            return None
        if named and not any(c.isupper() for c in word.text):  # tags of "who is kobe" are unreliable
            return None
        if not named and _first(self._tree, word).dep in _PREDICATES:
            return None
        phrase = _phrase(self._tree, word, named=named)
        if phrase[0].tag == "CD" or _of_a_people(word, phrase) or any(w.lower in _OWN for w in phrase):
            return None  # "100 degrees Celsius"; "Swedish"; "my kids", whose owner a claim would lose
        nouns = _said_of(self._tree, word)
        sort = self._sort(word, phrase, nouns)
        named = named and not (sort in (Sort.PERSON, Sort.UNSURE) and phrase[0].tag == "DT")
        return Mention(
            text=_definite(_written(phrase, self._renames)),
            sort=sort,
            plural=word.tag in PLURAL_TAGS and word.entity != "GPE",
            role=_joint_role(self._tree, word),
            sentence=self._sentence,
            gender=gender_of([w.lower for w in phrase]) if sort is Sort.PERSON else "",
            named=named,
            nouns=nouns | (frozenset() if named else frozenset((word.lower,))),
            index=word.index,
        )

    def _sort(self, word: Word, phrase: list[Word], nouns: frozenset[str]) -> Sort:
        """The sort, by its nouns, then by a first name, then by the entity label, often wrong for names."""
        if any(is_person(noun) for noun in nouns) or (word.tag not in PROPER_TAGS and is_person(word.lower)):
            return Sort.PERSON
        if word.tag in PROPER_TAGS and len(phrase) > 1 and is_first_name(phrase[0].lower):
            return Sort.PERSON
        return _ENTITY_SORTS.get(word.entity, Sort.UNSURE if word.tag in PROPER_TAGS else Sort.THING)


def _of_a_people(word: Word, phrase: Sequence[Word]) -> bool:
    """Whether it is the bare name of a language or of where people are from, which no pronoun refers to."""
    return word.entity in ("NORP", "LANGUAGE") and word.tag not in PLURAL_TAGS and len(phrase) == 1


def _joint_role(tree: Tree, word: Word) -> Role:
    """The word's role; OTHER in a coordination, as no member of 'A and B' is more prominent."""
    return Role.OTHER if word.dep == "conj" or _conjuncts(tree, word) else _role(word)


def _phrase(tree: Tree, word: Word, *, named: bool) -> list[Word]:
    """The noun with the words before it and its 'of …'.

    A name keeps only what is part of it: 'Bank of England', 'Apollo 11', but not 'Paris of the nineties'.
    """
    kept = {"compound", "nummod", "amod", "poss", "det", "nmod", "punct", "case"}
    words = [word]
    for child in tree.children(word):
        if child.index < word.index and child.dep in kept:
            words += tree.region(child)
        elif child.dep == "prep" and child.lower == "of":
            own = {word.entity} if word.entity and child.entity == word.entity else set()
            words += [w for w in tree.region(child) if not named or w.entity in own]
        elif named and child.dep == "nummod" and child.index == word.index + 1:
            words.append(child)
    return sorted((w for w in words if w is word or w.dep != "preconj"), key=lambda w: w.index)


def _said_of(tree: Tree, word: Word) -> frozenset[str]:
    """The nouns that the sentence predicates of the word: 'Titanic is a film', 'Titanic, a film, …'."""
    nouns = [c for c in tree.children(word, "appos") if c.tag in ("NN", "NNS")]
    verb = tree.head(word)
    if word.dep == "nsubj" and verb.lower in ("is", "was", "are", "were", "'s", "became", "remains"):
        nouns += [a for a in tree.children(verb, "attr") if a.tag in ("NN", "NNS")]
    nouns += [c for noun in nouns for c in _conjuncts(tree, noun)]
    before = [c for c in tree.children(word, "compound") if c.tag == "NN"]
    return frozenset(noun.lower for noun in (*nouns, *before))


def _written(words: list[Word], renames: Mapping[int, str]) -> str:
    text = ""
    for before, word in zip([None, *words], words, strict=False):
        gap = before is not None and (word.start > before.end or word.index != before.index + 1)
        text += (" " if gap else "") + renames.get(word.index, word.text)
    return text.strip(" ,;:-–—")


def _definite(text: str) -> str:
    first, _, rest = text.partition(" ")
    if rest and first.lower() in ("a", "an", "the"):
        return "the " + rest
    return text

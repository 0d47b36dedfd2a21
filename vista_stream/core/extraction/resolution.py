"""Resolves pronouns and short definite phrases of one sentence from the mentions of the conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from vista_stream.core.extraction.agreement import agrees, alike
from vista_stream.core.extraction.genders import Gender
from vista_stream.core.extraction.impersonal import is_impersonal
from vista_stream.core.extraction.inflection import singular
from vista_stream.core.extraction.memory import Memory
from vista_stream.core.extraction.mention_reader import mentions_in, role_of
from vista_stream.core.extraction.mentions import Mention, Role, Sort
from vista_stream.core.extraction.own_subjects import (
    are_people,
    is_of_some_subject,
    may_be_owned,
    may_be_subjects,
    reasons_of_command,
    subject_of,
)
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import PLURAL_TAGS, PROPER_TAGS, SUBJECTS, Clause
from vista_stream.core.extraction.shapes import fronted, in_another_state
from vista_stream.core.extraction.speakers import quoted, verbatim
from vista_stream.core.text.stems import word_set

_CLASSES = (word_set("he him his"), word_set("she her hers"), word_set("it its"), word_set("they them their"))
_THIRD = frozenset[str]().union(*_CLASSES)
_SPEAKERS = {
    "i": "the assistant", "me": "the assistant", "my": "the assistant's", "mine": "the assistant's",
    "myself": "itself", "you": "the user", "your": "the user's", "yours": "the user's",
    "yourself": "themselves",
}  # fmt: skip
_GENDERS: dict[str, Gender] = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f", "hers": "f"}
_MODALS = {"'ll": "will", "’ll": "will", "'d": "would", "’d": "would"}
_PLURAL = {"'re": "are", "’re": "are", "'ve": "have", "’ve": "have"}
_CLITICS = frozenset((*_MODALS, *_PLURAL, "'m", "’m", "m", "re", "ve"))
_ENDS = frozenset((":", ";"))
"""What parts a clause from the next, so that what opens the next was not meant before."""
_ALSO_MODAL, _NOT = ("need", "dare"), ("not", "n't", "n’t")
"""Verbs that before these are modals, and have no ending: "the user needn't worry"."""
_DETERMINERS = frozenset(("the", "this", "that"))
_OUT_OF = frozenset(("of", "among", "including"))
_OWN = frozenset(("his", "her", "its", "their"))
_POINTS_BACK = re.compile(
    r"\b(?:its?|they|them|their|he|him|his|she|hers?)\b|^(?:that|this|these|those)\b", re.I
)
_CONTEXT = 160
"""Code points of each text before a claim that it is searched with."""
_USER = re.compile(r"\bthe user(['’]s)?(?!\w)|\bthemselves\b", re.IGNORECASE)
_TOLD_YOU = re.compile(r"\byou(?:rs?|rself)?\b", re.IGNORECASE)


def as_told(claim: str, sentence: str) -> str:
    """A claim about the user in the second person, as its sentence had it: "you" for "the user".

    Verbs stay as they are ("you has"), since the rules stem them. Empty where the sentence does not say
    "you", or mentions users itself.
    """
    if not _TOLD_YOU.search(sentence) or "user" in sentence.lower() or "themsel" in sentence.lower():
        return ""
    return _USER.sub(_you, claim)


def _you(found: re.Match[str]) -> str:
    if not found.group().lower().startswith("the user"):
        return "yourself"
    return "your" if found[1] else "you"


def in_context(claim: str, before: Iterable[str]) -> str:
    """A claim with the end of what was said before it, to find its evidence by; unchanged where it has no
    pronoun, which may mean something of before."""
    if not _POINTS_BACK.search(claim):
        return claim
    return " ".join([*(each[-_CONTEXT:] for each in before), claim])


class Resolution:
    """The antecedents of the referring words of one parsed sentence."""

    def __init__(self, tree: Tree, memory: Memory, *, users: str = "your") -> None:
        """`users` is the possessive that means the user's: "my" in the user's words, else "your"."""
        self._tree = tree
        self._memory = memory
        self._heard = users == "my"
        self._verbatim = verbatim(tree)
        self._owned = {
            w.index: "the user's"
            for w in tree.words
            if w.tag == "PRP$" and w.lower == users and w.index not in self._verbatim
        }
        self._mentions = [memory.known(m) for m in mentions_in(tree, memory.sentence, self._owned)]
        self._antecedents: dict[int, Mention] = {}
        topic = fronted(tree)
        about = next((m for m in self._mentions if topic is not None and m.index == topic.index), None)
        behind = self._meaning(topic, about) if topic is not None else ()
        for word in tree.words:
            found = about if word in behind else self._antecedent(word)
            if found is not None and not self._denied(word, found):
                self._antecedents[word.index] = found

    def _denied(self, word: Word, found: Mention) -> bool:
        """Whether it is no longer what it is called, or is one whose words are quoted in the first person."""
        changed = found.qualified and in_another_state(self._tree, word)
        return changed or (found.speaker and word.index in quoted(self._tree))

    def _meaning(self, topic: Word, about: Mention | None) -> list[Word]:
        """The pronouns after "As for parking," that mean it; each "it" and "they" where it is no mention."""
        end = self._tree.region(topic)[-1].index
        return [
            w
            for w in self._tree.words[end + 1 :]
            if w.tag in ("PRP", "PRP$")
            and w.lower in _THIRD
            and not is_impersonal(self._tree, w)
            and (w.lower not in _GENDERS if about is None else alike(w.lower, about))
        ]

    def remembered(self) -> Memory:
        """The memory after this sentence."""
        renames = {i: m.possessive for i, m in self._antecedents.items() if self._tree.words[i].tag == "PRP$"}
        found = mentions_in(self._tree, self._memory.sentence, renames | self._owned)
        found += [self._again(self._tree.words[i], m) for i, m in self._antecedents.items()]
        open_words = (w for w in self._tree.words if w.tag in ("PRP", "PRP$") and w.lower in _THIRD)
        unresolved = [
            w.lower
            for w in open_words
            if w.index not in self._antecedents and not is_impersonal(self._tree, w)
        ]
        return self._memory.read(sorted(found, key=lambda m: m.index), unresolved)

    def renames(self, clause: Clause) -> Mapping[int, str]:
        """The text to write for each referring word of the clause, by the word's index."""
        words = clause.words
        present = {word.index for word in words}
        named: list[Mention] = []
        renames: dict[int, str] = {}
        for word in sorted(
            words, key=lambda w: w.dep not in ("nsubj", "nsubjpass")
        ):  # the subject is named first
            antecedent = self._antecedents.get(word.index)
            if antecedent is None:
                renames.update(self._speaker(word))
            elif antecedent.index not in present and not any(m.same(antecedent) for m in named):
                named.append(antecedent)
                renames.update(self._written(word, antecedent))
        return renames

    def _antecedent(self, word: Word) -> Mention | None:
        if word.tag in ("PRP", "PRP$") and word.lower in _THIRD and not is_impersonal(self._tree, word):
            # "She, Elena Prado, had drawn it"
            named_itself = any(c.tag in PROPER_TAGS for c in self._tree.children(word, "appos"))
            if named_itself or self._acts_on_its_like(word) or self._is_some_of_what_is_counted(word):
                return None
            earlier = self._same_class_before(word)
            if earlier is not None:
                return self._antecedents.get(earlier.index) if self._same(word, earlier) else None
            if word.tag == "PRP$" and (
                self._tree.head(word).index <= word.index or is_of_some_subject(self._tree, word)
            ):
                return None  # "Its really cool", where no noun follows
            following = self._subject_after(word)
            if following is not None:
                return self._ahead(word, following)
            before = [m for m in self._mentions if m.index < word.index]
            before += [
                replace(m, index=i, role=role_of(self._tree, self._tree.words[i]))
                for i, m in self._antecedents.items()
            ]
            partners = self._partners(word)
            before = [m for m in before if m.index not in partners]
            subject = word.dep in SUBJECTS
            if subject and word.lower not in _GENDERS:
                before = [m for m in before if m.role is Role.SUBJECT or not self._opens_with(word, m)]
            unsure = not subject and word.tag == "PRP"
            found = self._memory.pronoun(word.lower, subject=subject, named=unsure, before=before)
            if found is None and unsure and self._heard and not before:
                # No claim is made of the user's words, whose "it" the answer goes on with.
                found = self._memory.pronoun(word.lower, subject=False, before=())
            if found is None and reasons_of_command(self._tree, word):
                found = self._memory.only_one(word.lower, before)
            unfit = found is not None and (
                self._called_otherwise(word, found)
                or _refers_itself(found)
                or self._taken(word, found)
                or are_people(self._tree, word, found)
                or (word.tag == "PRP$" and self._owns_nothing(word, found))
            )
            return None if unfit else found
        return self._memory.described(word.lower) if self._short_definite(word) else None

    def _same(self, word: Word, earlier: Word) -> bool:
        """Whether a pronoun means the same as an earlier one, and not what it tells of or its own subject."""
        if may_be_owned(self._tree, word, earlier):
            return False
        return word.tag != "PRP$" or not may_be_subjects(self._tree, word, after=earlier.index)

    def _owns_nothing(self, word: Word, found: Mention) -> bool:
        """Whether a possessive cannot be written with a mention, or may as well mean another."""
        own = may_be_subjects(self._tree, word, after=found.index)
        return found.restricted or own or self._rather_earlier(word, found)

    def _acts_on_its_like(self, word: Word) -> bool:
        """Whether its verb has a pronoun of the same class as subject and as object: 'they sell them'."""
        mates = _mates(word)
        verb = self._tree.head(word)
        args = self._tree.children(verb, *SUBJECTS, "dobj", "dative")
        return word in args and sum(w.lower in mates and w.tag == "PRP" for w in args) > 1

    def _is_some_of_what_is_counted(self, word: Word) -> bool:
        """Whether it is the "them" of '12 lions, three of them cubs' and '12 people, among them a child'."""
        joint = self._tree.head(word).lower
        if word.lower != "them" or joint not in _OUT_OF:
            return False
        plurals = [w.index for w in self._tree.words[: word.index] if w.tag in PLURAL_TAGS]
        if not plurals or joint != "of":
            return bool(plurals)
        return all(m.counted or m.index != plurals[-1] for m in self._mentions)

    def _opens_with(self, word: Word, mention: Mention) -> bool:
        """Whether a mention is in an adjunct of the verb whose subject the pronoun is: 'For a fee it …'."""
        above = self._tree.above(self._tree.words[mention.index])
        verb = next((w for w in above if w.tag.startswith("VB")), None)
        return verb is not None and verb.index == word.head

    def _taken(self, word: Word, found: Mention) -> bool:
        """Whether a pronoun of another class in the sentence means it: 'He was her captain'."""
        mates = _mates(word)
        return any(
            m.same(found) and self._tree.words[i].lower not in mates
            for i, m in self._antecedents.items()
            if self._tree.words[i].tag in ("PRP", "PRP$")
        )

    def _rather_earlier(self, word: Word, found: Mention) -> bool:
        """Whether a possessive after `found` may as well mean what was talked about before its sentence.

        'The stone was found in 1799. Egypt has asked for its return.'
        """
        following = self._tree.words[word.index + 1 : word.index + 2]
        if found.index < 0 or found.passing or (following and following[0].lower == "own"):
            return False
        earlier = self._memory.pronoun(word.lower, subject=False, before=())
        others = [earlier] if earlier is not None else self._memory.topical(word.lower)
        return any(not m.same(found) for m in others)

    def _called_otherwise(self, word: Word, found: Mention) -> bool:
        """Whether "it" is said to be another sort of thing: 'The music is old. It is a film about bees.'

        So is a name that is said to be another name: 'Is Anna the oldest? No, it is Carl.'
        """
        attribute = self._tree.child(self._tree.head(word), "attr") if word.dep == "nsubj" else None
        if word.lower == "it" and found.named and attribute is not None and attribute.tag in PROPER_TAGS:
            return not self._tree.children(attribute, "det")
        nameless = not (found.named or found.asked or found.plural)
        return nameless and attribute is not None and attribute.tag in ("NN", "CD")

    def _partners(self, word: Word) -> set[int]:
        """Indices of what an object pronoun cannot mean: its verb's subject and its other objects.

        The union, in 'the union reclassified it', alcohol, in 'drink alcohol with it', and the moat, in
        'there is a moat around it'.
        """
        if word.tag != "PRP" or word.dep not in ("dobj", "dative", "pobj") or word.lower.endswith("self"):
            return set()
        verb = next((w for w in self._tree.above(word) if w.tag.startswith("VB")), None)
        if verb is None:
            return set()
        objects = {w.index for w in self._tree.children(verb, "dobj", "attr")}
        subject = subject_of(self._tree, verb)
        return objects | {subject.index} if subject is not None else objects

    def _same_class_before(self, word: Word) -> Word | None:
        """An earlier pronoun of the sentence that agrees with this one: both mean the same."""
        mates = _mates(word)
        words = self._tree.words[: word.index]
        return next((w for w in words if w.lower in mates and w.tag in ("PRP", "PRP$")), None)

    def _subject_after(self, word: Word) -> Word | None:
        """The subject that follows a pronoun in an opening adjunct: 'In his youth, Bach …', not 'his son'."""
        for root in self._tree.roots:
            subject = self._tree.child(root, "nsubj", "nsubjpass")
            if (
                subject is not None
                and word.index < self._tree.region(subject)[0].index
                and word.head != root.index
                and not any(
                    w.dep == "ccomp" for w in self._tree.above(word)
                )  # "It's 18 euros, wash included"
                and not any(w.text in _ENDS for w in self._tree.words[word.index : subject.index])
                and not any(w.tag == "PRP$" and w.lower in _mates(word) for w in self._tree.region(subject))
            ):
                return subject
        return None

    def _ahead(self, word: Word, subject: Word) -> Mention | None:
        if subject.tag == "PRP" and subject.lower in _THIRD:
            if subject.lower not in _mates(word) or is_impersonal(self._tree, subject):
                return None
            before = [m for m in self._mentions if m.index < word.index]
            return self._memory.pronoun(subject.lower, subject=True, before=before)
        if self._has_one_before(word):
            return None
        found = next((m for m in self._mentions if m.index == subject.index and m.members == 1), None)
        return found if found is not None and agrees(word.lower, found) else None

    def _has_one_before(self, word: Word) -> bool:
        """Whether what stands before it may be meant: "While a tent needs poles to hold it up, a hammock …".

        What acts on it is another: "Although the council had rejected it, the plan went ahead".
        """
        acting = {s.index for s in self._tree.children(self._tree.head(word), *SUBJECTS)}
        others = acting if word.dep in ("dobj", "dative") else set[int]()
        return any(
            m.index < word.index and m.index not in others and agrees(word.lower, m) for m in self._mentions
        )

    def _short_definite(self, word: Word) -> bool:
        """Whether the word is a noun with only a determiner, such as 'the film'."""
        below = [c for c in self._tree.children(word) if c.dep not in ("case", "punct", "relcl", "appos")]
        lone = len(below) == 1 and below[0].lower in _DETERMINERS and below[0].index == word.index - 1
        return lone and word.tag == "NN" and word.dep in ("nsubj", "nsubjpass", "dobj", "pobj", "poss")

    def _again(self, word: Word, mention: Mention) -> Mention:
        gender = _GENDERS.get(word.lower, mention.gender) or mention.gender
        verb = self._tree.head(word)
        said = self._tree.children(verb, "attr") if word.dep == "nsubj" else []
        nouns = frozenset(a.lower for a in said if a.tag == "NN")
        return replace(
            mention,
            index=word.index,
            role=role_of(self._tree, word),
            sort=Sort.PERSON if word.lower in _GENDERS else mention.sort,
            gender=gender,
            nouns=mention.nouns | nouns,
            again=True,
        )

    def _written(self, word: Word, mention: Mention) -> dict[int, str]:
        if word.tag == "PRP$" or word.lower == "hers":
            return {word.index: mention.possessive}
        renames = {word.index: mention.text}
        if word.tag != "PRP":
            renames[word.index - 1] = ""
        following = self._tree.words[word.index + 1] if word.index + 1 < len(self._tree.words) else None
        if following is not None and following.lower in ("'s", "’s") and following.tag == "VBZ":
            perfect = self._tree.head(following).tag == "VBN" and following.dep == "aux"
            been = any(w.lower == "been" for w in self._tree.words[following.index + 1 :][:1])
            renames[following.index] = "has" if perfect or been else "is"
        elif following is not None and following.lower in (spelt := _MODALS | _PLURAL):
            renames[following.index] = "had" if self._had(following) else spelt[following.lower]
        return renames

    def _had(self, clitic: Word) -> bool:
        """Whether a "'d" is "had": "he'd left", but not "he'd leave", "it'd be done"."""
        verb = self._tree.head(clitic)
        infinitive = any(c.tag == "VB" for c in self._tree.children(verb))
        return clitic.lower in ("'d", "’d") and verb.tag in ("VBN", "VBD") and not infinitive

    def _speaker(self, word: Word) -> dict[int, str]:
        """'I' and 'you' in the third person ('the assistant', 'the user'), and their verbs to match."""
        if word.index in self._verbatim:
            return {}
        if word.tag in ("PRP", "PRP$") and word.lower in _SPEAKERS:
            return {word.index: _SPEAKERS[word.lower]}
        if word.tag not in ("VBP", "MD") and word.lower not in (*_CLITICS, "were"):
            return {}
        following = self._tree.words[word.index + 1 : word.index + 2]
        if word.lower in _ALSO_MODAL and following and following[0].lower in _NOT:
            return {}
        before = self._tree.words[max(0, word.index - 1)]
        subject = before if word.lower in _CLITICS and before.tag == "PRP" else subject_of(self._tree, word)
        if subject is None or subject.lower not in ("i", "you") or subject.index in self._verbatim:
            return {}
        if word.lower in _CLITICS:
            spelt = _MODALS.get(word.lower) or singular(word.text, "VBP")
            return {word.index: "had" if self._had(word) else spelt}
        return {word.index: singular(word.text, word.tag)}


def _mates(word: Word) -> frozenset[str]:
    """The third-person pronouns that agree with one, itself included."""
    return next(group for group in _CLASSES if word.lower in group)


def _refers_itself(mention: Mention) -> bool:
    """Whether the mention has an unresolved pronoun itself: "her niece" names nobody for a later "her"."""
    return not _OWN.isdisjoint(mention.text.casefold().replace("’s", "").replace("'s", "").split())

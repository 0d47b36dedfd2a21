"""Finds the mentions of entities in one parsed sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vista_stream.core.extraction.genders import gender_of, is_first_name, is_person
from vista_stream.core.extraction.inflection import forms
from vista_stream.core.extraction.mentions import RESTRICTING, Mention, Role, Sort
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import (
    FINITE_TAGS,
    NOUN_TAGS,
    PLURAL_TAGS,
    PROPER_TAGS,
    SUBJECTS,
    VERB_TAGS,
    capital_of_sentence,
)
from vista_stream.core.extraction.speakers import quoted
from vista_stream.core.text.stems import word_set

_ENTITY_SORTS = {
    "PERSON": Sort.PERSON, "NORP": Sort.PERSON, "ORG": Sort.GROUP, "GPE": Sort.PLACE, "LOC": Sort.SITE,
    "FAC": Sort.SITE, "PRODUCT": Sort.THING, "EVENT": Sort.THING, "WORK_OF_ART": Sort.THING,
    "LAW": Sort.THING, "LANGUAGE": Sort.THING,
}  # fmt: skip
_NO_REFERENT = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"))
_SUBJECT_DEPS = frozenset(("nsubj", "nsubjpass"))
_OBJECT_DEPS = frozenset(("dobj", "attr", "oprd", "dative"))
_NO_HEAD = frozenset(("compound", "npadvmod", "nmod", "amod"))
_LOCATING = frozenset(("in", "at", "from", "to", "into", "near", "around", "via"))
_OWN = frozenset(("my", "your", "our"))
_LAUGHTER = re.compile(r"(?:b?[ha]*ha[ha]*|lol|lmao|yea+h?|yep|nope|w[oh]+w|hm+|o+h|oka?y?)", re.IGNORECASE)
_PREDICATES = frozenset(("attr", "appos", "oprd"))  # say what something is, and bring in nothing new
_NAMING = frozenset(("oprd",))  # also with a name: "was made Earl of Lovelace"


def mentions_in(tree: Tree, sentence: int, renames: Mapping[int, str] | None = None) -> list[Mention]:
    """The mentions of one sentence, in order; pronouns are not mentions.

    `renames` gives, by word index, what to write for the possessive pronouns inside the mentions.
    """
    reader = _Reader(tree, sentence, renames or {})
    return [m for word in tree.words for m in (reader.joined(word), reader.single(word)) if m is not None]


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


def _asked_about(tree: Tree, word: Word) -> bool:
    """Whether a question without a subject is about the word: "And her sister?", "How much is Pro?"."""
    verb = tree.head(word)
    unsaid = word.dep == "acomp" and word.index > verb.index and tree.child(verb, *_SUBJECT_DEPS) is None
    verbless = verb is word and VERB_TAGS.isdisjoint(w.tag for w in tree.words)
    return tree.words[-1].text == "?" and (verbless or unsaid)


def _exists(tree: Tree, word: Word) -> bool:
    """Whether it is what there is: "There is a pool", which brings it in and says nothing of another."""
    return word.dep == "attr" and tree.child(tree.head(word), "expl") is not None


def _lacks_subject(tree: Tree) -> bool:
    """Whether a parser missed what a yes/no question is about: "Is parking available at Hotel Mond?"."""
    return tree.words[0].tag in FINITE_TAGS and not any(w.dep in SUBJECTS for w in tree.words)


def role_of(tree: Tree, word: Word) -> Role:
    """How prominent the word is; not so the subject of a relative clause: "sugar that the liver makes"."""
    if _asked_about(tree, word) or (word.dep in _SUBJECT_DEPS and tree.head(word).dep != "relcl"):
        return Role.SUBJECT
    return Role.OBJECT if word.dep in _OBJECT_DEPS else Role.OTHER


def _counts(tree: Tree, word: Word) -> bool:
    """Whether a numeral stands before the noun: "12 lions"; not in a name such as "the 49ers"."""
    numerals = (c for c in tree.children(word, "nummod") if c.index < word.index)
    return any(numerals) and not word.entity.startswith(("ORG", "NORP"))


_LONGEST_RESTRICTION = 9
"""Words of a relative clause that a claim repeats in a pronoun's place."""
_QUANTIFIERS = frozenset(("each", "every", "another", "some", "many", "most", "several", "both", "all"))
"""Determiners that open a sentence with a capital and are none in the midst of another."""
_SITES = word_set(
    """road street avenue lane square bridge park station hotel museum castle abbey cathedral airport harbour
    beach lake river"""
)
"""Last or first words of names of places, which a parser may take for somebody's."""
_INDEFINITE = {"none", "one"} | {
    some + body for some in ("some", "any", "no", "every") for body in ("one", "body", "thing")
}
"""Pronouns that a parser takes for nouns, and that refer to nothing in particular."""
_NOBODY = frozenset(("no", "neither"))
"""Determiners of a phrase that refers to nobody."""
_HAVING = {"bought"} | forms(
    "have", "include", "contain", "offer", "get", "build", "open", "launch", "make", "buy", "plan"
)
"""With these a thing is brought in: "The hotel has a pool", "The city builds a line"."""
_TAKING = forms("take") | {"taken"}
"""With these a bare noun is part of the verb: "took part", "takes place"."""


class _Reader:
    """Reads the mentions of one sentence."""

    def __init__(self, tree: Tree, sentence: int, renames: Mapping[int, str]) -> None:
        self._tree = tree
        self._sentence = sentence
        self._renames = renames
        self._lacks_subject = _lacks_subject(tree)

    def joined(self, word: Word) -> Mention | None:
        """'A and B' as one plural mention, at its first member."""
        chain = _conjuncts(self._tree, word)
        if word.tag not in NOUN_TAGS or word.entity in _NO_REFERENT or not chain:
            return None
        if word.dep in ("conj", "compound", *_PREDICATES) and not _exists(self._tree, word):
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
            role=role_of(self._tree, word),
            sentence=self._sentence,
            named=all(m.tag in PROPER_TAGS for m in members),
            members=len(members),
            index=word.index,
        )

    def single(self, word: Word) -> Mention | None:
        """The noun phrase that the word heads."""
        if _is_somebody_of_age(self._tree, word):
            return self._somebody(word)
        named = _is_name(self._tree, word) and not is_person(word.lower)
        if (word.tag not in NOUN_TAGS and not named) or word.dep in _NO_HEAD or word.entity in _NO_REFERENT:
            return None
        if _counts(self._tree, word):
            return self._counted(word)
        if named and not any(c.isupper() for c in word.text):  # tags of "who is kobe" are unreliable
            return None
        first = _first(self._tree, word)
        if first.dep in (_NAMING if named else _PREDICATES) and not _exists(self._tree, first):
            return None
        phrase = _phrase(self._tree, word, named=named)
        if (
            phrase[0].tag == "CD"
            or _of_a_people(word, phrase)
            or _in_a_name(self._tree, word)
            or not self._stands_alone(phrase, word)
        ):
            return None  # "100 degrees Celsius"; "Swedish"
        if phrase[0].lower in _NOBODY or phrase[0].lower in _INDEFINITE:
            return None  # "No woman had received it before her. She …"
        if self._belongs_to_verb(word, phrase):
            return None  # "Twenty-eight practices took part. It ran for …"
        nouns = _said_of(self._tree, word)
        sort = self._sort(word, phrase, nouns)
        named = named and not (sort in (Sort.PERSON, Sort.UNSURE) and phrase[0].tag == "DT")
        told = [w.lower for w in (*phrase, *self._called(word))]
        return Mention(
            text=_definite(_written(phrase, self._renames), named=named),
            sort=sort,
            plural=self._plural(word) and word.entity != "GPE",
            role=Role.SETTING if self._is_setting(word, sort) else _joint_role(self._tree, word),
            sentence=self._sentence,
            gender=gender_of(told) if sort is Sort.PERSON or _may_be_called(word, phrase, sort) else "",
            named=named,
            nouns=nouns | (frozenset() if named else frozenset((word.lower,))),
            new=self._brings_in(word, phrase),
            speaker=self._quotes(word),
            qualified=not named and any(w.dep == "amod" for w in phrase),
            index=word.index,
        )

    def _counted(self, word: Word) -> Mention | None:
        """What is counted, as a mention that "they" may mean, but that no claim names."""
        if word.tag not in PLURAL_TAGS:
            return None
        return Mention(
            text=_written(self._tree.region(word), self._renames),
            sort=Sort.THING,
            plural=True,
            role=Role.OTHER,
            sentence=self._sentence,
            counted=True,
            nouns=frozenset((word.lower,)),
            index=word.index,
        )

    def _somebody(self, word: Word) -> Mention | None:
        """Whom an age names in place of a noun: "my 11 year old"."""
        phrase = [w for w in self._tree.region(word) if w.index <= word.index]
        if not self._stands_alone(phrase, word):
            return None
        return Mention(
            text=_definite(_written(phrase, self._renames), named=False),
            sort=Sort.PERSON,
            plural=False,
            role=_joint_role(self._tree, word),
            sentence=self._sentence,
            index=word.index,
        )

    def _plural(self, word: Word) -> bool:
        """Whether a noun is a plural; one in capitals by its ending and its verb: 'Acorns are its food'."""
        if word.tag not in PROPER_TAGS or not word.lower.endswith("s"):
            common = word.text.islower() and not word.text.endswith("s")
            one = common and word.dep == "nsubj" and self._tree.head(word).tag == "VBZ"
            return word.tag in PLURAL_TAGS and not one  # a parser may take "the sauna" for a plural
        alone = word.dep in _SUBJECT_DEPS and self._tree.child(word, "conj") is None
        if alone and any(w.tag == "VBZ" or w.lower == "was" for w in self._finite(self._tree.head(word))):
            return False  # "Norvik Foods was founded by two brothers"
        return word.tag in PLURAL_TAGS or (alone and self._tree.head(word).tag == "VBP")

    def _finite(self, verb: Word) -> list[Word]:
        """The verb with its auxiliaries."""
        return [verb, *self._tree.children(verb, "aux", "auxpass")]

    def _stands_alone(self, phrase: Sequence[Word], word: Word) -> bool:
        """Whether the phrase means the same in another sentence.

        Not "what kind of bike", "the poster of it", laughter, or "my kids", whose owner a claim would lose.
        """
        unknown = (w for w in phrase if w.lower in _OWN and w.index not in self._renames)
        asks = any((w.tag.startswith("W") and w.index < word.index) or w.tag == "PRP" for w in phrase)
        return not asks and not any(unknown) and not _LAUGHTER.fullmatch(phrase[-1].text)

    def _is_setting(self, word: Word, sort: Sort) -> bool:
        """Whether it follows a preposition of place, or any where the subject is not known."""
        located = sort in (Sort.PLACE, Sort.SITE) and self._tree.head(word).lower in _LOCATING
        return word.dep == "pobj" and (located or self._lacks_subject)

    def _quotes(self, word: Word) -> bool:
        """Whether it says what stands in quotation marks."""
        said = self._tree.children(self._tree.head(word), "ccomp") if word.dep == "nsubj" else []
        return bool(said) and not quoted(self._tree).isdisjoint(w.index for w in said)

    def _brings_in(self, word: Word, phrase: Sequence[Word]) -> bool:
        """Whether the sentence says that something has it, or that it exists."""
        has = word.dep == "dobj" and self._tree.head(word).lower in _HAVING
        return (has and phrase[0].lower in ("a", "an")) or _exists(self._tree, word)

    def _called(self, word: Word) -> list[Word]:
        """The name that follows what somebody is: "the chief executive, Eva Lindt"."""
        names = [c for c in self._tree.children(word, "appos") if c.tag in PROPER_TAGS]
        return [w for name in names for w in (*self._tree.children(name, "compound"), name)]

    def _belongs_to_verb(self, word: Word, phrase: Sequence[Word]) -> bool:
        bare = len(phrase) == 1 and word.tag == "NN" and word.dep == "dobj"
        return bare and self._tree.head(word).lower in _TAKING

    def _sort(self, word: Word, phrase: list[Word], nouns: frozenset[str]) -> Sort:
        """The sort, by its nouns, then by a first name, then by the entity label, often wrong for names."""
        if any(is_person(noun) for noun in nouns) or (word.tag not in PROPER_TAGS and is_person(word.lower)):
            return Sort.PERSON
        if word.tag in PROPER_TAGS and len(phrase) > 1 and word.lower in _SITES:
            return Sort.SITE
        if word.entity == "PERSON" and phrase[0].lower in _SITES:
            return Sort.SITE  # "Hotel Mond"
        if word.tag in PROPER_TAGS and len(phrase) > 1 and is_first_name(phrase[0].lower):
            return Sort.PERSON
        unsure = _is_name(self._tree, word) or (word.index == 0 and word.tag == "NN" and len(phrase) == 1)
        return _ENTITY_SORTS.get(word.entity, Sort.UNSURE if unsure else Sort.THING)


def _may_be_called(word: Word, phrase: Sequence[Word], sort: Sort) -> bool:
    """Whether a lone name of an unknown sort may be somebody's first name: "Ida is 9."."""
    return sort is Sort.UNSURE and len(phrase) == 1 and is_first_name(word.lower)


def _is_somebody_of_age(tree: Tree, word: Word) -> bool:
    """Whether an age stands for somebody: "my 11 year old", "a six-month-old"; not "is 11 years old"."""
    in_place = word.dep in _SUBJECT_DEPS | _OBJECT_DEPS | {"pobj"} and tree.child(word, "det", "poss")
    return word.lower == "old" and bool(in_place) and tree.child(word, "npadvmod") is not None


def _is_name(tree: Tree, word: Word) -> bool:
    """Whether the word is a name, or one in capitals that a parser takes for another word: "WHO", "Pro"."""
    if word.tag in PROPER_TAGS:
        return True
    if word.tag.startswith("W"):
        statement = tree.words[-1].text != "?" and any(w.text.islower() for w in tree.words)
        return word.dep in _SUBJECT_DEPS and word.text.isupper() and statement
    capital = word.tag == "JJ" and word.index > 0 and word.text[:1].isupper() and not word.entity
    return capital and _asked_about(tree, word)


def _of_a_people(word: Word, phrase: Sequence[Word]) -> bool:
    """Whether it is the bare name of a language or of where people are from, which no pronoun refers to."""
    return word.entity in ("NORP", "LANGUAGE") and word.tag not in PLURAL_TAGS and len(phrase) == 1


def _in_a_name(tree: Tree, word: Word) -> bool:
    """Whether it ends a longer name: the Wiltshire of "Earl of Wiltshire", the Wade of "Roe v. Wade"."""
    of = tree.head(word)
    whole = tree.head(of)
    joined = word.dep == "pobj" and whole.tag in PROPER_TAGS
    return joined and bool(word.entity) and word.entity == of.entity == whole.entity


def _joint_role(tree: Tree, word: Word) -> Role:
    """The word's role; OTHER in a coordination, as no member of 'A and B' is more prominent."""
    return Role.OTHER if word.dep == "conj" or _conjuncts(tree, word) else role_of(tree, word)


def _phrase(tree: Tree, word: Word, *, named: bool) -> list[Word]:
    """The noun with the words before it and its 'of …'.

    A name keeps only what is part of it: 'Bank of England', 'Apollo 11', but not 'Paris of the nineties'.
    """
    kept = {"compound", "nummod", "amod", "poss", "det", "nmod", "punct", "case"}
    words = [word]
    for child in tree.children(word):
        if child.index < word.index and child.dep in kept:
            words += tree.region(child)
        elif child.dep == "prep" and (child.lower == "of" or (named and child.entity)):
            own = {word.entity} if word.entity and child.entity == word.entity else set()
            below = [w for w in tree.region(child) if not named or w.entity in own]
            words += below if len(below) > 1 else []
        elif named and _numbers(tree, word, child):
            words.append(child)
        elif not named and child.dep == "relcl" and word.tag == "NNS":
            words += _restriction(tree, word, child)
    return sorted((w for w in words if w is word or w.dep != "preconj"), key=lambda w: w.index)


def _numbers(tree: Tree, name: Word, numeral: Word) -> bool:
    """Whether a number belongs to the name before it: "Apollo 11", but not "gave Ms Aalto 3 hives"."""
    counts = any(w.tag in ("NN", "NNS") for w in tree.words[numeral.index + 1 : numeral.index + 2])
    return numeral.dep == "nummod" and numeral.index == name.index + 1 and not counts


def _restriction(tree: Tree, word: Word, verb: Word) -> list[Word]:
    """The relative clause that picks out a group, "adults who have had an ulcer"; none with a pronoun."""
    clause = tree.region(verb)
    picks_out = clause[0].index == word.index + 1 and clause[0].lower in RESTRICTING
    short = len(clause) <= _LONGEST_RESTRICTION
    return clause if picks_out and short and not any(w.tag in ("PRP", "PRP$") for w in clause) else []


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
        opens = len(words) > 1 and capital_of_sentence(word)
        text += (" " if gap else "") + renames.get(word.index, word.lower if opens else word.text)
    return text.strip(" ,;:-–—")


def _definite(text: str, *, named: bool) -> str:
    first, _, rest = text.partition(" ")
    if rest and first.lower() in ("a", "an", "the"):
        return "the " + rest
    return f"{first.lower()} {rest}" if rest and not named and first.lower() in _QUANTIFIERS else text

"""Corrects what small parsers make of a clause's first words, where the word order shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import (
    DASHES,
    FINITE_TAGS,
    NOUN_TAGS,
    PLURAL_TAGS,
    PROPER_TAGS,
    SUBJECTS,
)

_OF_VERB = frozenset(("aux", "auxpass", "neg", "advmod"))
_OPENING = frozenset(("advcl", "prep"))
_ADDED = frozenset(("acl", "advcl", "conj"))


def with_clause_starts(words: Sequence[Word]) -> Sequence[Word]:
    """The same words, some with another head, label or tag."""
    return _with_leading_participles(_with_gerunds(_with_late_subjects(_with_yet(_with_marks(words)))))


def is_opened(tree: Tree, verb: Word) -> bool:
    """Whether the verb's clause begins with a word that makes it a part of another: "if", "when", "who"."""
    opened = any(c.tag in ("IN", "WRB") for c in tree.children(verb, "mark", "advmod"))
    return verb.dep not in ("conj", "ccomp", "advcl") or (verb.dep == "advcl" and opened)


def _with_marks(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "that" of "He loves that Jean Tissot has a museum" as what opens the clause.

    It was taken for a determiner of the clause's subject, which a name or a plural has no use for.
    """
    taken = [word for word in words if word.lower == "that" and word.dep == "det"]
    if not taken:
        return words
    tree = Tree(words)
    mended = list(words)
    for that in taken:
        noun = tree.head(that)
        verb = tree.head(noun)
        if (
            noun.dep in SUBJECTS
            and noun.tag in PLURAL_TAGS | PROPER_TAGS
            and verb.dep == "ccomp"
            and verb.head < that.index
        ):
            mended[that.index] = replace(that, tag="IN", dep="mark", head=verb.index)
    return mended


def _with_yet(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "yet" of "She played six, yet recorded three" as a conjunction, not an adverb."""
    taken = [word for word in words[1:] if word.lower == "yet" and word.dep == "advmod"]
    if not taken:
        return words
    tree = Tree(words)
    mended = list(words)
    for yet in taken:
        if words[yet.index - 1].text not in DASHES:
            continue
        verb = tree.head(yet)
        joined = [c for c in (verb, *tree.children(verb)) if c.dep == "conj" and c.index > yet.index]
        starts = {next(w.index for w in tree.region(c) if w is not yet) for c in joined}
        if yet.index + 1 in starts:
            mended[yet.index] = replace(yet, tag="CC", dep="cc", head=min(verb.index, joined[0].head))
    return mended


def _with_late_subjects(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with "oats" as the subject in "As there was none in the town, oats and nuts were used".

    It was taken for a second noun after "the town", and so the verb has no subject.
    """
    taken = [word for word in words if word.dep in ("conj", "appos") and word.tag in NOUN_TAGS]
    if not taken:
        return words
    tree = Tree(words)
    mended = list(words)
    for noun in taken:
        region = tree.region(noun)
        start, end = region[0].index, region[-1].index + 1
        if words[start - 1].text != ",":
            continue
        opening = next((w for w in tree.above(noun) if w.dep in _OPENING and tree.head(w).index >= end), noun)
        verb = tree.head(opening)
        between = words[end : verb.index]
        if verb.index >= end and _lacks_subject(tree, verb) and all(w.dep in _OF_VERB for w in between):
            passive = "nsubjpass" if tree.child(verb, "auxpass") else "nsubj"
            mended[noun.index] = replace(noun, head=verb.index, dep=passive)
            mended[start - 1] = replace(words[start - 1], head=verb.index)
    return mended


def _with_gerunds(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "saving" of "while saving a map costs 5 euros" as the subject right before a verb.

    It was taken for the verb of a clause that tells when, and so the other verb has no subject.
    """
    taken = [word for word in words if word.tag == "VBG" and word.dep == "advcl"]
    if not taken:
        return words
    tree = Tree(words)
    mended = list(words)
    for gerund in taken:
        verb, end = tree.head(gerund), tree.region(gerund)[-1].index + 1
        between = words[end : verb.index]
        if end <= verb.index and _lacks_subject(tree, verb) and all(w.dep in _OF_VERB for w in between):
            mended[gerund.index] = replace(gerund, dep="csubj")
    return mended


def _lacks_subject(tree: Tree, verb: Word) -> bool:
    finite = verb.tag in FINITE_TAGS or any(
        c.tag in FINITE_TAGS for c in tree.children(verb, "aux", "auxpass")
    )
    return finite and tree.child(verb, *SUBJECTS) is None


def _with_leading_participles(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "seen" of "…; seen from here, it is blue" as an opening of the clause after it.

    It was taken for a part of the clause before the semicolon.
    """
    taken = [word for word in words if word.dep in _ADDED and word.tag in ("VBN", "VBG")]
    if not taken:
        return words
    tree = Tree(words)
    mended = list(words)
    for participle in taken:
        region = tree.region(participle)
        start, end = region[0].index, region[-1].index + 1
        marks = [w.text for w in (*words[max(start - 1, 0) : start], *words[end : end + 1])]
        if marks != [";", ","]:
            continue
        subjects = (w for w in words[end:] if w.dep in SUBJECTS and tree.region(w)[0].index == end + 1)
        for subject in subjects:
            mended[participle.index] = replace(participle, dep="advcl", head=subject.head)
    return mended

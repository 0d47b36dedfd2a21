"""The cuts of a sentence's tree: where a statement of its own begins, and of what sort it is."""

from __future__ import annotations

from enum import Enum, auto

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import SUBJECTS
from vista_stream.core.text.stems import word_set


class Cut(Enum):
    """The sort of statement that begins at a cut."""

    INDEPENDENT = auto()
    """A clause with its own subject."""
    PREDICATE = auto()
    """A predicate that shares the subject of the clause that it is joined to."""
    RELATIVE = auto()
    """A relative clause about the noun that it depends on."""
    DESCRIPTIVE = auto()
    """A relative clause of a predicate noun, about the copula's subject."""
    PARTICIPLE = auto()
    """'…, founded in 1976, …', about the noun that it depends on."""
    DESCRIPTIVE_PARTICIPLE = auto()
    """'X is an actor born in 1949', about the copula's subject."""
    LEADING_PARTICIPLE = auto()
    """'Born in 1879, she …', about the main clause's subject."""
    GERUND = auto()
    """'…, becoming the first …', about the main clause's subject."""
    APPOSITION = auto()
    """'Paris, the capital of France'."""
    CAUSE = auto()
    """'because …': a statement of its own; the whole sentence is kept too."""
    CONTENT = auto()
    """The clause that a factive verb presupposes; the whole sentence is kept too."""


KEPT_IN_PLACE = frozenset((Cut.CONTENT,))
CONTRAST = frozenset(("although", "though", "while", "whilst", "whereas"))
NO_PARTICIPLE = word_set("given compared based provided granted followed combined assuming depending")
"""Participles that open an adjunct rather than a statement."""
PRESENT_PARTICIPLES = word_set(
    """located situated known based named called titled composed considered used owned surrounded bordered
    regarded divided dedicated devoted married related"""
)
"""Participles that tell how a thing is rather than what happened to it."""


class Cuts:
    """The cuts made in one tree so far, and what the rules for further ones ask of its words."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.made: dict[int, Cut] = {}
        """The sort of each statement that is cut off, by the index of its head word."""

    def top(self, word: Word) -> bool:
        """Whether the word heads a clause that the sentence asserts."""
        return word.head == word.index or word.index in self.made

    def has_subject(self, word: Word) -> bool:
        """Whether the word has a subject of its own."""
        return self.tree.child(word, *SUBJECTS) is not None

    def negated(self, word: Word) -> bool:
        """Whether the word is negated."""
        return self.tree.child(word, "neg") is not None

    def before(self, word: Word) -> str:
        """The text just before the word's region; empty at the beginning."""
        start = self.tree.region(word)[0].index
        return self.tree.words[start - 1].text if start else ""

    def behind(self, word: Word) -> str:
        """The text just behind the word's region; empty at the end."""
        end = self.tree.region(word)[-1].index + 1
        return self.tree.words[end].text if end < len(self.tree.words) else ""

    def relating(self, word: Word) -> Cut:
        """The cut before a verb joined to another, with "who" or its like: that of the first, if it has one.

        So it is in "who was born in 1815 and who died in 1852".
        """
        while word.dep == "conj":
            word = self.tree.head(word)
        first = self.made.get(word.index)
        return first if first in (Cut.RELATIVE, Cut.DESCRIPTIVE) else Cut.INDEPENDENT

    def described(self, noun: Word) -> Word | None:
        """The copula whose predicate the noun is, if what modifies the noun can be said of the subject."""
        first = noun
        while first.dep == "conj":
            first = self.tree.head(first)
        verb = self.tree.head(first)
        if first.dep != "attr" or not self.top(verb) or self.negated(verb):
            return None
        subject = self.tree.child(verb, "nsubj")
        pointing = subject is not None and subject.lower not in (
            "it",
            "this",
            "that",
            "there",
            "these",
            "those",
        )
        return verb if pointing and subject is not None and not subject.tag.startswith("W") else None

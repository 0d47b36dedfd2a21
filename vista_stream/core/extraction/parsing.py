"""What a dependency parser must return: words with heads, and the tree that they form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """One token of a parsed text; tags and labels as in spaCy's English models."""

    index: int
    text: str
    start: int
    """First code point in the parsed text."""
    end: int
    """One past the last code point."""
    tag: str
    """Penn Treebank part of speech."""
    dep: str
    """ClearNLP dependency label."""
    head: int
    """Index of the word that it depends on; a root has its own index."""
    entity: str = ""
    """OntoNotes label of the named entity that it is part of; empty outside an entity."""

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()


Parse = Callable[[str], Sequence[Word]]
"""Returns the words of a text, in order; white space is not a word."""


class Tree:
    """The dependency tree of the words of a text."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = tuple(words)
        children: list[list[Word]] = [[] for _ in self.words]
        for word in self.words:
            if word.head != word.index:
                children[word.head].append(word)
        self._children = tuple(tuple(below) for below in children)

    @property
    def roots(self) -> list[Word]:
        """Words that depend on no other."""
        return [word for word in self.words if word.head == word.index]

    def head(self, word: Word) -> Word:
        """The word that this word depends on; for a root, the root itself."""
        return self.words[word.head]

    def children(self, word: Word, *deps: str) -> list[Word]:
        """Direct dependents, in order; with labels given, only those."""
        return [child for child in self._children[word.index] if not deps or child.dep in deps]

    def child(self, word: Word, *deps: str) -> Word | None:
        """The first direct dependent with one of the labels."""
        return next(iter(self.children(word, *deps)), None)

    def region(self, word: Word, cuts: Collection[int] = ()) -> list[Word]:
        """The word and all words below it, in order, without the subtrees of the indices in `cuts`."""
        found, waiting = [], [word]
        while waiting:
            current = waiting.pop()
            found.append(current)
            waiting.extend(c for c in self._children[current.index] if c.index not in cuts)
        return sorted(found, key=lambda w: w.index)

    def above(self, word: Word) -> Iterator[Word]:
        """The chain of heads, nearest first."""
        while word.head != word.index:
            word = self.words[word.head]
            yield word

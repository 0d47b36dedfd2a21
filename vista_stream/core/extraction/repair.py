"""Corrects attachments that small parsers often get wrong, where the word order shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import DASHES, NOUN_TAGS, VERB_TAGS
from vista_stream.core.text.stems import word_set

_ALL_OR_NONE = word_set(
    "nothing none nobody nowhere everything everyone everybody everywhere anything anyone anybody anywhere"
)


def repaired(words: Sequence[Word]) -> list[Word]:
    """The same words, some with another head.

    In 'a painter born in 1922, in Rome', 'in Rome' goes to 'born'. In 'in films, shows, and plays', 'shows'
    goes to 'films'. In 'that lives nowhere but on Fogo', 'but' and 'on' go to 'nowhere'.
    """
    tree = Tree(words)
    return [replace(word, head=_head(tree, word)) for word in words]


def _head(tree: Tree, word: Word) -> int:
    head = tree.head(word)
    excepted = _excepted(tree, word)
    if excepted is not None and head.index < excepted:
        return excepted
    if word.dep == "prep" and head.tag in NOUN_TAGS:
        clauses = [c for c in tree.children(head, "acl") if head.index < c.index < word.index]
        return clauses[-1].index if clauses else word.head
    if word.dep == "conj" and word.tag in NOUN_TAGS and head.tag in VERB_TAGS and head.index < word.index:
        noun = _noun_before(tree, word, head)
        return noun.index if noun is not None else word.head
    return word.head


def _excepted(tree: Tree, word: Word) -> int | None:
    """The index of the word that "but" before the word, or the word itself, makes an exception of."""
    but = word.index - (word.lower != "but")
    if but < 1 or tree.words[but].lower != "but" or tree.words[but - 1].lower not in _ALL_OR_NONE:
        return None
    return but - 1


def _noun_before(tree: Tree, word: Word, verb: Word) -> Word | None:
    """The complement of the verb that ends right before the word's phrase; None where there is none."""
    start = tree.region(word)[0].index
    for child in reversed(
        [c for c in tree.children(verb, "dobj", "attr", "prep", "agent") if c.index < word.index]
    ):
        noun = tree.child(child, "pobj") if child.dep in ("prep", "agent") else child
        if noun is not None and all(
            w.text in DASHES for w in tree.words[tree.region(child)[-1].index + 1 : start]
        ):
            return noun if noun.tag in NOUN_TAGS else None
    return None

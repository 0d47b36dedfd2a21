"""Tells sentences that the parser misread, in which no cut is sure."""

from __future__ import annotations

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import DASHES, PROPER_TAGS, SUBJECTS
from vista_stream.core.extraction.predicates import BE
from vista_stream.core.text.stems import word_set

_DEFINITE = word_set("the this that these those")


def misread(tree: Tree) -> bool:
    """Whether the tree shows that a part of the sentence was taken for what it is not."""
    signs = (_subordinate, _verbless, _acting, _stranded, _unclosed, _cleft)
    return any(sign(tree, word) for word in tree.words for sign in signs)


def _subordinate(tree: Tree, word: Word) -> bool:
    """Whether a "that" opens the sentence as if all of it hung on another: "That he left is a fact"."""
    return word.index == 0 and word.lower == "that" and word.dep == "mark" and tree.head(word) in tree.roots


def _verbless(tree: Tree, word: Word) -> bool:
    """Whether a "that" was given a subject, its verb being lost: "the portrait that her sister sold"."""
    return word.dep == "mark" and tree.child(word, *SUBJECTS) is not None


def _acting(tree: Tree, word: Word) -> bool:
    """Whether a gerund joined to a verb is the next one's subject: "You may stay, but letting it is not"."""
    if word.tag != "VBG" or word.dep != "conj" or tree.child(word, "aux", *SUBJECTS):
        return False
    later = (c for c in tree.children(tree.head(word), "conj") if c.index > word.index)
    return tree.head(word).tag != "VBG" and any(
        tree.child(c, "aux", "auxpass") and not tree.child(c, *SUBJECTS) for c in later
    )


def _stranded(tree: Tree, word: Word) -> bool:
    """Whether a preposition has lost its noun to the subject right behind it: "On cold days ticks rest"."""
    if word.dep != "prep" or tree.children(word):
        return False
    subjects = tree.children(tree.head(word), *SUBJECTS)
    return any(tree.region(subject)[0].index == word.index + 1 for subject in subjects)


def _unclosed(tree: Tree, word: Word) -> bool:
    """Whether no comma parts a clause about the subject from its verb: "The firm, which says 5 is low"."""
    if word.dep != "relcl" or tree.head(word).dep not in SUBJECTS:
        return False
    start, verb = tree.region(word)[0].index, tree.head(tree.head(word))
    inside = tree.words[start : verb.index]
    return bool(inside) and tree.words[start - 1].text == "," and not any(w.text in DASHES for w in inside)


def _cleft(tree: Tree, word: Word) -> bool:
    """Whether "it is" puts forward a name that what follows is about: "It was Ada, not Ben, who …".

    What stands between two commas makes the parser lose the name.
    """
    if (
        word.dep not in SUBJECTS
        or word.lower not in ("who", "that")
        or tree.words[word.index - 1].text != ","
    ):
        return False
    before = tree.words[: word.index]
    told = (w for w in before if w.lower == "it" and w.dep == "nsubj" and tree.head(w).lower in BE)
    named = (tree.child(tree.head(it), "attr") for it in told)
    return any(noun is not None and _definite(tree, noun) for noun in named)


def _definite(tree: Tree, noun: Word) -> bool:
    """Whether a noun is a name, or has a word before it that tells which one is meant."""
    marked = any(c.lower in _DEFINITE or c.dep == "poss" for c in tree.children(noun, "det", "poss"))
    return noun.tag in PROPER_TAGS or marked

"""Corrects the tags of words that small parsers take for others, where the words around them show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS, SUBJECTS, VERB_TAGS
from vista_stream.core.text.stems import word_set

_BE = word_set("is are was were")
_ARTICLES = word_set("the a an")
_PUT_IN = word_set("included excluded")
_OF_VERB = ("punct", "advcl", "parataxis", "ccomp")
"""Labels of what belongs to the verb of a clause rather than to a noun in it."""


def retagged(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "'s" of "The capital's a town" as a verb, and "breakfast included" without one."""
    mended = list(words)
    for word in words:
        if word.tag == "POS" and word.lower in ("'s", "’s"):
            mended = _with_copula(Tree(mended), word)
        elif word.tag == "VBD" and word.lower in _PUT_IN and _ends(words, word):
            mended[word.index] = replace(mended[word.index], tag="VBN")  # a past would have an object
    return mended


def _ends(words: Sequence[Word], word: Word) -> bool:
    return all(each.dep == "punct" for each in words[word.index + 1 : word.index + 2])


def _with_copula(tree: Tree, clitic: Word) -> list[Word]:
    """The words, with a "'s" before an article, which no owner's has, as the verb between two nouns.

    A title may have one: "Munch's The Scream".
    """
    owner = tree.head(clitic)
    noun, article = tree.head(owner), tree.words[clitic.index + 1 :][:1]
    fits = owner.dep == "poss" and noun.index > clitic.index and noun.dep not in (*SUBJECTS, "pobj", "attr")
    if not fits or all(each.text not in _ARTICLES for each in article):
        return list(tree.words)
    root, complement = noun.head == noun.index, noun.dep == "dobj"
    mended = list(tree.words)
    second = any(_says(tree, each) for each in tree.children(noun, "conj"))
    for each in tree.children(noun):
        joined = second and each.dep in ("cc", "conj")
        if each.index < clitic.index or each.dep in _OF_VERB or joined:
            mended[each.index] = replace(each, head=clitic.index)
    mended[clitic.index] = replace(
        clitic,
        text="is",
        start=clitic.start + 1,  # its apostrophe stands where the space does
        tag="VBZ",
        dep="ccomp" if complement else noun.dep,
        head=clitic.index if root else noun.head,
    )
    mended[owner.index] = replace(owner, dep="nsubj", head=clitic.index)
    mended[noun.index] = replace(noun, dep="attr", head=clitic.index)
    return mended


def _says(tree: Tree, word: Word) -> bool:
    """Whether a word is a verb, or stands for a clause whose "'s" was taken for an owner's."""
    return word.tag in VERB_TAGS or (
        tree.child(word, "poss") is not None and tree.child(word, "det") is not None
    )


def with_nouns(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with the "pass" of "How much is the day pass?" as a noun, which was taken for a verb."""
    tree = Tree(words)
    mended = list(words)
    for verb in words:
        noun = words[verb.index - 1] if verb.index and verb.tag in ("VB", "VBP") else None
        if noun is None or noun.dep != "nsubj" or noun.tag not in NOUN_TAGS:
            continue
        be = tree.head(verb)
        asked = verb.dep == "xcomp" and be.lower in _BE and noun.head == be.index < noun.index
        if asked or (verb.dep == "nsubj" and noun.head == verb.index):
            mended[verb.index] = replace(verb, tag="NN", dep="nsubj")
            mended[noun.index] = replace(noun, dep="compound", head=verb.index)
    return mended

"""Questions in the order of a statement ("The pass isn't valid on Mondays?"), and the "not" of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream.core.extraction.answers import denies, denies_by_verb
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import FINITE_TAGS, SUBJECTS
from vista_stream.core.text.stems import word_set

_ADVERBS = word_set("not n't n’t")
_NEGATIVE = _ADVERBS | word_set("no never nobody nothing none nowhere neither")
_WHOLE = {"ca": "can", "wo": "will"}
"""The verbs that are not written whole before "n't"."""


def as_stated(tree: Tree, words: Sequence[Word], answer: str) -> Sequence[Word]:
    """The words of a question as its answer, which `is_polar`, leaves them; empty where that is not clear.

    The answer's own verb decides: "It isn't free?" and "Yes, it is." give "It is free". Without one a yes
    repeats what is asked, and so does a no where that is negative.
    """
    if not _is_stated(tree):
        return ()
    denied = denies_by_verb(answer)
    negatives = [word.lower for word in words if word.lower in _NEGATIVE]
    if denied is None:
        return words if negatives or not denies(answer) else ()
    if denied == bool(negatives):
        return words
    if len(negatives) != 1 or negatives[0] not in _ADVERBS:
        return ()
    return [_whole(word) for word in words if word.lower not in _ADVERBS]


def without_not(tree: Tree, words: Sequence[Word]) -> list[Word]:
    """The words of a question without the "not" of its verb: "Don't you treat fish?"."""
    left = [word for word in words if not (word.lower in _ADVERBS and _denies_the_verb(tree, word))]
    return [_whole(word) for word in left] if len(left) < len(words) else list(words)


def _denies_the_verb(tree: Tree, word: Word) -> bool:
    """Whether a "not" belongs to the question's own verb, or to the auxiliary that it is joined to."""
    return tree.words[word.head].dep == "ROOT" or word.lower != "not"


def _whole(word: Word) -> Word:
    return replace(word, text=_WHOLE[word.lower]) if word.lower in _WHOLE else word


def _is_stated(tree: Tree) -> bool:
    """Whether a question has the word order of a statement: "The pass costs 12 euros?"."""
    root = tree.roots[0]
    subject = tree.child(root, *SUBJECTS)
    verbs = (root, *tree.children(root, "aux", "auxpass"))
    first = min((word.index for word in verbs if word.tag in FINITE_TAGS), default=0)
    return subject is not None and subject.index < first

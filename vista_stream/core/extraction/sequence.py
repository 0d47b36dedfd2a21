"""Tells which clauses are said to follow or precede another: "…, and then a nurse comes"."""

from __future__ import annotations

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import SUBJECTS
from vista_stream.core.text.stems import word_set

_IN_TURN = word_set("then next afterwards afterward thereafter subsequently finally lastly beforehand")
_SIDES = word_set("after before following once")
_POINTING = word_set("that this it they these those")


def in_order(tree: Tree, word: Word) -> bool:
    """Whether a clause joined to another tells the order of the two, which each alone would lose.

    In "You sign it, then a nurse comes" the clause that comes first is joined to the later one.
    """
    head = tree.head(word)
    return _points_back(tree, max(head, word, key=lambda w: w.index))


def _points_back(tree: Tree, verb: Word) -> bool:
    """Whether a clause says when it happens by what is told before it: "then", "once that's done"."""
    return any(_is_sequel(tree, each) for each in tree.children(verb) if each.index < verb.index)


def _is_sequel(tree: Tree, adjunct: Word) -> bool:
    match adjunct.dep:
        case "advmod":
            return adjunct.lower in _IN_TURN
        case "prep":
            return adjunct.lower in _SIDES and any(
                w.lower in _POINTING for w in tree.children(adjunct, "pobj")
            )
        case "advcl":
            timed = any(w.lower in _SIDES for w in tree.children(adjunct, "mark", "advmod"))
            return timed and any(w.lower in _POINTING for w in tree.children(adjunct, *SUBJECTS))
        case _:
            return False

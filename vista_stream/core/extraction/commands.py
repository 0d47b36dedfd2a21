"""Tells commands from statements by their grammar."""

from __future__ import annotations

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import SUBJECTS


def imperative(tree: Tree) -> bool:
    """Whether the sentence is a command: 'Try …', 'Do not …', 'Let's …', without a clause with a subject."""
    return all(_commands(tree, root) for root in tree.roots) and bool(tree.roots)


def requests(tree: Tree) -> bool:
    """Whether the sentence is surely a command: a base form with a complement."""
    roots = tree.roots
    below = [c for root in roots for c in tree.children(root) if c.dep != "punct" and c.index > root.index]
    return imperative(tree) and bool(below) and all(root.tag == "VB" for root in roots)


def _commands(tree: Tree, root: Word) -> bool:
    auxiliaries = (c.lower for c in tree.children(root, "aux", "auxpass"))
    plain_form = root.tag in ("VB", "VBP") and all(a in ("do", "don't") for a in auxiliaries)
    joined = [c for c in tree.children(root, "conj") if tree.child(c, *SUBJECTS) is not None]
    return plain_form and tree.child(root, *SUBJECTS) is None and not joined

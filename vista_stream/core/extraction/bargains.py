"""Words commands that are conditions as such: "Ask early and you pay less" is "If the user asks early, …"."""

from __future__ import annotations

from vista_stream.core.extraction.inflection import third_person
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import SUBJECTS, Clause, Piece, pieces_of, stripped
from vista_stream.core.text.stems import word_set

_ADDRESSED = word_set("you your yours")
_OBLIGING = word_set("must should ought need please")
"""Words of what is asked of the user besides, whatever becomes of the command."""


def bargain_in(tree: Tree) -> Clause | None:
    """The sentence as one clause, if it tells the user what a command leads to; None for another one.

    "Ask early and you pay less", "Park here, and your car is towed", "Pay by Friday or you lose it".
    """
    first = tree.words[0]
    told = _outcome(tree, first) if first in tree.roots and first.tag in ("VB", "VBP") else None
    if told is None or tree.child(first, "aux", "auxpass", *SUBJECTS):
        return None
    region = tree.region(told)
    joint = tree.words[region[0].index - 1]
    if joint.lower != "and" or len(tree.children(first, "conj")) > 1:
        return Clause.of(tree.words)
    condition = stripped(list(tree.words[1 : joint.index]))
    opened = Piece(f"if the user {third_person(first.lower)}", first)
    return Clause((opened, *pieces_of(condition), Piece(","), *pieces_of(tree.words[joint.index + 1 :])))


def _outcome(tree: Tree, command: Word) -> Word | None:
    """The verb that "and" or "or" joins to a command, if its subject is the user or what is the user's."""
    for verb in tree.children(command, "conj"):
        region, subject = tree.region(verb), tree.child(verb, "nsubj", "nsubjpass")
        joint = tree.words[region[0].index - 1]
        if subject is None or joint.lower not in ("and", "or") or joint.head != command.index:
            continue
        addressed = tree.region(subject)[0].lower in _ADDRESSED and region[0] == tree.region(subject)[0]
        if addressed and not any(w.lower in _OBLIGING for w in region):
            return verb
    return None

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
    command = tree.roots[0]
    preceded = any(w.dep not in ("aux", "neg") for w in tree.words[: command.index])
    begins = command.tag in ("VB", "VBP") and not preceded and tree.child(command, *SUBJECTS) is None
    told = _outcome(tree, command) if begins else None
    if told is None:
        return None
    joint = tree.words[tree.region(told)[0].index - 1]
    if command.index > 0 or joint.lower != "and" or len(tree.children(command, "conj")) > 1:
        return Clause.of(tree.words)  # "Don't press it and you will be fine"
    condition = stripped(list(tree.words[1 : joint.index]))
    opened = Piece(f"if the user {third_person(command.lower)}", command)
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

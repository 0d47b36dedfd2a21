"""Tells pasts that may as well be participles: "restored", "set on fire", "spread over two days"."""

from __future__ import annotations

from vista_stream.core.extraction.inflection import forms, past
from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import NOUN_TAGS
from vista_stream.core.text.stems import word_set

TAKING_OBJECTS = word_set(
    """bound bought brought built caught fed held kept laid lent made put rebuilt sent set shot told"""
)
"""Irregular pasts that are participles too, of verbs that have an object unless they are passive."""
INTRANSITIVE = forms(
    *word_set(
        """move live work serve study die retire graduate play appear perform start continue return
        compete emigrate remain last star end occur happen participate collaborate focus debut
        premiere result belong exist arrive settle travel peak"""
    )
)  # fmt: skip


def taken_for_past(tree: Tree, word: Word) -> bool:
    """Whether a past may as well be a participle: 'restored', 'set on fire', but not 'wrote' or 'died'."""
    if word.tag != "VBD" or word.lower in INTRANSITIVE:
        return False
    following = tree.words[word.index + 1 : word.index + 2]
    leaving = word.lower == "set" and any(w.lower in ("out", "off", "forth") for w in following)
    held = leaving or _with_object(tree, word)
    return word.lower.endswith("ed") or (word.lower in TAKING_OBJECTS and not held)


def adds(tree: Tree, word: Word) -> bool:
    """Whether a verb without an object behind it is surely a participle or may be one, as "spread" may."""
    invariant = word.tag == "VBD" and past(word.lower) == word.lower
    open_ = word.tag == "VBN" or invariant or taken_for_past(tree, word)
    return open_ and not _with_object(tree, word)


def _with_object(tree: Tree, word: Word) -> bool:
    following = tree.words[word.index + 1 : word.index + 2]
    return any(w.tag in (*NOUN_TAGS, "DT", "PRP", "PRP$", "CD") for w in following)

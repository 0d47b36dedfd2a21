"""Answers to yes-or-no questions, which state nothing without their question: "No, it isn't." """

from __future__ import annotations

import re
from collections.abc import Sequence

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.extraction.phrases import SUBJECTS
from vista_stream.core.text.stems import word_set

_AGREES = r"(?:yes|no|yeah|yep|nope|correct|that['’]s (?:right|correct)|true|false)"
_REGRETS = r"(?:(?:unfortunately|sadly|sorry|i['’]m (?:afraid|sorry)|of course|absolutely|certainly),?\s+)"
_ELLIPSIS = (
    r"(?:it|that|this|they|you|we|i|he|she|there)\s+(?:(?:is|are|am|was|were|could|do|does|did|would|has|have|had|"
    r"must|should|may|will|can)(?:n['’]t|\s?not)?|can['’]t|won['’]t)"
)
_POLAR = re.compile(
    rf"(?:{_AGREES}(?:\W+{_REGRETS}?{_ELLIPSIS})?|{_REGRETS}*{_ELLIPSIS}|{_REGRETS}not)\W*", re.IGNORECASE
)
_DENIES = re.compile(r"\b(?:no|nope|not|false|can['’]t|won['’]t|cannot)\b|n['’]t\b", re.IGNORECASE)
AUXILIARIES = word_set("is are am was were do does did has have had can could will would must should may")
_CONDITIONAL = word_set("should had were")
_ASKS_ANSWERER = word_set("you your yours or")
_USER = {"i": "the user", "me": "the user", "my": "the user's", "mine": "the user's"}
_OF_USER = {"am": "is", "do": "does", "have": "has"}


def is_polar(text: str) -> bool:
    """Whether a text only affirms or denies what was asked."""
    return _POLAR.fullmatch(text) is not None


def in_question_order(tree: Tree) -> bool:
    """Whether a sentence asks by its word order, also without a question mark: "What did you see"."""
    subject = tree.child(tree.roots[0], *SUBJECTS) if len(tree.roots) == 1 else None
    if subject is None:
        return False
    root, first, start = tree.roots[0], tree.words[0], tree.region(subject)[0].index
    fronted = [w for w in (root, *tree.children(root, "aux", "auxpass")) if w.lower in AUXILIARIES]
    asked = first.tag.startswith("W") or first in fronted
    return asked and any(w.index < start for w in fronted)


def opens_condition(tree: Tree) -> bool:
    """Whether a sentence in question order is a condition and what follows from it.

    "Should you be late, ring the bell."
    """
    words = tree.words
    return words[0].lower in _CONDITIONAL and words[-1].text == "." and any(w.text == "," for w in words)


def answered(question: str, tree: Tree, answer: str) -> str:
    """The statement that question and answer make: "Is it free?" and "No." give "it is not free."

    `tree` is the parse of the question. Empty where the question does not begin with an auxiliary and its
    subject, asks about the answerer, or asks which of two things is true.
    """
    words = tree.words
    subject = tree.child(tree.roots[0], *SUBJECTS) if len(tree.roots) == 1 else None
    if subject is None or words[0].lower not in AUXILIARIES or any(w.lower in _ASKS_ANSWERER for w in words):
        return ""
    named = tree.region(subject)
    if len(named) + 1 >= len([word for word in words if word.dep != "punct"]):
        # The parser reads "Are dogs allowed?" as a question about allowed dogs.
        named = tree.region(subject, cuts=[word.index for word in tree.children(subject, "acl")])
    if [word.index for word in named] != list(range(1, len(named) + 1)):
        return ""
    auxiliary = words[0].lower
    if named[0].lower == "i":
        auxiliary = _OF_USER.get(auxiliary, auxiliary)
    denial = "" if not _DENIES.search(answer) else "not" if auxiliary == "can" else " not"
    rest = [word for word in words[len(named) + 1 :] if word.dep != "punct"]
    said = [_written(named, question), auxiliary + denial, _written(rest, question)]
    return f"{' '.join(filter(None, said))}."


def _written(words: Sequence[Word], text: str) -> str:
    """The words as written in the text, with "the user" for "I"."""
    return "".join(
        _USER.get(word.lower, word.text) + " " * text[word.end : word.end + 1].isspace() for word in words
    ).strip()

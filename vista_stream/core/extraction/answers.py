"""Answers to yes-or-no questions, which state nothing without their question: "No, it isn't." """

from __future__ import annotations

import re

from vista_stream.core.extraction.parsing import Tree
from vista_stream.core.extraction.phrases import SUBJECTS
from vista_stream.core.text.stems import word_set

_AGREES = r"(?:yes|no|yeah|yep|nope|correct|that['’]s (?:right|correct)|true|false)"
_SURELY = r"(?:of course|absolutely|certainly|definitely|sure|indeed)"
_REGRETS = r"(?:(?:unfortunately|sadly|sorry|i['’]m (?:afraid|sorry)|of course|absolutely|certainly),?\s+)"
_ELLIPSIS = (
    r"(?:it|that|this|they|you|we|i|he|she|there)\s+(?:(?:is|are|am|was|were|could|do|does|did|would|has|have|had|"
    r"must|should|may|will|can)(?:n['’]t|\s?not)?|can['’]t|won['’]t)"
)
_POLAR = re.compile(
    rf"(?:{_AGREES}(?:\W+{_SURELY}(?: not)?)?(?:\W+{_REGRETS}?{_ELLIPSIS})?"
    rf"|{_REGRETS}*{_ELLIPSIS}|{_REGRETS}not)\W*",
    re.IGNORECASE,
)
_AGREED = re.compile(rf"{_AGREES}\b", re.IGNORECASE)
_ASSENT = re.compile(r"\b(?P<said>yes|yeah|yep|no|nope)\b(?=\s*(?:[,:;.!–—-]|$))", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:no|nope|not|false|can['’]t|won['’]t|cannot)\b|n['’]t\b", re.IGNORECASE)
AUXILIARIES = word_set("is are am was were do does did has have had can could will would must should may")
_CONDITIONAL = word_set("should had were")
_GLADLY = re.compile(rf"(?:{_SURELY}|gladly)(?: not)?\W*", re.IGNORECASE)
_REQUESTS = re.compile(r"(?:can|could|would|will) (?:you|u)\b|do you (?:want|mind)\b", re.IGNORECASE)
"""The beginning of a question that "of course" answers as a request rather than as a question."""


def is_polar(text: str, *, asked: str = "") -> bool:
    """Whether a text only affirms or denies what was `asked`, which may be a request."""
    asks = asked.partition(" ")[0].casefold() in AUXILIARIES and not _REQUESTS.match(asked)
    return (asks and _GLADLY.fullmatch(text) is not None) or _POLAR.fullmatch(text) is not None


def polar_part(text: str, skipped: int, *, asked: str) -> str:
    """What of a text only affirms or denies what was `asked`: all, or all but the `skipped` code points.

    "Hi Bob, no." Empty where neither does.
    """
    if is_polar(text, asked=asked):
        return text
    behind = text[skipped:] if not _AGREED.match(text) else ""
    return behind if is_polar(behind, asked=asked) else ""


def assent_of(opening: str) -> str:
    """The yes or no in what leads up to an answer that is no sentence: "No, except on Sundays"."""
    assent = _ASSENT.search(opening)
    return f"{assent['said']}, " if assent else ""


def denies(text: str) -> bool:
    """Whether a text that `is_polar` denies."""
    return _DENIES.search(text) is not None


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

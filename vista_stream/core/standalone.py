"""Whether a claim says by itself what it is about: "It costs 9 euros." and "For 30 days." do not.

Beside such a claim, a statement of another turn may be about something else.
"""

from __future__ import annotations

import re

from vista_stream.core.extraction.answers import AUXILIARIES, WANTS
from vista_stream.core.extraction.questions import is_bare
from vista_stream.core.rules.wording import FUNCTION, atoms_of
from vista_stream.core.text.stems import word_set

_OPEN = re.compile(
    r"\b(?:it|he|him|she|they|them|hers|theirs|ones|her(?=\W*$))\b"
    r"|\b(?:the|that|this|an?|other)(?: \w+)? one\b"
    r"|\b(?:this|these|those)\b(?! (?:who|with|under|over|aged|that|of)\b)"
    r"|(?:^|[,.?!:] |\b(?:is|was|does|did|can|could|will|would|about|for) )that\b(?! (?:the|an?)\b)",
    re.IGNORECASE,
)
"""A pronoun that may mean something outside of the claim."""
_BEHIND = re.compile(
    r"\b(?:before|after|until|till|when|because|although|though|while|since|as|once)\s+\Z", re.IGNORECASE
)
"""Before a pronoun that means the subject of what stands before: "The tower stood until it fell."."""
_SUBJECTS = word_set("it he she they")
_OWN = re.compile(r"\b(?:its|his|her|their)\b", re.IGNORECASE)
"""A pronoun that means something before it, in the claim if there is anything."""
_PREPOSITIONS = word_set(
    "for on at in by from to until till with without within after before about between under over per of"
)
_FEWEST_WORDS = {True: 3, False: 2}
"""Fewest content words that a subject and a verb make: behind a preposition, and else."""


def is_standalone(text: str) -> bool:
    """Whether a claim has a subject and a verb, as far as its words show, and no pronoun left open."""
    if not all(_means_subject(text, found) for found in _OPEN.finditer(text)):
        return False
    own = _OWN.search(text)
    return not (own and not _content(text[: own.start()])) and _states(text)


def _means_subject(text: str, pronoun: re.Match[str]) -> bool:
    """Whether a pronoun is the subject behind a statement of the claim with a subject of its own."""
    joint = _BEHIND.search(text, 0, pronoun.start())
    before = text[: joint.start()] if joint else ""
    return pronoun[0].lower() in _SUBJECTS and not _OPEN.search(before) and _states(before)


def _states(text: str) -> bool:
    """Whether it is no phrase ("On Mondays.") and does not begin with its verb ("Is valid for a year.")."""
    atoms = atoms_of(text)
    asked, mark, _ = text.rpartition("?")
    if mark:
        return _asks(asked)
    if not atoms:
        return False
    if any(atom.key in AUXILIARIES for atom in atoms):
        return atoms[0].key not in AUXILIARIES
    return len(_content(text)) >= _FEWEST_WORDS[atoms[0].key in _PREPOSITIONS]


def _asks(question: str) -> bool:
    """Whether a question before its answer has a verb, unlike "The pool? Yes.", as far as its words show."""
    words = [atom.key for atom in atoms_of(question)]
    wants = WANTS.match(question) is not None and not is_bare(question)
    return wants or any(word in AUXILIARIES for word in words)


def _content(text: str) -> list[str]:
    """Its words other than function words and values."""
    return [atom.key for atom in atoms_of(text) if atom.value is None and atom.key not in FUNCTION]

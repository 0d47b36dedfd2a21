"""Answers for one of two things that were asked about: "Are dogs and cats allowed?" and "Dogs, yes." """

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from vista_stream.core.extraction.parsing import Tree, Word
from vista_stream.core.text.stems import stem

_CHOICE = re.compile(
    r"(?P<only>only |just )?(?P<what>[^,;:.!?]{2,40})(?:,? (?P<assent>yes|no))?[.!]*", re.IGNORECASE
)
_NOT_ONE = re.compile(r"(?:no|not|none|neither|both|yes)\b", re.IGNORECASE)
OF_ONE = {"am": "is", "are": "is", "were": "was", "have": "has", "do": "does"}
"""The verbs that begin a question, in the form for one person or thing."""


class Part(NamedTuple):
    """A question about one of two things, and its answer."""

    words: list[Word]
    answer: str


def chosen(tree: Tree, words: Sequence[Word], answer: str) -> list[Part]:
    """The question about the one of two things that an answer names, with its "yes" or "no".

    Behind "only" the other one is denied too. Empty where the answer names neither, or says more.
    """
    told = _CHOICE.fullmatch(answer)
    if told is None or _NOT_ONE.match(told["what"]):
        return []
    named = stem(told["what"].split()[-1].casefold())
    for first in words:
        joined = tree.children(first, "conj")
        if len(joined) != 1 or first.tag[:2] != joined[0].tag[:2]:
            continue
        second = [replace(w, dep=first.dep) if w == joined[0] else w for w in tree.region(joined[0])]
        things = [_phrase(tree, first), second]
        picked = [any(stem(word.lower) == named for word in thing) for thing in things]
        if sum(picked) == 1:
            one, other = things if picked[0] else things[::-1]
            start, end = things[0][0].index, things[1][-1].index
            parts = [Part(_narrowed(words, start, end, one), told["assent"] or "Yes")]
            denied = [Part(_narrowed(words, start, end, other), "No")] if told["only"] else []
            return parts + denied
    return []


def _phrase(tree: Tree, first: Word) -> list[Word]:
    """The first of two things, with its own words alone."""
    return tree.region(first, cuts=[word.index for word in tree.children(first, "conj", "cc", "punct")])


def _narrowed(words: Sequence[Word], start: int, end: int, thing: Sequence[Word]) -> list[Word]:
    """The question's words with one thing in the place of both, and its verb in the form for that."""
    left = [*(w for w in words if w.index < start), *thing, *(w for w in words if w.index > end)]
    verb, one = left[0], thing[-1]
    first = thing[0].index in (1, start) and left[1:2] == [thing[0]]  # the subject
    if first and one.tag in ("NN", "NNP") and verb.lower in OF_ONE:
        left[0] = replace(verb, text=OF_ONE[verb.lower])
    return left

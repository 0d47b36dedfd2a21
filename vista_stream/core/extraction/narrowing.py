"""Adds what a follow-up question asks about to its answer: "And on Sundays?" and "It is closed."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from vista_stream.core.extraction.answer_sorts import PERIOD, sort_of_answer
from vista_stream.core.extraction.parsing import Word
from vista_stream.core.extraction.phrases import DASHES, SUBJECTS, Clause, Piece
from vista_stream.core.text.stems import stem, stems_in, word_set

_PERIOD = re.compile(rf"{PERIOD}|[12]\d\d\d", re.IGNORECASE)
_POINTING = word_set("that this these those")
_TIMELESS = word_set("always never daily ever any every each all throughout")
"""Words of a clause that tells when it is true, as a date does."""
_MEANT = {"there": "place", "then": "time"}


def narrowed(clause: Clause, part: str, question: str) -> Clause:
    """The clause with the part that was asked, "on Sundays": "The museum is closed on Sundays".

    As it is where its subject is not that of the question, or where it tells of a part of the same sort.
    """
    words = clause.words
    subject = next((word for word in words if word.dep in SUBJECTS), None)
    below = any(word.dep == "advcl" and subject and word.index == subject.head for word in words)
    if subject is None or below or not _is_asked(subject, question):
        return clause
    meant = [word for word in words if word.tag == "RB" and _MEANT.get(word.lower) == sort_of_answer(part)]
    if meant:
        at = next(k for k, piece in enumerate(clause.pieces) if piece.word == meant[0])
        return Clause((*clause.pieces[:at], Piece(part), *clause.pieces[at + 1 :]))
    if _has_one(words, part):
        return clause
    marks = (k for k, piece in enumerate(clause.pieces) if k and piece.word and piece.word.dep == "mark")
    end = next(marks, len(clause.pieces))  # before "because it rains"
    while end and clause.pieces[end - 1].text in DASHES | {".", "!"}:
        end -= 1
    return Clause((*clause.pieces[:end], Piece(part), *clause.pieces[end:]))


def _is_asked(subject: Word, question: str) -> bool:
    """Whether the subject is a pronoun, or of the question's own words."""
    pronoun = subject.tag in ("PRP", "EX") or subject.lower in _POINTING
    return pronoun or stem(subject.lower) in stems_in(question)


def _has_one(words: Sequence[Word], part: str) -> bool:
    """Whether the words have a phrase of the part's sort or preposition, or the noun of the part itself."""
    first, last = part.split()[0].casefold(), part.split()[-1]
    if stem(last.casefold()) in {stem(word.lower) for word in words} or any(w.lower == first for w in words):
        return True
    sort = sort_of_answer(part)
    if sort == "time":
        return any(word.lower in _TIMELESS or _PERIOD.fullmatch(word.text) for word in words)
    return sort == "place" and any(_is_place(at, after) for at, after in pairwise(words))


def _is_place(preposition: Word, after: Word) -> bool:
    """Whether two words begin a phrase of a place, "on the terrace", and not "on a lead"."""
    named = after.lower not in ("a", "an")
    return (
        preposition.tag == "IN" and named and sort_of_answer(f"{preposition.lower} {after.text}") == "place"
    )

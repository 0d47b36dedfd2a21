"""Edits of a text: replacements of character ranges that can be combined where they do not touch."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from vista_stream.training.rows import Label

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


class Edit(NamedTuple):
    """Put `new` where characters `start` to `end` are."""

    start: int
    end: int
    new: str


class Move(NamedTuple):
    """One change of a sentence: its name and the edits that make it (offsets in the sentence)."""

    name: str
    edits: tuple[Edit, ...]


class Made(NamedTuple):
    """A generated pair before it is given a licence."""

    premise: str
    hypothesis: str
    label: Label
    edit: str


_ARTICLE: Final = re.compile(r"\b([Aa]n?) $")
_TIDY: Final = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"\s+", " "),
        (r" ([,.;:)])", r"\1"),
        (r",(?:\s*,)+", ","),
        (r",\s*\.", "."),
        (r"\(\s*\)", ""),
        (r"\.\.+$", "."),
        (r"\s+", " "),
    )
)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits` made (none may overlap), spaces and commas tidied, an initial capital."""
    for edit in sorted(edits, reverse=True):
        before = text[: edit.start]
        article = _ARTICLE.search(before)
        if article and edit.new and edit.end > edit.start:
            before = before[: article.start()] + _article(article.group(1), edit.new) + " "
        text = before + edit.new + text[edit.end :]
    for pattern, new in _TIDY:
        text = pattern.sub(new, text)
    text = text.strip(" ,")
    return text[:1].upper() + text[1:]


def _article(given: str, following: str) -> str:
    """Return `a` or `an`, whichever fits `following`, capitalised as `given` is."""
    return given[0] + ("n" if following[:1].lower() in {*"aeiou"} else "")


def apart(edits: Sequence[Edit]) -> bool:
    """Whether no two of `edits` touch."""
    ordered = sorted(edits)
    return all(left.end < right.start for left, right in itertools.pairwise(ordered))


def bounds(sentence: Span, first: Token, last: Token) -> tuple[int, int]:
    """Return the character range from `first` to `last` inclusive, counted from the start of `sentence`."""
    return first.idx - sentence.start_char, last.idx + len(last) - sentence.start_char


def uncapped(first: Token, text: str) -> str:
    """Return `text`, which opens with the token `first`, as it is written inside a sentence."""
    keeps = first.pos_ == "PROPN" or (first.ent_type_ and first.lower_ != "the") or first.text == "I"
    acronym = first.text[1:] != first.text[1:].lower()
    return text if keeps or acronym else text[:1].lower() + text[1:]


def occurrences(text: str, words: str) -> int:
    """Return how often `words` occur in `text` as whole words."""
    return len(re.findall(rf"(?<!\w){re.escape(words)}(?!\w)", text))


def substitute(text: str, old: str, new: str) -> str:
    """Return `text` with each `old` that is a whole word replaced by `new`; `a` and `an` are corrected."""

    def exchanged(match: re.Match[str]) -> str:
        before = match.group(1)
        return f"{_article(before, new)} {new}" if before else new

    return re.sub(rf"(?<!\w)(?:([Aa]n?) )?{re.escape(old)}(?!\w)", exchanged, text)

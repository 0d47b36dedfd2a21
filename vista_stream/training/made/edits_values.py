"""Changes values in a claim: numbers, dates, units, opposites, order and comparison words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from vista_stream.training.made import lexicon
from vista_stream.training.made.edits import Made, occurrences, substitute

_BOUNDED: Final = re.compile(
    r"\b(?:over|under|than|least|most|up to|nearly|almost|about|around|approximately|within|before|after|"
    r"since|until|by|exceeding|roughly)\s+[$£€]?$",
    re.IGNORECASE,
)
"""Words after which another number may also be true."""


class Change(NamedTuple):
    """One word or phrase, and its replacement."""

    kind: str
    old: str
    new: str


_YEAR: Final = re.compile(r"(?<![\w.,$£€-])(1[0-9]{3}|20[0-2][0-9])(?![\w%-]|[.,]\d)")
_DECADE: Final = re.compile(r"\b(1[0-9]|20)([0-9])0s\b")
_NUMBER: Final = re.compile(r"(?<![\w.,:/-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\w:/-]|[.,]\d)")
_MONTH: Final = re.compile(
    rf"\b({'|'.join(lexicon.MONTHS)})\b(?=,? \d)|(?<=\d )({'|'.join(lexicon.MONTHS)})\b"
)
_NUMBER_WORD: Final = re.compile(
    rf"\b({'|'.join([*lexicon.NUMBER_WORDS, *lexicon.ORDINALS])})\b(?! (?:of|to))"
)
_UNIT: Final = re.compile(
    rf"(?:\d|{'|'.join(lexicon.NUMBER_WORDS)}) ({'|'.join(sorted(lexicon.UNITS, key=len, reverse=True))})\b"
)
_WORD: Final = re.compile(r"(?<![\w'-])[a-z]+(?:-[a-z]+)?(?![\w'-])")
_SET_PHRASES: Final = re.compile(
    r"\b(?:high school|year-old|years old|right to|rights|at least|at most|more than one|at first|at last|"
    r"last name|first name|as well|no longer|any longer|other than|rather than|first-person|left behind|"
    r"better known|best known|over time|light of|real estate|major league|front of|one or more|more or less|"
    r"upper house|lower house|top of|north of|right now|most of|found(?:ed)? out|common name|"
    r"d better|fast food|human rights|last year|world war|civil war)\b",
    re.IGNORECASE,
)
HEDGES: Final = re.compile(
    r"\b(?:before|after|over|under|more|less|least|most|than|about|around|nearly|almost|up to|between|within|"
    r"early|late|since|until|or|not|never|no|only|any|every|if|both|either|multiple|several|"
    r"various|some)\b|n't",
    re.IGNORECASE,
)
"""Wordings with which a changed value may still be true."""


def changes(text: str, rng: random.Random) -> list[Change]:
    """Return the values of `text` that can be changed, one change each, in order of kind and place."""
    found = [*_numbers(text, rng), *_months(text, rng), *_units(text, rng), *_words(text)]
    return [change for change in found if change.old != change.new and occurrences(text, change.old) == 1]


def twins(premise: str, hypothesis: str, change: Change) -> Iterator[Made]:
    """Yield the four pairs made from an entailed pair in which the value occurs once in each text.

    Both wordings of the hypothesis occur once entailed and once contradicted, so that the hypothesis does not
    reveal the label.
    """
    if occurrences(premise, change.old) != 1 or occurrences(hypothesis, change.old) != 1:
        return
    if occurrences(premise, change.new) or occurrences(hypothesis, change.new):
        return
    other_premise = substitute(premise, change.old, change.new)
    other = substitute(hypothesis, change.old, change.new)
    yield Made(premise, hypothesis, "entailment", f"{change.kind}_twin")
    yield Made(premise, other, "contradiction", change.kind)
    yield Made(other_premise, other, "entailment", f"{change.kind}_twin")
    yield Made(other_premise, hypothesis, "contradiction", change.kind)


def _numbers(text: str, rng: random.Random) -> Iterator[Change]:
    for match in _YEAR.finditer(text):
        if not _BOUNDED.search(text[: match.start()]):
            shift = rng.choice((-1, 1)) * rng.choice((1, 2, 3, 4, 7, 10, 13, 20, 30, 100))
            yield Change("date", match.group(), str(min(int(match.group()) + shift, 2026)))
    for match in _DECADE.finditer(text):
        digit = rng.choice([d for d in "0123456789" if d != match.group(2)])
        yield Change("date", match.group(), f"{match.group(1)}{digit}0s")
    for match in _NUMBER.finditer(text):
        if not _YEAR.fullmatch(match.group()) and not _BOUNDED.search(text[: match.start()]):
            yield Change(
                *_other_day(match, rng) or ("number", match.group(), _other_number(match.group(), rng))
            )
    for match in _NUMBER_WORD.finditer(text):
        if not _BOUNDED.search(text[: match.start()]):
            words = lexicon.ORDINALS if match.group() in lexicon.ORDINALS else tuple(lexicon.NUMBER_WORDS)
            yield Change(
                "number", match.group(), rng.choice([word for word in words if word != match.group()])
            )


def _other_day(match: re.Match[str], rng: random.Random) -> tuple[str, str, str] | None:
    """Return another day of the month where the number is one."""
    before, after = match.string[: match.start()].split()[-1:], match.string[match.end() :].split()[:1]
    if not {*before, *(word.strip(",.") for word in after)} & {*lexicon.MONTHS}:
        return None
    return "date", match.group(), rng.choice([str(day) for day in range(1, 29) if str(day) != match.group()])


def _other_number(number: str, rng: random.Random) -> str:
    """Return another number of the same form: decimals and thousands marks are kept."""
    decimals = len(number.partition(".")[2])
    value = float(number.replace(",", ""))
    while True:
        if value <= 31 and not decimals:
            other = float(max(1, round(value) + rng.choice((-9, -5, -3, -2, -1, 1, 2, 3, 5, 9))))
        else:
            other = value * rng.choice((0.3, 0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.5, 2, 3))
        marks = "," if "," in number else ""
        written = f"{other:{marks}.{decimals}f}"
        if written != number:
            return written


def _months(text: str, rng: random.Random) -> Iterator[Change]:
    for match in _MONTH.finditer(text):
        yield Change("date", match.group(), rng.choice([m for m in lexicon.MONTHS if m != match.group()]))


def _units(text: str, rng: random.Random) -> Iterator[Change]:
    for match in _UNIT.finditer(text):
        yield Change("unit", match.group(1), rng.choice(lexicon.UNITS[match.group(1)]))


def _words(text: str) -> Iterator[Change]:
    """Yield opposites; a word inside a set phrase or beside a hyphen is left alone."""
    blocked = [match.span() for match in _SET_PHRASES.finditer(text)]
    for match in _WORD.finditer(text):
        word = match.group()
        if any(start <= match.start() < end for start, end in blocked):
            continue
        if word in {"over", "under"} and not re.match(r" \d", text[match.end() :]):
            continue
        for kind, words in (
            ("order", lexicon.ORDER),
            ("comparison", lexicon.COMPARISON),
            ("antonym", lexicon.ANTONYMS),
        ):
            if word in words:
                yield Change(kind, word, words[word])
                break

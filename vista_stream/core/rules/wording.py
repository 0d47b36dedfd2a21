"""Reads a sentence as atoms: words, numbers and dates in one spelling, with negation and punctuation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from vista_stream.caching import cached_by_scope
from vista_stream.core.rules.dates import Date, opens_date, read_date
from vista_stream.core.rules.hedges import DENIALS
from vista_stream.core.rules.quantities import Quantity, opens_quantity, read_quantity
from vista_stream.core.rules.tokens import read_tokens, stronger
from vista_stream.core.text.stems import stem, word_set

Value: TypeAlias = Quantity | Date


@dataclass(frozen=True, slots=True)
class Atom:
    """One unit of comparison. Articles, negations and punctuation become fields of the atom after them."""

    key: str
    """Lower-case spelling."""
    stem: str
    """The stem of a word, shared by its forms; empty for a value."""
    value: Value | None = None
    """The number or date, if the atom is one."""
    written: str = ""
    """A value's words as written, in their case: "5 MW" is not "5 mW"; empty for a word."""
    negated: bool = False
    """Whether an odd number of negations precedes it."""
    boundary: str = ""
    """The punctuation before it: "," for a comma and the like, "(" and ")" for brackets, else empty."""
    name: bool = False
    """Whether it is a capitalised word that is not the first atom."""
    indefinite: bool = False
    """Whether "a" or "an" precedes it."""
    definite: bool = False
    """Whether "the" precedes it."""
    restricts: bool = False
    """Whether its negation does not belong to a verb and may be restrictive: "tickets not used"."""
    signs: str = ""
    """The signs that belong to it and are not read: "₩" of "₩5,000", "‰" of "5‰"."""
    past: bool = False
    """Whether "did not" or "failed to" precedes it: "win" in "did not win" is "won", denied."""


_YEAR = re.compile(r"\d{4}")
_ARTICLES = frozenset({"a", "an", "the"})
_KEEP_ARTICLE = frozenset({"few", "little", "lot", "bit"})
_NEGATIONS = frozenset({"not", "never", "no", "neither", "nor", "none", "without"})
_ANSWERS = frozenset({"yes", "no", "none"})
_FAILURES = frozenset({"failed", "fails", "fail", "failing"})
_SUPPORT = frozenset({"do", "does", "did"})
_AT_DATES = frozenset({"in", "on", "at"})
_CARRIERS = _SUPPORT | word_set(
    "is are was were am be been has have had can could will would must shall should ought dare need"
)
"""Verbs whose "not" denies the statement. "may" and "might" are not here: "might" and "might not" can both be
true."""
_ADVERBS = word_set(
    "also still probably really actually currently usually generally certainly definitely ever yet just"
)
_WHOLES = word_set("all every everyone everything everybody each many much")
_PREPOSITIONS = word_set("with of for at on from by to under having")


def _carries(word: str) -> bool:
    return word in _CARRIERS or word.endswith(("'s", "'re", "'m", "'ve", "'ll", "'d"))


def numbers_of(atom: Atom) -> frozenset[float]:
    """The numbers of an atom: a quantity's as written and in its base unit, a date's years."""
    match atom.value:
        case Quantity(low=low, high=high, number=number):
            return frozenset((low, high, number))
        case Date(years=(first, last)):
            return frozenset((first, last))
    return frozenset()


def tells_ahead(after: Sequence[Atom]) -> bool:
    """Whether the atoms after a length of time make it a time ahead: "a day before", "a month in advance"."""
    words = [atom.key for atom in after[:2]]
    return words[:1] != [] and (words[0] in _AHEAD or words == ["in", "advance"])


@cached_by_scope(512)  # as of `compare.prepare`; the ranking of claims asks too
def atoms_of(text: str) -> tuple[Atom, ...]:
    """The atoms of a sentence, in order."""
    reader = _Reader(*read_tokens(text))
    while reader.at < reader.end:
        reader.step()
    return reader.finish()


class _Reader:
    """Reads atoms off words, from left to right."""

    def __init__(self, words: Sequence[str], boundaries: Sequence[str], signs: Sequence[str]) -> None:
        self._words = words
        self._boundaries = boundaries
        self._signs = signs
        self.at, self.end = 0, len(words)
        self._taken = 0  # words that are in atoms, or were skipped before one
        self.atoms: list[Atom] = []
        self._negated = False
        self._indefinite = False
        self._definite = False
        self._restricts = False
        self._past = False
        self._boundary = ""

    def step(self) -> None:
        """Take one word, or the words of one number or date."""
        self._boundary = stronger(self._boundary, self._boundaries[self.at])
        if self._skip():
            return
        if not self._read_value():
            self._read_word()

    def finish(self) -> tuple[Atom, ...]:
        """All atoms; a negation at the end ("I do not") is given to the last atom."""
        if self._negated and self.atoms:
            self._deny_before()
        return tuple(self.atoms)

    def _ahead(self, offset: int = 1) -> str:
        at = self.at + offset
        return self._words[at].lower() if at < len(self._words) else ""

    def _skip(self) -> bool:
        """Read past an article, a negation, the "did" of "did not" or the "in" of "in 1990", if any."""
        word = self._words[self.at].lower()
        if word in _ANSWERS and self._set_apart():
            if self.atoms and word != "yes":
                self._deny_before()
        elif word in _NEGATIONS and not (word in DENIALS and self._hedged()):
            self._deny(word)
        elif word in _FAILURES and self._ahead() == "to":
            self._deny(word)
            self._past = word == "failed"
            self.at += 1
        elif word in _SUPPORT and self._ahead() in ("not", "never"):
            self._past = word == "did"
        elif word in _ARTICLES:
            if self._ahead() in _KEEP_ARTICLE or self._hedged():
                return False
            self._indefinite, self._definite = word != "the", word == "the"
        elif not (word in _AT_DATES and self._before_date()):
            return False
        self.at += 1
        return True

    def _set_apart(self) -> bool:
        """Whether the word has punctuation on both sides; the sentence's own ends count, but not both."""
        last = self.at + 1 == len(self._words)
        after = bool(self.atoms) if last else bool(self._boundaries[self.at + 1])
        return after and bool(self._boundary or not self.atoms)

    def _deny_before(self) -> None:
        """Deny what stands before a "no" that is set apart: "Pets: no, parking: yes"."""
        self.atoms[-1] = replace(self.atoms[-1], negated=not self.atoms[-1].negated)

    def _deny(self, word: str) -> None:
        self._negated = not self._negated
        self._restricts = self._restricts or self._picks_out(word)
        if word == "without":
            self._append("with", "with", None, 0)

    def _picks_out(self, word: str) -> bool:
        """Whether the negation here belongs to no verb: "not" without an auxiliary, "with no", "without"."""
        at = self.at - 1
        while at > 0 and self._words[at].lower() in _ADVERBS:
            at -= 1
        before = self._words[at].lower() if at >= 0 else ""
        match word:
            case "not":
                return self._ahead() not in _WHOLES if at < 0 else not _carries(before)
            case "no":
                return before in _PREPOSITIONS or before.endswith("ing")
        return word in ("without", "failing")

    def _hedged(self) -> bool:
        return self._quantity() is not None

    def _before_date(self) -> bool:
        at = self.at + 1 + (self._ahead() == "the")
        at += at < len(self._words) and self._words[at].lower() == "year"
        return at < len(self._words) and self._date(at) is not None

    def _date(self, at: int) -> tuple[Date, int] | None:
        """The date at `at`, and how many words it takes; None where none begins there.

        No bracket may be inside it. A comma may precede its year, but nothing its day: "In August: 9 p.m."
        A bare year right beside a name is part of that name.
        """
        if not opens_date(self._words[at].lower()):
            return None
        parted = any(self._boundaries[at + 1 : at + 2]) and not _YEAR.fullmatch(self._words[at + 1])
        found = read_date(self._words[: at + 1] if parted else self._words, at)
        if found is None or "(" in self._boundaries[at + 1 : at + found[1]]:
            return None
        return None if self._in_name(at, found[1]) and found[1] == 1 else found

    def _quantity(self) -> tuple[Quantity, int] | None:
        opens = opens_quantity(self._words[self.at].lower())
        return read_quantity(self._words, self.at) if opens else None

    def _in_name(self, at: int, length: int) -> bool:
        """Whether a bare number is part of a name: "Apollo 11", "2010 World Cup"."""
        before = self._words[at - 1] if at else ""
        after_at = at + length
        after = self._words[after_at] if after_at < len(self._words) else ""
        leads = after[:1].isupper() and not self._boundaries[after_at]
        follows = (
            at > 0
            and before[:1].isupper()
            and not self._boundaries[at]
            and before.lower() not in _SENTENCE_OPENERS
        )
        return leads or follows

    def _read_value(self) -> bool:
        if self._words[self.at].lower() == "year" and self._before_date():
            self.at += 1
            return True
        found: tuple[Value, int] | None = self._date(self.at) or self._quantity()
        if found is None:
            return False
        value, length = found
        counted = isinstance(value, Quantity) and value.dimension in ("", "code") and not value.hedge
        bare = counted and length == 1
        if bare and self._words[self.at][0].isdigit() and self._in_name(self.at, length):
            return False
        self._append(self._written(length).lower(), "", value, length)
        return True

    def _written(self, length: int) -> str:
        return " ".join(self._words[self.at : self.at + length])

    def _read_word(self) -> None:
        word = self._words[self.at]
        lower = word.lower().rstrip(".") if len(word) > 2 else word.lower()
        self._append(lower, stem(lower), None)

    def _append(self, key: str, root: str, value: Value | None, length: int = 1) -> None:
        name = value is None and bool(self.atoms) and self._words[self.at][:1].isupper()
        self.atoms.append(
            Atom(
                key,
                root,
                value,
                written="" if value is None else self._written(length),
                negated=self._negated,
                boundary=self._boundary,
                name=name,
                indefinite=self._indefinite,
                definite=self._definite,
                restricts=self._restricts,
                signs="".join(self._signs[self._taken : self.at + length]),
                past=self._past,
            )
        )
        self._negated = self._indefinite = self._definite = self._restricts = self._past = False
        self._boundary = ""
        self.at += length
        self._taken = self.at


FUNCTION = word_set(
    """
    is are was were am be been being has have had do does did will would can could may might must shall
    should in on at of for from by to with as into about after before during over under and but or that which
    who whom it its this these those there he she they his her their him them we i our my you your so also
    then than
    """
)
"""Function words, which need not be the same in claim and evidence."""
_AHEAD = word_set("before ahead prior")
COMMANDS = word_set(
    """
    take use return pay add preheat set heat bake cook boil allow wait bring keep expect apply call press give
    drink eat send leave arrive stay mix pour insert enter choose dial write submit
    """
)
"""Verbs with which an instruction may begin."""
_SENTENCE_OPENERS = COMMANDS | word_set(
    """
    in on by at since from until during after before between the around about over only of and with to
    for as there it he she they we i its his her their has had have was is are were
    """
)

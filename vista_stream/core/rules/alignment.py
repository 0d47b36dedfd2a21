"""Aligns two sentences: each atom of the claim with one of the evidence, in order.

Only the evidence may have more atoms, and only where they seldom change the meaning of the rest: in brackets,
between commas, before a comma at the front, or at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import FUNCTION, Atom
from vista_stream.core.text.stems import is_past, may_be_past, word_set


@dataclass(frozen=True, slots=True)
class Alignment:
    """The pairs of atoms that match, and the evidence's other atoms."""

    pairs: tuple[tuple[Atom, Atom], ...]
    """Pairs (atom of the claim, atom of the evidence), in order."""
    lead: tuple[Atom, ...] = ()
    """The evidence's atoms before the first pair: an opening such as "In 1990,"."""
    skipped: tuple[Atom, ...] = ()
    """The evidence's atoms left out between the pairs."""
    rest: tuple[Atom, ...] = ()
    """The evidence's atoms after the last pair."""

    @property
    def complete(self) -> bool:
        """Whether the evidence has no other atoms."""
        return not self.lead and not self.skipped and not self.rest

    @property
    def one_tense(self) -> bool:
        """Whether both tell of the past, or neither does, as far as the forms of their verbs differ."""
        mine = any(_tells_past(own, beside=other) for own, other in self.pairs)
        return mine == any(_tells_past(other, beside=own) for own, other in self.pairs)


def _tells_past(atom: Atom, *, beside: Atom) -> bool:
    """Whether a verb is in the past, unless it has the same form as the one beside it: "had", not "built"."""
    if atom.past or beside.past:
        return atom.past or may_be_past(atom.key)
    return atom.key != beside.key and is_past(atom.key)


APPOSITIONS = word_set(
    """
    who which whose born also known formerly now located founded built named written published released
    nicknamed directed see
    """
)
"""Words that begin an aside that only describes what precedes it."""
_LEADERS = word_set("in on at during since from after before by as")
_LONGEST_SKIP = 14
"""Bound on the atoms of the evidence that are skipped in one place."""


def align(claim: Sequence[Atom], evidence: Sequence[Atom]) -> Alignment | None:
    """Align the claim with the evidence; None where an atom of the claim has no match in order.

    Words match by their stems. Numbers and dates match by their sort only; the rules compare their values.
    """
    for start in _starts(claim, evidence):
        alignment = _align_from(claim, evidence, start)
        if alignment:
            return alignment
    return None


def _starts(claim: Sequence[Atom], evidence: Sequence[Atom]) -> list[int]:
    """Where in the evidence the claim may begin: at the front, and after an opening such as "In 1990,"."""
    if not evidence or not (isinstance(evidence[0].value, Date) or evidence[0].key in _LEADERS):
        return [0]
    return [0] + [k for k in range(1, min(len(evidence), _LONGEST_SKIP)) if evidence[k].boundary == ","]


def _align_from(claim: Sequence[Atom], evidence: Sequence[Atom], start: int) -> Alignment | None:
    pairs: list[tuple[Atom, Atom]] = []
    skipped: list[Atom] = []
    at = start
    for own in claim:
        after = _place(own, evidence, at, first=not pairs)
        if after is None:
            return None
        skipped += evidence[at:after]
        pairs.append((own, evidence[after]))
        at = after + 1
    return Alignment(tuple(pairs), tuple(evidence[:start]), tuple(skipped), tuple(evidence[at:]))


def _place(own: Atom, evidence: Sequence[Atom], at: int, *, first: bool) -> int | None:
    """The index in the evidence of the claim's next atom: `at`, or after an insertion; None without one."""
    if at < len(evidence) and alike(own, evidence[at]):
        return at
    if first or at >= len(evidence):
        return None
    end = _insertion_end(evidence, at)
    return end if end is not None and end < len(evidence) and alike(own, evidence[end]) else None


def _insertion_end(evidence: Sequence[Atom], at: int) -> int | None:
    """The end of an insertion that begins at `at`: brackets, or an apposition between commas."""
    opening = evidence[at].boundary
    if opening == "(":
        wanted = ")"
    elif opening == "," and (evidence[at].key in APPOSITIONS or isinstance(evidence[at].value, Date)):
        wanted = ","
    else:
        return None
    for k in range(at + 1, min(at + _LONGEST_SKIP, len(evidence))):
        if evidence[k].boundary == wanted:
            return k if wanted == "," or describes(evidence[at:k], before=evidence[:at]) else None
    return None


def describes(bracket: Sequence[Atom], *, before: Sequence[Atom]) -> bool:
    """Whether brackets only describe what precedes them; "(adults)" does not, as it restricts the statement.

    They do with a date or the initials after a name, with an earlier number in another unit, or with a word
    of APPOSITIONS at their start. Another name says which one is meant: "Paris (Texas)".
    """
    first = bracket[0]
    if isinstance(first.value, Quantity):
        told = [atom.value.dimension for atom in before if isinstance(atom.value, Quantity)]
        return first.value.dimension != "" and first.value.dimension in told
    if first.key in APPOSITIONS:
        return True
    # "Parking is free (Sundays)" restricts.
    if not before or not before[-1].name or not all(_is_date(atom) or atom.name for atom in bracket):
        return False
    return any(map(_is_date, bracket)) or (len(bracket) == 1 and _initials(first, before))


def _is_date(atom: Atom) -> bool:
    return isinstance(atom.value, Date)


def _initials(short: Atom, before: Sequence[Atom]) -> bool:
    """Whether a word has the initials of the name before it: "World Health Fund (WHF)".

    It may leave out the name's last words, and write out "of": "Bank of America (BofA)".
    """
    letters = short.key.replace(".", "")
    start = len(before)
    while start > 0 and (start == 1 or before[start - 1].name or before[start - 1].key in FUNCTION):
        start -= 1
    words = [atom.key for atom in before[start:]]
    written = [word if word in FUNCTION else word[0] for word in words]
    told = ([word[0] for word in words], [word[0] for word in words if word not in FUNCTION], written)
    return any("".join(each[k:]).startswith(letters) for each in told for k in range(len(each)))


def alike(own: Atom, other: Atom) -> bool:
    """Whether both are the same word, or two values of one sort (numbers, ordinals, dates)."""
    if own.value is None or other.value is None:
        return own.value is other.value and own.stem == other.stem
    return sort_of(own) == sort_of(other)


def sort_of(atom: Atom) -> str:
    """ "date", "ordinal", "number", or empty for a word."""
    match atom.value:
        case Date():
            return "date"
        case Quantity(dimension="ordinal"):
            return "ordinal"
        case Quantity():
            return "number"
    return ""

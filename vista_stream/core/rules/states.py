"""When something is open or closed, told by when it opens or closes: a state lasts, a value is its start."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vista_stream.core.rules.dates import Date, lies_between
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import Atom, Value
from vista_stream.core.text.stems import stem, word_set

_STATES = word_set("open closed shut")
_PRESENT = word_set("is are")
"""Behind another form of "be" than these "closed" and "shut" may tell a deed: "was closed in 2011"."""
_ENDS = word_set("from since until till to")
"""Words that make the value behind them the start or the end of a state."""
_BE = stem("be")
_EVENTS = frozenset(map(stem, ("open", "close", "shut", "start", "begin", "stop", "end", "finish")))
"""Stems of verbs for the start or the end of something, which are not true all the time between."""
_DAY = 24 * 60


def holds_then(own: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether the claim's value may lie within a state, of which the sentence has the start, or the reverse.

    "The shop opens at nine and closes at six" has it open at noon, not at eight.
    """
    if _has_ends(claim) or _has_ends(sentence):
        return False
    state = next((k for k in range(1, len(claim)) if _is_state(claim, k)), 0)
    if not state:
        told = next((k for k in range(1, len(sentence)) if _is_state(sentence, k)), 0)
        return bool(told) and any(atom.stem == sentence[told].stem for atom in claim)
    start = next((k for k, atom in enumerate(sentence) if atom.stem == claim[state].stem), len(sentence))
    if start == len(sentence) or _is_state(sentence, start):
        return False
    values = [atom.value for atom in (*sentence[start:], *sentence[:start]) if atom.value is not None]
    ends = [value for value in values if _sort(value) == _sort(own.value)]
    return bool(ends) and _lasts(own.value, ends)


def tells_event(atoms: Sequence[Atom]) -> bool:
    """Whether a claim tells when something starts or ends, "opens at ten", and not that it lasts."""
    return any(atom.stem in _EVENTS and not _is_state(atoms, k) for k, atom in enumerate(atoms))


def _is_state(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the word there is a state, with a form of "be" before it: "is open", "are closed"."""
    key, before = atoms[at].key, [atom for atom in atoms[max(at - 2, 0) : at] if atom.stem == _BE]
    return key in _STATES and any(key == "open" or atom.key in _PRESENT for atom in before)


def _has_ends(atoms: Sequence[Atom]) -> bool:
    return any(one.key in _ENDS and two.value is not None for one, two in pairwise(atoms))


def _sort(value: Value | None) -> str:
    return value.dimension if isinstance(value, Quantity) else type(value).__name__


def _lasts(value: Value | None, ends: Sequence[Value]) -> bool:
    """Whether a state, whose start comes first of its ends, may last at a value of their sort."""
    start, *others = ends
    if others:
        return lies_within(value, start, others[0])
    if isinstance(value, Quantity) and isinstance(start, Quantity) and value.dimension == "clock":
        return value.low >= start.low
    return True


def lies_within(value: Value | None, first: Value | None, last: Value | None) -> bool:
    """Whether a date lies in a span of dates, or a time of day in one that may go on into the next day."""
    if isinstance(value, Date) and isinstance(first, Date) and isinstance(last, Date):
        return lies_between(value, first, last)
    if not (isinstance(value, Quantity) and isinstance(first, Quantity) and isinstance(last, Quantity)):
        return False
    clocks = value.dimension == first.dimension == last.dimension == "clock"
    return clocks and (value.low - first.low) % _DAY <= (last.low - first.low) % _DAY

"""Finds numbers and dates of a claim that its evidence does not give, after a model has verified the claim.

A model may overlook the one figure in which a claim and its evidence differ. The rules of `compare` decide on
their own and need the same words in the same order. These functions are called only where a model says that
the evidence entails or contradicts the claim.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isclose
from typing import Final, Literal, NamedTuple

from vista_stream.core.rules.alignment import alike, sort_of
from vista_stream.core.rules.beside import holds_beside
from vista_stream.core.rules.compare import Prepared, happens_once, in_limit, relate
from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.excepted import excepting
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.quantity_relations import comparable, relate_quantities, unhedged
from vista_stream.core.rules.reckoned import reckoned
from vista_stream.core.rules.restriction import picks_out_by_value
from vista_stream.core.rules.states import holds_then, lies_within, tells_event
from vista_stream.core.rules.wording import FUNCTION, Atom, Value, numbers_of, tells_ahead
from vista_stream.core.text.stems import word_set

_SMALL_COUNT = 12
"""A count without a unit up to this may be the sum of others: three women are one and two more."""
_DURATIONS = frozenset({"time", "months"})
"""Dimensions of lengths of time, between which 30 days may be a month."""
_MIXED_UP = [{"power", "energy"}, {"storage", "transfer"}, {"current", "charge"}]
"""Pairs of dimensions whose units are often confused, such as kW and kWh."""
_RECKONS = word_set("total altogether sum makes combined would")
_RECKONED = {("that", "is"), ("in", "all"), ("all", "in")}
"""Words of a number that is computed from the evidence: "that's €25", "115 works in all"."""
_LIMITS = frozenset({"to", "from"})
"""Hedges of a limit, "at most" and "at least": with another number it is another limit."""
_SIDES: Final[Mapping[tuple[str, bool], Literal["most", "least"]]] = {
    ("to", False): "most",
    ("above", True): "most",
    ("from", False): "least",
    ("below", True): "least",
}
"""What a hedge makes of a number, by whether it is denied."""
_CONDITIONS = word_set("when if where while unless once because except only each every")
"""Words after a count that it does not count."""
_LOOSE = word_set("or between either than before after since until till by active")
"""With one of these in the claim, a value that the evidence does not give can be true."""


_TO = word_set("to until till through and")
"""Words between the two ends of a span; "and" of "between May and July"."""


class _Limit(NamedTuple):
    """The most or the least of something."""

    side: Literal["most", "least"]
    value: Quantity
    of: str
    """The stem of what a count counts; empty where it has a unit."""


def differs_in_value(claim: Prepared, evidence: Sequence[Prepared]) -> Literal["contradicted", "open"] | None:
    """Whether a claim has a number or date that no sentence of the passage gives, and what follows from it.

    "contradicted" where only one value can be true there, "open" where another may be true beside it. None
    where the sentences may give all the claim's values, or where no sentence has the claim's words and a
    value of that sort. Hedged values are not checked. A small count is checked only where the evidence has
    exactly one count of the same thing.
    """
    values = [k for k, atom in enumerate(claim.atoms) if atom.value is not None]
    if not values or any(atom.negated for atom in claim.atoms):
        return None
    given = _given(evidence)
    loose = any(atom.key in _LOOSE for atom in claim.atoms)
    swapped = [
        claim.atoms[place]
        for place in values
        if _unit_swapped(claim.atoms[place], given) and not _reckoned(claim.atoms[place], claim, evidence)
    ]
    if swapped and not (loose and all(map(_is_period, swapped))):
        return "open" if _lasts(swapped[0]) else "contradicted"
    if loose:
        return None
    for place in values:
        if _reckoned(claim.atoms[place], claim, evidence) or _limited(claim.atoms[place], claim, evidence):
            continue
        if not (_plain(claim.atoms[place]) and _strange(claim.atoms[place], given)):
            continue
        if _small(claim.atoms[place]) and not _counted_once(_what(claim.atoms, place), evidence):
            continue
        if any(_in_like_words(claim, claim.atoms[place], sentence) for sentence in evidence):
            return "contradicted" if _only_one(claim.atoms, place) else "open"
    return None


def lacks_value(claim: Prepared, evidence: Sequence[Prepared], *, elsewhere: Collection[float] = ()) -> bool:
    """Whether the evidence has values of the same sort as one of the claim's values, but not that value.

    Not checked are numbers that the reference has `elsewhere`, hedged and small numbers, ordinals, the
    periods of rates, and lengths of time, which often follow from dates. Claims that compute a number, or in
    which another value than the evidence's can be true, are not checked either.
    """
    if any(atom.negated or atom.key in _LOOSE or atom.key in _RECKONS for atom in claim.atoms):
        return False
    if any(pair in _RECKONED for pair in pairwise(atom.key for atom in claim.atoms)):
        return False
    given = _given(evidence)
    return any(
        numbers_of(atom).isdisjoint(elsewhere)
        and not _small(atom)
        and not _derived(atom)
        and not _reckoned(atom, claim, evidence)
        and not _limited(atom, claim, evidence)
        and (_plain(atom) or _bounds(atom, given))
        and _other_given(atom, given)
        for atom in claim.atoms
        if atom.value is not None
    )


def turns_limit(claim: Prepared, evidence: Sequence[Prepared]) -> bool:
    """Whether a claim has as the least what the evidence has as the most, or the other way round.

    Only "at least" and "at most" and their like are looked at: "from 27 on you pay" may well follow from
    "under 27 it is free". Neither are times ahead: "up to two days before" is at least two days before.
    """
    claimed = _limits(claim.atoms)
    limits = [limit for sentence in evidence for limit in _limits(sentence.atoms)] if claimed else []
    return any(_only_opposed(own, limits) for own in claimed)


def _limits(atoms: Sequence[Atom]) -> list[_Limit]:
    """The limits that are neither denied nor times ahead; "never takes fewer than 5" is one too."""
    found = []
    for k, atom in enumerate(atoms):
        if not isinstance(atom.value, Quantity) or tells_ahead(atoms[k + 1 : k + 3]):
            continue
        clause = next((j for j in range(k, 0, -1) if atoms[j].boundary), 0)
        denied = any(each.negated for each in atoms[clause : k + 1])
        side = _SIDES.get((atom.value.hedge, denied))
        if side is not None and (not denied or atoms[k - 1].negated):
            found.append(_Limit(side, atom.value, "" if atom.value.dimension else _what(atoms, k)))
    return found


def _only_opposed(own: _Limit, limits: Sequence[_Limit]) -> bool:
    """Whether there are limits of the same number, each the most where the own one is the least or so."""
    mine = unhedged(own.value).low
    same = [
        each
        for each in limits
        if each.value.dimension == own.value.dimension
        and each.of == own.of
        and isclose(unhedged(each.value).low, mine)
    ]
    return bool(same) and all(each.side != own.side for each in same)


def _given(evidence: Sequence[Prepared]) -> list[Atom]:
    return [atom for sentence in evidence for atom in sentence.atoms]


def _reckoned(own: Atom, claim: Prepared, evidence: Sequence[Prepared]) -> bool:
    """Whether a number follows from those of a sentence, or may be true beside them."""
    return any(
        follows(own, claim.atoms, sentence.atoms)
        for sentence in evidence
        for follows in (reckoned, holds_beside, holds_then)
    )


def _limited(own: Atom, claim: Prepared, evidence: Sequence[Prepared]) -> bool:
    """Whether the claim's value lies within a limit, or its only date or time of day between two others."""
    alone = sum(atom.value is not None and sort_of(atom) == sort_of(own) for atom in claim.atoms) == 1
    if (
        alone
        and not tells_event(claim.atoms)
        and any(lies_within(own.value, *ends) for ends in _spans(evidence))
    ):
        return True
    return any(
        _beside(own, atom) and in_limit(own, atom, claim.atoms, sentence.atoms)
        for sentence in evidence
        for atom in sentence.atoms
    )


def _spans(evidence: Sequence[Prepared]) -> Iterator[tuple[Value | None, Value | None]]:
    """The values that "to" and its like join, and no others: "from March to May"."""
    for sentence in evidence:
        for first, joint, last in zip(sentence.atoms, sentence.atoms[1:], sentence.atoms[2:], strict=False):
            if joint.key in _TO:
                yield first.value, last.value


def _bounds(own: Atom, given: Sequence[Atom]) -> bool:
    """Whether the claim's value is a limit ("up to 25 MB") and the evidence has limits of the same kind."""
    return (
        isinstance(own.value, Quantity)
        and own.value.hedge in _LIMITS
        and any(
            isinstance(atom.value, Quantity) and atom.value.hedge == own.value.hedge and _of_a_kind(own, atom)
            for atom in given
        )
    )


def _number(atom: Atom) -> Atom:
    """The atom without the hedge of a limit: "up to 25 MB" as 25 MB."""
    if isinstance(atom.value, Quantity) and atom.value.hedge in _LIMITS:
        return replace(atom, value=unhedged(atom.value))
    return atom


def _derived(atom: Atom) -> bool:
    counted = isinstance(atom.value, Quantity) and atom.value.dimension in ("ordinal", "period")
    return counted or _lasts(atom)


def _other_given(own: Atom, given: Sequence[Atom]) -> bool:
    own, numbers = _number(own), list(map(_number, given))
    return any(_beside(own, atom) for atom in numbers) and _strange(own, numbers)


def _unit_swapped(own: Atom, given: Sequence[Atom]) -> bool:
    """Whether the evidence has the claim's number in another unit ("50 mg", "50 mcg"), and not its value.

    This is so sure a sign of an error that the words around the number need not be the same.
    """
    if not isinstance(own.value, Quantity) or not own.value.dimension:
        return False
    mine = unhedged(own.value)
    values = [atom.value for atom in given]
    theirs = [unhedged(value) for value in values if isinstance(value, Quantity) and value.dimension]
    swapped = any(
        other.number == mine.number and other.unit != mine.unit and _confusable(mine, other)
        for other in theirs
    )
    return swapped and not any(
        relate_quantities(mine, other) != "differs" for other in theirs if comparable(mine, other)
    )


def _is_period(atom: Atom) -> bool:
    """Whether it is the "a day" of a rate: another rate of the passage may be "a year"."""
    return isinstance(atom.value, Quantity) and atom.value.dimension == "period"


def _confusable(one: Quantity, other: Quantity) -> bool:
    if {one.dimension, other.dimension} in _MIXED_UP:
        return True
    return one.dimension == other.dimension and relate_quantities(one, other) == "differs"


def _is_share(atom: Atom) -> bool:
    """Whether it is "a third of" something: a sentence may have shares of several things."""
    return isinstance(atom.value, Quantity) and atom.value.unit == "share"


def _lasts(atom: Atom) -> bool:
    """Whether the value is a length of time, which often follows from two dates or other lengths."""
    return isinstance(atom.value, Quantity) and atom.value.dimension in _DURATIONS


def _plain(atom: Atom) -> bool:
    match atom.value:
        case Date(years=(first, last)):
            return first == last
        case Quantity(hedge="", low=low, high=high):
            return low == high
    return isinstance(atom.value, Date)


def _small(atom: Atom) -> bool:
    value = atom.value
    return isinstance(value, Quantity) and value.dimension in ("", "times") and value.low <= _SMALL_COUNT


def _what(atoms: Sequence[Atom], place: int) -> str:
    """The stem of what a count counts, which is the word right after it; empty where there is none."""
    after, value = atoms[place + 1 : place + 2], atoms[place].value
    if isinstance(value, Quantity) and value.dimension == "times":
        return value.dimension
    if not after or after[0].value is not None or after[0].boundary or after[0].key in FUNCTION | _CONDITIONS:
        return ""
    return after[0].stem


def _counted_once(what: str, evidence: Sequence[Prepared]) -> bool:
    counts = [
        atom
        for sentence in evidence
        for place, atom in enumerate(sentence.atoms)
        if isinstance(atom.value, Quantity) and _what(sentence.atoms, place) == what
    ]
    return bool(what) and len(counts) == 1 and _plain(counts[0])


def _strange(own: Atom, others: Sequence[Atom]) -> bool:
    """Whether no value of this sort in the evidence may be this value.

    A token of the evidence that is not read as a value but contains the same writing may be the same value.
    """
    if any(atom.value is None and own.key in atom.key for atom in others):
        return False
    alikes = [atom for atom in others if atom.value is not None and alike(own, atom)]
    return not any(_may_be(own, atom) for atom in alikes)


def _may_be(own: Atom, other: Atom) -> bool:
    """Whether the evidence's value may be the claim's."""
    if (relation := relate(own, other)) != "unclear":
        return relation == "same"
    if _of_a_kind(own, other):
        return True
    mine, theirs = own.value, other.value
    assert isinstance(mine, Quantity)
    assert isinstance(theirs, Quantity)
    if {mine.dimension, theirs.dimension} <= _DURATIONS:
        return True
    # 20 may mean 20 dollars; three days cannot be a price.
    unitless = not (mine.dimension and theirs.dimension)
    return unitless and theirs.low <= mine.number <= theirs.high


def _in_like_words(claim: Prepared, own: Atom, sentence: Prepared) -> bool:
    words = {atom.stem for atom in claim.atoms if atom.value is None and atom.key not in FUNCTION}
    if not words or not words <= sentence.stems:
        return False
    return any(
        _beside(own, atom) and not excepting(sentence.atoms, k) for k, atom in enumerate(sentence.atoms)
    )


def _beside(own: Atom, other: Atom) -> bool:
    """Whether the evidence's atom is a value that could be in the place of the claim's value."""
    return other.value is not None and alike(own, other) and _of_a_kind(own, other)


def _of_a_kind(own: Atom, other: Atom) -> bool:
    mine, theirs = own.value, other.value
    return not (isinstance(mine, Quantity) and isinstance(theirs, Quantity)) or comparable(mine, theirs)


def _only_one(atoms: Sequence[Atom], place: int) -> bool:
    if isinstance(atoms[place].value, Date):
        return happens_once(atoms[:place])
    return not picks_out_by_value(atoms, place) and not _is_share(atoms[place])

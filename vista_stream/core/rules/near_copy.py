"""Finds where a claim copies a sentence almost word for word, and differs in what decides it.

A model may overlook the one word in which a claim and its evidence differ. The rules of `compare` decide on
their own, and therefore only where nothing else can change the meaning. These are called only where a model
says that the evidence entails the claim. They need not show that the claim is false, only that the sentence
does not say it: an entailment then no longer counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isclose
from typing import Literal, TypeAlias

from vista_stream.core.rules.alignment import alike, sort_of
from vista_stream.core.rules.beside import holds_beside
from vista_stream.core.rules.compare import UNSURE, Prepared, in_limit, relate
from vista_stream.core.rules.copies import (
    ALL,
    EVEN,
    Copy,
    atom_after,
    copy_of,
    is_content,
    is_opposite,
    place_of,
)
from vista_stream.core.rules.excepted import excepts, includes_excepted, said_of_excepted
from vista_stream.core.rules.exchanges import exchanged
from vista_stream.core.rules.opposites import BOUNDS, CONVERSES, are_opposite
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.quantity_relations import unhedged
from vista_stream.core.rules.reckoned import reckoned
from vista_stream.core.rules.states import holds_then
from vista_stream.core.rules.strength import is_stronger
from vista_stream.core.rules.weaker import tells_weaker, tells_wider
from vista_stream.core.rules.wording import FUNCTION, Atom, tells_ahead
from vista_stream.core.text.stems import stem, word_set

Difference: TypeAlias = Literal["contradicted", "turned", "open"]
"""How a claim differs from what it copies. contradicted: a value or a bound is another in the same place.
turned: a word is negated in one of the two alone, or two parts are exchanged; the sentence may be built
otherwise and yet say the same. open: the claim only leaves out an exception, or the number of a bound."""
_NEARLY = 0.6
"""A sentence counts as copied where the claim shares this part of what it shares with the nearest one."""
_LOWER, _UPPER = frozenset({"above", "from"}), frozenset({"below", "to"})
"""Hedges of lower and of upper bounds."""
_BOUNDING = _LOWER | _UPPER
_CONVERTED = 0.01
"""A share by which two bounds in different units may differ and be one, converted."""
_STANDING_FOR = word_set("it he she they them this that these those one ones")
"""Words that may stand for what another sentence names."""
_REVERSING = word_set("only not neither nor until before after since alone merely just simply")
"""Words that may turn a negation into its opposite: "not only", "not until nine", "not before nine"."""
_NOTHING = word_set("nothing nobody nowhere")
_DENYING = frozenset(
    map(stem, word_set("lack stop cease drop refuse deny reject avoid prevent forbid ban prohibit"))
)
"""Stems of verbs that deny what follows: "dropped support" is "does not support"."""
_JOINS = word_set("and but or")
_AROUND = word_set("before after by since until till between around")
"""Words behind which another value than the sentence's may be true too."""
_EXCEPT = word_set("except excluding apart unless")


def differs_in_copy(claim: Prepared, evidence: Sequence[Prepared]) -> Difference | None:
    """How the claim differs from the only sentences that it copies; None where it copies none, or agrees.

    Of several such sentences the one counts from which it differs least.
    """
    copies = [copy for sentence in evidence if (copy := copy_of(claim, sentence))]
    most = max((len(copy.pairs) for copy in copies), default=0)
    told = [atom for sentence in evidence for atom in sentence.atoms if atom.value is not None]
    found = [_difference(copy, evidence, told) for copy in copies if len(copy.pairs) >= _NEARLY * most]
    if not found or any(each is None for each in found):
        return None
    return next(each for each in ("open", "turned", "contradicted") if each in found)


def _difference(copy: Copy, evidence: Sequence[Prepared], told: Sequence[Atom]) -> Difference | None:
    """How a copy differs from its sentence, where `told` are the values of all the evidence."""
    ordered = _in_order(copy)
    if ordered and (said := said_of_excepted(copy)):
        return _without_exception(copy) or ("turned" if includes_excepted(copy, said) else None)
    if ordered and (_opposite_untold(copy, evidence) or _other_number(copy, evidence, told)):
        return "contradicted"
    if exchanged(copy.own, copy.sentence) or (ordered and _turned(copy)):
        return "turned"
    return "open" if ordered and (_stricter(copy) or is_stronger(copy)) else _without_exception(copy)


def _in_order(copy: Copy) -> bool:
    """Whether the claim has no word or value of content in another place than the sentence."""
    left = [atom for replaced in copy.replaced if not is_opposite(replaced) for atom in replaced[0]]
    return not any(is_content(atom) or atom.value is not None for atom in left)


def _other_number(copy: Copy, evidence: Sequence[Prepared], told: Sequence[Atom]) -> bool:
    """Whether a value or a bound is another than the one in its place.

    Not of the opposite of what the sentences tell: a hut that is open from April to October is closed from
    November to March.
    """
    words = BOUNDS.union(atom.key for sentence in evidence for atom in sentence.atoms)
    if any(is_opposite(replaced) and replaced[0][0].key not in words for replaced in copy.replaced):
        return False
    return _other_value(copy, told) or _wider(copy, told) or _other_bound(copy)


def _other_value(copy: Copy, told: Sequence[Atom]) -> bool:
    """Whether a value differs from the one in its place, and no sentence tells it.

    Where one of the two is denied, both may be true: "orders above $50 ship free", those of $40 do not.
    """
    return _odd(copy.own) == _odd(copy.other) and any(
        own.value is not None
        and relate(own, other) == "differs"
        and not _relative(copy, own, other)
        and (_alone(copy) or not reckoned(own, copy.own, copy.sentence))
        and not holds_beside(own, copy.own, copy.sentence)
        and not holds_then(own, copy.own, copy.sentence)
        and not any(_tells_value(atom, own, other) for atom in told if alike(own, atom))
        for own, other in copy.pairs
    )


def _alone(copy: Copy) -> bool:
    """Whether the claim is the whole sentence with one value alone another: then a slip, not a sum."""
    whole = len(copy.own) == len(copy.sentence) == len(copy.pairs)
    changed = [1 for own, other in copy.pairs if own.value is not None and relate(own, other) != "same"]
    return whole and len(changed) == 1


def _tells_value(told: Atom, own: Atom, other: Atom) -> bool:
    """Whether a value of the evidence may be the claim's; a bound is not, where the place has none."""
    bounded = isinstance(told.value, Quantity) and told.value.hedge in _BOUNDING
    plain = isinstance(other.value, Quantity) and other.value.low == other.value.high
    if bounded and plain and isinstance(own.value, Quantity) and not own.value.hedge:
        return isinstance(told.value, Quantity) and told.value.number == own.value.number
    return _may_mean(own, told)


def _relative(copy: Copy, own: Atom, other: Atom) -> bool:
    """Whether one gives a value around the other's: "before 10" for "at 9", "in June" for "from May to July".

    Or one within the other's limit, or before a later year.
    """
    if in_limit(own, other, copy.own, copy.sentence):
        return True
    mine, theirs = _before(copy.own, own), _before(copy.sentence, other)
    if mine == theirs and tells_wider(copy.own, place_of(copy.own, own), other):
        return True
    ranged = theirs == "from" or (theirs in ("to", "through") and sort_of(other) == "date")
    return mine != theirs and (mine in _AROUND or theirs in _AROUND or ranged)


def _before(atoms: Sequence[Atom], at: Atom) -> str:
    """The word before an atom; empty before the first."""
    return next((one.key for one, two in pairwise(atoms) if two is at), "")


def _may_mean(own: Atom, other: Atom) -> bool:
    """Whether both values may be one; a number of another kind, as tablets for milligrams, may not."""
    relation = relate(own, other)
    if relation == "unclear" and isinstance(own.value, Quantity) and isinstance(other.value, Quantity):
        return own.value.dimension == other.value.dimension or own.value.number == other.value.number
    return relation != "differs"


def _wider(copy: Copy, told: Sequence[Atom]) -> bool:
    """Whether a bound leaves room for more than the one in its place: "up to 15" for "up to 12".

    Not where it follows from that one: "seats more than 400" from "seats more than 500".
    """
    return _odd(copy.own) == _odd(copy.other) and any(
        isinstance(own.value, Quantity)
        and isinstance(other.value, Quantity)
        and own.value.hedge == other.value.hedge
        and own.value.hedge in _BOUNDING
        and own.value.dimension == other.value.dimension
        and own.value.low <= other.value.low
        and own.value.high >= other.value.high
        and not isclose(unhedged(own.value).low, unhedged(other.value).low, rel_tol=_CONVERTED)
        and not _relative(copy, own, other)
        and not tells_weaker(copy.own, place_of(copy.own, own))
        and not any(relate(own, atom) == "same" for atom in told if alike(own, atom))
        for own, other in copy.pairs
    )


def _other_bound(copy: Copy) -> bool:
    """Whether one number is a lower bound in one of the two and an upper bound in the other.

    Beside another value both may be true: those under 24 pay 6 euros, those over 24 pay 10.
    """
    values = [(own, other) for own, other in copy.pairs if own.value is not None]
    opposed = [own for own, other in values if _opposed(own.value, other.value) and not _ahead(copy, own)]
    others = [pair for pair in values if not _opposed(pair[0].value, pair[1].value)]
    if not opposed or _odd(copy.own) != _odd(copy.other):
        return False
    return not any(relate(*pair) == "differs" for pair in others)


def _ahead(copy: Copy, own: Atom) -> bool:
    """Whether a value is a time ahead: "no later than 90 minutes before" is at least 90 minutes before."""
    return tells_ahead(copy.own[place_of(copy.own, own) + 1 :])


def _bounds_differ(copy: Copy) -> bool:
    """Whether a value is a bound in one of the two, and none or the opposite one in the other."""
    return any(
        isinstance(own.value, Quantity)
        and isinstance(other.value, Quantity)
        and own.value.hedge != other.value.hedge
        and not _BOUNDING.isdisjoint((own.value.hedge, other.value.hedge))
        for own, other in copy.pairs
    )


def _opposed(own: object, other: object) -> bool:
    if not (isinstance(own, Quantity) and isinstance(other, Quantity)):
        return False
    sides = (own.hedge in _LOWER and other.hedge in _UPPER) or (own.hedge in _UPPER and other.hedge in _LOWER)
    return sides and _one_number(own, other)


def _one_number(own: Quantity, other: Quantity) -> bool:
    """Whether two bounds are of one number: "more than 4" and "at most 4"."""
    return own.dimension == other.dimension and isclose(unhedged(own).low, unhedged(other).low)


def _stricter(copy: Copy) -> bool:
    """Whether the claim leaves out the number of the sentence's bound: "more than" for "at least"."""
    hedges = [
        (own.value.hedge, other.value.hedge)
        for own, other in copy.pairs
        if isinstance(own.value, Quantity) and isinstance(other.value, Quantity)
        if _one_number(own.value, other.value)
    ]
    return not {("above", "from"), ("below", "to")}.isdisjoint(hedges)


def _values_differ(copy: Copy) -> bool:
    return any(own.value is not None and relate(own, other) == "differs" for own, other in copy.pairs)


def _opposite(copy: Copy) -> bool:
    """Whether one word is replaced by its opposite, as "before" by "after", and nothing else is changed.

    With another number, too, both may be true: 80 % passed, and 20 % failed.
    """
    if any(own.value is not None and relate(own, other) != "same" for own, other in copy.pairs):
        return False
    if _odd(copy.own) != _odd(copy.other) or any(own.negated != other.negated for own, other in copy.pairs):
        return False
    left_out = [atom for own, other in copy.replaced if not is_opposite((own, other)) for atom in other]
    opposites = [(own[0], other[0]) for own, other in copy.replaced if is_opposite((own, other))]
    if any(atom.key in _EXCEPT for atom in left_out) or len(opposites) != 1:
        return False
    word, opposite = opposites[0]
    if not _compared(copy.own) - {word.key} <= _compared(copy.other):
        return False
    return not (_is_span(atom_after(copy.sentence, opposite)) or _tells_the_deal(copy, opposite))


def _tells_the_deal(copy: Copy, verb: Atom) -> bool:
    """Whether a passive verb of the sentence and its opposite tell one deed: "was bought" and "was sold"."""
    before = copy.sentence[: place_of(copy.sentence, verb)]
    passive = verb.stem in CONVERSES and bool(before) and before[-1].stem == "be"
    return passive and not any(atom.key == "by" for atom in copy.own)


def _is_span(atom: Atom | None) -> bool:
    """Whether it is an interval: "from 10 to 20" is "to 20", although "from" stands before it."""
    return (
        atom is not None
        and isinstance(atom.value, Quantity)
        and -inf < atom.value.low < atom.value.high < inf
    )


def _opposite_untold(copy: Copy, evidence: Sequence[Prepared]) -> bool:
    return _opposite(copy) and not any(_tells(sentence, copy) for sentence in evidence)


def _tells(sentence: Prepared, copy: Copy) -> bool:
    """Whether a sentence states the claim with the very word that another sentence has the opposite of.

    It may have a pronoun for what the claim names: "The café opens at 9. It closes at 5."
    """
    word, opposite = next((own[0], other[0]) for own, other in copy.replaced if is_opposite((own, other)))
    values = [atom for atom in copy.own if atom.value is not None]
    has = [any(_may_mean(own, atom) for atom in sentence.atoms if alike(own, atom)) for own in values]
    if word.key not in {atom.key for atom in sentence.atoms} or not all(has):
        return False
    if sentence.atoms is copy.sentence and not _belongs(copy, word, opposite, values):
        return False
    content = {atom.stem for atom in copy.own if is_content(atom)} - {word.stem}
    shared = content & sentence.stems
    named = _STANDING_FOR.isdisjoint(atom.key for atom in sentence.atoms)
    return shared == content or (not named and bool(values or shared))


def _belongs(copy: Copy, word: Atom, opposite: Atom, values: Sequence[Atom]) -> bool:
    """Whether the sentence, which has both opposites, tells the rest of the claim behind the claim's own one.

    "Adults pay 12 euros and children 8." By the claim's values, or by its last word that the sentence has.
    """
    told = [k for k, a in enumerate(copy.sentence) if any(alike(v, a) and _may_mean(v, a) for v in values)]
    last = place_of(copy.sentence, copy.pairs[-1][1])
    before = (atom.key for atom in reversed(copy.sentence[: max(told, default=last)]))
    return next((key for key in before if key in (word.key, opposite.key)), "") == word.key


def _compared(atoms: Sequence[Atom]) -> set[str]:
    """What is named before "than", which stands behind it where the comparison is turned round."""
    at = next((k for k, atom in enumerate(atoms) if atom.key == "than"), 0)
    return {atom.key for atom in atoms[:at] if is_content(atom) or atom.value is not None}


def _odd(atoms: Sequence[Atom]) -> bool:
    return sum(atom.negated for atom in atoms) % 2 == 1


def _turned(copy: Copy) -> bool:
    """Whether one word is negated in one of the two only, and nothing else may reverse the meaning.

    Or two words, one in each of the two: "refunded but not changed" for "changed but not refunded".
    """
    if _values_differ(copy) or _bounds_differ(copy):
        return False  # 20 % did not pass where 80 % did; not more than 4 is at most 4
    if any(map(_may_reverse, copy.replaced)) or any(atom.key in _NOTHING for atom in copy.sentence):
        return False
    turned = [(own, other) for own, other in copy.pairs if own.negated != other.negated]
    if len(turned) != 2 or turned[0][0].negated == turned[1][0].negated:
        return len(turned) == 1 and not (_denied_before(copy) or _told_of_another(copy, *turned[0]))
    # "A visa is not required" only has its negation in another place than "no visa is required", and "does
    # not cover ferries" than "covers trams, but not ferries". Of the landlord "the tenant, not the landlord,
    # pays" denies it.
    (one, first), (two, second) = turned
    denied = first.negated and first is not copy.other[0]
    return _joined(copy.own, one, two) or (denied and _joined(copy.sentence, first, second))


def _may_reverse(replaced: tuple[Sequence[Atom], Sequence[Atom]]) -> bool:
    """Whether what is replaced may undo a negation: "no dogs are allowed" forbids them."""
    own, other = replaced
    between = (*own, *other)
    if any(atom.negated or atom.key in UNSURE | _REVERSING or atom.stem in _DENYING for atom in between):
        return True
    return is_opposite(replaced) or all(any(atom.key in BOUNDS for atom in side) for side in replaced)


def _denied_before(copy: Copy) -> bool:
    """Whether the sentence denies the copied part before it: "None of the samples", "it is not true that"."""
    at = place_of(copy.sentence, copy.other[0])
    before = copy.sentence[:at]
    if not before or before[-1].key not in FUNCTION:
        return False
    return before[-1].negated or (before[-1].key == "that" and any(atom.negated for atom in before))


def _told_of_another(copy: Copy, own: Atom, other: Atom) -> bool:
    """Whether the sentence says the turned word of something that the claim leaves out.

    It then has the word once more before what the claim says of it, turned like the claim's or as its
    opposite: "not allowed in the rooms, but allowed in the garden", "closed to cars, but open to bicycles".
    """
    start, end = place_of(copy.sentence, other), place_of(copy.sentence, copy.other[-1])
    after = atom_after(copy.own, own) if own.key in FUNCTION else None  # "cannot be used"
    return any(
        (atom.stem == own.stem and atom.negated == own.negated and (not after or two.stem == after.stem))
        or (are_opposite(atom.key, own.key) and atom.negated != own.negated)
        for atom, two in pairwise(copy.sentence[start + 1 : end + 1])
    )


def _joined(atoms: Sequence[Atom], one: Atom, other: Atom) -> bool:
    """Whether something is joined to the one, up to the other: "changed but not refunded"."""
    places = [k for k, atom in enumerate(atoms) if atom is one or atom is other]
    between = atoms[places[0] + 1 : places[-1] + 1]
    return any(atom.boundary or atom.key in _JOINS for atom in between)


def _without_exception(copy: Copy) -> Literal["open"] | None:
    """Open where the sentence has an exception, which the claim includes, or drops after "all"."""
    keys = {atom.key for atom in copy.own}
    if keys & _EXCEPT or "but" in keys:
        return None
    if not any(atom.key in _EXCEPT or excepts(copy.sentence, k) for k, atom in enumerate(copy.sentence)):
        return None
    everything = bool(keys & ALL) and not any(atom.negated for atom in copy.own)
    return "open" if everything or keys & EVEN else None

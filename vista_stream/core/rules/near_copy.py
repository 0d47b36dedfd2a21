"""Finds where a claim copies a sentence almost word for word, and differs in what decides it.

A model may overlook the one word in which a claim and its evidence differ. The rules of `compare` decide on
their own, and therefore only where nothing else can change the meaning. These are called only where a model
says that the evidence entails the claim. They need not show that the claim is false, only that the sentence
does not say it: an entailment then no longer counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from math import isclose
from typing import Literal, TypeAlias

from vista_stream.core.rules.alignment import alike, sort_of
from vista_stream.core.rules.compare import UNSURE, Prepared, relate
from vista_stream.core.rules.exchanges import exchanged
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.quantity_relations import comparable, unhedged
from vista_stream.core.rules.reckoned import reckoned
from vista_stream.core.rules.wording import FUNCTION, Atom
from vista_stream.core.text.stems import word_set

Difference: TypeAlias = Literal["contradicted", "turned", "open"]
"""How a claim differs from what it copies. contradicted: a value or a bound is another in the same place.
turned: a word is negated in one of the two alone, or two parts are exchanged; the sentence may be built
otherwise and yet say the same. open: the claim only leaves out an exception, or the number of a bound."""
_TALK = word_set("yes no right sure okay ok well note please correct exactly indeed certainly absolutely")
"""Words of a chatbot's answer that state nothing."""
_FEWEST_WORDS = 2
_NEARLY = 0.6
"""A sentence counts as copied where the claim shares this part of what it shares with the nearest one."""
_LOWER, _UPPER = frozenset({"above", "from"}), frozenset({"below", "to"})
"""Hedges of lower and of upper bounds."""
_BOUND_PAIRS = """
    before/after above/below over/under more/less more/fewer maximum/minimum earlier/later earliest/latest
    from/until since/until longer/shorter higher/lower older/younger
"""
_PAIRS = """
    faster/slower larger/smaller heavier/lighter cheaper/dearer longest/shortest highest/lowest
    oldest/youngest largest/smallest strongest/weakest nearest/farthest cheapest/dearest first/last
    former/latter most/few upper/lower top/bottom front/rear front/back left/right north/south east/west
    northern/southern eastern/western upstream/downstream clockwise/anticlockwise inside/outside
    indoors/outdoors indoor/outdoor upstairs/downstairs up/down in/out on/off from/to by/to into/out
    with/without home/away begin/end begins/ends start/end starts/ends started/ended beginning/end
    open/close opens/closes opened/closed opening/closing arrive/depart arrives/departs arrived/departed
    arrival/departure increase/decrease increases/decreases increased/decreased rise/fall rises/falls
    rose/fell rising/falling raise/lower raises/lowers raised/lowered gain/lose gains/loses gained/lost
    win/lose wins/loses won/lost winner/loser buy/sell buys/sells bought/sold buyer/seller lend/borrow
    lends/borrows lent/borrowed lender/borrower import/export imports/exports imported/exported
    landlord/tenant employer/employee plaintiff/defendant claimant/defendant teacher/pupil doctor/patient
    sender/recipient donor/recipient add/remove adds/removes added/removed include/exclude includes/excludes
    included/excluded accept/reject accepts/rejects accepted/rejected approved/rejected allowed/forbidden
    permitted/forbidden allowed/prohibited passed/failed succeeded/failed morning/evening mornings/evenings
    morning/afternoon mornings/afternoons day/night weekdays/weekends summer/winter spring/autumn
    weekly/monthly monthly/yearly daily/weekly hot/cold warm/cold wet/dry single/double gross/net
    public/private father/mother brother/sister husband/wife son/daughter men/women boys/girls adult/child
    adults/children
"""
_BOUNDS = frozenset(_BOUND_PAIRS.replace("/", " ").split())
"""Words for bounds and comparisons, which a copy need not share with its sentence."""
_OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in (_BOUND_PAIRS + _PAIRS).split())
"""Words for bounds, directions, deeds and roles, of which at most one holds in one place of a sentence."""
_OPPOSED: dict[str, set[str]] = {}
"""The opposites of each of them."""
for _pair in _OPPOSITES:
    for _word in _pair:
        _OPPOSED.setdefault(_word, set()).update(_pair - {_word})
_STANDING_FOR = word_set("it he she they them this that these those one ones")
"""Words that may stand for what another sentence names."""
_REVERSING = word_set("only not neither nor until before after alone merely just simply")
"""Words that may turn a negation into its opposite: "not only", "not until nine", "not before nine"."""
_AROUND = word_set("before after by since until till between around")
"""Words behind which another value than the sentence's may be true too."""
_EXCEPT = word_set("except excluding apart unless")
_ALL = word_set("all every any always everyone everybody everything")
_EVEN = word_set("including even")


@dataclass(frozen=True, slots=True)
class _Copy:
    """A claim's atoms and the part of a sentence that they copy."""

    own: tuple[Atom, ...]
    """The claim's atoms, without words that state nothing."""
    other: tuple[Atom, ...]
    """The sentence's atoms from the first to the last that the claim shares."""
    sentence: tuple[Atom, ...]
    """All atoms of the sentence."""
    pairs: tuple[tuple[Atom, Atom], ...]
    """Atoms that are the same word, or values of one sort; in order."""
    replaced: tuple[tuple[tuple[Atom, ...], tuple[Atom, ...]], ...]
    """What stands between the pairs, in the claim and in the sentence."""


def differs_in_copy(claim: Prepared, evidence: Sequence[Prepared]) -> Difference | None:
    """How the claim differs from the only sentences that it copies; None where it copies none, or agrees.

    Of several such sentences the one counts from which it differs least.
    """
    copies = [copy for sentence in evidence if (copy := _copy(claim, sentence))]
    most = max((len(copy.pairs) for copy in copies), default=0)
    told = [atom for sentence in evidence for atom in sentence.atoms if atom.value is not None]
    found = [_difference(copy, evidence, told) for copy in copies if len(copy.pairs) >= _NEARLY * most]
    if not found or any(each is None for each in found):
        return None
    return next(each for each in ("open", "turned", "contradicted") if each in found)


def _copy(claim: Prepared, sentence: Prepared) -> _Copy | None:
    """The copy of the sentence in the claim; None where the claim has content words that it lacks."""
    own = _stating(claim.atoms)
    content = {atom.stem for atom in own if _is_content(atom)}
    keys_told = {atom.key for atom in sentence.atoms}
    opposed = {atom.stem for atom in own if keys_told.intersection(_OPPOSED.get(atom.key, ()))}
    missing = content - sentence.stems - opposed
    if len(content) < _FEWEST_WORDS or missing or "?" in sentence.text:
        return None
    keys, others = [_key(atom) for atom in own], [_key(atom) for atom in sentence.atoms]
    blocks = SequenceMatcher(None, keys, others, autojunk=False).get_matching_blocks()
    places = [(block.a + k, block.b + k) for block in blocks for k in range(block.size)]
    if not places:
        return None
    first, last = _with_opposite_ends(own, sentence.atoms, places)
    gaps = pairwise([(-1, first - 1), *places, (len(own), last + 1)])
    replaced = tuple(
        (own[a + 1 : c], sentence.atoms[b + 1 : d]) for (a, b), (c, d) in gaps if c - a > 1 or d - b > 1
    )
    pairs = tuple((own[a], sentence.atoms[b]) for a, b in places)
    return _Copy(own, sentence.atoms[first : last + 1], sentence.atoms, pairs, replaced)


def _with_opposite_ends(
    own: Sequence[Atom], other: Sequence[Atom], places: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The first and the last atom of the sentence that the claim copies, or puts an opposite in place of."""
    (a, first), (b, last) = places[0], places[-1]
    if a == 1 and first > 0 and _is_opposite((own[:1], other[first - 1 : first])):
        first -= 1
    if b == len(own) - 2 and _is_opposite((own[-1:], other[last + 1 : last + 2])):
        last += 1
    return first, last


def _stating(atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    start = 0
    while start < len(atoms) and atoms[start].key in _TALK:
        start += 1
    return tuple(atoms[start:])


def _key(atom: Atom) -> str:
    return atom.stem if atom.value is None else f"#{sort_of(atom)}"


def _is_content(atom: Atom) -> bool:
    return atom.value is None and atom.key not in FUNCTION | _BOUNDS | _EVEN | _ALL


def _difference(copy: _Copy, evidence: Sequence[Prepared], told: Sequence[Atom]) -> Difference | None:
    """How a copy differs from its sentence, where `told` are the values of all the evidence."""
    ordered = _in_order(copy)
    if ordered and (_other_value(copy, told) or _other_bound(copy) or _opposite_untold(copy, evidence)):
        return "contradicted"
    if exchanged(copy.own, copy.sentence) or (ordered and _turned(copy)):
        return "turned"
    return "open" if ordered and _stricter(copy) else _without_exception(copy)


def _in_order(copy: _Copy) -> bool:
    """Whether the claim has no word or value of content in another place than the sentence."""
    left = [atom for replaced in copy.replaced if not _is_opposite(replaced) for atom in replaced[0]]
    return not any(_is_content(atom) or atom.value is not None for atom in left)


def _other_value(copy: _Copy, told: Sequence[Atom]) -> bool:
    """Whether a value differs from the one in its place, and no sentence tells it.

    Bounds of which one is denied say the same: "not more than 4" and "at most 4".
    """
    denied = _odd(copy.own) != _odd(copy.other)
    return any(
        own.value is not None
        and relate(own, other) == "differs"
        and not (denied and _opposed(own.value, other.value))
        and not _relative(copy, own, other)
        and not reckoned(own, copy.own, copy.sentence)
        and not any(_may_mean(own, atom) for atom in told if alike(own, atom))
        for own, other in copy.pairs
    )


def _relative(copy: _Copy, own: Atom, other: Atom) -> bool:
    """Whether the claim gives a value around the sentence's: "before 10" for "at 9", "at 10" for "from 9"."""
    mine, theirs = _before(copy.own, own), _before(copy.sentence, other)
    return mine != theirs and (mine in _AROUND or (mine == "at" and theirs == "from"))


def _before(atoms: Sequence[Atom], at: Atom) -> str:
    """The word before an atom; empty before the first."""
    return next((one.key for one, two in pairwise(atoms) if two is at), "")


def _after(atoms: Sequence[Atom], at: Atom) -> Atom | None:
    return next((two for one, two in pairwise(atoms) if one is at), None)


def _may_mean(own: Atom, other: Atom) -> bool:
    """Whether both values may be one; a number of another kind, as tablets for milligrams, may not."""
    relation = relate(own, other)
    if relation == "unclear" and isinstance(own.value, Quantity) and isinstance(other.value, Quantity):
        return comparable(own.value, other.value) or own.value.number == other.value.number
    return relation != "differs"


def _other_bound(copy: _Copy) -> bool:
    """Whether one number is a lower bound in one of the two and an upper bound in the other."""
    return _odd(copy.own) == _odd(copy.other) and _bounds_opposed(copy)


def _bounds_opposed(copy: _Copy) -> bool:
    return any(_opposed(own.value, other.value) for own, other in copy.pairs)


def _opposed(own: object, other: object) -> bool:
    if not (isinstance(own, Quantity) and isinstance(other, Quantity)):
        return False
    sides = (own.hedge in _LOWER and other.hedge in _UPPER) or (own.hedge in _UPPER and other.hedge in _LOWER)
    return sides and _one_number(own, other)


def _one_number(own: Quantity, other: Quantity) -> bool:
    """Whether two bounds are of one number: "more than 4" and "at most 4"."""
    return own.dimension == other.dimension and isclose(unhedged(own).low, unhedged(other).low)


def _stricter(copy: _Copy) -> bool:
    """Whether the claim leaves out the number of the sentence's bound: "more than" for "at least"."""
    hedges = [
        (own.value.hedge, other.value.hedge)
        for own, other in copy.pairs
        if isinstance(own.value, Quantity) and isinstance(other.value, Quantity)
        if _one_number(own.value, other.value)
    ]
    return not {("above", "from"), ("below", "to")}.isdisjoint(hedges)


def _values_differ(copy: _Copy) -> bool:
    return any(own.value is not None and relate(own, other) == "differs" for own, other in copy.pairs)


def _opposite(copy: _Copy) -> bool:
    """Whether one word is replaced by its opposite, as "before" by "after", and nothing else is changed.

    With another number, too, both may be true: 80 % passed, and 20 % failed.
    """
    if _values_differ(copy):
        return False
    if _odd(copy.own) != _odd(copy.other) or not _compared(copy.own) <= _compared(copy.other):
        return False
    return sum(map(_is_opposite, copy.replaced)) == 1


def _opposite_untold(copy: _Copy, evidence: Sequence[Prepared]) -> bool:
    return _opposite(copy) and not any(_tells(sentence, copy) for sentence in evidence)


def _tells(sentence: Prepared, copy: _Copy) -> bool:
    """Whether a sentence states the claim with the very word that another sentence has the opposite of.

    It may have a pronoun for what the claim names: "The café opens at 9. It closes at 5."
    """
    word, opposite = next((own[0], other[0]) for own, other in copy.replaced if _is_opposite((own, other)))
    values = [atom for atom in copy.own if atom.value is not None]
    has = [any(_may_mean(own, atom) for atom in sentence.atoms if alike(own, atom)) for own in values]
    if word.key not in {atom.key for atom in sentence.atoms} or not all(has):
        return False
    if sentence.atoms is copy.sentence and not _belongs(copy, word, opposite, values):
        return False
    content = {atom.stem for atom in copy.own if _is_content(atom)} - {word.stem}
    shared = content & sentence.stems
    named = _STANDING_FOR.isdisjoint(atom.key for atom in sentence.atoms)
    return shared == content or (not named and bool(values or shared))


def _belongs(copy: _Copy, word: Atom, opposite: Atom, values: Sequence[Atom]) -> bool:
    """Whether the sentence, which has both opposites, tells the rest of the claim behind the claim's own one.

    "Adults pay 12 euros and children 8." By the claim's values, or by its last word that the sentence has.
    """
    told = [k for k, a in enumerate(copy.sentence) if any(alike(v, a) and _may_mean(v, a) for v in values)]
    last = next(k for k, atom in enumerate(copy.sentence) if atom is copy.pairs[-1][1])
    before = (atom.key for atom in reversed(copy.sentence[: max(told, default=last)]))
    return next((key for key in before if key in (word.key, opposite.key)), "") == word.key


def _is_opposite(replaced: tuple[Sequence[Atom], Sequence[Atom]]) -> bool:
    """Whether one word stands in place of its opposite."""
    own, other = replaced
    return len(own) == len(other) == 1 and frozenset((own[0].key, other[0].key)) in _OPPOSITES


def _compared(atoms: Sequence[Atom]) -> set[str]:
    """What is named before "than", which stands behind it where the comparison is turned round."""
    at = next((k for k, atom in enumerate(atoms) if atom.key == "than"), 0)
    return {atom.key for atom in atoms[:at] if _is_content(atom) or atom.value is not None}


def _odd(atoms: Sequence[Atom]) -> bool:
    return sum(atom.negated for atom in atoms) % 2 == 1


def _turned(copy: _Copy) -> bool:
    """Whether one word is negated in one of the two only, and nothing else may reverse the meaning.

    Or two words, one in each of the two: "refunded but not changed" for "changed but not refunded".
    """
    if _values_differ(copy) or _bounds_opposed(copy):
        return False  # 20 % did not pass where 80 % did; not more than 4 is at most 4
    between = [atom for own, other in copy.replaced for atom in (*own, *other)]
    if any(atom.negated or atom.key in UNSURE or atom.key in _REVERSING for atom in between):
        return False
    turned = [(own, other) for own, other in copy.pairs if own.negated != other.negated]
    if len(turned) != 2 or turned[0][0].negated == turned[1][0].negated:
        return len(turned) == 1
    # "must not be larger" only has its negation in another place than "must be no larger".
    (one, first), (two, second) = turned
    return not (_after(copy.own, one) is two and _after(copy.sentence, first) is second)


def _without_exception(copy: _Copy) -> Literal["open"] | None:
    """Open where the sentence has an exception, which the claim includes, or drops after "all"."""
    keys = {atom.key for atom in copy.own}
    if keys & _EXCEPT or not any(atom.key in _EXCEPT for atom in copy.sentence):
        return None
    everything = bool(keys & _ALL) and not any(atom.negated for atom in copy.own)
    return "open" if everything or keys & _EVEN else None

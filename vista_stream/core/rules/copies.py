"""Finds the part of a sentence that a claim copies, word for word but for values, bounds and opposites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from vista_stream.core.rules.alignment import sort_of
from vista_stream.core.rules.compare import Prepared
from vista_stream.core.rules.wording import FUNCTION, Atom
from vista_stream.core.text.stems import word_set

_TALK = word_set("yes no right sure okay ok well note please correct exactly indeed certainly absolutely")
"""Words of a chatbot's answer that state nothing."""
_FEWEST_WORDS = 2
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
    permitted/forbidden allowed/prohibited compulsory/optional mandatory/optional required/optional
    correct/wrong correct/incorrect right/wrong granted/refused granted/denied installed/removed began/ended
    by/after within/after during/after passed/failed succeeded/failed morning/evening mornings/evenings
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
ALL = word_set("all every any always everyone everybody everything")
EVEN = word_set("including even")


@dataclass(frozen=True, slots=True)
class Copy:
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


def copy_of(claim: Prepared, sentence: Prepared) -> Copy | None:
    """The copy of the sentence in the claim; None where the claim has content words that it lacks."""
    own = _stating(claim.atoms)
    content = {atom.stem for atom in own if is_content(atom)}
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
    return Copy(own, sentence.atoms[first : last + 1], sentence.atoms, pairs, replaced)


def _with_opposite_ends(
    own: Sequence[Atom], other: Sequence[Atom], places: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The first and the last atom of the sentence that the claim copies, or puts an opposite in place of."""
    (a, first), (b, last) = places[0], places[-1]
    if a == 1 and first > 0 and is_opposite((own[:1], other[first - 1 : first])):
        first -= 1
    if b == len(own) - 2 and is_opposite((own[-1:], other[last + 1 : last + 2])):
        last += 1
    return first, last


def _stating(atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    start = 0
    while start < len(atoms) and atoms[start].key in _TALK:
        start += 1
    return tuple(atoms[start:])


def _key(atom: Atom) -> str:
    return atom.stem if atom.value is None else f"#{sort_of(atom)}"


def is_content(atom: Atom) -> bool:
    """Whether an atom is a word that a copy must share with its sentence."""
    return atom.value is None and atom.key not in FUNCTION | _BOUNDS | EVEN | ALL


def is_opposite(replaced: tuple[Sequence[Atom], Sequence[Atom]]) -> bool:
    """Whether one word stands in place of its opposite."""
    own, other = replaced
    return len(own) == len(other) == 1 and frozenset((own[0].key, other[0].key)) in _OPPOSITES


def place_of(atoms: Sequence[Atom], at: Atom) -> int:
    """The index of that very atom among the atoms."""
    return next(k for k, atom in enumerate(atoms) if atom is at)


def atom_after(atoms: Sequence[Atom], at: Atom) -> Atom | None:
    """The atom after that very one; None after the last."""
    return next((two for one, two in pairwise(atoms) if one is at), None)

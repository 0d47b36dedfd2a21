"""The deterministic tier: decides some claims before any model, in well under a millisecond.

A rule decides only where the claim's words are those of one sentence of the evidence, in order. Then the
claim is contradicted if one number, date, unit, ordinal, negation or name differs, and verified if nothing
differs. Everything else is left to a model, because a false ruling blocks true text or lets false text pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vista_stream.caching import cached_by_scope
from vista_stream.core.rules.alignment import APPOSITIONS, Alignment, align, alike, describes, sort_of
from vista_stream.core.rules.dates import Date, Relation, relate_dates
from vista_stream.core.rules.implied import implied_sentences
from vista_stream.core.rules.names import Holder, excludes, find_holder
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.quantity_relations import relate_quantities
from vista_stream.core.rules.restriction import picks_out_by_date, picks_out_by_negation, picks_out_by_value
from vista_stream.core.rules.tokens import same_signs
from vista_stream.core.rules.wording import Atom, atoms_of
from vista_stream.core.text.stems import stem, word_set


@dataclass(frozen=True, slots=True)
class Prepared:
    """A sentence prepared for comparison; made once for each sentence of a reference."""

    text: str
    atoms: tuple[Atom, ...]
    stems: frozenset[str]
    """Stems of its words, without its numbers and dates."""
    holder: Holder | None = None
    """The name in a role that only one can fill ("directed by …"), if it has one."""
    implied: tuple[Prepared, ...] = ()
    """Sentences on a birth and a death that its brackets imply."""
    partial: bool = False
    """Whether a line over it in its text says more, such as "For members:"; then no rule applies."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A rule's decision about a claim, and the reason."""

    category: Literal["verified", "contradicted"]
    reason: str
    """One line for people, such as "number: 5 km against 8 km"."""


@cached_by_scope(512)  # a claim is asked for several times, and evidence by several claims
def prepare(sentence: str) -> Prepared:
    """Read a sentence's words, numbers with units, dates and negations; about 0.1 ms."""
    atoms = atoms_of(sentence)
    stems = frozenset(atom.stem for atom in atoms if atom.value is None)
    implied = tuple(map(prepare, implied_sentences(sentence)))
    return Prepared(sentence, atoms, stems, find_holder(atoms), implied)


_FEWEST_WORDS = 2
"""A claim with fewer words gets no ruling."""

UNSURE = word_set(
    """
    or if unless until allegedly reportedly supposedly purportedly according claim claims claimed could
    would might may can should except only denied false cancelled canceled planned rather instead
    fictional fiction theory dispute disputed doubt dream rumour rumor rumoured rumored hypothetical
    expected hoped tried wanted nearly almost hardly barely rarely seldom unlikely possibly perhaps
    probably likely provided providing permitting assuming depending once excluding excluded exclude excludes
    apart aside pending limited minimum sometimes occasionally legend myth myths wrong reject rejects rejected
    debunked so long untrue
    """
)
"""Words that change what the rest of a sentence says. If the evidence adds one, there is no ruling."""

_SAYING = "say argue claim believe joke joked insist think tell assert contend suggest allege warn"
_ATTRIBUTIONS = frozenset(map(stem, word_set(_SAYING)))
"""Stems of verbs that make the rest of a sentence what somebody says."""

_NARROWING = word_set(
    """
    no few every all each any only most least best worst largest always never rarely seldom both either
    neither whole entire total sole exactly unique main majority none everyone everything everybody
    nobody nothing between mixture combination consist consists comprise comprises composed divided same
    """
)
"""With one of these in the claim, a qualification that only the evidence has changes what is said."""

_LIMITS = word_set(
    """
    in on at for with by from to of during after before when whenever while where as since under over
    above below within inside outside among per than upon through till subject
    """
)
"""Words with which the evidence may name a condition for the rest of its statement."""
_JOINS = frozenset({"and", "but"})
"""Words after which the evidence may make another statement, if a verb or its subject follows."""
_CHANGED = frozenset({"now", "formerly"})
"""Words after which something else is so than before."""
_GOES_ON = word_set(
    "it he she they we this that these is are was were has have had does did will can also now"
)
"""Words that, after "and" or "but", begin or continue a statement."""
_SHORTEST_STATEMENT = 3
"""Fewest atoms of a joined statement, counting the joining word."""
_PRONOUNS = word_set("it he she they")
"""A claim that begins with one was not resolved: it and the evidence may be about different things."""
_STATES = word_set("is are was were has have had costs cost")
"""Verbs of states: what holds on one day need not hold all month ("is closed on 24 December")."""
_ENDURING = word_set("waterproof resistant")
"""With one of these, what holds to a limit holds below it."""
_POSSIBLE = _ENDURING | word_set("can may could valid allowed permitted within")
"""With one of these, a number below the one that the evidence allows holds too."""
_ONCE = frozenset(
    map(
        stem,
        word_set(
            """
            born died founded established incorporated built constructed completed erected inaugurated opened
            released published created invented discovered formed dissolved abolished demolished destroyed
            assassinated murdered killed buried dug carved laid designed patented commissioned launched
            unveiled consecrated baptised baptized ratified enacted premiered debuted
            """
        ),
    )
)
"""Stems of verbs for what happens to a thing only once, so that only one of two dates can hold."""
_AT_FIRST = frozenset({"first", "originally"})
_PLACES = frozenset({"in", "at", "near", "by"})
_LOOSE = frozenset({"or", "between"})
"""With one of these in the claim, two different values can both hold."""


def compare(claim: Prepared, evidence: Prepared) -> Ruling | None:
    """The ruling of one sentence of the evidence on a claim; None where no rule applies."""
    words = [atom for atom in claim.atoms if atom.value is None]
    if len(words) < _FEWEST_WORDS or words[0].key in _PRONOUNS or evidence.partial or "?" in evidence.text:
        return None
    if claim.stems <= evidence.stems:
        alignment = align(claim.atoms, evidence.atoms)
        ruling = _rule(alignment) if alignment and _safe(alignment) else None
    else:
        ruling = _compare_names(claim, evidence)
    rulings = (ruling, *(compare(claim, other) for other in evidence.implied))
    return next((one for one in rulings if one), None)


def _compare_names(claim: Prepared, evidence: Prepared) -> Ruling | None:
    """Contradicted, where a name in a role that only one can fill differs and all else is the same."""
    own, other = claim.holder, evidence.holder
    if own is None or other is None or not excludes(own, other) or evidence.stems.issuperset(own.name):
        return None
    alignment = align(own.frame, other.frame)
    if alignment is None or not (_safe(alignment) and _unlimited(alignment, dated=False)):
        return None
    if _narrow(alignment):
        return None
    if any(first.negated != second.negated for first, second in alignment.pairs):
        return None
    if any(first.value and relate(first, second) != "same" for first, second in alignment.pairs):
        return None
    return Ruling("contradicted", f"name: the evidence has {' '.join(other.name)}, not {' '.join(own.name)}")


def _rule(alignment: Alignment) -> Ruling | None:
    relations = [(own, other, relate(own, other)) for own, other in alignment.pairs if own.value]
    turned = [own for own, other in alignment.pairs if own.negated != other.negated]
    differing = [(own, other) for own, other, relation in relations if relation == "differs"]
    if any(relation == "unclear" for _, _, relation in relations) or len(differing) + len(turned) > 1:
        return None
    if turned:
        return _rule_negation(turned[0], alignment)
    if differing:
        return _rule_value(*differing[0], alignment)
    return _rule_same(alignment)


def relate(own: Atom, other: Atom) -> Relation:
    """The relation of the claim's value to the evidence's; both must be of one sort."""
    if isinstance(own.value, Date) and isinstance(other.value, Date):
        return relate_dates(own.value, other.value)
    assert isinstance(own.value, Quantity)
    assert isinstance(other.value, Quantity)
    return relate_quantities(own.value, other.value)


def _safe(alignment: Alignment) -> bool:
    """Whether nothing that the evidence adds can change the meaning of the part that the claim matches."""
    if alignment.complete:
        return True
    added = (*alignment.lead, *alignment.skipped, *alignment.rest)
    if any(atom.negated or atom.key in UNSURE or atom.stem in _ATTRIBUTIONS for atom in added):
        return False
    if len(alignment.rest) < 2:
        return True
    (first, second), last = alignment.rest[:2], alignment.pairs[-1][1]
    # "3 hours and 18 minutes", "War and Peace"
    return first.key != "and" or not ((last.value and second.value) or (last.name and second.name))


def _unlimited(alignment: Alignment, *, dated: bool) -> bool:
    """Whether the evidence holds also without what it adds at its ends; with `dated`, a year may be added."""
    lead, rest = alignment.lead, alignment.rest
    if lead and not (dated and all(map(_is_year, lead))):
        return False
    while rest and dated and _is_year(rest[0]):
        rest = rest[1:]
    if not rest:
        return True
    if _takes_back(rest, alignment):
        return False
    if rest[0].boundary == "(":
        return describes(rest, before=[other for _, other in alignment.pairs])
    if rest[0].key == "because":
        return True
    if any(atom.key in _LIMITS for atom in rest[1:]):
        return False
    if rest[0].key in _JOINS:
        return _goes_on(rest, alignment)
    if not rest[0].boundary:
        return False
    of_a_name = alignment.pairs[-1][1].name and rest[0].indefinite  # "Bob Hill, a singer"
    return of_a_name or rest[0].key in APPOSITIONS or _is_year(rest[0])


def _takes_back(rest: Sequence[Atom], alignment: Alignment) -> bool:
    """Whether what follows may say that it is no longer so, or is not so: "now 12 euros", "which is untrue".

    "Which is" after a name describes what is named, before a count or measure it tells the same in another
    way ("which is about 81 storeys"), and "and is now open" says more.
    """
    words = [atom.key for atom in rest[:2]]
    if words[0] in _JOINS:
        return not _CHANGED.isdisjoint(words) and any(atom.value for atom in rest[2:3])
    judged = words in (["which", "is"], ["which", "was"]) and not alignment.pairs[-1][1].name
    return (judged and not _measures(rest[2:3])) or any(atom.key in _CHANGED for atom in rest)


def _measures(atoms: Sequence[Atom]) -> bool:
    """Whether there are atoms, all numbers and none a share: not "100% wrong"."""
    values = [atom.value for atom in atoms]
    return bool(values) and all(isinstance(one, Quantity) and one.dimension != "percent" for one in values)


def _goes_on(rest: Sequence[Atom], alignment: Alignment) -> bool:
    """Whether "and" begins a statement or count of its own: "and is open", "and 5 losses"."""
    if len(rest) < _SHORTEST_STATEMENT:
        return False
    counted = [other.value for _, other in alignment.pairs[-2:-1]]
    if isinstance(rest[1].value, Quantity):
        return bool(counted) and isinstance(counted[0], Quantity) and not counted[0].dimension
    return rest[1].key in _GOES_ON or (rest[1].key.endswith("ed") and len(rest[1].key) > 5)


def _is_year(atom: Atom) -> bool:
    """Whether the atom is a date with a year; "in May" may mean every May."""
    return isinstance(atom.value, Date) and atom.value.years is not None


def _narrow(alignment: Alignment, *, besides: Atom | None = None) -> bool:
    """Whether a word of the claim ("the largest", "all", "third") depends on what the claim leaves out."""
    return any(
        (own.negated and own is not besides)
        or own.key in _NARROWING
        or sort_of(own) == "ordinal"
        or (own.key.endswith("est") and len(own.key) > 5)
        for own, _ in alignment.pairs
    )


def _rule_same(alignment: Alignment) -> Ruling | None:
    if any(own.value is None and own.key != other.key for own, other in alignment.pairs):
        return None
    if not all(same_signs(own.signs, other.signs) for own, other in alignment.pairs):
        return None
    # "A founder" may be one of several; "closed in December" is more than "closed on 24 December".
    if any(own.definite and other.indefinite for own, other in alignment.pairs):
        return None
    claim, _ = _sides(alignment)
    for place, (own, other) in enumerate(alignment.pairs):
        if isinstance(own.value, Date) and own.value != other.value and not _is_event(claim[:place], own):
            return None
    if alignment.complete:
        return Ruling("verified", "the evidence says the same")
    if not _unlimited(alignment, dated=True) or _narrow(alignment):
        return None
    return Ruling("verified", "the evidence says the same, and more")


def _is_event(before: Sequence[Atom], date: Atom) -> bool:
    """Whether what is said with a date also holds for a longer period around it: "fell", not "was closed"."""
    return happens_once(before) or (_is_year(date) and not any(atom.key in _STATES for atom in before))


def _rule_value(own: Atom, other: Atom, alignment: Alignment) -> Ruling | None:
    keys = [first.key for first, _ in alignment.pairs]
    at = _place(own, alignment)
    if any(first.negated for first, _ in alignment.pairs) or not alignment.one_tense:
        return None
    if not (_LOOSE.isdisjoint(keys) and _unlimited(alignment, dated=False)):
        return None
    if sort_of(own) == "date" and not happens_once([first for first, _ in alignment.pairs[:at]]):
        return None
    if not _POSSIBLE.isdisjoint(keys) and is_less(own, other):
        return None
    picks_out = picks_out_by_date if sort_of(own) == "date" else picks_out_by_value
    if any(picks_out(side, at) for side in _sides(alignment)):
        return None
    elsewhere = (*alignment.lead, *alignment.skipped, *alignment.rest)
    if any(atom.value and alike(own, atom) and relate(own, atom) != "differs" for atom in elsewhere):
        return None
    return Ruling("contradicted", f"{sort_of(own)}: the evidence has {other.written}, not {own.written}")


def is_less(own: Atom, other: Atom) -> bool:
    """Whether both are numbers and the claim's is not above the evidence's."""
    mine, theirs = own.value, other.value
    return isinstance(mine, Quantity) and isinstance(theirs, Quantity) and mine.high <= theirs.low


def in_limit(own: Atom, other: Atom, claim: Sequence[Atom], sentence: Sequence[Atom]) -> bool:
    """Whether the claim's value lies within a limit that the sentence's value is.

    What is granted within 30 days is granted within 14, what is waterproof to a depth of 50 m is so at 30 m,
    and what keeps warm down to -20 °C does so at -10 °C.
    """
    mine, theirs = _leading(claim, own), _leading(sentence, other)
    if mine[-1:] == theirs[-1:] == ["within"]:
        return is_less(own, other)
    if theirs[-1:] != ["to"]:
        return False
    if theirs == ["down", "to"] and mine[-1:] == ["at"] and is_less(other, own):
        return isinstance(own.value, Quantity) and own.value.dimension == "temperature"
    return is_less(own, other) and any(atom.key in _ENDURING for atom in claim)


def _leading(atoms: Sequence[Atom], value: Atom) -> list[str]:
    """The last two words before a value, or before "a depth of" it."""
    at = next(k for k, atom in enumerate(atoms) if atom is value)
    measured = at > 1 and atoms[at - 1].key == "of" and atoms[at - 2].indefinite
    at -= 2 * measured
    return [atom.key for atom in atoms[max(0, at - 2) : at]]


def happens_once(before: Sequence[Atom]) -> bool:
    """Whether these atoms, which precede a date, end with a verb for what happens only once.

    Between the verb and the date there may be a place or a name, but no "by" of the date's own: what was
    built by 1890 was built by 1900.
    """
    last = at = len(before) - 1
    while at > 0 and before[at].name and not before[at].boundary:
        at -= 1
    at -= 0 < at < last and before[at].key in _PLACES and not before[at].boundary
    if at < 0 or before[at].boundary:
        return False
    return before[at].stem in _ONCE or (at > 0 and before[at - 1].key in _AT_FIRST)


def _rule_negation(own: Atom, alignment: Alignment) -> Ruling | None:
    denied = not own.negated
    at = _place(own, alignment)
    if any(picks_out_by_negation(side, at) for side in _sides(alignment)) or not alignment.one_tense:
        return None
    if not alignment.complete and (denied or _narrow(alignment, besides=own)):
        return None
    if not all(map(_is_year, (*alignment.lead, *alignment.rest))):
        return None
    return Ruling("contradicted", f"negation: the evidence {'denies' if denied else 'affirms'} it")


def _place(own: Atom, alignment: Alignment) -> int:
    return next(k for k, (first, _) in enumerate(alignment.pairs) if first is own)


def _sides(alignment: Alignment) -> tuple[Sequence[Atom], Sequence[Atom]]:
    """The claim's atoms, and the evidence's atoms that are aligned with them."""
    claim, evidence = zip(*alignment.pairs, strict=True)
    return claim, evidence

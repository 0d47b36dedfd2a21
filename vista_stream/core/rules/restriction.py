"""Whether a word in a sentence restricts which thing or case is meant, rather than stating something of it.

"Guests without a visa pay" and "guests with a visa pay" can both be true. So can "the second floor has a
kitchen" and "the third floor has a kitchen". There is no parser here: the main verb is found by lists of
common verbs. Where none is found, the word is taken to be restrictive.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import COMMANDS, FUNCTION, Atom
from vista_stream.core.text.stems import stem, word_set

SUBORDINATORS = word_set(
    """
    who whom whose which that when whenever where wherever if unless while whilst until till before after
    since because although though whereas whether what whatever whoever how once provided providing
    """
)
"""Words that open a restrictive clause; "that" does not where it comes first."""
_JOINS = word_set("and but or nor")
_CLAUSE_BREAKS = (SUBORDINATORS | _JOINS) - word_set("before after until till since")
_SUBJECT_PRONOUNS = word_set("i you he she we they it")
_FINITE = word_set(
    """
    is are was were am has have had do does did can could will would may might must shall should
    rose fell grew became came began got gave took said went ran wrote stood lay weighed lasted
    needs need gets get pays pay receives receive includes include requires require contains contain sells
    sell expires expire lasts weighs applies apply allows allow provides provide gives give takes take
    holds hold earns earn becomes become gains enters enter begins begin goes go comes come
    """
)
"""Verb forms that are seldom anything but a finite verb."""
_ALSO_VERBS = frozenset(
    map(
        stem,
        word_set(
            """
            be rise fall drop increase decrease grow shrink weigh measure cost charge take come finish end
            start open close win lose score beat hold contain comprise cover span reach stand lie extend
            run carry lift offer give provide get receive earn make sell buy arrive depart leave return
            expire live employ serve accommodate produce build write publish release attend visit kill
            injure die hit need require allow save spend raise donate invest add drink eat feed play sing
            appear travel drive fly walk ride swim climb deliver refund entitle wait stay remain keep boil
            melt freeze set own operate seat consist total exceed hire vote found count remember bring send
            ask pay qualify ship meet say cancel place begin
            """
        ),
    )
)
"""Stems of verbs that may also be nouns; enough to find a main verb before a number."""
_PARTICIPLES = word_set(
    "made bought sold paid held kept lost built spent sent left met won cut set put found"
)
"""Participles that do not end in -ed. "sold" is the main verb of "they sold 5 of them", but not of "items
sold in 5 days"."""
_INDEFINITE = word_set(
    "another one some several many few most more other others various numerous certain additional new further"
)
_PARTS = word_set("some many several few various numerous another others sometimes often")
"""Words for a part of a group: both "some pay" and "some do not pay" can be true."""
_MEASURED = word_set("of every")
"""Words before a value that "there is" gives to the one thing it tells of: "there is a fee of 5 euros"."""
_PLACES = word_set("in on at of for from during")
_PLACED = word_set("is are was were lies stands located situated")
_RANKED = word_set(
    "is are was were became becomes come comes came finish finished rank ranks ranked placed stood"
)
_OWNED = word_set("its his her their")
_LONE = word_set("only sole last mother father")
"""Words for the one of several that is meant, and what each has one of; superlatives are such too."""
_PLURAL_VERBS = frozenset({"were", "have"})
_DESTROY, _DISCOVER = stem("destroyed"), stem("discovered")
"""What is destroyed may be rebuilt, and what is discovered in a place may be a kind ("gold in Alaska")."""


def picks_out_by_negation(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the negation of the atom at index `at` may be restrictive."""
    return (
        atoms[at].restricts
        or any(atom.key in _PARTS for atom in atoms[:at])
        or _counted_subject(atoms, at)
        or _subordinate(atoms, at)
        or _after_bare_pronoun(atoms, at)
        or (at > 0 and _before_verb(atoms, at))
    )


def picks_out_by_value(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the number or ordinal at index `at` may be restrictive.

    It is in the subject, except for a rough count that opens the sentence: "at least 30 people came". Or it
    is told of some of a kind, and others may have another: "some rooms have 2 beds", "there is a bus at 9".
    """
    if _counts(atoms, at):
        return False
    if _of_a_part(atoms, at) or _one_that_there_is(atoms, at):
        return True
    if _ordinal(atoms[at]) and not _alone_in_its_turn(atoms, at):
        return True
    return not _after_verb(atoms, at) or _subordinate(atoms, at) or _before_verb(atoms, at)


def picks_out_by_date(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the date at index `at` may be restrictive.

    It may after "a branch" or "branches", of which there may be others, and in "the hall built in 1990 that".
    So it may of what is destroyed, as that may be rebuilt.
    """
    before = atoms[:at]
    if any(atom.indefinite or atom.stem == _DESTROY for atom in before) or (before and _open_subject(before)):
        return True
    return _subordinate(atoms, at) or _before_verb(atoms, at)


def _ordinal(atom: Atom) -> bool:
    return isinstance(atom.value, Quantity) and atom.value.dimension == "ordinal"


def _alone_in_its_turn(atoms: Sequence[Atom], at: int) -> bool:
    """Whether only one ordinal can be true: "she came second", "the bar is on the second floor".

    Not in "the club has a bar on the second floor", nor in "she won her second title": there was a first.
    """
    before = at - 1
    while before > 0 and atoms[before].key in _OWNED:
        before -= 1
    if before > 0 and atoms[before].key in _PLACES:
        return atoms[before - 1].key in _PLACED
    return before > 0 and atoms[before].key in _RANKED


def _open_subject(before: Sequence[Atom]) -> bool:
    """Whether there may be more of the subject's kind: "another branch", "two branches", "branches were"."""
    first = before[0]
    if _one_owned(before):
        return True
    if first.definite:
        return False
    if first.key in _INDEFINITE or (isinstance(first.value, Quantity) and first.value.dimension == ""):
        return True
    if first.key in _SUBJECT_PRONOUNS or any(atom.name for atom in before[1:2]):
        return False
    return _bare_plural(before) or _discovered_there(before)


def _one_owned(before: Sequence[Atom]) -> bool:
    """Whether the subject is what somebody may have several of: "her son", "the author's novel".

    Not "her first novel" or "her eldest son", nor a name, as in "Goethe's Faust" and "McDonald's was".
    """
    for owner, owned in pairwise(before):
        if owner.key in _OWNED or owner.key.endswith("'s"):
            alone = owned.name or owned.key in _FINITE | _LONE or owned.key.endswith("est")
            return not (alone or _ordinal(owned))
        if is_verb(owner):
            return False
    return False


def _discovered_there(before: Sequence[Atom]) -> bool:
    """Whether it is discovered in a place that is named; not in "discovered by William Herschel"."""
    at = len(before) - 1
    while at > 0 and before[at].name:
        at -= 1
    placed = before[-1].name and before[at].key != "by"
    return placed and any(atom.stem == _DISCOVER for atom in before)


def _bare_plural(before: Sequence[Atom]) -> bool:
    """Whether "were" or "have" follows a subject that nothing determines: "people were", "new halls were"."""
    at = next((k for k, atom in enumerate(before) if atom.key in _PLURAL_VERBS), 0)
    return at > 0 and not any(atom.key == "and" or atom.definite for atom in before[:at])


def _counted_subject(atoms: Sequence[Atom], at: int) -> bool:
    """Whether what the atom at `at` is said of is so many of a kind: "two rooms", "one of the rooms".

    Not in "one must not", nor in "198 of the 203", which counts all that there are.
    """
    first = atoms[0]
    if at < 2 or first.definite:
        return False
    if first.key == "one":
        return atoms[1].key not in _FINITE
    plain = isinstance(first.value, Quantity) and not first.value.dimension and not first.value.hedge
    return plain and atoms[1].key != "of"


def _of_a_part(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the value at `at` is told of a part: "some have 5 beds", not "has some rooms and 5 lifts"."""
    end = at - (atoms[at - 1].key in _JOINS)
    parted = end < at or atoms[at].boundary == ","
    for k in (k for k in range(at) if atoms[k].key in _PARTS):
        plain = not any(atom.value or atom.key in FUNCTION for atom in atoms[k + 1 : end])
        if not (parted and plain and k > 0 and is_verb(atoms[k - 1])):
            return True
    return False


def _one_that_there_is(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the value at `at` tells which one there is: "there is a bus at 9", "there is a 3 km trail".

    Not in "there are 3 buses", nor in "there is room for 50 cars".
    """
    for k in range(at - 1):
        if atoms[k].key == "there" and atoms[k + 1].stem == "be":
            plural = atoms[k + 1].key in ("are", "were") and at > k + 2
            of_a_kind = plural or any(atom.indefinite or atom.key == "one" for atom in atoms[k + 2 : at + 1])
            return of_a_kind and atoms[at - 1].key not in _MEASURED
    return False


def _counts(atoms: Sequence[Atom], at: int) -> bool:
    value = atoms[at].value
    rough = isinstance(value, Quantity) and bool(value.hedge) and not value.dimension
    return at == 0 and rough and not any(atom.value for atom in atoms[1:])


def _subordinate(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the atom at `at` is in a restrictive clause, as far as the wording shows."""
    for k in range(at - 1, -1, -1):
        if atoms[k].key in SUBORDINATORS and not _opens_no_clause(atoms, k):
            return not _closed(atoms, k, at)
    return False


def _opens_no_clause(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the word opens no clause: "that shop is closed", "open until 10 p.m."."""
    return (at == 0 and atoms[at].key == "that") or (
        atoms[at].key in ("until", "till") and atoms[at + 1].value is not None
    )


def _closed(atoms: Sequence[Atom], opened: int, at: int) -> bool:
    """Whether a comma ends the clause before `at`: "if it rains, the pool is not open"."""
    commas = [k for k in range(opened + 1, at + 1) if atoms[k].boundary]
    apart = opened == 0 or bool(atoms[opened].boundary)
    return apart and bool(commas) and not any(atom.key in _JOINS for atom in atoms[commas[-1] : at])


def _after_bare_pronoun(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the atom is in a clause that no word opens: "tickets you have not used"."""
    start = at - 1
    while start > 0 and atoms[start].key in _FINITE:
        start -= 1
    if start < 1 or atoms[start].key not in _SUBJECT_PRONOUNS or atoms[start].boundary:
        return False
    return atoms[start - 1].key not in _JOINS and not all(atom.value for atom in atoms[:start])


def _after_verb(atoms: Sequence[Atom], at: int) -> bool:
    if at and atoms[0].key in COMMANDS:
        return True
    verbs = [k for k in range(1, at) if is_verb(atoms[k]) and atoms[k + 1].key != "of"]
    if all(_participle(atoms[k]) for k in verbs):
        return bool(verbs) and not any(is_verb(atom) for atom in atoms[at + 1 :])
    return True


def is_verb(atom: Atom) -> bool:
    """Whether a word may be a verb: it is seldom anything else, or has the stem of a common one."""
    return atom.key in _FINITE or atom.stem in _ALSO_VERBS


def _participle(atom: Atom) -> bool:
    return atom.key in _PARTICIPLES or (atom.key.endswith("ed") and atom.key not in _FINITE)


def _before_verb(atoms: Sequence[Atom], at: int) -> bool:
    """Whether the main verb follows the atom at `at` in the same clause."""
    for k in range(at + 1, len(atoms)):
        if atoms[k].boundary or atoms[k].key in _CLAUSE_BREAKS:
            return False
        if atoms[k].key in _FINITE and atoms[k - 1].key != "to":
            return True
    return False

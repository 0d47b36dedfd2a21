"""Exchanges two phrases of a sentence, so that it says something else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from vista_stream.training.made.edits import Edit, Move, bounds, uncapped
from vista_stream.training.made.lexicon import ASYMMETRIC, MONTHS, word_set
from vista_stream.training.rows import Label

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_NAMED: Final = word_set("PERSON GPE ORG NORP DATE CARDINAL LOC FAC WORK_OF_ART LANGUAGE EVENT")
_EXCHANGEABLE: Final = re.compile(
    r"^(?:and|or|with|between|versus|vs|v|both|together|joint|jointly|alongside|like|as|than|is|was|are|were)$"
)
"""Words between two phrases whose exchange may keep the meaning, if no verb stands between them."""
_MUTUAL: Final = word_set("marry meet call name know join merge divorce date share connect adjoin")


_EXTENTS: Final = word_set("range vary run extend stretch span reach spread lead connect go")
"""Verbs whose `from` and `to` name two ends, not a direction."""
_VAGUE: Final = word_set(
    "other such same own similar different many more several various few first last next"
)
_YEAR: Final = re.compile(r"\b\d{4}\b")


def swaps(sentence: Span) -> Iterator[tuple[Move, Label]]:
    """Yield exchanges of two phrases, each with the changed sentence's label beside the unchanged one."""
    yield from _directions(sentence)
    yield from _roles(sentence)
    yield from _names(sentence)
    yield from _adjectives(sentence)
    yield from _nouns(sentence)


def exchange(sentence: Span, left: Span, right: Span) -> tuple[Edit, ...]:
    """Return the edits that put each of two phrases of `sentence` in the other's place."""
    first, second = left.text, right.text
    if left.start == sentence.start:
        first = uncapped(left[0], first)
    return (
        Edit(*bounds(sentence, left[0], left[-1]), second),
        Edit(*bounds(sentence, right[0], right[-1]), first),
    )


def coordinated(left: Token, right: Token) -> bool:
    """Whether one stands in a list with the other, or is said to be the other."""
    return any(
        one in other.conjuncts or (one.dep_ == "appos" and other in one.ancestors)
        for one, other in ((left, right), (right, left))
    )


def _names(sentence: Span) -> Iterator[tuple[Move, Label]]:
    named = [
        _bare(name)
        for name in sentence.ents
        if name.label_ in _NAMED and len(name) <= 6 and name[0].lower_ != "one"
    ]
    for left, right in itertools.combinations(named, 2):
        if left.label_ == right.label_ and _differ(left, right) and not _equal(sentence, left, right):
            label: Label = "contradiction" if left.label_ == "DATE" else "not_entailment"
            kind = "date" if left.label_ in {"DATE", "CARDINAL"} else "name"
            if left.label_ == "DATE" and not (_dated(left) and _dated(right)):
                continue
            yield Move(f"swap_{kind}", exchange(sentence, left, right)), label


def _bare(name: Span) -> Span:
    """Return the name without its article."""
    return name[1:] if name[0].lower_ in {"the", "a", "an"} and len(name) > 1 else name


def _roles(sentence: Span) -> Iterator[tuple[Move, Label]]:
    """Exchange agent and patient."""
    for verb in sentence:
        if verb.pos_ != "VERB" or verb.lemma_ not in ASYMMETRIC:
            continue
        agents = [child for child in verb.lefts if child.dep_ in {"nsubj", "nsubjpass"}]
        patients = [child for child in verb.rights if child.dep_ == "dobj"]
        by = [child for child in verb.rights if child.dep_ == "agent"]
        patients += [child for preposition in by for child in preposition.children if child.dep_ == "pobj"]
        for agent, patient in itertools.product(agents[:1], patients[:1]):
            left, right = _phrase(agent), _phrase(patient)
            if (
                left.root.pos_ == right.root.pos_ == "PROPN"
                and left.end <= right.start
                and _differ(left, right)
            ):
                yield Move("swap_role", exchange(sentence, left, right)), "contradiction"


def _directions(sentence: Span) -> Iterator[tuple[Move, Label]]:
    """Exchange where something comes from and where it goes."""
    for origin in sentence:
        if origin.lower_ != "from" or origin.head.lemma_ in _EXTENTS:
            continue
        goal = next((token for token in sentence if token.lower_ == "to" and token.i > origin.i), None)
        if goal is None or goal.head not in {origin.head, origin}:
            continue
        ends = [[c for c in token.children if c.dep_ == "pobj"] for token in (origin, goal)]
        if all(ends):
            left, right = _phrase(ends[0][0]), _phrase(ends[1][0])
            if left.end <= goal.i and _differ(left, right) and not left.root.like_num:
                yield Move("swap_direction", exchange(sentence, left, right)), "contradiction"


def _adjectives(sentence: Span) -> Iterator[tuple[Move, Label]]:
    modifiers = [token for token in sentence if token.dep_ == "amod" and token.tag_ == "JJ" and _free(token)]
    for left, right in itertools.combinations(modifiers, 2):
        plain = left.text.islower() and right.text.islower() and left.lower_ != right.lower_
        apart = left.head.lower_ != right.head.lower_ and not coordinated(left.head, right.head)
        if plain and apart:
            edits = exchange(sentence, _one(left), _one(right))
            yield Move("swap_adjective", edits), "not_entailment"


def _dated(name: Span) -> bool:
    """Whether it is a complete date with a year: no month, number or dash stands beside it."""
    around = [token for token in name.doc[max(0, name.start - 1) : name.end + 1] if token not in name]
    part = any(token.text in {"–", "-", "—"} or token.like_num or token.text in MONTHS for token in around)
    return bool(_YEAR.search(name.text)) and not part and not re.search("[–—-]", name.text)


def _free(token: Token) -> bool:
    around = token.doc[max(0, token.i - 1) : token.i + 2]
    hyphened = any(neighbour.text in {"-", "–", "/"} for neighbour in around)
    return not token.ent_type_ and not hyphened and token.lower_ not in _VAGUE


def _nouns(sentence: Span) -> Iterator[tuple[Move, Label]]:
    nouns = [
        t for t in sentence if t.tag_ in {"NN", "NNS"} and t.dep_ in {"nsubj", "nsubjpass", "dobj", "pobj"}
    ]
    for left, right in itertools.combinations(nouns, 2):
        modified = [
            c for noun in (left, right) for c in noun.lefts if c.dep_ in {"compound", "nummod", "poss"}
        ]
        alike = left.tag_ == right.tag_ and left.lower_ != right.lower_ and not modified
        unnamed = not left.ent_type_ and not right.ent_type_
        if alike and unnamed and not _equal(sentence, _one(left), _one(right)):
            yield Move("swap_noun", exchange(sentence, _one(left), _one(right))), "not_entailment"


def _equal(sentence: Span, left: Span, right: Span) -> bool:
    """Whether an exchange of the two may keep the meaning, or make no sense."""
    between = sentence.doc[left.end : right.start]
    return (
        coordinated(left.root, right.root)
        or all(token.is_punct or token.ent_type_ for token in between)
        or (left.root.head.lower_ == "from" and right.root.head.lower_ == "to")
        or any(token.lemma_ in _MUTUAL for token in between)
        or (
            not any(token.pos_ == "VERB" for token in between)
            and any(_EXCHANGEABLE.match(token.lower_) for token in between)
        )
        or _listed(left.root, right.root)
    )


def _listed(left: Token, right: Token) -> bool:
    """Whether their heads, or heads of heads, stand in one list."""
    return (
        coordinated(left.head, right.head)
        and left.head.pos_ in {"NOUN", "PROPN", "ADP"}
        and left.dep_ == right.dep_
    )


def _differ(left: Span, right: Span) -> bool:
    own = {token.lower_ for token in left if token.is_alpha or token.like_num}
    return own.isdisjoint({token.lower_ for token in right if token.is_alpha or token.like_num}) and bool(own)


def _phrase(token: Token) -> Span:
    """Return the name that the token belongs to, or its noun with what stands before it."""
    if token.ent_type_:
        for name in token.doc.ents:
            if name.start <= token.i < name.end:
                return name
    lefts = [child.left_edge.i for child in token.lefts if child.dep_ in {"det", "compound", "amod", "poss"}]
    return token.doc[min([token.i, *lefts]) : token.i + 1]


def _one(token: Token) -> Span:
    return token.doc[token.i : token.i + 1]

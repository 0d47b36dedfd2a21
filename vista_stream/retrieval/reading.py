"""Chooses the passages that a claim is read with, all of them at once. It does no I/O."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from vista_stream.claims import Evidence, Pair, Scores, Span
from vista_stream.core.disagreement import Told
from vista_stream.retrieval.ranges import rough_tokens
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import ClaimVector, near_sentences, nearest
from vista_stream.retrieval.search import Found, Search, places

READ_TOKENS = 300
"""Most tokens, by `rough_tokens`, of the passages that a claim is read with. References with no more tokens
than this are read whole."""
_NEAREST = 12
"""Windows most about the claim, which are read where the references are not read whole."""
SENTENCES = 3
"""Most sentences that are scored one by one with a claim, to find the evidence."""


class _Unit(NamedTuple):
    """A passage of one of the references: a unit, a stretch of windows or a sentence."""

    document: Reference
    passage: Evidence


Chooser: TypeAlias = Callable[[Sequence[Reference], str, ClaimVector | None, int], list[_Unit]]
"""Documents, a claim, its embedding and a number of tokens to the passages to read, in the documents'
order."""


def read_together(
    documents: Sequence[Reference],
    claim: str,
    *,
    vector: ClaimVector | None = None,
    tokens: int = READ_TOKENS,
    sentences: int = SENTENCES,
    choose: Chooser | None = None,
) -> Search:
    """Score a claim with the passages most about it, joined in the order of the references as one premise.

    These scores judge the claim. Then the claim is scored with up to `sentences` sentences of the passages,
    one by one. The evidence is the sentence with the highest score for the label that the premise got.
    `vector` is the claim's embedding, see `preselect`. `choose` picks the passages: `nearest_units`, the
    default, for a verifier that reads units once; `nearest_sentences` for one that reads pairs. Raises
    ValueError where there is no document.
    """
    if not documents:
        raise ValueError("read_together takes at least one document")
    units = (choose or nearest_units)(documents, claim, vector, tokens)
    readings = tuple(unit.document.reading(unit.passage) for unit in units)
    (together,) = yield [Pair("\n".join(readings), claim, windows=readings)]
    near = near_sentences(claim, units, sentences)
    passages = [_Unit(document, sentence.evidence) for document, sentence in near]
    alone: Sequence[Scores] = [together]
    calls = 1
    if len(passages) > 1:  # a single sentence was read already
        alone = yield [Pair(unit.document.reading(unit.passage), claim) for unit in passages]
        calls += len(passages)
    label = max(range(3), key=together.__getitem__)
    decides = max(range(len(passages)), key=lambda row: alone[row][label])
    place = places(documents)
    told = (
        Told(place[unit.document.digest], unit.passage, triple, unit.document.context(unit.passage))
        for unit, triple in zip(passages, alone, strict=True)
    )
    return Found(
        evidence=passages[decides].passage,
        scores=together,
        model_calls=calls,
        told=tuple(told),
    )


def nearest_units(
    documents: Sequence[Reference], claim: str, vector: ClaimVector | None, tokens: int
) -> list[_Unit]:
    """The documents' units, or of long documents those in which the windows nearest to the claim stand."""
    everything = [_Unit(document, unit) for document in documents for unit in document.units]
    if _fit(documents, tokens):
        return everything
    chosen: set[int] = set()
    taken = 0
    for window in _nearest_windows(documents, claim, vector):
        for unit, cost in _under(window.passage, window.document):
            if id(unit) not in chosen and (not chosen or taken + cost <= tokens):
                chosen.add(id(unit))
                taken += cost
    return [unit for unit in everything if id(unit.passage) in chosen]


def nearest_sentences(
    documents: Sequence[Reference], claim: str, vector: ClaimVector | None, tokens: int
) -> list[_Unit]:
    """The documents whole, or of long documents the sentences of the windows nearest to the claim.

    Sentences that follow each other are one passage, unless a list or section begins or ends there.
    """
    if _fit(documents, tokens):
        return [_Unit(document, document.passage(0, len(document.sentences))) for document in documents]
    chosen: dict[int, set[int]] = {id(document): set() for document in documents}
    taken = 0
    for window in _nearest_windows(documents, claim, vector):
        held = chosen[id(window.document)]
        new = [each for each in window.document.sentences_in(window.passage) if each.sentence not in held]
        cost = sum(rough_tokens(each.text) for each in new)
        if not taken or taken + cost <= tokens:
            held.update(each.sentence for each in new)
            taken += cost
    return [
        _Unit(document, passage)
        for document in documents
        for passage in document.joined([document.passage(row, row + 1) for row in chosen[id(document)]])
    ]


def _fit(documents: Sequence[Reference], tokens: int) -> bool:
    return sum(sum(document.unit_tokens) for document in documents) <= tokens


def _nearest_windows(documents: Sequence[Reference], claim: str, vector: ClaimVector | None) -> list[_Unit]:
    holders = {id(window): document for document in documents for window in document.windows}
    found = nearest(claim, documents, k=_NEAREST, vector=vector)
    return [_Unit(holders[id(candidate.evidence)], candidate.evidence) for candidate in found]


def _under(window: Evidence, document: Reference) -> list[tuple[Evidence, int]]:
    """The units that overlap a window, the one with the largest overlap first, and the tokens of each."""
    shared = [
        (overlap, unit, cost)
        for unit, cost in zip(document.units, document.unit_tokens, strict=True)
        if (overlap := _overlap(window.span, unit.span)) > 0
    ]
    return [(unit, cost) for _, unit, cost in sorted(shared, key=lambda each: -each[0])]


def _overlap(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)

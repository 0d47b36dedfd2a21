"""The windows that a claim is read with, where a verifier reads windows once. Sans I/O, as `search`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.claims import Evidence, Pair, Span
from vista_stream.retrieval.lexical import Lexicon
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import Vectors, best, nearest, relevance
from vista_stream.retrieval.search import Found, Search

READ_TOKENS = 300
"""Of the units that a claim is read with, by `rough_tokens`; references that have no more are read whole."""
_NEAREST = 12
"""Windows by which the units are chosen, where not all are read."""
SENTENCES = 3
"""Sentences that a claim is read with one by one, to find the one that decides."""


class _Unit(NamedTuple):
    """A unit of one of the references."""

    document: Reference
    passage: Evidence


def read_together(
    documents: Sequence[Reference],
    claim: str,
    *,
    vector: Vectors | None = None,
    tokens: int = READ_TOKENS,
    sentences: int = SENTENCES,
) -> Search:
    """Score a claim with the units that it is most about, all at once, in the order of the references.

    Then with up to `sentences` of their sentences one by one: the evidence is the one that says most clearly
    what all units together say. `vector` is the claim's embedding, see `preselect`. Raises ValueError where
    there is no document.
    """
    if not documents:
        raise ValueError("read_together takes at least one document")
    units = _units(documents, claim, vector, tokens)
    readings = tuple(unit.document.reading(unit.passage) for unit in units)
    (together,) = yield [Pair("\n".join(readings), claim, windows=readings)]
    passages = _sentences(units, claim, sentences)
    if len(passages) == 1:
        return Found(evidence=passages[0].passage, scores=together, model_calls=1)
    alone = yield [Pair(unit.document.reading(unit.passage), claim) for unit in passages]
    label = max(range(3), key=together.__getitem__)
    decides = max(range(len(passages)), key=lambda row: alone[row][label])
    return Found(evidence=passages[decides].passage, scores=together, model_calls=1 + len(passages))


def _units(documents: Sequence[Reference], claim: str, vector: Vectors | None, tokens: int) -> list[_Unit]:
    everything = [_Unit(document, unit) for document in documents for unit in document.units]
    if sum(sum(document.unit_tokens) for document in documents) <= tokens:
        return everything
    holders = {id(window): document for document in documents for window in document.windows}
    chosen: set[int] = set()
    taken = 0
    for candidate in nearest(claim, documents, k=_NEAREST, vector=vector):
        for unit, cost in _under(candidate.evidence, holders[id(candidate.evidence)]):
            if id(unit) not in chosen and (not chosen or taken + cost <= tokens):
                chosen.add(id(unit))
                taken += cost
    return [unit for unit in everything if id(unit.passage) in chosen]


def _under(window: Evidence, document: Reference) -> list[tuple[Evidence, int]]:
    """The units that a window's sentences stand in, the one with most of it first, and what each costs."""
    shared = [
        (overlap, unit, cost)
        for unit, cost in zip(document.units, document.unit_tokens, strict=True)
        if (overlap := _overlap(window.span, unit.span)) > 0
    ]
    return [(unit, cost) for _, unit, cost in sorted(shared, key=lambda each: -each[0])]


def _overlap(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def _sentences(units: Sequence[_Unit], claim: str, count: int) -> list[_Unit]:
    """The sentences of the units that share most with the claim, in the order of the references."""
    found = [
        _Unit(unit.document, passage)
        for unit in units
        for passage in unit.document.sentences_in(unit.passage)
    ]
    lexicon = Lexicon([unit.passage.text for unit in found])
    ranked = best([unit.passage for unit in found], relevance(claim, lexicon), count)
    kept = {candidate.evidence for candidate in ranked}
    return [unit for unit in found if unit.passage in kept]

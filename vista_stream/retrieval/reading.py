"""Chooses the units that a claim is read with, for a verifier that reads each unit once. It does no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.claims import Evidence, Pair, Span
from vista_stream.retrieval.lexical import Lexicon
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import Vectors, best, nearest, relevance
from vista_stream.retrieval.search import Found, Search

READ_TOKENS = 300
"""Most tokens, by `rough_tokens`, of the units that a claim is read with. References with no more tokens than
this are read whole."""
_NEAREST = 12
"""Windows most about the claim, whose units are read where the references are not read whole."""
SENTENCES = 3
"""Most sentences that are scored one by one with a claim, to find the evidence."""


class _Unit(NamedTuple):
    """A passage of one of the references: a unit or a sentence."""

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
    """Score a claim with the units most about it, joined in the order of the references as one premise.

    These scores judge the claim. Then the claim is scored with up to `sentences` sentences of the units, one
    by one. The evidence is the sentence with the highest score for the label that the units together got.
    `vector` is the claim's embedding, see `preselect`. Raises ValueError where there is no document.
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
    """The units that overlap a window, the one with the largest overlap first, and the tokens of each."""
    shared = [
        (overlap, unit, cost)
        for unit, cost in zip(document.units, document.unit_tokens, strict=True)
        if (overlap := _overlap(window.span, unit.span)) > 0
    ]
    return [(unit, cost) for _, unit, cost in sorted(shared, key=lambda each: -each[0])]


def _overlap(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def _sentences(units: Sequence[_Unit], claim: str, count: int) -> list[_Unit]:
    """The `count` sentences of the units that share most words with the claim, in the references' order."""
    found = [
        _Unit(unit.document, passage)
        for unit in units
        for passage in unit.document.sentences_in(unit.passage)
    ]
    lexicon = Lexicon([unit.passage.text for unit in found])
    ranked = best([unit.passage for unit in found], relevance(claim, lexicon), count)
    kept = {candidate.evidence for candidate in ranked}
    return [unit for unit in found if unit.passage in kept]

"""Finding the evidence for a claim, sans I/O: generators that yield pairs and are sent their scores.

`bst` and `linear` search one document sentence by sentence (SCALE, section 3.2); `preselect` ranks the
windows of several documents by words and embeddings and has only the best of them scored.
`together` runs several searches in step, so that every round of all of them is one call of the verifier.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

from vista_stream.claims import Evidence, Pair, Scores, Span
from vista_stream.retrieval.combine import Scored, combine
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import Vectors, nearest

DEFAULT_K = 3
"""Windows that `preselect` has scored at most."""
SURE = 0.8
"""From this entailment on by the nearest window, `preselect` has no other scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The passage that decides about a claim, and what it took to find it."""

    evidence: Evidence
    scores: Scores
    """What to judge the claim by."""
    relevance: float = 1.0
    """0..1: how much the evidence is about the claim, where the strategy ranks by that."""
    path: tuple[Span, ...] = ()
    """Ranges of sentences that the search descended through, widest first; empty without a tree."""
    model_calls: int
    """Pairs scored."""


T = TypeVar("T")
Rounds: TypeAlias = Generator[list[Pair], Sequence[Scores], T]
"""Yields the pairs of one round, is sent their scores in the same order, returns a T."""
Search: TypeAlias = Rounds[Found]


def entailing(scores: Scores) -> float:
    """What SCALE descends by: how far the premise supports the claim."""
    return scores.entailment


def settling(scores: Scores) -> float:
    """What a three-way verifier descends by: how far the premise settles the claim, either way."""
    return max(scores.entailment, scores.contradiction)


class _Part(NamedTuple):
    """A scored node of the search tree."""

    path: tuple[Span, ...]
    """Ranges of sentences from the first level down to this part's."""
    scores: Scores
    open: bool
    """Whether to descend into it."""


def bst(
    document: Reference,
    claim: str,
    *,
    branches: int = 2,
    beam: int = 1,
    margin: float | None = None,
    by: Callable[[Scores], float] = entailing,
) -> Search:
    """Descend from the whole document to the sentence with the best score (SCALE, section 3.2).

    Each round scores all parts of the `beam` best parts so far, each cut into `branches` (as the
    released code does: equal parts, and one more for what is left over). With beam 1 and no margin
    this is the published search: about branches x log(n) pairs for n sentences. With a `margin` a part
    none of whose own parts beats it by more than that is not descended into, and may be the evidence.
    Raises ValueError for branches below 2 or a beam below 1.
    """
    if branches < 2:
        raise ValueError(f"branches must be 2 or more, not {branches!r}")
    if beam < 1:
        raise ValueError(f"beam must be 1 or more, not {beam!r}")
    front = [_Part((Span(0, len(document.sentences)),), Scores(0.0, 1.0, 0.0), open=True)]
    calls = 0
    while any(part.open for part in front):
        families = [(part, _split(part.path[-1], branches)) for part in front if part.open]
        premises = [document.passage(*ends).text for _, spans in families for ends in spans]
        scores = iter((yield [Pair(premise, claim) for premise in premises]))
        calls += len(premises)
        grown = [part for part in front if not part.open]
        for parent, spans in families:
            children = [_child(parent, ends, next(scores)) for ends in spans]
            grown += _descend(parent, children, by, margin)
        front = sorted(grown, key=lambda part: -by(part.scores))[:beam]
    evidence = document.passage(*front[0].path[-1])
    return Found(evidence=evidence, scores=front[0].scores, path=front[0].path[1:], model_calls=calls)


def _split(ends: Span, branches: int) -> list[Span]:
    step = max((ends.end - ends.start) // branches, 1)
    return [Span(first, min(first + step, ends.end)) for first in range(*ends, step)]


def _child(parent: _Part, ends: Span, scores: Scores) -> _Part:
    return _Part((*parent.path, ends), scores, open=ends.end - ends.start > 1)


def _descend(
    parent: _Part, children: list[_Part], by: Callable[[Scores], float], margin: float | None
) -> list[_Part]:
    """The children, or the parent itself where none of them beats it by the margin."""
    if margin is None or len(parent.path) == 1:  # the whole document is not scored itself
        return children
    gain = max(by(child.scores) for child in children) - by(parent.scores)
    return children if gain > margin else [parent._replace(open=False)]


def linear(document: Reference, claim: str, *, by: Callable[[Scores], float] = entailing) -> Search:
    """Score every sentence, in one round, and take the best: n pairs for n sentences."""
    sentences = [document.passage(row, row + 1) for row in range(len(document.sentences))]
    scores = yield [Pair(sentence.text, claim) for sentence in sentences]
    row = max(range(len(sentences)), key=lambda row: by(scores[row]))
    return Found(evidence=sentences[row], scores=scores[row], model_calls=len(sentences))


def preselect(
    documents: Sequence[Reference], claim: str, *, k: int = DEFAULT_K, vector: Vectors | None = None
) -> Search:
    """Score up to k windows that are most about the claim, and `combine` their scores.

    The nearest window comes alone first: where it surely entails the claim, as it does for most true
    claims, the others cannot change that, and the claim waits for one pair only.
    `vector` is the claim's embedding, for documents that were indexed by the same embedder; without it
    shared words alone select. Raises ValueError where there is no document, or k is below 1.
    """
    if not documents or k < 1:
        raise ValueError(f"preselect takes at least one document and a k from 1, not k={k!r}")
    chosen = nearest(claim, documents, k=k, vector=vector)
    pairs = [Pair(candidate.evidence.text, claim) for candidate in chosen]
    scores = list((yield pairs[:1]))
    if len(pairs) > 1 and scores[0].entailment < SURE:
        scores += yield pairs[1:]
    best = combine([Scored(*candidate, triple) for candidate, triple in zip(chosen, scores, strict=False)])
    assert best is not None
    return Found(
        evidence=best.evidence, scores=best.scores, relevance=best.relevance, model_calls=len(scores)
    )


def together(searches: Sequence[Rounds[T]]) -> Rounds[list[T]]:
    """Run searches in step: each round's pairs of all of them in one list; what each found, in order."""
    found: dict[int, T] = {}
    asked: dict[int, list[Pair]] = {}

    def advance(row: int, scores: Sequence[Scores] | None) -> None:
        try:
            asked[row] = searches[row].send(scores)  # type: ignore[arg-type]  # None starts a generator
        except StopIteration as end:
            found[row] = end.value

    for row in range(len(searches)):
        advance(row, None)
    while asked:
        current, asked = asked, {}
        scores = iter((yield [pair for pairs in current.values() for pair in pairs]))
        for row, pairs in current.items():
            advance(row, [next(scores) for _ in pairs])
    return [found[row] for row in range(len(searches))]

"""Finds the evidence for a claim without I/O: generators yield pairs and are sent their scores.

`bst`, `published_bst` and `linear` search one document down to a sentence. `preselect` ranks the windows of
several documents by words and embeddings, and has only the best of them scored, and the sentence of them
that is nearest to the claim; with a pooling it reads the best one with the nearest sentences of others. It
needs at most k + 1 pairs at any length, so the strategy "auto" uses it (`python -m benchmarks.retrieval`
compares them).
`in_step` runs several searches in step, so that one call of the verifier scores a round of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

from vista_stream.claims import Evidence, Pair, Scores, Span
from vista_stream.core.disagreement import Told
from vista_stream.core.pooling import Pooling
from vista_stream.retrieval.combine import Scored, combine, weighed
from vista_stream.retrieval.lexical import Lexicon
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import Candidate, ClaimVector, near_sentences, nearest

DEFAULT_K = 2
"""Most windows that `preselect` has scored."""
SURE = 0.8
"""If the most relevant window entails the claim at least so much, `preselect` has no other window scored."""
_BESIDE = 3
"""Most sentences of other windows that are read with the nearest window. Chosen on claims of held-out written
documents: the window holds all that decides for 77 of 100 of them, with three sentences for 93."""
_BESIDE_FROM = 5
"""Windows from which these sentences are taken, the nearest one included."""
_BESIDE_LENGTH = 800
"""Most code points of these sentences together: with a long window, 400 of the 512 tokens of the verifier."""
ALONE = 0.9
"""Relevance of the sentence that is scored by itself, as a share of its windows' highest. Chosen on claims of
held-out written documents: 1.0 finds fewer contradictions at 3 to 8 % false ones, 0.8 no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The passage that decides about a claim, its scores, and the cost of the search."""

    evidence: Evidence
    scores: Scores
    """The scores to judge the claim by."""
    relevance: float = 1.0
    """0..1: how much the evidence is about the claim; 1 where the strategy does not compute it."""
    path: tuple[Span, ...] = ()
    """Ranges of sentences that the search descended through, widest first; empty without a tree."""
    model_calls: int
    """Number of pairs scored."""
    told: tuple[Told, ...] = ()
    """What each passage that was scored alone says; empty for a search of one document."""


T = TypeVar("T")
Rounds: TypeAlias = Generator[list[Pair], Sequence[Scores], T]
"""A generator that yields the pairs of one round, is sent their scores in the same order, and returns a T."""
Search: TypeAlias = Rounds[Found]


def entailing(scores: Scores) -> float:
    """The score by which SCALE descends: how far the premise supports the claim."""
    return scores.entailment


def settling(scores: Scores) -> float:
    """The score by which a three-way verifier descends: how far the premise settles the claim, either way."""
    return max(scores.entailment, scores.contradiction)


def bst(
    document: Reference,
    claim: str,
    *,
    branches: int = 2,
    beam: int = 1,
    margin: float | None = None,
    by: Callable[[Scores], float] = entailing,
) -> Search:
    """Descend from parts that fit the model to the sentence with the best score (SCALE, section 3.2).

    The first round scores the document's `parts`. A model would truncate larger parts, and so compare only
    their beginnings. Each further round takes the `beam` best parts so far, cuts each into `branches`, and
    scores what results. A document of one part is cut from the first round on, as in `published_bst`.

    With a `margin`, the search stops at a part if none of its own parts scores higher by more than the
    margin; that part may be the evidence. For n sentences, m in each part: about n/m pairs, and then
    branches x log(m). Raises ValueError for branches below 2 or a beam below 1.
    """
    tree = _Tree(branches, beam, margin, by)
    whole = Span(0, len(document.sentences))
    first = document.parts if len(document.parts) > 1 else tree.split(whole)
    return tree.search(document, claim, first)


def published_bst(
    document: Reference, claim: str, *, branches: int = 2, by: Callable[[Scores], float] = entailing
) -> Search:
    """SCALE's search as released, for comparison: greedy, from the whole document down.

    From some 32 sentences on, its first parts are longer than the 512 tokens that a model reads. It needs
    about branches x log(n) pairs for n sentences. Raises ValueError for branches below 2.
    """
    tree = _Tree(branches, 1, None, by)
    return tree.search(document, claim, tree.split(Span(0, len(document.sentences))))


class _Part(NamedTuple):
    """A scored node of the search tree."""

    path: tuple[Span, ...]
    """Ranges of sentences from the first round down to this part's; empty for the whole document."""
    scores: Scores
    open: bool
    """Whether to descend into it."""


class _Tree:
    """The search tree's settings, and the descent itself."""

    def __init__(self, branches: int, beam: int, margin: float | None, by: Callable[[Scores], float]) -> None:
        if branches < 2:
            raise ValueError(f"branches must be 2 or more, not {branches!r}")
        if beam < 1:
            raise ValueError(f"beam must be 1 or more, not {beam!r}")
        self._branches = branches
        self._beam = beam
        self._margin = margin
        self._by = by

    def split(self, ends: Span) -> list[Span]:
        """Cut a range as SCALE's released code does: into equal parts, and one more for a remainder."""
        step = max((ends.end - ends.start) // self._branches, 1)
        return [Span(first, min(first + step, ends.end)) for first in range(*ends, step)]

    def search(self, document: Reference, claim: str, first: Sequence[Span]) -> Search:
        """Score, in each round, the parts of all open parts, beginning with the ranges `first`."""
        front: list[_Part] = []
        families = [(_Part((), Scores(0.0, 1.0, 0.0), open=True), first)]
        calls = 0
        while families:
            premises = [document.passage(*ends).text for _, spans in families for ends in spans]
            scores = iter((yield [Pair(premise, claim) for premise in premises]))
            calls += len(premises)
            grown = [part for part in front if not part.open]
            for parent, spans in families:
                grown += self._descend(parent, [_child(parent, ends, next(scores)) for ends in spans])
            front = sorted(grown, key=lambda part: -self._by(part.scores))[: self._beam]
            families = [(part, self.split(part.path[-1])) for part in front if part.open]
        best = front[0]
        evidence = document.passage(*best.path[-1])
        return Found(evidence=evidence, scores=best.scores, path=best.path, model_calls=calls)

    def _descend(self, parent: _Part, children: list[_Part]) -> list[_Part]:
        """The children, or the parent itself where none of them beats it by the margin."""
        if self._margin is None or not parent.path:  # the whole document is not scored itself
            return children
        gain = max(self._by(child.scores) for child in children) - self._by(parent.scores)
        return children if gain > self._margin else [parent._replace(open=False)]


def _child(parent: _Part, ends: Span, scores: Scores) -> _Part:
    return _Part((*parent.path, ends), scores, open=ends.end - ends.start > 1)


def linear(document: Reference, claim: str, *, by: Callable[[Scores], float] = entailing) -> Search:
    """Score every sentence in one round and take the best; n pairs for n sentences."""
    sentences = [document.passage(row, row + 1) for row in range(len(document.sentences))]
    scores = yield [Pair(sentence.text, claim) for sentence in sentences]
    row = max(range(len(sentences)), key=lambda row: by(scores[row]))
    return Found(evidence=sentences[row], scores=scores[row], model_calls=len(sentences))


def preselect(
    documents: Sequence[Reference],
    claim: str,
    *,
    k: int = DEFAULT_K,
    vector: ClaimVector | None = None,
    pooling: Pooling | None = None,
) -> Search:
    """Score the windows that are most about the claim, at most k, and the sentence of them nearest to it.

    The sentence is the one that shares most words with the claim. It is scored by itself, since a model may
    overlook in a window what decides. With a `pooling` all are scored in one round, and it makes the triple.
    The nearest window is then read with the nearest sentences of the same text, at most three, and no other
    window of that text is. The evidence is the passage that speaks most for the triple's side: of what is
    read together, the part with the nearest window.

    Without one, `combine` chooses the deciding passage. The most relevant window is then scored alone first.
    If its entailment reaches SURE, as it does for most true claims, no other passage can change the verdict,
    and none is scored.

    Without the claim's `vector`, and of documents that its embedder has not indexed, windows are chosen by
    shared words alone. Raises ValueError where there is no document, or k is below 1.
    """
    if not documents or k < 1:
        raise ValueError(f"preselect takes at least one document and a k from 1, not k={k!r}")
    found = nearest(claim, documents, k=max(k, _BESIDE_FROM) if pooling else k, vector=vector)
    windows = [_alone(_owner(candidate.evidence, documents), candidate) for candidate in found]
    read, sentence, scores = windows[:k], 0, list[Scores]()
    if pooling is None:
        scores += yield _pairs(read[:1], claim)
    if pooling or scores[0].entailment < SURE:
        near = _nearest_sentence(claim, read)
        if pooling:
            read = [
                _with_sentences(claim, windows),
                *(each for each in read if each.owner is not read[0].owner),
            ]
        sentence = _add(read, near)
        if rest := _pairs(read[len(scores) :], claim):
            scores += yield rest
    passages = [Scored(*each.candidate, triple) for each, triple in zip(read, scores, strict=False)]
    weighted = weighed(passages)
    if pooling:
        triple = pooling.pooled(scores[0], scores[sentence], scores)
        widened = read[0].premise != windows[0].premise
        best: Scored | None = _evidence_for(triple, weighted, widened=widened)._replace(scores=triple)
        weighted = [each._replace(scores=pooling.alone(each.scores)) for each in weighted]
    else:
        best = combine(passages)
    assert best is not None
    place = places(documents)
    return Found(
        evidence=best.evidence,
        scores=best.scores,
        relevance=best.relevance,
        model_calls=len(scores),
        told=tuple(
            Told(place[owner.digest], passage.evidence, passage.scores, owner.context(passage.evidence))
            for (owner, _, _), passage in zip(read, weighted, strict=False)
        ),
    )


class _Read(NamedTuple):
    """What the verifier reads as one premise."""

    owner: Reference
    candidate: Candidate
    premise: str


def _alone(owner: Reference, candidate: Candidate) -> _Read:
    return _Read(owner, candidate, owner.reading(candidate.evidence))


def _pairs(read: Sequence[_Read], claim: str) -> list[Pair]:
    return [Pair(each.premise, claim) for each in read]


def _with_sentences(claim: str, windows: Sequence[_Read]) -> _Read:
    """The nearest window with the sentences of the other windows of its text that are most about the claim.

    Its evidence is the part of them that has the nearest window.
    """
    owner, first = windows[0].owner, windows[0].candidate
    inside = owner.sentences_in(first.evidence)
    within: dict[Evidence, float] = {}
    for each in windows:
        if each.owner is owner:
            for one in owner.sentences_in(each.candidate.evidence):
                within[one] = max(within.get(one, 0.0), each.candidate.relevance)
    shared = Lexicon([one.text for one in within]).coverage(claim)
    ranks = {one: share + relevance for (one, relevance), share in zip(within.items(), shared, strict=True)}
    others, room = list[Evidence](), _BESIDE_LENGTH
    for one in sorted((one for one in within if one not in inside), key=lambda one: -ranks[one])[:_BESIDE]:
        if len(one.text) <= room:
            others.append(one)
            room -= len(one.text)
    parts = owner.joined([first.evidence, *others])
    evidence = next(part for part in parts if part.span.end > first.evidence.span.start)
    return _Read(owner, first._replace(evidence=evidence), owner.reading(*parts))


def _evidence_for(triple: Scores, passages: Sequence[Scored], *, widened: bool) -> Scored:
    """The passage that speaks most for what a triple says.

    Where the first premise is more than a window, a passage that says so by itself goes before it.
    """
    side = 2 if triple.contradiction > triple.entailment else 0

    def most(rows: Sequence[Scored]) -> Scored:
        return max(rows, key=lambda each: each.scores[side])

    if widened and len(passages) > 1:
        best = most(passages[1:])
        if max(best.scores) == best.scores[side]:
            return best
    return most(passages)


def _nearest_sentence(claim: str, read: Sequence[_Read]) -> _Read | None:
    """The sentence of the windows that shares most words with the claim; None where they have none."""
    windows = [(each.owner, each.candidate.evidence) for each in read]
    for owner, sentence in near_sentences(claim, windows, 1):
        highest = max(each.candidate.relevance for each in read)
        return _alone(owner, sentence._replace(relevance=ALONE * highest))
    return None


def _add(read: list[_Read], sentence: _Read | None) -> int:
    """The row of a sentence, which is added unless it is read already; 0 where there is none."""
    if sentence is None:
        return 0
    premises = [each.premise for each in read]
    if sentence.premise in premises:
        return premises.index(sentence.premise)
    read.append(sentence)
    return len(premises)


def places(documents: Sequence[Reference]) -> dict[str, int]:
    """The place of each text among the documents, by its digest; the last one of a text that occurs twice."""
    return {document.digest: place for place, document in enumerate(documents)}


def _owner(window: Evidence, documents: Sequence[Reference]) -> Reference:
    # Filter by name first, which is cheap; the windows are compared because two documents may share a name.
    named = (document for document in documents if document.name == window.document)
    return next(document for document in named if any(window is one for one in document.windows))


def in_step(searches: Sequence[Rounds[T]]) -> Rounds[list[T]]:
    """Run searches in step: each round yields the pairs of all of them in one list.

    Returns what each search found, in the order of `searches`.
    """
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

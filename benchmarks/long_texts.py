"""A premise of any length and a hypothesis of several sentences to one score, as live verification does it.

Each sentence of the hypothesis is checked by itself, like a sentence of a streamed answer: against the
premise as it stands where that is short, else against the windows that `preselect` finds, nearest first.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks.evaluation_sets import Row
from vista_stream.claims import Pair, Scores
from vista_stream.core.segmenter import Segmenter, SegmentKind
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.search import Rounds, preselect, together
from vista_stream.verifiers.protocol import Embedder

LONG = 130
"""Words of a premise from which it is searched."""
LONG_CLAIM = 45
"""Words of a hypothesis from which it is checked sentence by sentence."""


def check(row: Row, embedder: Embedder) -> Rounds[Scores]:
    """Ask for the pairs of one row, round by round; what they say together."""
    claims = sentences(row.hypothesis) if len(row.hypothesis.split()) >= LONG_CLAIM else [row.hypothesis]
    if len(row.premise.split()) < LONG:
        return combined((yield [Pair(row.premise, claim) for claim in claims]))
    reference = Reference(row.premise, name="premise")
    reference.index(embedder)
    vectors = embedder.embed(claims)
    searches = [preselect([reference], claim, vector=vectors[n]) for n, claim in enumerate(claims)]
    found = yield from together(searches)
    return combined([each.scores for each in found])


def sentences(text: str) -> list[str]:
    """The sentences of a text, or the text itself where it holds none."""
    segmenter = Segmenter()
    segments = segmenter.feed(text) + segmenter.finish()
    return [s.text.strip() for s in segments if s.kind is SegmentKind.SENTENCE and s.text.strip()] or [text]


def combined(scores: Sequence[Scores]) -> Scores:
    """The mean over the sentences of a hypothesis."""
    entailment, neutral, contradiction = (statistics.fmean(column) for column in zip(*scores, strict=True))
    return Scores(entailment, neutral, contradiction)

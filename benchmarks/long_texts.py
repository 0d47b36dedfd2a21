"""A premise of any length and a hypothesis of several sentences to one score.

Each sentence of the hypothesis that states something is checked by itself, as in a stream, and the least
supported one decides: a text is as consistent as its worst sentence. A premise that is longer than is well
read at once is cut down to the windows nearest to the sentence, joined in the document's order, since a
sentence of a summary often stands on several of them.

All of it was chosen with the first shipped model on training rows. 80 of SummEdits, ROC AUC of support: the
best of three windows 67 with the mean over sentences and 72 with the least supported one; five windows joined
76 and 80; the document up to 512 tokens 77 and 80, but that reads no further. What a contradiction takes off
support (0, 0.25, 0.5, 1): there 72, 78, 80, 81 with five windows joined; on 1,248 short pairs of 21 sources,
held out by document, 82.6, 82.5, 82.1, 81.3 on average.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.evaluation_sets import Row
from vista_stream.claims import Pair, Scores, Span
from vista_stream.core.segmenter import Segmenter, SegmentKind
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import Vectors, nearest
from vista_stream.retrieval.search import Rounds
from vista_stream.training.claim_type import claim_type
from vista_stream.verifiers.protocol import Embedder

LONG_CLAIM = 12
"""Words of a hypothesis from which it is checked sentence by sentence."""
CONTEXT = 300
"""Words of a premise that are read at once."""
REFUTED = 0.5
"""What a contradiction takes off support."""
_LOWER_END = re.compile(r"(?<=\w\w\w[.!?])\s+")


def check(row: Row, embedder: Embedder) -> Rounds[Scores]:
    """Ask for the pairs of one row, all at once; what they say together."""
    claims = stated(row.hypothesis) if len(row.hypothesis.split()) >= LONG_CLAIM else [row.hypothesis]
    if len(row.premise.split()) <= CONTEXT:
        scores = yield [Pair(row.premise, claim) for claim in claims]
    else:
        reference = Reference(row.premise, name="premise")
        reference.index(embedder)
        vectors = embedder.embed(claims)
        scores = yield [Pair(context(reference, claim, vectors[n]), claim) for n, claim in enumerate(claims)]
    return weakest(scores)


def stated(text: str) -> list[str]:
    """The sentences of a text that state facts; all of them, or the text itself, where none does."""
    # The segmenter takes a full stop before a small letter for an abbreviation's: lower-cased text, as
    # SummEval's and FRANK's summaries are, would be one sentence.
    pieces = _LOWER_END.split(text) if text.islower() else [text]
    told = [sentence for piece in pieces for sentence in _sentences(piece)]
    return [sentence for sentence in told if claim_type(sentence) == "factual"] or told or [text]


def _sentences(text: str) -> list[str]:
    segmenter = Segmenter()
    segments = segmenter.feed(text) + segmenter.finish()
    return [s.text.strip() for s in segments if s.kind is SegmentKind.SENTENCE and s.text.strip()]


def context(document: Reference, claim: str, vector: Vectors, *, words: int = CONTEXT) -> str:
    """The windows nearest to the claim, at most so many words of them, joined in the document's order."""
    found = nearest(claim, [document], k=len(document.windows), vector=vector)
    spans: list[Span] = []
    for candidate in found:
        wider = _joined([*spans, candidate.evidence.span])
        if spans and sum(len(document.text[start:end].split()) for start, end in wider) > words:
            break
        spans = wider
    return " ".join(document.text[start:end] for start, end in spans)


def _joined(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, those that touch made one."""
    kept: list[Span] = []
    for span in sorted(spans):
        if kept and span.start <= kept[-1].end:
            kept[-1] = Span(kept[-1].start, max(kept[-1].end, span.end))
        else:
            kept.append(span)
    return kept


def support(scores: Scores) -> float:
    """How far a text is supported, from -REFUTED to 1: a contradiction is worse than silence."""
    return scores.entailment - REFUTED * scores.contradiction


def weakest(scores: Sequence[Scores]) -> Scores:
    """Those of the sentence that is supported least."""
    return min(scores, key=support)

"""Gives one score for a premise of any length and a hypothesis of several sentences.

Each sentence of the hypothesis that states something is checked by itself, as in a stream. The least
supported one decides: a text is as consistent as its worst sentence. What a text says of its speaker is left
out.

The shipped verifiers are trained on premises of at most 280 words. A premise up to that length is read
whole. A longer one is cut down to the windows nearest to the sentence, joined in the document's order, since
a sentence of a summary often rests on several of them. The right number of words differs from sentence to
sentence. The premise is therefore read three times, and the mean of the three scores counts.

On 600 rows of SummEdits with such documents, ROC AUC is 69.4 (with 300, 150 or 60 words alone 68.0, 69.2 and
68.1), and cross entropy 0.70 (0.80, 0.77, 0.93). On 985 other training pairs, which were not used to choose
the readings, cross entropy is 0.420 (0.428, 0.442, 0.522), and 82.3 % of the labels are right (81.7, 81.7,
78.9). The scores of such documents are still too certain: the best temperature on SummEdits' rows is 2.2.
`calibrated` applies it.

The temperature, and how sentences and readings are combined, were chosen on SummEdits' training rows alone:
`python -m benchmarks.long_text_choices`. A verifier that reads windows once needs none of this: it is used as
in a guard (`scoring/whole_texts.py`).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks.evaluation_sets import Row
from vista_stream.claims import Pair, Scores, Span
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import ClaimVector, nearest
from vista_stream.retrieval.search import Rounds
from vista_stream.scoring.whole_texts import stated, support
from vista_stream.verifiers.protocol import Embedder

TAUGHT = 280
"""Words of the longest premises that the shipped verifiers were trained on (`training/mixture.py`)."""
CONTEXTS = (60, 150, 300)
"""Numbers of words of a longer premise: it is read once with each."""
SOFTER = 2.2
"""Temperature for scores of longer premises, in addition to the model's own."""


def check(row: Row, embedder: Embedder) -> Rounds[Scores]:
    """A search that asks for all pairs of one row at once, and gives the row's scores."""
    return weakest((yield from by_sentence(row, embedder, words=CONTEXTS)))


def calibrated(row: Row, scores: Scores) -> Scores:
    """The scores as calibrated probabilities: less certain for a long premise.

    Not part of `check`, because it changes the ranking in a set with long and short premises.
    """
    return softened(scores, SOFTER) if is_long(row) else scores


def is_long(row: Row) -> bool:
    """Whether its premise is longer than any that the shipped verifiers were trained on."""
    return len(row.premise.split()) > TAUGHT


def by_sentence(row: Row, embedder: Embedder, *, words: Sequence[int]) -> Rounds[list[Scores]]:
    """A search that asks for the pairs of one row, and gives one triple of scores for each sentence.

    A premise that is not read whole is read once for each of `words`; the mean of the readings counts.
    """
    claims = [one.text for one in stated(row.hypothesis) if not one.aside]
    if not is_long(row):
        return list((yield [Pair(row.premise, claim) for claim in claims]))
    reference = Reference(row.premise, name="premise")
    reference.index(embedder)
    vectors = embedder.embed(claims)
    scores = yield [
        Pair(context(reference, claim, ClaimVector(vectors[n], embedder), words=count), claim)
        for n, claim in enumerate(claims)
        for count in words
    ]
    each = len(words)
    return [mean(scores[n : n + each]) for n in range(0, len(scores), each)]


def mean(scores: Sequence[Scores]) -> Scores:
    """The mean of each label's scores."""
    return Scores(*(statistics.fmean(shares) for shares in zip(*scores, strict=True)))


def context(document: Reference, claim: str, vector: ClaimVector, *, words: int) -> str:
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
    """The spans in order, with those that touch merged."""
    kept: list[Span] = []
    for span in sorted(spans):
        if kept and span.start <= kept[-1].end:
            kept[-1] = Span(kept[-1].start, max(kept[-1].end, span.end))
        else:
            kept.append(span)
    return kept


def weakest(scores: Sequence[Scores]) -> Scores:
    """The scores of the sentence that is supported least."""
    return min(scores, key=support)


def softened(scores: Scores, temperature: float) -> Scores:
    """Less certain scores with the same order of labels: the probabilities of logits / `temperature`."""
    powers = [share ** (1 / temperature) for share in scores]
    return Scores(*(power / sum(powers) for power in powers))

"""A premise of any length and a hypothesis of several sentences to one score.

Each sentence of the hypothesis that states something is checked by itself, as in a stream, and the least
supported one decides: a text is as consistent as its worst sentence. What it says of its speaker is left
out.

The shipped verifiers learn from premises of at most 280 words. Up to there a premise is read whole. A longer
one is cut down to the windows nearest to the sentence, joined in the document's order, since a sentence of a
summary often stands on several of them. How many words are right differs from sentence to sentence: it is
read three times, and the mean of the three counts, which is surer of the right things and less sure of the
wrong ones than any alone. On 600 rows of SummEdits with such documents: ROC AUC 69.4 (68.0, 69.2 and 68.1
with 300, 150 and 60 words), cross entropy 0.70 (0.80, 0.77, 0.93); on 985 other training pairs, which had no
part in choosing the readings: cross entropy 0.420 (0.428, 0.442, 0.522), right labels 82.3 % (81.7, 81.7,
78.9). They are still told too surely: the temperature that SummEdits' ask for is 2.2. `calibrated` makes what
is said of such documents that much softer.

The temperature and how sentences and readings are put together were chosen on SummEdits' training rows
alone: `python -m benchmarks.long_text_choices`. A verifier that reads windows once needs none of this: it is
asked as a guard asks it (`scoring/whole_texts.py`).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks.evaluation_sets import Row
from vista_stream.claims import Pair, Scores, Span
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import Vectors, nearest
from vista_stream.retrieval.search import Rounds
from vista_stream.scoring.whole_texts import stated, support
from vista_stream.verifiers.protocol import Embedder

TAUGHT = 280
"""Words of the longest premises that the shipped verifiers learnt from (`training/mixture.py`)."""
CONTEXTS = (60, 150, 300)
"""Words that are read of a longer one, each by itself."""
SOFTER = 2.2
"""Temperature of what is said of a longer one, beside the one that the model has for all."""


def check(row: Row, embedder: Embedder) -> Rounds[Scores]:
    """Ask for the pairs of one row, all at once; what they say together."""
    return weakest((yield from by_sentence(row, embedder, words=CONTEXTS)))


def calibrated(row: Row, scores: Scores) -> Scores:
    """The scores as probabilities: softer for a long premise.

    Apart from `check`, since a set with long and short premises is ranked otherwise by it.
    """
    return softened(scores, SOFTER) if is_long(row) else scores


def is_long(row: Row) -> bool:
    """Whether its premise is longer than any that the shipped verifiers learnt from."""
    return len(row.premise.split()) > TAUGHT


def by_sentence(row: Row, embedder: Embedder, *, words: Sequence[int]) -> Rounds[list[Scores]]:
    """Ask for the pairs of one row, of a premise that is not read whole once for each number of words.

    One score a sentence: the mean of its readings.
    """
    claims = [one.text for one in stated(row.hypothesis)]
    if not is_long(row):
        return list((yield [Pair(row.premise, claim) for claim in claims]))
    reference = Reference(row.premise, name="premise")
    reference.index(embedder)
    vectors = embedder.embed(claims)
    scores = yield [
        Pair(context(reference, claim, vectors[n], words=count), claim)
        for n, claim in enumerate(claims)
        for count in words
    ]
    each = len(words)
    return [mean(scores[n : n + each]) for n in range(0, len(scores), each)]


def mean(scores: Sequence[Scores]) -> Scores:
    """Of each label."""
    return Scores(*(statistics.fmean(shares) for shares in zip(*scores, strict=True)))


def context(document: Reference, claim: str, vector: Vectors, *, words: int) -> str:
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


def weakest(scores: Sequence[Scores]) -> Scores:
    """Those of the sentence that is supported least."""
    return min(scores, key=support)


def softened(scores: Scores, temperature: float) -> Scores:
    """The same order of labels, said with less certainty: probabilities of logits / `temperature`."""
    powers = [share ** (1 / temperature) for share in scores]
    return Scores(*(power / sum(powers) for power in powers))

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.evaluation_sets import Row
from benchmarks.long_texts import (
    CONTEXTS,
    SOFTER,
    TAUGHT,
    calibrated,
    check,
    context,
    mean,
    softened,
    weakest,
)
from vista_stream.claims import Scores
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import ClaimVector

ENTAILED, OPEN, REFUTED = Scores(0.9, 0.1, 0.0), Scores(0.1, 0.9, 0.0), Scores(0.0, 0.2, 0.8)


class OneWord:
    """Tells texts apart by whether they speak of the harbour."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1, 0] if "harbour" in text else [0, 1] for text in texts], dtype=np.float32)


def test_a_short_pair_is_one_pair() -> None:
    rounds = check(Row("The harbour is deep.", "It is deep.", "entailment", 0), OneWord())
    assert [pair.premise for pair in next(rounds)] == ["The harbour is deep."]
    with pytest.raises(StopIteration) as end:
        rounds.send([ENTAILED])
    assert end.value.value == ENTAILED


def test_each_sentence_of_a_hypothesis_meets_the_windows_nearest_to_it_in_the_documents_order() -> None:
    filler = " ".join(f"Boat number {n} carried grain and timber to the mill." for n in range(40))
    premise = f"{filler} The harbour is deep. {filler} The harbour froze in the winter of that year."
    hypothesis = "The harbour is deep. A boat carried grain to the mill in the morning of that day."
    rounds = check(Row(premise, hypothesis, "entailment", 0), OneWord())
    asked = next(rounds)
    first, second = asked[: len(CONTEXTS)], asked[len(CONTEXTS) :]
    for pair, words in zip(first, CONTEXTS, strict=True):
        assert pair.hypothesis == "The harbour is deep."
        assert "The harbour is deep." in pair.premise
        assert len(pair.premise.split()) <= words
    widest = first[-1].premise
    assert widest.find("The harbour is deep.") < widest.find("The harbour froze")
    assert all(pair.hypothesis.startswith("A boat") for pair in second)
    with pytest.raises(StopIteration) as end:
        rounds.send([ENTAILED] * len(first) + [ENTAILED, OPEN, OPEN])
    assert end.value.value == mean([ENTAILED, OPEN, OPEN])


def test_the_mean_is_one_of_each_label() -> None:
    assert mean([ENTAILED, OPEN]) == pytest.approx((0.5, 0.5, 0.0))


def test_what_is_said_of_documents_longer_than_any_learnt_from_is_softer() -> None:
    short, long = (Row("harbour " * words, "It is deep.", "entailment", 0) for words in (TAUGHT, TAUGHT + 1))
    assert calibrated(short, ENTAILED) == ENTAILED
    told = calibrated(long, ENTAILED)
    assert told == softened(ENTAILED, SOFTER)
    assert 0.5 < told.entailment < 0.75
    assert sum(told) == pytest.approx(1)


def test_softer_scores_keep_the_order_of_the_labels() -> None:
    assert softened(ENTAILED, 1.0) == pytest.approx(ENTAILED)
    soft = softened(Scores(0.8, 0.15, 0.05), 2.0)
    assert 0.8 > soft.entailment > soft.neutral > soft.contradiction > 0.05


def test_windows_that_touch_are_joined_without_repeating_a_sentence() -> None:
    document = Reference("The harbour is deep. It is wide. It is old. It is red. It is new.", name="premise")
    embedder = OneWord()
    document.index(embedder)
    vector = ClaimVector(embedder.embed(["harbour"])[0], embedder)
    text = context(document, "The harbour is deep and wide and old and red.", vector, words=99)
    assert text.count("harbour") == text.count("wide") == 1


def test_the_least_supported_sentence_counts() -> None:
    assert weakest([ENTAILED, REFUTED, OPEN]) == REFUTED

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.evaluation_sets import Row
from benchmarks.long_texts import check, combined, sentences
from vista_stream.claims import Scores

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


def test_each_sentence_of_a_long_hypothesis_meets_the_windows_nearest_to_it() -> None:
    filler = " ".join(f"Boat number {n} carried grain and timber to the mill." for n in range(30))
    premise = f"{filler} The harbour is deep. {filler}"
    hypothesis = "The harbour is deep. " + "A boat carried grain to the mill in the morning of that day. " * 4
    rounds = check(Row(premise, hypothesis, "entailment", 0), OneWord())
    first = next(rounds)
    assert len(first) == 5
    assert "harbour" in first[0].premise
    assert first[0].hypothesis == "The harbour is deep."
    with pytest.raises(StopIteration) as end:
        rounds.send([ENTAILED] * 5)
    assert end.value.value.entailment == pytest.approx(0.9)


def test_the_mean_over_sentences_counts() -> None:
    assert combined([ENTAILED, REFUTED]).entailment == pytest.approx(0.45)
    assert sum(combined([ENTAILED, OPEN, REFUTED])) == pytest.approx(1)


def test_a_text_without_sentences_is_one() -> None:
    assert sentences("It is deep. It is wide.") == ["It is deep.", "It is wide."]
    assert sentences("#") == ["#"]

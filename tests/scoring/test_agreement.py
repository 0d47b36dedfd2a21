"""Agreement measures against values worked out by hand or printed in the papers."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from vista_stream.scoring import agreement

WORDS = ("tea", "coffee", "hot", "cold", "caffeine")


class WordEmbedder:
    """Counts of five words, of length 1."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array([[text.lower().count(word) for word in WORDS] for text in texts], dtype=np.float32)
        rows: NDArray[np.float32] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return rows


def test_claim_sets_match_by_equal_text() -> None:
    left = ["Tea is hot.", "Tea has caffeine.", "Coffee is cold."]
    found = agreement.claim_set_agreement(left, ["Tea has caffeine. ", "Coffee has caffeine."])
    assert found.pairs == [(1, 0)]
    assert found.jaccard == 1 / 4  # 1 shared of 3 + 2 - 1
    assert found.f1 == 2 / 5


def test_claim_sets_match_by_cosine_each_claim_once() -> None:
    left = ["Tea has caffeine.", "Caffeine is in tea.", "Coffee is hot."]
    right = ["There is caffeine in tea.", "Tea is cold."]
    found = agreement.claim_set_agreement(left, right, embedder=WordEmbedder())
    assert len(found.pairs) == 1
    assert found.pairs[0][1] == 0
    assert found.jaccard == 1 / 4


def test_equal_text_wins_over_cosine() -> None:
    texts = ["Tea has caffeine.", "Caffeine is in tea."]
    found = agreement.claim_set_agreement(texts, texts[::-1], embedder=WordEmbedder())
    assert found.jaccard == 1
    assert len(found.pairs) == 2


def test_empty_claim_sets() -> None:
    assert agreement.claim_set_agreement([], []).f1 == 1
    assert agreement.claim_set_agreement([], ["Tea is hot."], embedder=WordEmbedder()).jaccard == 0


def test_macro_f1() -> None:
    # a: precision 1/2, recall 1/2, F1 1/2. b: precision 1/2, recall 1, F1 2/3. c: never found, 0.
    assert agreement.macro_f1("aabc", "abba") == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)


def test_confusion_has_gold_in_rows() -> None:
    assert agreement.confusion("aabc", "abba", "abc").tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]


def test_weighted_kappa() -> None:
    # Linear weights 1, 1/2, 0. Observed: (1 + 1/2 + 1/2 + 1) / 4 = 3/4. Both use v 1/2, o 1/4, l 1/4.
    # Expected: alike 1/4 + 1/16 + 1/16 = 3/8; one step apart 3/8, weighing 3/16; together 9/16.
    assert agreement.weighted_kappa("vvol", "vovl", "vol") == pytest.approx((3 / 4 - 9 / 16) / (7 / 16))
    assert agreement.weighted_kappa("vol", "vol", "vol") == 1
    assert math.isnan(agreement.weighted_kappa("vv", "vv", "vol"))


def test_weighted_kappa_names_an_unknown_label() -> None:
    with pytest.raises(ValueError, match="'x'"):
        agreement.weighted_kappa("vx", "vv", "vol")


def test_calibration_error() -> None:
    # Bin 0..0.5: mean 0.2, share 0.5, gap 0.3, two of four. Bin 0.5..1: mean 0.9, share 1, gap 0.1.
    assert agreement.calibration_error([0.1, 0.3, 0.8, 1.0], [0, 1, 1, 1], bins=2) == pytest.approx(0.2)
    assert agreement.calibration_error([0.0, 1.0], [0, 1]) == 0
    assert agreement.calibration_error([0.0, 1.0], [1, 0]) == 1


@pytest.mark.parametrize(
    ("probabilities", "outcomes", "bins"),
    [
        ([], [], 10),
        ([0.5], [1, 0], 10),
        ([1.5], [1], 10),
        ([math.nan], [1], 10),
        ([0.5], [2], 10),
        ([0.5], [math.nan], 10),
        ([0.5], [1], 0),
    ],
)
def test_calibration_error_refuses(probabilities: list[float], outcomes: list[float], bins: int) -> None:
    with pytest.raises(ValueError, match=r"probabilities|outcomes must|bins"):
        agreement.calibration_error(probabilities, outcomes, bins=bins)


def test_roc_auc() -> None:
    # Of the 2 × 3 pairs, 0.9 beats all three and 0.4 beats one and ties with one: 4.5 of 6.
    labels, scores = [1, 0, 0, 1, 0], [0.9, 0.4, 0.1, 0.4, 0.6]
    assert agreement.roc_auc(labels, scores) == pytest.approx(4.5 / 6)
    estimate = agreement.roc_auc_interval(labels, scores, resamples=200)
    assert estimate.value == pytest.approx(0.75)
    assert 0 <= estimate.low < 0.75 < estimate.high <= 1
    assert estimate == agreement.roc_auc_interval(labels, scores, resamples=200)


@pytest.mark.parametrize(("labels", "scores"), [([1, 1], [0.1, 0.2]), ([0, 1], [0.1]), ([0, 2], [0.1, 0.2])])
def test_roc_auc_refuses(labels: list[int], scores: list[float]) -> None:
    with pytest.raises(ValueError, match="labels"):
        agreement.roc_auc(labels, scores)


@pytest.mark.parametrize(
    ("b", "c", "p_value"),
    # Discordant counts and p-values as printed in tables 7 and 9 of the VISTA paper.
    [(61, 77, 0.201473), (90, 59, 0.013712), (64, 89, 0.051989), (109, 77, 0.022768), (102, 49, 0.000019)],
)
def test_mcnemar_gives_the_papers_p_values(b: int, c: int, p_value: float) -> None:
    first = [True] * b + [False] * c + [True] * 40 + [False] * 9
    second = [False] * b + [True] * c + [True] * 40 + [False] * 9
    found = agreement.mcnemar(first, second)
    assert (found.only_first, found.only_second) == (b, c)
    assert found.p_value == pytest.approx(p_value, abs=1e-6)


def test_mcnemar_without_discordant_items() -> None:
    assert agreement.mcnemar([True, False], [True, False]).p_value == 1


def test_lengths_must_match() -> None:
    with pytest.raises(ValueError, match="same length"):
        agreement.macro_f1("ab", "a")

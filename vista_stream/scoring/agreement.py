"""Agreement of two sets of claims, of two raters, or of scores and truth; needs the extra `score`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vista_stream.errors import missing_extra
from vista_stream.verifiers.protocol import Embedder

try:
    from scipy import optimize, stats
    from sklearn import metrics  # type: ignore[import-untyped, unused-ignore]
except ImportError as error:
    raise ImportError(missing_extra("agreement measures need scikit-learn and scipy", "score")) from error

SAME_CLAIM = 0.9
"""Cosine above which two wordings are the same claim (VISTA, section 5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSetAgreement:
    """Overlap of two sets of claims (VISTA, table 2)."""

    pairs: Sequence[tuple[int, int]]
    """Positions (left, right) of the claims that are the same; each claim is matched at most once."""
    jaccard: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure and its bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """Paired comparison of two systems on the same items."""

    only_first: int
    """Items that only the first system has right (b)."""
    only_second: int
    """Items that only the second system has right (c)."""
    p_value: float
    """Two-sided, from the exact binomial distribution."""


def claim_set_agreement(
    left: Sequence[str], right: Sequence[str], *, embedder: Embedder | None = None
) -> ClaimSetAgreement:
    """Match claims one to one: by equal wording, or by cosine above 0.9 if an embedder is given.

    Two empty sets agree fully. Blocks while the embedder runs.
    """
    likeness = np.zeros((len(left), len(right)), dtype=np.float64)
    if embedder is not None and left and right:
        cosine = embedder.embed(left) @ embedder.embed(right).T
        likeness = np.where(cosine > SAME_CLAIM, cosine, 0.0).astype(np.float64)
    for row, text in enumerate(left):
        for column, other in enumerate(right):
            if text.strip() == other.strip():
                likeness[row, column] = 1.0
    rows, columns = optimize.linear_sum_assignment(likeness, maximize=True)
    matched = zip(rows.tolist(), columns.tolist(), strict=True)
    pairs = [(row, column) for row, column in matched if likeness[row, column] > 0]
    total = len(left) + len(right)
    return ClaimSetAgreement(
        pairs=pairs,
        jaccard=len(pairs) / (total - len(pairs)) if total else 1.0,
        f1=2 * len(pairs) / total if total else 1.0,
    )


def macro_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Mean F1 over the labels that occur on either side; a label that is never predicted has F1 0."""
    _check_pairs(gold, predicted)
    return float(metrics.f1_score(list(gold), list(predicted), average="macro", zero_division=0.0))


def confusion(gold: Sequence[str], predicted: Sequence[str], labels: Sequence[str]) -> NDArray[np.int64]:
    """Confusion matrix of counts, shape (len(labels), len(labels)): rows are gold, columns predicted."""
    _check_pairs(gold, predicted)
    table = metrics.confusion_matrix(list(gold), list(predicted), labels=list(labels))
    return np.asarray(table, dtype=np.int64)


def weighted_kappa(first: Sequence[str], second: Sequence[str], order: Sequence[str]) -> float:
    """Cohen's kappa with linear weights over ordered labels; nan if both raters use one label only.

    Raises ValueError for different lengths, no labels, or a label that is not in `order`.
    """
    _check_pairs(first, second)
    ranks = {label: rank for rank, label in enumerate(order)}
    unknown = sorted({*first, *second} - ranks.keys())
    if unknown:
        raise ValueError(f"order must hold every label; {unknown[0]!r} is not among {list(order)}")
    if len({*first, *second}) == 1:
        return float("nan")
    a, b = ([ranks[label] for label in labels] for labels in (first, second))
    return float(metrics.cohen_kappa_score(a, b, labels=range(len(order)), weights="linear"))


def calibration_error(probabilities: ArrayLike, outcomes: ArrayLike, *, bins: int = 10) -> float:
    """Expected calibration error over `bins` bins of equal width (SCALE, table 4).

    probabilities: shape (n,), each in 0..1: the probability that the outcome is 1. outcomes: shape (n,), 0
    or 1. Raises ValueError for other shapes and values.
    """
    p, y = np.asarray(probabilities, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    if p.shape != y.shape or p.ndim != 1 or not p.size:
        raise ValueError(f"probabilities and outcomes must be two equal lengths, not {p.shape} and {y.shape}")
    if not (p.min() >= 0 and p.max() <= 1):  # nan is neither
        raise ValueError("probabilities must lie in 0..1")
    if not np.isin(y, (0, 1)).all():
        raise ValueError("outcomes must be 0 or 1")
    if bins < 1:
        raise ValueError(f"bins must be at least 1, not {bins}")
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(place, weights=p - y, minlength=bins)
    return float(np.abs(gaps).sum() / p.size)


def roc_auc(labels: ArrayLike, scores: ArrayLike) -> float:
    """Area under the ROC curve. Labels are 0 or 1; raises ValueError unless both occur."""
    positive, negative = _by_label(labels, scores)
    return _area(positive, negative)


def roc_auc_interval(
    labels: ArrayLike, scores: ArrayLike, *, level: float = 0.95, resamples: int = 1000, seed: int = 0
) -> Estimate:
    """ROC AUC with a percentile bootstrap interval; each class is resampled by itself."""
    groups = _by_label(labels, scores)
    drawn = stats.bootstrap(
        groups,
        _area,
        n_resamples=resamples,
        confidence_level=level,
        method="percentile",
        vectorized=False,
        rng=np.random.default_rng(seed),
    )
    interval = drawn.confidence_interval
    return Estimate(value=_area(*groups), low=float(interval.low), high=float(interval.high))


def mcnemar(first_right: Sequence[bool], second_right: Sequence[bool]) -> McNemar:
    """Exact McNemar test on paired correctness (VISTA, appendix C)."""
    _check_pairs(first_right, second_right)
    pairs = list(zip(first_right, second_right, strict=True))
    b = sum(x and not y for x, y in pairs)
    c = sum(y and not x for x, y in pairs)
    p_value = float(stats.binomtest(b, b + c, 0.5).pvalue) if b + c else 1.0
    return McNemar(only_first=b, only_second=c, p_value=p_value)


def _by_label(labels: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    y, s = np.asarray(labels), np.asarray(scores, dtype=np.float64)
    if y.shape != s.shape or y.ndim != 1:
        raise ValueError(f"labels and scores must be two equal lengths, not {y.shape} and {s.shape}")
    if set(np.unique(y).tolist()) != {0, 1}:
        raise ValueError("labels must be 0 and 1, and both must occur")
    return s[y == 1], s[y == 0]


def _area(positive: NDArray[np.float64], negative: NDArray[np.float64]) -> float:
    labels = np.concatenate([np.ones(len(positive)), np.zeros(len(negative))])
    return float(metrics.roc_auc_score(labels, np.concatenate([positive, negative])))


def _check_pairs(first: Sequence[object], second: Sequence[object]) -> None:
    if len(first) != len(second) or not first:
        raise ValueError(f"both must have the same length above 0, not {len(first)} and {len(second)}")

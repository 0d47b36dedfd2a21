"""Figures of scored sets: ROC AUC, accuracy, calibration, slices, baselines; all but ECE are in percent."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.evaluation_sets import Row
from benchmarks.long_texts import calibrated
from benchmarks.slices import overlap, slices_of
from vista_stream.claims import Scores
from vista_stream.scoring.agreement import calibration_error, macro_f1, roc_auc, roc_auc_interval
from vista_stream.scoring.whole_texts import support
from vista_stream.verifiers.embedded import EmbeddedEmbedder

LABELS = ("entailment", "neutral", "contradiction")
TOLD = ("healthver_test", "cad_test", "infotabs_a1", "infotabs_a2", "infotabs_a3", "control_test")
"""The sets of three-way accuracy."""
_FEW = 20
"""Rows of each label that a slice must hold."""
_RESAMPLES = 1000


def two_way(rows: Sequence[Row], scores: Sequence[Scores]) -> dict[str, Any]:
    """ROC AUC of the support with its bootstrap interval, and of P(entailment); ECE; reliability bins."""
    labels = entailed(rows)
    said = [triple.entailment for triple in scores]
    estimate = roc_auc_interval(labels, [support(triple) for triple in scores])
    return {
        "auc": _percent(estimate.value),
        "low": _percent(estimate.low),
        "high": _percent(estimate.high),
        "auc_entailment": _percent(roc_auc(labels, said)),
        "ece": round(calibration_error(said, labels), 3),
        "bins": bins(said, labels),
        "calibrated": _calibrated(rows, scores, labels),
    }


def _calibrated(rows: Sequence[Row], scores: Sequence[Scores], labels: Sequence[bool]) -> dict[str, float]:
    """ROC AUC and ECE of the scores as calibrated for long premises (`long_texts.calibrated`)."""
    told = [calibrated(row, triple) for row, triple in zip(rows, scores, strict=True)]
    return {
        "auc": _percent(roc_auc(labels, [support(triple) for triple in told])),
        "ece": round(calibration_error([triple.entailment for triple in told], labels), 3),
    }


def three_way(rows: Sequence[Row], scores: Sequence[Scores]) -> dict[str, Any]:
    """Accuracy with its 95 % bootstrap interval, macro F1, and ECE and bins of the predicted label."""
    gold = [row.label for row in rows]
    said = predicted(scores)
    right = np.array([a == b for a, b in zip(gold, said, strict=True)], dtype=np.float64)
    drawn = np.random.default_rng(0).choice(right, (_RESAMPLES, len(right))).mean(1)
    sure = [max(triple) for triple in scores]
    return {
        "accuracy": _percent(float(right.mean())),
        "low": _percent(float(np.quantile(drawn, 0.025))),
        "high": _percent(float(np.quantile(drawn, 0.975))),
        "macro_f1": _percent(macro_f1(gold, said)),
        "ece": round(calibration_error(sure, right), 3),
        "bins": bins(sure, right.tolist()),
        "majority": _percent(max(gold.count(label) for label in LABELS) / len(gold)),
    }


def predicted(scores: Sequence[Scores]) -> list[str]:
    """The likeliest label of each row."""
    return [LABELS[int(np.argmax(triple))] for triple in scores]


def entailed(rows: Sequence[Row]) -> list[bool]:
    """Which rows are entailment."""
    return [row.label == "entailment" for row in rows]


def bins(said: Sequence[float], outcomes: Sequence[float]) -> list[dict[str, float]]:
    """The reliability diagram: ten bins of equal width, without the empty ones."""
    places = np.minimum((np.asarray(said) * 10).astype(int), 9)
    p, y = np.asarray(said), np.asarray(outcomes, dtype=np.float64)
    return [
        {
            "from": n / 10,
            "rows": int((places == n).sum()),
            "said": round(float(p[places == n].mean()), 3),
            "true": round(float(y[places == n].mean()), 3),
        }
        for n in range(10)
        if (places == n).any()
    ]


def baselines(
    name: str, rows: Sequence[Row], embedder: EmbeddedEmbedder, published: Mapping[str, Any]
) -> dict[str, float]:
    """ROC AUC of other ways of scoring the same rows; the last figure is a printed one, for the full set."""
    labels = entailed(rows)
    found = {
        "overlap": _percent(roc_auc(labels, [overlap(row) for row in rows])),
        "cosine": _percent(roc_auc(labels, cosines(embedder, rows))),
    }
    kind, _, title = name.partition("/")
    if kind == "true" and published:
        for method, by_set in published["scores"].items():
            found[method] = _percent(roc_auc(labels, [by_set[title][row.place] for row in rows]))
        found["scale_large"] = published["scale_table_3"]["scale_large"][title]
    return found


def cosines(embedder: EmbeddedEmbedder, rows: Sequence[Row]) -> list[float]:
    """Cosine of premise and hypothesis, by a bi-encoder that was not trained for this."""
    premises = embedder.embed([row.premise for row in rows])
    claims = embedder.embed([row.hypothesis for row in rows])
    return [float(value) for value in (premises * claims).sum(-1)]


def sliced(scored: Mapping[str, tuple[Sequence[Row], Sequence[Scores]]]) -> dict[str, dict[str, Any]]:
    """For each slice, mean ROC AUC over the two-way sets, and accuracy over the pooled three-way rows.

    A set counts if it gives the slice at least 20 rows of each label.
    """
    areas: dict[str, list[tuple[int, float]]] = {}
    hits: dict[str, list[bool]] = {}
    for name, (rows, scores) in scored.items():
        parts: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            for title in slices_of(name, row):
                parts.setdefault(title, []).append(place)
        for title, places in parts.items():
            chosen, triples = [rows[n] for n in places], [scores[n] for n in places]
            if name.startswith("nli3/"):
                said = predicted(triples)
                hits.setdefault(title, []).extend(a.label == b for a, b in zip(chosen, said, strict=True))
            elif _FEW <= sum(entailed(chosen)) <= len(chosen) - _FEW:
                area = roc_auc(entailed(chosen), [support(triple) for triple in triples])
                areas.setdefault(title, []).append((len(chosen), area))
    return {title: _slice(areas.get(title, []), hits.get(title, [])) for title in sorted({*areas, *hits})}


def _slice(areas: Sequence[tuple[int, float]], hits: Sequence[bool]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if areas:
        found["two-way rows"] = sum(rows for rows, _ in areas)
        found["two-way sets"] = len(areas)
        found["mean auc"] = _percent(statistics.fmean(area for _, area in areas))
    if hits:
        found["three-way rows"] = len(hits)
        found["accuracy"] = _percent(statistics.fmean(hits))
    return found


def summary(figures: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The means that the README quotes, each with the means of its baselines on the same rows."""
    true = [found for name, found in figures.items() if name.startswith("true/")]
    three = [figures[f"nli3/{name}"]["accuracy"] for name in TOLD if f"nli3/{name}" in figures]
    means: dict[str, float] = {}
    if true:
        means["TRUE mean AUC"] = round(statistics.fmean(found["auc"] for found in true), 2)
        value = statistics.fmean(found["auc_entailment"] for found in true)
        means["TRUE mean AUC of P(entailment)"] = round(value, 2)
        for method in true[0]["baselines"]:
            value = statistics.fmean(found["baselines"][method] for found in true)
            means[f"TRUE mean AUC, {method}"] = round(value, 2)
        means["TRUE mean ECE"] = round(statistics.fmean(found["ece"] for found in true), 3)
        for name, figure, digits in (("AUC", "auc", 2), ("ECE", "ece", 3)):
            value = statistics.fmean(found["calibrated"][figure] for found in true)
            means[f"TRUE mean {name}, softer where long"] = round(value, digits)
    if three:
        means["three-way mean accuracy"] = round(statistics.fmean(three), 2)
        means["three-way sets"] = len(three)
    return means


def _percent(share: float) -> float:
    return round(100 * share, 1)

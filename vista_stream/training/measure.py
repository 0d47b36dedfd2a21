"""Accuracy, ROC AUC and calibration of a fitted verifier on labelled pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from vista_stream.training.batches import Encoded, batches, grouped
from vista_stream.training.cross_encoder import NOT_ENTAILMENT, CrossEncoder
from vista_stream.training.fit import mixed

Logits = NDArray[np.float32]


@torch.no_grad()
def logits_of(model: CrossEncoder, rows: Sequence[Encoded], *, pad: int, tokens: int = 32_768) -> Logits:
    """(len(rows), 3) logits in the order of the rows."""
    device = next(model.parameters()).device
    model.eval()
    order = [i for group in grouped([len(r.ids) for r in rows], tokens=tokens, seed=None) for i in group]
    parts = []
    for batch in batches(rows, tokens=tokens, pad=pad):
        with torch.autocast(device.type, torch.bfloat16, enabled=mixed(device)):
            parts.append(model(batch.ids.to(device), batch.mask.to(device)).float().cpu().numpy())
    found = np.concatenate(parts)
    logits = np.empty_like(found)
    logits[order] = found
    return logits


def probabilities(logits: Logits, temperature: float = 1.0) -> Logits:
    """Softmax over the last axis of logits / temperature."""
    scaled = logits / temperature
    powers = np.exp(scaled - scaled.max(-1, keepdims=True))
    shares: Logits = powers / powers.sum(-1, keepdims=True)
    return shares


@dataclass(frozen=True, slots=True)
class Worth:
    """Figures on one labelled set; nan if its labels do not allow the figure."""

    rows: int
    accuracy: float
    """Three-way accuracy, over rows without NOT_ENTAILMENT."""
    auc: float
    """ROC AUC of P(entailment), for entailment against all other labels."""

    def __str__(self) -> str:
        return f"{self.rows} rows, accuracy {100 * self.accuracy:.1f}, AUC {100 * self.auc:.1f}"


def worth(logits: Logits, labels: NDArray[np.int64]) -> Worth:
    """Accuracy and AUC of logits against label numbers."""
    told = labels != NOT_ENTAILMENT
    right = logits[told].argmax(-1) == labels[told]
    entailed = labels == 0
    mixed = 0 < entailed.sum() < len(labels)
    auc = roc_auc_score(entailed, probabilities(logits)[:, 0]) if mixed else float("nan")
    return Worth(len(labels), float(right.mean()) if told.any() else float("nan"), float(auc))


def temperature(logits: Logits, labels: NDArray[np.int64]) -> float:
    """The calibration temperature with the least cross entropy, between 0.3 and 5, to 0.01."""
    candidates = np.arange(0.3, 5.0, 0.01)
    losses = [_cross_entropy(probabilities(logits, t), labels) for t in candidates]
    return float(round(candidates[int(np.argmin(losses))], 2))


def _cross_entropy(shares: Logits, labels: NDArray[np.int64]) -> float:
    by_class = np.concatenate([shares, 1 - shares[:, :1]], axis=-1)
    chosen = by_class[np.arange(len(labels)), labels]
    return float(-np.log(np.clip(chosen, 1e-9, 1)).mean())


def threshold(scores: NDArray[np.float32], harmless: NDArray[np.bool_], *, false_share: float) -> float:
    """The lowest threshold that at most `false_share` of the harmless rows' scores reach."""
    ordered = np.sort(scores[harmless])
    return float(np.nextafter(ordered[int(np.ceil((1 - false_share) * len(ordered))) - 1], 1.0))


def precise(scores: NDArray[np.float32], wanted: NDArray[np.bool_], *, precision: float) -> float:
    """The lowest threshold above which at least this share of rows is wanted; 0.99 where there is none."""
    order = np.argsort(-scores, kind="stable")
    share = np.cumsum(wanted[order]) / np.arange(1, len(order) + 1)
    ordered = scores[order]
    whole = np.append(np.diff(ordered) != 0, True)  # rows of one score pass a threshold together
    enough = np.flatnonzero((share >= precision) & whole)
    return float(ordered[enough[-1]]) if len(enough) else 0.99

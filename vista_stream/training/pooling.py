"""Fits a verifier's pooling on written documents that it did not learn from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from vista_stream.claims import Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import FEATURES, Pooling, features
from vista_stream.retrieval.reference import Reference
from vista_stream.scoring.whole_texts import least_supported
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.training import talk_pooling
from vista_stream.training.documents import Document
from vista_stream.training.talks import Talk
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier
from vista_stream.verifiers.manifest import LABELS

_STRENGTH = 0.05
"""Inverse strength of the regression's penalty: the features are few, and much alike."""


@dataclass(frozen=True, slots=True)
class _Noting(Pooling):
    """A pooling that notes what it is given."""

    noted: list[tuple[float, ...]] = field(default_factory=list)

    def pooled(self, nearest: Scores, sentence: Scores, passages: Sequence[Scores]) -> Scores:
        self.noted.append(features(nearest, sentence, passages))
        return nearest

    def alone(self, scores: Scores) -> Scores:
        return scores


class _Noted:
    """A verifier whose pooling notes the features of each claim."""

    def __init__(self, verifier: EmbeddedVerifier) -> None:
        self._verifier = verifier
        nothing = (0.0,) * FEATURES
        self.pooling = _Noting(entailment=nothing, contradiction=nothing)

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        return list(await self._verifier.score(pairs))


async def noted(model: Path, documents: Sequence[Document]) -> tuple[NDArray[np.float64], list[str]]:
    """The features and the label of each claim, as a guard without common ground meets them.

    Claims of more than one sentence, and those that the deterministic tier rules on, are left out. Shape of
    the features: (claims, FEATURES).
    """
    verifier = _Noted(EmbeddedVerifier.from_pretrained(model))
    verify = EmbeddedVerify(verifier, embedder=EmbeddedEmbedder.from_pretrained())
    rows: list[tuple[float, ...]] = []
    labels: list[str] = []
    for document in documents:
        reference = Reference(document.text, name="document")
        for claim in document.claims:
            verifier.pooling.noted.clear()
            await least_supported(verify, reference, claim.text, thresholds=Thresholds())
            if len(verifier.pooling.noted) == 1:
                rows += verifier.pooling.noted
                labels.append(claim.label)
    return np.array(rows), labels


def fit(rows: NDArray[np.float64], labels: Sequence[str]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The weights of entailment and of contradiction that fit the labels best, with a penalty.

    The last column of `rows` is 1. Raises ValueError where a label is missing.
    """
    places = [LABELS.index(label) for label in labels]
    if len(set(places)) != len(LABELS):
        raise ValueError(f"the claims must have each of the labels {LABELS}")
    model = make_pipeline(StandardScaler(), LogisticRegression(C=_STRENGTH, max_iter=3_000))
    model.fit(rows[:, :-1], places)
    scaler, regression = model[0], model[-1]
    weights = regression.coef_ / scaler.scale_
    constants = regression.intercept_ - weights @ scaler.mean_
    table = np.column_stack([weights, constants])
    entailment, neutral, contradiction = table
    return tuple((entailment - neutral).tolist()), tuple((contradiction - neutral).tolist())


def write(model: Path, documents: Sequence[Document], talks: Sequence[Talk] = ()) -> dict[str, Any]:
    """Fit the pooling of a model folder, and write it to the folder's manifest; returns what was written.

    With talks what was said is weighed, too; without them an earlier pooling's weights of it stay out, since
    they belong to its other weights.
    """
    rows, labels = anyio.run(noted, model, documents)
    pooling, counts = _named("", fit(rows, labels)), {"claims": len(labels)}
    path = model / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    if talks:
        rows, labels = anyio.run(talk_pooling.noted, model, talks, Pooling.of(pooling))
        pooling |= _named("talk_", fit(rows, labels))
        counts["claims of talks"] = len(labels)
    path.write_text(
        json.dumps({**manifest, "pooling": pooling}, indent=1, sort_keys=True, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    return {**pooling, **counts}


def _named(prefix: str, weights: Iterable[Sequence[float]]) -> dict[str, list[float]]:
    rounded = ([round(weight, 4) for weight in each] for each in weights)
    return {f"{prefix}{label}": each for label, each in zip(LABELS[::2], rounded, strict=True)}

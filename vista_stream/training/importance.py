"""The importance recipe: fits the weights of `core.importance` to claims with known importance.

The weights are those of an ordinal logistic regression (one slope for both thresholds). Each kind of query
has its own, held near those of all queries. Answers without their query are fitted besides, for sessions that
have none. Figures and thresholds come from scores of queries that the weights behind them were not fitted on.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vista_stream.core.importance import Features, Line, content_words, features_of
from vista_stream.core.query import QUERY_KINDS, QueryKind, query_kind, question_of
from vista_stream.stages.embedded.rank_weights import FILE
from vista_stream.training.importance_rows import ORDER, Row, rows_of
from vista_stream.verifiers.protocol import Embedder

RECALL = 0.87
"""Share of the vital claims that must be ranked VITAL: a missed one is worse than a false one."""
_FOLDS = 5
_RIDGE = 0.006
"""Strength of L2 regularisation, chosen on scores of queries that were not fitted on."""
Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run."""

    data: Sequence[Path]
    """What `importance_rows.rows_of` reads."""
    out: Path
    """Folder to write importance.json and manifest.json to."""


class Claims(NamedTuple):
    """Rows as numbers, one entry a row."""

    features: Table
    """Shape (rows, features)."""
    kinds: NDArray[np.int64]
    """Index of each row's kind of query in QUERY_KINDS."""
    levels: Table
    """Index of each row's importance in ORDER."""
    folds: NDArray[np.int64]
    """Queries that ask the same are in the same fold."""

    def at(self, rows: NDArray[np.bool_]) -> Claims:
        """The rows where the mask is true."""
        return Claims(self.features[rows], self.kinds[rows], self.levels[rows], self.folds[rows])


class Fitted(NamedTuple):
    """Slopes for each kind of query, shape (kinds, features), and what is added to a score of each kind."""

    slopes: Table
    intercepts: Table

    def scores(self, claims: Claims) -> Table:
        """One score a row, on one scale for all kinds."""
        scores: Table = (claims.features * self.slopes[claims.kinds]).sum(axis=1) + self.intercepts[
            claims.kinds
        ]
        return scores


def train(job: Job, embedder: Embedder, *, encoder: str = "", say: Callable[[str], None] = print) -> Path:
    """Fit with and without the bi-encoder, write the file that `EmbeddedRank` takes, and return its path.

    `encoder` is the bi-encoder's name for the manifest. Raises ValueError for data that cannot be used,
    OSError for files that cannot be read.
    """
    rows = [row for path in job.data for row in rows_of(path)]
    counts = Counter(str(row.importance) for row in rows)
    say(f"{len(rows)} claims for {len({row.query for row in rows})} queries: {dict(counts)}")
    unasked = fit(claims_of([replace(row, query="") for row in rows], None))
    told: dict[str, Any] = {}
    for name, given in (("with_similarity", embedder), ("without_similarity", None)):
        asked = fit(claims_of(rows, given))
        lines = {kind: (unasked if kind == "none" else asked)[0][kind] for kind in QUERY_KINDS}
        told[name] = {"lines": {kind: table_of(line) for kind, line in lines.items()}}
        told[name] |= {"figures": asked[1], "figures without a query": unasked[1]}
        say(f"{name}: {json.dumps(asked[1])}; without a query: {json.dumps(unasked[1])}")
    return _write(job, told, counts, encoder)


def _write(job: Job, told: dict[str, Any], counts: Counter[str], encoder: str) -> Path:
    job.out.mkdir(parents=True, exist_ok=True)
    path = job.out / FILE
    text = json.dumps(told, indent=1) + "\n"
    path.write_bytes(text.encode())
    manifest = {
        "name": "vista-importance",
        "kind": "weights",
        "encoder": encoder,
        "files": {FILE: hashlib.sha256(text.encode()).hexdigest()},
        "licence": "Apache-2.0",
        "claims": dict(sorted(counts.items())),
    }
    (job.out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return path


def claims_of(rows: Sequence[Row], embedder: Embedder | None) -> Claims:
    """The rows as numbers; without an embedder, or where the query is empty, similarities are 0."""
    features = [each for sentence in _by_sentence(rows) for each in _features(sentence, embedder)]
    return Claims(
        np.array(features, dtype=np.float64).reshape(len(rows), len(Features._fields)),
        np.array([QUERY_KINDS.index(query_kind(row.query)) for row in rows], dtype=np.int64),
        np.array([ORDER.index(row.importance) for row in rows], dtype=np.float64),
        np.array([_fold(row.query or row.answer) for row in rows], dtype=np.int64),
    )


def _by_sentence(rows: Sequence[Row]) -> Iterator[list[Row]]:
    for _, sentence in groupby(rows, key=lambda row: (row.answer, row.query, row.position)):
        yield list(sentence)


def _features(sentence: Sequence[Row], embedder: Embedder | None) -> list[Features]:
    query, texts = sentence[0].query, [row.text for row in sentence]
    cosines: list[float] | None = None
    if embedder is not None and query:
        vectors = embedder.embed([question_of(query), *texts])
        cosines = (vectors[1:] @ vectors[0]).tolist()
    return features_of(texts, query or None, cosines, position=sentence[0].position)


def _fold(query: str) -> int:
    words = " ".join(sorted(content_words(query)))
    return hashlib.sha256(words.encode()).digest()[0] % _FOLDS


def fit(claims: Claims) -> tuple[dict[QueryKind, Line], dict[str, float]]:
    """A line for each kind of query, and how it agrees with the labels.

    The thresholds are one score for all kinds: VITAL begins where RECALL of the vital claims is reached, OKAY
    where the quadratic kappa is highest. Raises ValueError unless all three classes occur in several folds.
    """
    scores = np.zeros(len(claims.levels))
    for fold in np.unique(claims.folds):
        apart = claims.folds == fold
        scores[apart] = fitted(claims.at(~apart)).scores(claims.at(apart))
    vital, okay = limits(claims.levels, scores)
    found = fitted(claims)
    lines = {
        kind: Line(Features(*slopes), vital=vital - shift, okay=okay - shift)
        for kind, slopes, shift in zip(
            QUERY_KINDS, found.slopes.tolist(), found.intercepts.tolist(), strict=True
        )
    }
    return lines, agreement(claims.levels, scores, vital=vital, okay=okay)


def fitted(claims: Claims) -> Fitted:
    """Slopes and intercepts by ordinal logistic regression; raises ValueError unless all classes occur."""
    if len(set(claims.levels.tolist())) < len(ORDER):
        raise ValueError("rows to fit on must hold vital, okay and less important claims, of several queries")
    middle, spread = claims.features.mean(axis=0), claims.features.std(axis=0)
    spread[spread < 1e-9] = np.inf  # a feature that never varies gets no weight
    alike = (claims.features - middle) / spread
    of_kind = np.eye(len(QUERY_KINDS))[claims.kinds]
    own = (np.column_stack([alike, np.ones(len(alike))])[:, None, :] * of_kind[:, :, None]).reshape(
        len(alike), -1
    )
    found = _ordinal(np.hstack([alike, own]), claims.levels, _RIDGE)
    shared, apart = found[: len(middle)], found[len(middle) :].reshape(len(QUERY_KINDS), -1)
    slopes = (shared + apart[:, :-1]) / spread
    return Fitted(slopes, apart[:, -1] - slopes @ middle)


def limits(levels: Table, scores: Table) -> tuple[float, float]:
    """The scores at which VITAL and OKAY begin."""
    vital = float(np.quantile(scores[levels == 2], 1 - RECALL))
    tried = np.quantile(np.minimum(scores, vital), np.arange(0.02, 1.0, 0.02))
    return vital, float(max(tried, key=lambda okay: kappa(levels, _classes(scores, vital, okay))))


def agreement(levels: Table, scores: Table, *, vital: float, okay: float) -> dict[str, float]:
    """Quadratic and linear weighted kappa, the recall of VITAL, and the share of claims ranked VITAL."""
    said = _classes(scores, vital, okay)
    return {
        "claims": len(levels),
        "kappa_quadratic": round(kappa(levels, said), 3),
        "kappa_linear": round(kappa(levels, said, power=1), 3),
        "recall_vital": round(float((said[levels == 2] == 2).mean()), 3),
        "share_vital": round(float((said == 2).mean()), 3),
    }


def kappa(first: Table, second: Table, *, power: int = 2) -> float:
    """Weighted kappa of two ratings in 0, 1, 2; nan if both use one class only."""
    apart = np.abs(np.arange(3)[:, None] - np.arange(3)) ** power
    seen = np.zeros((3, 3))
    np.add.at(seen, (first.astype(int), second.astype(int)), 1 / len(first))
    chance = seen.sum(1)[:, None] * seen.sum(0)
    expected = (apart * chance).sum()
    return float(1 - (apart * seen).sum() / expected) if expected else float("nan")


def table_of(line: Line) -> dict[str, Any]:
    """A line as a table of plain numbers."""
    slopes = {name: round(value, 3) for name, value in line.slopes._asdict().items()}
    return {"slopes": slopes, "vital": round(line.vital, 3), "okay": round(line.okay, 3)}


def _classes(scores: Table, vital: float, okay: float) -> Table:
    return (scores >= okay).astype(np.float64) + (scores >= vital)


def _ordinal(table: Table, levels: Table, ridge: float) -> Table:
    """The slopes that both thresholds share.

    They are fitted by Newton's method, as one logistic regression that has each row twice, with an intercept
    for each threshold.
    """
    steps = np.repeat(np.eye(2), len(table), axis=0)
    wide = np.column_stack([np.vstack([table, table]), steps])
    labels = np.concatenate([levels >= 1, levels >= 2]).astype(np.float64)
    shrink = ridge * np.diag([1.0] * table.shape[1] + [0.0, 0.0])
    found = np.zeros(wide.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(wide @ found, -30, 30)))
        gradient = wide.T @ (chance - labels) / len(labels) + shrink @ found
        bend = (wide * (chance * (1 - chance))[:, None]).T @ wide / len(labels) + shrink
        step = np.linalg.solve(bend + 1e-9 * np.eye(len(found)), gradient)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    slopes: Table = found[:-2]
    return slopes

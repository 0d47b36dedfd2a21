"""The importance recipe: fits the weights of `core.importance` to claims with known importance.

The rows are a user's own, or made from questions with short answers (`made.answers`). The weights are those
of an ordinal logistic regression (one slope for both thresholds) on three quarters of the queries. The
thresholds between the classes are chosen on the other quarter, and the figures are of that quarter.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vista_stream.claims import Importance
from vista_stream.core.importance import LAST_POSITION, Features, Wanted, Weights, question_of, score
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.training.made.answers import SOURCE, Row, made, questions
from vista_stream.training.rows import load, numbered_lines
from vista_stream.verifiers.protocol import Embedder

RECALL = 0.87
"""Share of the vital claims that must be ranked VITAL: a missed one is worse than a false one."""
ORDER = (Importance.LESS_IMPORTANT, Importance.OKAY, Importance.VITAL)
_HELD_OUT = 4
"""One query in so many is held out from the fit; the thresholds are chosen on those."""
Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run."""

    data: Path
    """Folder with nli.jsonl.gz, or one file of the user's own rows: query, text, importance, position."""
    out: Path
    """Folder to write importance.json to."""
    questions: int = 1_000
    """How many questions answers are made of; of the user's own rows all are used."""
    seed: int = 0


def train(job: Job, embedder: Embedder, *, say: Callable[[str], None] = print) -> Path:
    """Fit with and without the bi-encoder, and write the file that `EmbeddedRank` takes; return its path.

    Raises ValueError for data that cannot be used, OSError for files that cannot be read.
    """
    embedder = _Remembering(embedder)
    rows = own_rows(job.data) if job.data.is_file() else _made(job, embedder)
    counts = Counter(str(row.importance) for row in rows)
    say(f"{len(rows)} claims for {len({row.query for row in rows})} queries: {dict(counts)}")
    learnt, held_out = split(rows)
    told: dict[str, Any] = {"made of": SOURCE if job.data.is_dir() else job.data.name, "claims": counts}
    for name, given in (("with_similarity", embedder), ("without_similarity", None)):
        weights = limited(fit(learnt, given), held_out, given)
        told[name] = table_of(weights) | {"held out": agreement(held_out, weights, given)}
        say(f"{name}: {json.dumps(told[name])}")
    job.out.mkdir(parents=True, exist_ok=True)
    path = job.out / "importance.json"
    path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return path


class _Remembering:
    """An embedder that embeds each text once: every step needs the same vectors."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            self._known |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32)


def _made(job: Job, embedder: Embedder) -> list[Row]:
    asked = list(questions(load(job.data, ("nli",))))
    random.Random(job.seed).shuffle(asked)
    return made(asked[: job.questions], embedder=embedder, parse=load_parse(), seed=job.seed)


def own_rows(path: Path) -> list[Row]:
    """Rows of a JSON Lines file, gzipped or not; raises ValueError, naming the first invalid line."""
    rows = []
    for number, line in numbered_lines(path):
        try:
            rows.append(_row(json.loads(line)))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(
                f"{path.name}, line {number}: a row must hold the strings query and text, importance (one"
                f" of {', '.join(ORDER)}), and may hold position, a number from 0: {error}"
            ) from error
    return rows


def _row(values: dict[str, Any]) -> Row:
    query, text, position = values["query"], values["text"], values.get("position", 0)
    if not (isinstance(query, str) and query.strip() and isinstance(text, str) and text.strip()):
        raise ValueError("query and text must not be empty")
    if not isinstance(position, int) or position < 0:
        raise ValueError(f"position is {position!r}")
    return Row(query=query, text=text, importance=Importance(values["importance"]), position=position)


def split(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Rows to fit on, and rows to choose thresholds on; no query is on both sides."""
    held_out = {row.query for row in rows if hashlib.sha256(row.query.encode()).digest()[0] % _HELD_OUT == 0}
    return (
        [row for row in rows if row.query not in held_out],
        [row for row in rows if row.query in held_out],
    )


def fit(rows: Sequence[Row], embedder: Embedder | None, *, ridge: float = 0.002) -> Weights:
    """Weights by ordinal logistic regression; without an embedder, for ranking without a bi-encoder.

    Raises ValueError unless all three classes occur.
    """
    levels = _levels(rows)
    if len(set(levels.tolist())) < len(ORDER):
        raise ValueError("rows to fit on must hold vital, okay and less important claims")
    table = np.column_stack([_features(rows, embedder), -_positions(rows)])
    used = np.array([True, True, True, embedder is not None, True])
    slopes, (okay, vital) = _ordinal(table[:, used], levels, ridge)
    weights = np.zeros(len(used))
    weights[used] = slopes
    return Weights(Features(*weights[:4].tolist()), float(weights[4]), vital=float(vital), okay=float(okay))


def limited(weights: Weights, rows: Sequence[Row], embedder: Embedder | None) -> Weights:
    """The weights with thresholds chosen on these rows.

    VITAL begins where RECALL of the vital claims is reached, OKAY where the quadratic kappa is highest.
    """
    levels, values = _levels(rows), _scores(rows, weights, embedder)
    if not (levels == 2).any():
        raise ValueError("rows to choose limits on must hold vital claims")
    vital = float(np.quantile(values[levels == 2], 1 - RECALL))
    tried = np.quantile(np.minimum(values, vital), np.arange(0.02, 1.0, 0.02))
    okay = max(tried, key=lambda limit: kappa(levels, _classes(values, limit, vital)))
    return weights._replace(vital=vital, okay=float(okay))


def agreement(rows: Sequence[Row], weights: Weights, embedder: Embedder | None) -> dict[str, float]:
    """Quadratic and linear weighted kappa, the recall of VITAL, and the share of claims ranked VITAL."""
    levels, values = _levels(rows), _scores(rows, weights, embedder)
    said = _classes(values, weights.okay, weights.vital)
    return {
        "claims": len(rows),
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


def table_of(weights: Weights) -> dict[str, Any]:
    """Weights as a table of plain numbers."""
    return {
        "features": {name: round(value, 3) for name, value in weights.features._asdict().items()},
        "position": round(weights.position, 3),
        "vital": round(weights.vital, 3),
        "okay": round(weights.okay, 3),
    }


def _levels(rows: Sequence[Row]) -> Table:
    return np.array([ORDER.index(row.importance) for row in rows], dtype=np.float64)


def _positions(rows: Sequence[Row]) -> Table:
    return np.array([min(row.position, LAST_POSITION) for row in rows], dtype=np.float64)


def _features(rows: Sequence[Row], embedder: Embedder | None) -> Table:
    cosines = [0.0] * len(rows)
    if embedder is not None and rows:
        asked = embedder.embed([question_of(row.query) for row in rows])
        cosines = (asked * embedder.embed([row.text for row in rows])).sum(axis=1).tolist()
    wanted = {query: Wanted(query) for query in {row.query for row in rows}}
    table = [wanted[row.query].features(row.text, c) for row, c in zip(rows, cosines, strict=True)]
    return np.array(table, dtype=np.float64)


def _scores(rows: Sequence[Row], weights: Weights, embedder: Embedder | None) -> Table:
    features = _features(rows, embedder).tolist()
    return np.array([score(Features(*f), r.position, weights) for f, r in zip(features, rows, strict=True)])


def _classes(values: Table, okay: float, vital: float) -> Table:
    return (values >= okay).astype(np.float64) + (values >= vital)


def _ordinal(table: Table, levels: Table, ridge: float) -> tuple[Table, Table]:
    """The slopes that both thresholds share, and the score at which each threshold has odds of one.

    Both are fitted by Newton's method, as one logistic regression that has each row twice, with an intercept
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
        found -= np.linalg.solve(bend + 1e-9 * np.eye(len(found)), gradient)
    return found[:-2], -found[-2:]

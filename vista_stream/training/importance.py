"""The importance recipe: questions with short answers and the texts that hold them, to weights.

No set of claims with human importance may be trained on. The rows are made instead: the statement
that answers a question matters; of the texts that came with it, those that hold the answer or much
of the question matter as well, the others do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vista_stream.core.importance import WITH_SIMILARITY, WITHOUT_SIMILARITY, Features, Wanted, Weights

Similarity = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
"""Cosines of queries and texts, pair by pair."""

_SUBJECT = re.compile(
    r"(?:who|what|which(?: [a-z]+){1,2}|what(?: [a-z]+){1,2}) "
    r"(?P<verb>is|was|are|were|has|had|wrote|won|led|sang|made|built|began|[a-z]+(?:ed|s)\b)(?P<rest>.*)",
    re.IGNORECASE,
)
_ADJUNCT = re.compile(
    r"(?:when|where|(?:in )?(?:what|which) year) (?P<verb>was|is|were|are) (?P<rest>.*)", re.IGNORECASE
)
_MATTERS = 0.5
"""A text with this share of the question's words outside of names matters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One claim for a query."""

    query: str
    text: str
    matters: bool
    """Whether it is more than less important."""


def state(question: str, answer: str) -> str | None:
    """The statement that answers a question, for the forms that turn by rule; None for others."""
    question = question.strip().rstrip("?").strip()
    adjunct = _ADJUNCT.fullmatch(question)
    if adjunct:
        return f"{adjunct['rest']} {adjunct['verb']} in {answer}."
    subject = _SUBJECT.fullmatch(question)
    return f"{answer} {subject['verb']}{subject['rest']}." if subject else None


def make_rows(question: str, answer: str, texts: Iterable[str]) -> list[Row]:
    """The rows of one question: its answering statement, and the texts that came with it."""
    statement = state(question, answer)
    if statement is None or answer.lower().strip(" .") in ("yes", "no"):
        return []
    wanted, holds = Wanted(question), re.compile(rf"\b{re.escape(answer.lower())}\b")
    rows = [Row(query=question, text=statement, matters=True)]
    for text in texts:
        matters = bool(holds.search(text.lower())) or wanted.features(text, 0.0).relation >= _MATTERS
        rows.append(Row(query=question, text=text, matters=matters))
    return rows


def fit(rows: Sequence[Row], similarity: Similarity | None = None, *, ridge: float = 0.02) -> Weights:
    """Weights by logistic regression on rows; position and classes stay those that are shipped.

    Without `similarity` the weights are for use without a bi-encoder. Raises ValueError unless some
    rows matter and some do not.
    """
    labels = np.array([row.matters for row in rows], dtype=np.float64)
    if not 0 < labels.sum() < len(labels):
        raise ValueError("rows must hold some that matter and some that do not")
    cosines = similarity([r.query for r in rows], [r.text for r in rows]) if similarity else [0.0] * len(rows)
    table = np.array(
        [Wanted(row.query).features(row.text, cosine) for row, cosine in zip(rows, cosines, strict=True)]
    )
    base = WITH_SIMILARITY if similarity else WITHOUT_SIMILARITY
    used = np.array(base.features) != 0
    weights = np.zeros(len(used))
    weights[used] = _logistic(table[:, used], labels, ridge)
    return base._replace(features=Features(*weights.tolist()))


def _logistic(table: NDArray[np.float64], labels: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    """Newton's method; the weights without the bias, which is not shrunk."""
    table = np.column_stack([np.ones(len(table)), table])
    shrink = ridge * np.diag([0.0] + [1.0] * (table.shape[1] - 1))
    weights = np.zeros(table.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        gradient = table.T @ (chance - labels) / len(labels) + shrink @ weights
        bend = (table * (chance * (1 - chance))[:, None]).T @ table / len(labels) + shrink
        weights -= np.linalg.solve(bend + 1e-9 * np.eye(len(weights)), gradient)
    return weights[1:]

"""Classifier heads over the vectors of the bi-encoder: what is held out, how a head is fitted, its folder."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from vista_stream.core.extraction.kind_features import phrases_of
from vista_stream.stages.embedded.kinds import Head

_KEPT_APART = 5
"""One conversation or sentence in so many is held out."""
_PHRASES = 3_000
"""Most phrases that have weights; twice as many won nothing."""


def kept_apart(key: str) -> bool:
    """Whether what has this key is held out."""
    return zlib.crc32(key.encode()) % _KEPT_APART == 0


def fitted(
    read: NDArray[np.float64],
    texts: Sequence[str],
    gold: Sequence[int],
    *,
    regular: float,
    often: int,
    weights: Sequence[float] | None = None,
) -> Head:
    """A head for the classes of `gold`, by logistic regression over rows `read` and the phrases of `texts`.

    Args:
        read: the head's input, shape (texts, features).
        regular: inverse strength of L2 regularisation.
        often: in so many texts a phrase must be to have weights.
        weights: one for each text; without it all weigh the same.
    """
    counter = CountVectorizer(analyzer=phrases_of, min_df=often, max_features=_PHRASES, binary=True)
    rows = csr_matrix(hstack([read, counter.fit_transform(texts)]))
    model = LogisticRegression(max_iter=1_000, C=regular).fit(rows, gold, sample_weight=weights)
    coefficients, biases = model.coef_, model.intercept_
    if len(biases) == 1:  # two classes share one row, which is of the second
        coefficients = np.vstack([np.zeros_like(coefficients), coefficients])
        biases = np.array([0.0, *biases])
    found, phrases = np.hsplit(np.round(coefficients, 3), [read.shape[1]])
    named = zip(counter.get_feature_names_out().tolist(), phrases.T, strict=True)
    return Head(found, np.round(biases, 3), dict(named))


def write(
    head: Head, folder: Path, *, name: str, classes: Sequence[str], encoder: str, told: Mapping[str, Any]
) -> None:
    """Write `head.json` and its `manifest.json`, with what is `told` of its rows; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    table = {
        "classes": classes,
        "biases": _numbers(head.biases),
        "weights": _numbers(head.weights),
        "phrases": {phrase: _numbers(row) for phrase, row in head.phrases.items()},
    }
    text = json.dumps(table, ensure_ascii=False)
    (folder / "head.json").write_bytes(text.encode())
    manifest = {
        "name": name,
        "kind": "head",
        "encoder": encoder,
        "files": {"head.json": hashlib.sha256(text.encode()).hexdigest()},
        "licence": "Apache-2.0",
        **told,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def counted(names: Iterable[str]) -> dict[str, int]:
    """How many there are of each name, in the order of the names."""
    return dict(sorted(Counter(names).items()))


def _numbers(values: NDArray[np.float64]) -> list[Any]:
    return list(values.tolist())

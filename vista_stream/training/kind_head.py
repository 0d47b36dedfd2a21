"""Fits the classifier head that tells kinds of claims, and writes it as a model folder.

A part of the conversations is held out; the figures in the manifest are of that part. The head is fitted on
the rest. Each claim is used twice: with the words it came from, and alone. Otherwise the head would take any
claim without words for a fact.
"""

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
from sklearn.linear_model import LogisticRegression

from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.kind_features import is_of_speaker
from vista_stream.scoring.agreement import macro_f1
from vista_stream.stages.embedded.kinds import CLASSES, EmbeddedKinds, Head, inputs
from vista_stream.training.claim_type import ClaimType, claim_type
from vista_stream.training.kind_rows import KindRow
from vista_stream.verifiers.embedded import EmbeddedEmbedder

_BY_KIND: dict[ClaimKind, ClaimType] = {ClaimKind.REFUSAL: "abstention", ClaimKind.FACT: "factual"}
_STATEMENT = 0.6
"""Weight of a labelled statement, where a claim of a conversation has 1: there are twice as many, of other
sources."""
_REGULAR = 0.1
"""Inverse strength of L2 regularisation, chosen on held-out conversations and statements."""
_KEPT_APART = 5
"""One conversation in so many is held out."""


def fit(rows: Sequence[KindRow], embedder: EmbeddedEmbedder) -> tuple[Head, dict[str, Any]]:
    """The head, and accuracy and macro F1 of rules and head on the held-out rows, by source.

    Raises ValueError if the rows to fit on do not have all of `CLASSES`.
    """
    kept = [row for row in rows if kept_apart(row.conversation)]
    learnt = [row for row in rows if not kept_apart(row.conversation)]
    weights = [1.0 if row.claim != row.words else _STATEMENT for row in learnt]
    alone = [row._replace(words=row.claim) for row in learnt if row.claim != row.words]
    learnt, weights = [*learnt, *alone], [*weights, *[1.0] * len(alone)]
    gold = [CLASSES.index(_class(row)) for row in learnt]
    if len(set(gold)) < len(CLASSES):
        raise ValueError(f"the conversations must hold claims of each of {', '.join(CLASSES)}")
    read = inputs(embedder, [row.claim for row in learnt], [row.words for row in learnt])
    model = LogisticRegression(max_iter=100, C=_REGULAR).fit(read, gold, sample_weight=weights)
    head = Head(np.round(model.coef_, 3), np.round(model.intercept_, 3))
    return head, _figures(kept, EmbeddedKinds(embedder, head))


def write(
    head: Head, folder: Path, *, name: str, classes: Sequence[str], encoder: str, told: Mapping[str, Any]
) -> None:
    """Write `head.json` and its `manifest.json`, with what is `told` of its rows; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(
        {"classes": classes, "biases": _numbers(head.biases), "weights": _numbers(head.weights)}
    )
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


def kept_apart(key: str) -> bool:
    """Whether what has this key is held out."""
    return zlib.crc32(key.encode()) % _KEPT_APART == 0


def _class(row: KindRow) -> str:
    """A row's class. Out of scope is split by rule: a claim about a speaker may be contradicted later."""
    if row.label == "out_of_scope":
        return "speaker" if is_of_speaker(row.claim) else "opinion"
    return "fact" if row.label == "factual" else "refusal"


def _figures(rows: Sequence[KindRow], teller: EmbeddedKinds) -> dict[str, Any]:
    claims = [row.claim for row in rows]
    by_head = _types(teller.told(claims, [row.words for row in rows]))
    by_head_alone = _types(teller.told(claims, claims))
    by_rules = [claim_type(row.claim) for row in rows]
    figures = {}
    for source in sorted({row.source for row in rows}):
        own = [n for n, row in enumerate(rows) if row.source == source]
        gold = [rows[n].label for n in own]
        figures[source] = {"claims": len(own)} | {
            name: _agreement(gold, [told[n] for n in own])
            for name, told in (("rules", by_rules), ("head", by_head), ("head, claim alone", by_head_alone))
        }
    return figures


def _types(kinds: Sequence[ClaimKind]) -> list[ClaimType]:
    return [_BY_KIND.get(kind, "out_of_scope") for kind in kinds]


def _agreement(gold: Sequence[str], said: Sequence[str]) -> dict[str, float]:
    right = sum(g == s for g, s in zip(gold, said, strict=True))
    return {"accuracy": round(100 * right / len(gold), 1), "macro_f1": round(100 * macro_f1(gold, said), 1)}

"""Fits the classifier head that tells kinds of claims.

A part of the conversations is held out; the figures in the manifest are of that part. The head is fitted on
the rest. Each claim is used twice: with the words it came from, and alone. Otherwise the head would take any
claim without words for a fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.kind_features import is_of_speaker
from vista_stream.scoring.agreement import macro_f1
from vista_stream.stages.embedded.kinds import CLASSES, EmbeddedKinds, Head, inputs
from vista_stream.training.claim_type import ClaimType, claim_type
from vista_stream.training.conversations import SOURCE
from vista_stream.training.heads import fitted, kept_apart
from vista_stream.training.kind_rows import PLAIN, KindRow
from vista_stream.verifiers.embedded import EmbeddedEmbedder

_BY_KIND: dict[ClaimKind, ClaimType] = {ClaimKind.REFUSAL: "abstention", ClaimKind.FACT: "factual"}
_WEIGHTS = {SOURCE: 0.4, PLAIN: 3.0}
"""Weights of claims by source, chosen on held-out ones. The project's own conversations are many, and half of
their claims are out of scope: with 1, statements of fiction are taken for opinions."""
_STATEMENT = 2.0
"""Weight of a statement without words that it came from, such as a labelled one; other claims have 1."""
_REGULAR = 0.1
"""Inverse strength of L2 regularisation, chosen on held-out conversations and statements."""
_OFTEN = 6
"""In so many claims a phrase must be."""


def fit(rows: Sequence[KindRow], embedder: EmbeddedEmbedder) -> tuple[Head, dict[str, Any]]:
    """The head, and accuracy and macro F1 of rules and head on the held-out rows, by source.

    Raises ValueError if the rows to fit on do not have all of `CLASSES`.
    """
    kept = [row for row in rows if kept_apart(row.conversation)]
    learnt = [row for row in rows if not kept_apart(row.conversation)]
    alone = [row for row in learnt if row.claim != row.words]
    weights = [_weight(row) for row in (*learnt, *alone)]
    learnt += [row._replace(words=row.claim) for row in alone]
    gold = [CLASSES.index(_class(row)) for row in learnt]
    if len(set(gold)) < len(CLASSES):
        raise ValueError(f"the conversations must hold claims of each of {', '.join(CLASSES)}")
    claims = [row.claim for row in learnt]
    read = inputs(embedder, claims, [row.words for row in learnt])
    head = fitted(read, claims, gold, regular=_REGULAR, often=_OFTEN, weights=weights)
    return head, _figures(kept, EmbeddedKinds(embedder, head))


def _weight(row: KindRow) -> float:
    source, _, _ = row.source.partition(": ")
    return _WEIGHTS.get(source, _STATEMENT if row.claim == row.words else 1.0)


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

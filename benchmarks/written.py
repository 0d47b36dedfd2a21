"""Measures the judgement on documents and claims written anew, with the code of `vista-stream verify`.

    python -m benchmarks.written [--from-folder FOLDER] [--pairs PATH] [--model FOLDER] [--limit N]
        [--scores-only]

The data are `eval/written/pairs.jsonl.gz` of the folder, or any file or folder of written documents
(`training/documents.py`).
Three-way accuracy is by the likeliest label; categories are by the model's thresholds, as in a guard.
Contradictions found at 2 % false ones: the share of contradictions above the threshold that 2 % of entailed
and neutral claims exceed.
Evidence: of claims that are rightly verified or contradicted, the share with a deciding line in the evidence.
Trade-off: what each threshold would give, to choose `Policy(thresholds=…)` by.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.known_scores import CACHE, KnownScores
from benchmarks.record import RESULTS, data_folder, save
from vista_stream.claims import Category, Scores
from vista_stream.core.judge import Thresholds, category_of
from vista_stream.retrieval.reference import Reference
from vista_stream.scoring.whole_texts import least_supported
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.training.documents import Document, WrittenClaim, read_documents
from vista_stream.verifiers.embedded import EmbeddedEmbedder

FALSE_BLOCKS = 0.02
_LEAST = 20
"""Least number of claims of a theme for which its accuracy is reported."""
_LABELS = ("entailment", "neutral", "contradiction")
_GRID = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Thresholds for which the trade-off is told."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One claim, its label, and the guard's finding."""

    claim: WrittenClaim
    source: str
    scores: Scores
    evidence: str
    deciding: tuple[str, ...]
    """The lines that decide it."""


async def judged(verify: EmbeddedVerify, document: Document, thresholds: Thresholds) -> list[Judged]:
    """The findings of a guard's Verify stage on each claim of a document."""
    premise = Reference(document.text, name="document")
    found = []
    for claim in document.claims:
        least = await least_supported(verify, premise, claim.text, thresholds=thresholds)
        evidence = least.finding.evidence.text if least.finding.evidence else ""
        lines = tuple(document.lines[row] for row in sorted(claim.deciding))
        found.append(Judged(claim, document.source, least.scores, evidence, lines))
    return found


def figures(rows: Sequence[Judged], thresholds: Thresholds) -> dict[str, Any]:
    """The figures that the module describes."""
    scores = np.array([row.scores for row in rows])
    labels = np.array([_LABELS.index(row.claim.label) for row in rows])
    likeliest = scores.argmax(1)
    categories = [category_of(row.scores, thresholds) for row in rows]
    verified = np.array([category is Category.VERIFIED for category in categories])
    contradicted = np.array([category is Category.CONTRADICTED for category in categories])
    refuting = scores[:, 2]
    limit = np.quantile(refuting[labels != 2], 1 - FALSE_BLOCKS) if (labels != 2).any() else 1.0
    right = (verified & (labels == 0)) | (contradicted & (labels == 2))
    cited = [_cites(row) for row, counts in zip(rows, right, strict=True) if counts]
    return {
        "claims": len(rows),
        "accuracy, likeliest label": _share((likeliest == labels).mean()),
        "accuracy, category": _share(_categorised(verified, contradicted, labels).mean()),
        "contradictions with entailment likeliest": _share((likeliest[labels == 2] == 0).mean()),
        "contradictions called verified": _share(verified[labels == 2].mean()),
        "contradictions called contradicted": _share(contradicted[labels == 2].mean()),
        "entailed or open called contradicted": _share(contradicted[labels != 2].mean()),
        "entailed called contradicted": _share(contradicted[labels == 0].mean()),
        "of verified, entailed": _share((labels[verified] == 0).mean()),
        "entailed called verified": _share(verified[labels == 0].mean()),
        "contradictions found at 2 % false": _share((refuting[labels == 2] > limit).mean()),
        "auc of entailment": round(100 * float(roc_auc_score(labels == 0, scores[:, 0])), 1),
        "auc of contradiction": round(100 * float(roc_auc_score(labels == 2, refuting)), 1),
        "deciding line in the evidence": _share(np.mean(cited) if cited else 0.0),
    }


def trade_off(rows: Sequence[Judged]) -> list[dict[str, float]]:
    """For each threshold: what is verified from it on, and what is contradicted, as shares in percent."""
    scores = np.array([row.scores for row in rows])
    labels = np.array([_LABELS.index(row.claim.label) for row in rows])
    found = []
    for limit in _GRID:
        refuted = (scores[:, 2] >= limit) & (scores[:, 2] > scores[:, 0])
        verified = (scores[:, 0] >= limit) & ~refuted
        found.append(
            {
                "threshold": limit,
                "of verified, entailed": _share((labels[verified] == 0).mean() if verified.any() else 0.0),
                "entailed called verified": _share(verified[labels == 0].mean()),
                "contradictions called contradicted": _share(refuted[labels == 2].mean()),
                "entailed or open called contradicted": _share(refuted[labels != 2].mean()),
            }
        )
    return found


def _categorised(verified: Any, contradicted: Any, labels: Any) -> Any:
    called = np.where(verified, 0, np.where(contradicted, 2, 1))
    return called == labels


def _cites(row: Judged) -> bool:
    return any(line in row.evidence or row.evidence in line for line in row.deciding if row.evidence)


def _share(value: Any) -> float:
    return round(100 * float(value), 1)


async def measure(
    verify: EmbeddedVerify, documents: Sequence[Document], thresholds: Thresholds
) -> list[Judged]:
    """The judged claims of all documents; prints progress."""
    rows: list[Judged] = []
    started = time.monotonic()
    for number, document in enumerate(documents, 1):
        rows += await judged(verify, document, thresholds)
        print(
            f"\r{number}/{len(documents)} documents, {len(rows)} claims, {time.monotonic() - started:.0f} s",
            end="",
        )
    print()
    return rows


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--pairs", type=Path, help="other written documents, in the place of eval's")
    parser.add_argument("--model", type=Path, help="a verifier's folder; the shipped one without it")
    parser.add_argument("--limit", type=int, help="documents at most, the first ones")
    parser.add_argument("--scores-only", action="store_true", help="without the guard's rules")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where scores are kept between runs")
    parser.add_argument("--out", type=Path, default=RESULTS / "written.json")
    arguments = parser.parse_args()
    pairs = (
        arguments.pairs or data_folder(arguments.from_folder, "eval/written") / "eval/written/pairs.jsonl.gz"
    )
    verifier = KnownScores.of(arguments.model, arguments.cache)
    verify = EmbeddedVerify(
        verifier,
        embedder=EmbeddedEmbedder.from_pretrained(),
        thresholds=verifier.thresholds,
        rules=not arguments.scores_only,
    )
    rows = anyio.run(measure, verify, read_documents(pairs)[: arguments.limit], verifier.thresholds)
    found: dict[str, Any] = {"model": verifier.name, "rules": not arguments.scores_only}
    found |= figures(rows, verifier.thresholds)
    found["trade-off"] = trade_off(rows)
    for source, count in sorted(Counter(row.source for row in rows).items()):
        if count >= _LEAST:
            theme = figures([row for row in rows if row.source == source], verifier.thresholds)
            found.setdefault("by theme", {})[source] = theme["accuracy, likeliest label"]
    print(json.dumps(found, indent=1))
    save(arguments.out, found)


if __name__ == "__main__":
    main()

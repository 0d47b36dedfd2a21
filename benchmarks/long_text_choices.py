"""Compares choices for `long_texts.py` on SummEdits' training rows.

    python -m benchmarks.long_text_choices [--from-folder FOLDER] [--model FOLDER] [--limit N]

The choices are: how many words of a long premise are read, in one reading or several; whether the least
supported sentence or the mean counts; and the extra temperature for long premises.

The figures are ROC AUC, ECE and cross entropy of each choice, over all rows, and over those with premises
longer than any that the shipped verifiers were trained on. Up to 600 of the shorter rows are among their
training rows, none of the longer ones. Evaluation sets are not read. Takes ten to twenty minutes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation_sets import Row, read, sample
from benchmarks.known_scores import CACHE, KnownScores, batched
from benchmarks.long_texts import (
    CONTEXTS,
    by_sentence,
    calibrated,
    is_long,
    mean,
    softened,
    weakest,
)
from benchmarks.record import RESULTS, data_folder, save
from vista_stream.claims import Scores
from vista_stream.retrieval.search import in_step
from vista_stream.scoring.agreement import calibration_error, roc_auc
from vista_stream.scoring.whole_texts import support
from vista_stream.verifiers.embedded import EmbeddedEmbedder

FILE = "train/nli.jsonl.gz"
SOURCE = "summedits_evalsplit"
WORDS = (*((words,) for words in CONTEXTS), CONTEXTS)
"""The numbers of words of a long premise that are tried: each by itself, and all in three readings."""
TEMPERATURES = tuple(round(1.0 + 0.1 * n, 1) for n in range(41))
_TOGETHER = 32


def scored(
    verifier: KnownScores, embedder: EmbeddedEmbedder, rows: Sequence[Row], words: Sequence[int]
) -> list[list[Scores]]:
    """For each row, one triple of scores for each sentence."""
    found: list[list[Scores]] = []
    for part in batched(rows, _TOGETHER):
        found += verifier.drive(in_step([by_sentence(row, embedder, words=words) for row in part]))
        print(f"\r{_named(words)}: {len(found)}/{len(rows)} rows", end="", flush=True)
    print()
    return found


def _named(words: Sequence[int]) -> str:
    return f"{', '.join(map(str, words))} words"


def best_temperature(rows: Sequence[Row], scores: Sequence[Sequence[Scores]]) -> float:
    """The temperature with the least cross entropy, if the least supported sentence decides."""
    return min(TEMPERATURES, key=lambda degree: cross_entropy(rows, _told(scores, degree, weakest)))


def cross_entropy(rows: Sequence[Row], scores: Sequence[Scores]) -> float:
    """Cross entropy of P(entailment), for entailment against all other labels, in nats."""
    right = [
        triple.entailment if row.label == "entailment" else 1 - triple.entailment
        for row, triple in zip(rows, scores, strict=True)
    ]
    return float(-np.log(np.clip(right, 1e-9, 1)).mean())


def _told(
    scores: Sequence[Sequence[Scores]], degree: float, put: Callable[[Sequence[Scores]], Scores]
) -> list[Scores]:
    return [put([softened(triple, degree) for triple in sentences]) for sentences in scores]


def figures(rows: Sequence[Row], scores: Sequence[Scores]) -> dict[str, float]:
    """ROC AUC in percent, ECE, and cross entropy."""
    labels = [row.label == "entailment" for row in rows]
    return {
        "auc": round(100 * roc_auc(labels, [support(triple) for triple in scores]), 1),
        "ece": round(calibration_error([triple.entailment for triple in scores], labels), 3),
        "cross_entropy": round(cross_entropy(rows, scores), 3),
    }


def choices(rows: Sequence[Row], scores: Sequence[Sequence[Scores]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The figures of each choice, by name, for one way of reading the rows."""
    long = [is_long(row) for row in rows]

    def of(told: Sequence[Scores], wanted: bool) -> dict[str, float]:
        kept = [n for n, given in enumerate(long) if given is wanted]
        return figures([rows[n] for n in kept], [told[n] for n in kept])

    least = _told(scores, 1.0, weakest)
    for name, told in {
        "least": least,
        "mean": _told(scores, 1.0, mean),
        "least, softer where long": [calibrated(row, one) for row, one in zip(rows, least, strict=True)],
    }.items():
        yield name, {"all": figures(rows, told), "long": of(told, True), "short": of(told, False)}
    for name, wanted in (("long", True), ("short", False)):
        kept = [n for n, given in enumerate(long) if given is wanted]
        degree = best_temperature([rows[n] for n in kept], [scores[n] for n in kept])
        yield f"temperature of least cross entropy, {name}", {"rows": len(kept), "temperature": degree}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds train/")
    parser.add_argument("--model", type=Path, help="a verifier's folder; the shipped one without it")
    parser.add_argument("--limit", type=int, help="rows at most, drawn at random")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where scores are kept between runs")
    parser.add_argument("--out", type=Path, default=RESULTS / "long_text_choices.json")
    arguments = parser.parse_args()
    folder = data_folder(arguments.from_folder, FILE)
    rows = sample(read(folder / FILE, source=SOURCE), arguments.limit)
    verifier = KnownScores.of(arguments.model, arguments.cache)
    embedder = EmbeddedEmbedder.from_pretrained()
    found = {_named(words): dict(choices(rows, scored(verifier, embedder, rows, words))) for words in WORDS}
    print(json.dumps(found, indent=1))
    save(arguments.out, {"model": verifier.name, "rows": len(rows), "words read at once": found})


if __name__ == "__main__":
    main()

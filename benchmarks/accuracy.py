"""How good the shipped verifier's scores are on public sets, beside word overlap and cosine.

    python -m benchmarks.accuracy [--from-folder FOLDER] [--limit N] [--sets PATTERN] [--verifier FOLDER]

`eval/true` and `eval/nli2`: ROC AUC of P(entailment), with bootstrap intervals. `eval/nli3`: three-way
accuracy and macro F1. A long premise is scored window by window and a long hypothesis sentence by
sentence: the best window for each sentence, then their mean. ECE: ten equal bins, set by set, then the mean.
Robustness: how far P(entailment) moves, at the median, when the same claim is written otherwise.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record import RESULTS, data_folder, save
from vista_stream.claims import Pair, Scores
from vista_stream.core.segmenter import Segmenter, SegmentKind
from vista_stream.retrieval.lexical import words
from vista_stream.retrieval.reference import Reference
from vista_stream.scoring.agreement import calibration_error, macro_f1, roc_auc, roc_auc_interval
from vista_stream.training.rows import clean
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier

LONG = 130
"""Words of a premise from which it is scored window by window."""
LONG_CLAIM = 45
"""Words of a hypothesis from which it is scored sentence by sentence."""
LABELS = ("entailment", "neutral", "contradiction")
Row = dict[str, Any]


def sets(folder: Path, pattern: str) -> Iterator[tuple[str, list[Row]]]:
    """Name and rows of each set whose name matches."""
    for kind in ("true", "nli3", "nli2"):
        for path in sorted((folder / "eval" / kind).glob("*.jsonl.gz")):
            name = f"{kind}/{path.name.removesuffix('.jsonl.gz')}"
            if re.search(pattern, name):
                with gzip.open(path, "rt", encoding="utf-8") as lines:
                    yield name, [json.loads(line) for line in lines]


def plan(row: Row) -> list[list[Pair]]:
    """For each sentence of the hypothesis the pairs of which the best counts."""
    premise, hypothesis = clean(row["premise"]), clean(row["hypothesis"])
    claims = _sentences(hypothesis) if len(hypothesis.split()) >= LONG_CLAIM else [hypothesis]
    if len(premise.split()) < LONG:
        return [[Pair(premise, claim)] for claim in claims]
    windows = Reference(premise, name="premise").windows
    return [[Pair(window.text, claim) for window in windows] for claim in claims]


def _sentences(text: str) -> list[str]:
    segmenter = Segmenter()
    segments = segmenter.feed(text) + segmenter.finish()
    return [s.text for s in segments if s.kind is SegmentKind.SENTENCE] or [text]


def combined(groups: Sequence[Sequence[Scores]]) -> Scores:
    """Best window for each sentence by entailment and by contradiction, then the mean over sentences."""
    kept = []
    for scores in groups:
        entailment = max(s.entailment for s in scores)
        contradiction = max(s.contradiction for s in scores) if entailment < 0.5 else 0.0
        if len(scores) == 1:
            contradiction = scores[0].contradiction
        total = max(1.0, entailment + contradiction)
        kept.append((entailment / total, contradiction / total))
    e, c = (statistics.fmean(values) for values in zip(*kept, strict=True))
    return Scores(e, max(0.0, 1 - e - c), c)


def score_rows(verifier: EmbeddedVerifier, rows: Sequence[Row], name: str) -> list[Scores]:
    """One score triple a row, with progress."""
    plans = [plan(row) for row in rows]
    pairs = list(dict.fromkeys(pair for groups in plans for group in groups for pair in group))
    known: dict[Pair, Scores] = {}
    started = time.monotonic()
    for start in range(0, len(pairs), 512):
        done = pairs[start : start + 512]
        known |= dict(zip(done, verifier.score_sync(done), strict=True))
        print(
            f"\r{name}: {len(known)}/{len(pairs)} pairs, {time.monotonic() - started:.0f} s",
            end="",
            flush=True,
        )
    print()
    return [combined([[known[pair] for pair in group] for group in groups]) for groups in plans]


def overlap(row: Row) -> float:
    """Share of the hypothesis's words that the premise holds: the simplest guess."""
    wanted = words(clean(row["hypothesis"]))
    held = set(words(clean(row["premise"])))
    return sum(word in held for word in wanted) / (len(wanted) or 1)


def two_way(rows: Sequence[Row], scores: Sequence[float]) -> dict[str, Any]:
    """ROC AUC in percent with its 95 % bootstrap interval."""
    labels = [row["label"] in (1, "entailment") for row in rows]
    estimate = roc_auc_interval(labels, scores)
    return {
        "auc": round(100 * estimate.value, 1),
        "low": round(100 * estimate.low, 1),
        "high": round(100 * estimate.high, 1),
    }


def three_way(rows: Sequence[Row], scores: Sequence[Scores]) -> dict[str, float]:
    """Accuracy and macro F1 in percent."""
    gold = [row["label"] for row in rows]
    said = [LABELS[int(np.argmax(triple))] for triple in scores]
    accuracy = statistics.fmean(a == b for a, b in zip(gold, said, strict=True))
    return {"accuracy": round(100 * accuracy, 1), "macro_f1": round(100 * macro_f1(gold, said), 1)}


def measure(verifier: EmbeddedVerifier, folder: Path, pattern: str, limit: int | None) -> dict[str, Any]:
    """Every set's figures."""
    figures: dict[str, Any] = {}
    embedder = EmbeddedEmbedder.from_pretrained()
    for name, rows in sets(folder, pattern):
        if limit is not None and len(rows) > limit:
            rows = random.Random(0).sample(rows, limit)
        scores = score_rows(verifier, rows, name)
        entailed = [triple.entailment for triple in scores]
        if name.startswith("nli3/"):
            found: dict[str, Any] = three_way(rows, scores)
        else:
            labels = [row["label"] in (1, "entailment") for row in rows]
            found = two_way(rows, entailed)
            found["overlap"] = round(100 * roc_auc(labels, [overlap(row) for row in rows]), 1)
            found["cosine"] = (
                round(100 * roc_auc(labels, _cosines(embedder, rows[:2000])), 1)
                if len(rows) <= 2000
                else None
            )
            found["ece"] = round(calibration_error(entailed, labels), 3)
        figures[name] = {"rows": len(rows), **found}
        print(name, json.dumps(figures[name]), flush=True)
    return figures


def _cosines(embedder: EmbeddedEmbedder, rows: Sequence[Row]) -> list[float]:
    premises = embedder.embed([clean(row["premise"]) for row in rows])
    claims = embedder.embed([clean(row["hypothesis"]) for row in rows])
    return [float(value) for value in (premises * claims).sum(-1)]


CHANGES: dict[str, Callable[[str], str]] = {
    "lower case": str.lower,
    "spaces": lambda text: "  ".join(text.split(" ")),
    "typo": lambda text: re.sub(r"(\w)(\w)(\w+)$", r"\1\3", text, count=1) if " " in text else text,
    "quotes": lambda text: text.replace("'", "’").replace('"', "“"),
    "emphasis": lambda text: f"**{text}**",
    "speaker": lambda text: f"Assistant: {text}",
}


def robustness(verifier: EmbeddedVerifier, rows: Sequence[Row]) -> dict[str, float]:
    """Median change of P(entailment) for each way of writing the same claim."""
    pairs = [Pair(clean(row["premise"]), clean(row["hypothesis"])) for row in rows]
    plain = [triple.entailment for triple in verifier.score_sync(pairs)]
    moved = {}
    for name, change in CHANGES.items():
        scores = verifier.score_sync([Pair(pair.premise, change(pair.hypothesis)) for pair in pairs])
        moved[name] = round(
            statistics.median(abs(s.entailment - p) for s, p in zip(scores, plain, strict=True)), 3
        )
    return moved


def speed(verifier: EmbeddedVerifier) -> dict[str, float]:
    """Median milliseconds for one pair and for eight of 128 tokens."""
    text = "The harbour was widened in the spring of that year by order of the town. " * 8
    figures = {}
    for count in (1, 8):
        times = []
        for turn in range(15):
            pairs = [
                Pair(f"{turn} {number} {text}"[:480], "The town widened its harbour.")
                for number in range(count)
            ]
            started = time.perf_counter()
            verifier.score_sync(pairs)
            times.append(1000 * (time.perf_counter() - started))
        figures[f"ms for {count} of about 128 tokens"] = round(statistics.median(times), 1)
    return figures


def summary(figures: dict[str, Any]) -> dict[str, float]:
    """The means that the README quotes."""
    true = [found for name, found in figures.items() if name.startswith("true/")]
    told = ("healthver_test", "cad_test", "infotabs_a1", "infotabs_a2", "infotabs_a3", "control_test")
    three = [figures[f"nli3/{name}"]["accuracy"] for name in told if f"nli3/{name}" in figures]
    means = {}
    if true:
        means["TRUE mean AUC"] = round(statistics.fmean(found["auc"] for found in true), 2)
        means["TRUE mean overlap AUC"] = round(statistics.fmean(found["overlap"] for found in true), 2)
        means["TRUE mean ECE"] = round(statistics.fmean(found["ece"] for found in true), 3)
    if three:
        means["three-way mean accuracy"] = round(statistics.fmean(three), 2)
    return means


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--verifier", type=Path, help="a model folder; the shipped one without it")
    parser.add_argument("--sets", default="", help="regular expression on names such as true/paws")
    parser.add_argument("--limit", type=int, help="rows a set at most, drawn at random")
    parser.add_argument("--out", type=Path, default=RESULTS / "accuracy.json")
    arguments = parser.parse_args()
    folder = data_folder(arguments.from_folder, "eval/true")
    verifier = EmbeddedVerifier.from_pretrained(arguments.verifier)
    figures = measure(verifier, folder, arguments.sets, arguments.limit)
    rows = next(iter(sets(folder, "true/q2")))[1][:200]
    figures = {"model": verifier.name, "sets": figures, "means": summary(figures)}
    figures |= {"robustness": robustness(verifier, rows), "speed": speed(verifier)}
    print(json.dumps({key: figures[key] for key in ("means", "robustness", "speed")}, indent=1))
    save(arguments.out, figures)


if __name__ == "__main__":
    main()

"""Measures the verifier's scores on public sets, beside word overlap, cosine and published methods.

    python -m benchmarks.accuracy [--from-folder FOLDER] [--limit N] [--sets PATTERN] [--model FOLDER]

`eval/true` and `eval/nli2`: ROC AUC of support (`long_texts.py`), and of P(entailment) alone.
`eval/nli3`: three-way accuracy and macro F1.
All sets: bootstrap intervals, expected calibration error (ECE; ten bins of equal width, for each set, then
the mean) and the bins of the reliability diagram. Long texts are scored as `long_texts.py` says.
Claim-only: each claim is scored with the premise of another row. ROC AUC should then be 50, and accuracy a
third; more would mean that claims alone reveal their label.
Slices: see `slices.py`.
Robustness: the median change of P(entailment) when the same claim is written in another way.

Scores are kept on disk by model and pair. An interrupted run resumes, and a run on more rows scores only the
new ones.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio

from benchmarks.evaluation_sets import Row, published, read, sample, sets
from benchmarks.known_scores import CACHE, KnownScores, batched
from benchmarks.long_texts import check
from benchmarks.measures import baselines, sliced, summary, three_way, two_way
from benchmarks.record import RESULTS, data_folder, save
from vista_stream.claims import Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.errors import LanguageUnsupported
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.search import in_step
from vista_stream.scoring.whole_texts import NOTHING, least_supported
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier

_TOGETHER = 32
"""Rows whose searches run together, round by round."""
_CLAIM_ONLY = 500
"""Most rows of a set that the claim-only figure uses."""
_ROBUSTNESS = 200


class Bench:
    """The verifier and the embedder, and the published scores of other methods."""

    def __init__(self, verifier: KnownScores, folder: Path, *, rules: bool = False) -> None:
        self._verifier = verifier
        self._rules = rules
        self._embedder = EmbeddedEmbedder.from_pretrained()
        self._published = published(folder)

    def score(self, rows: Sequence[Row], name: str) -> list[Scores]:
        """One triple of scores for each row; prints progress."""
        scores: list[Scores] = []
        started = time.monotonic()
        for part in batched(rows, _TOGETHER):
            if self._verifier.reader is not None:
                scores += anyio.run(self._guarded, part)
            else:
                scores += self._verifier.drive(in_step([check(row, self._embedder) for row in part]))
            spent = f"{time.monotonic() - started:.0f} s, {self._verifier.scored} pairs by the model"
            print(f"\r{name}: {len(scores)}/{len(rows)} rows, {spent}", end="", flush=True)
        print()
        return scores

    async def _guarded(self, rows: Sequence[Row]) -> list[Scores]:
        """The scores of a guard's Verify stage for each text, as `vista-stream verify` computes them."""
        verify = EmbeddedVerify(self._verifier, embedder=self._embedder, rules=self._rules)
        return [await self._least(verify, row) for row in rows]

    async def _least(self, verify: EmbeddedVerify, row: Row) -> Scores:
        try:
            premise = Reference(row.premise, name="premise")
            found = await least_supported(verify, premise, row.hypothesis, thresholds=Thresholds())
        except LanguageUnsupported:
            return NOTHING
        return found.scores

    def figures(self, name: str, rows: Sequence[Row], scores: Sequence[Scores]) -> dict[str, Any]:
        """The figures of one set."""
        found: dict[str, Any] = {"rows": len(rows)}
        if name.startswith("nli3/"):
            return found | three_way(rows, scores) | {"claim_only": self._claim_only(name, rows)}
        found |= two_way(rows, scores)
        found["baselines"] = baselines(name, rows, self._embedder, self._published)
        return found | {"claim_only": self._claim_only(name, rows)}

    def _claim_only(self, name: str, rows: Sequence[Row]) -> float:
        """ROC AUC or accuracy with premises that have nothing to do with the claims."""
        chosen = sample(list(rows), _CLAIM_ONLY)
        strange = chosen[len(chosen) // 2 :] + chosen[: len(chosen) // 2]
        pairs = [
            Pair(_opening(other.premise), row.hypothesis) for row, other in zip(chosen, strange, strict=True)
        ]
        scores = self._verifier.score_sync(pairs)
        if name.startswith("nli3/"):
            return float(three_way(chosen, scores)["accuracy"])
        return float(two_way(chosen, scores)["auc"])


def _opening(text: str) -> str:
    return " ".join(text.split()[:60])


def measure(bench: Bench, folder: Path, pattern: str, limit: int | None) -> dict[str, Any]:
    """The figures of every set, and of the slices over all sets."""
    figures: dict[str, Any] = {}
    scored: dict[str, tuple[Sequence[Row], Sequence[Scores]]] = {}
    for name, rows in sets(folder, pattern, limit):
        scored[name] = rows, bench.score(rows, name)
        figures[name] = bench.figures(name, *scored[name])
        print(
            name,
            json.dumps({key: value for key, value in figures[name].items() if key != "bins"}),
            flush=True,
        )
    return {"means": summary(figures), "sets": figures, "slices": sliced(scored)}


CHANGES: dict[str, Callable[[str], str]] = {
    "lower case": str.lower,
    "spaces": lambda text: "  ".join(text.split(" ")),
    "typo": lambda text: re.sub(r"(\w)(\w)(\w+)$", r"\1\3", text, count=1) if " " in text else text,
    "quotes": lambda text: text.replace("'", "’").replace('"', "“"),
    "emphasis": lambda text: f"**{text}**",
    "speaker": lambda text: f"Assistant: {text}",
}


def robustness(verifier: KnownScores, rows: Sequence[Row]) -> dict[str, float]:
    """Median change of P(entailment) for each way of writing the same claim."""
    plain = verifier.score_sync([Pair(row.premise, row.hypothesis) for row in rows])
    moved = {}
    for name, change in CHANGES.items():
        scores = verifier.score_sync([Pair(row.premise, change(row.hypothesis)) for row in rows])
        steps = [abs(s.entailment - p.entailment) for s, p in zip(scores, plain, strict=True)]
        moved[name] = round(statistics.median(steps), 3)
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


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--model", type=Path, help="a verifier's folder; the shipped one without it")
    parser.add_argument("--sets", default="", help="regular expression on names such as true/paws")
    parser.add_argument("--limit", type=int, help="rows a set at most, drawn at random")
    parser.add_argument("--rules", action="store_true", help="with the guard's rules, for a reader")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where scores are kept between runs")
    parser.add_argument("--out", type=Path, default=RESULTS / "accuracy.json")
    arguments = parser.parse_args()
    folder = data_folder(arguments.from_folder, "eval/true")
    verifier = KnownScores.of(arguments.model, arguments.cache)
    figures = {"model": verifier.name, "rows a set at most": arguments.limit}
    figures |= measure(
        Bench(verifier, folder, rules=arguments.rules), folder, arguments.sets, arguments.limit
    )
    rows = sample(read(folder / "eval/true/q2.jsonl.gz"), _ROBUSTNESS)
    figures["robustness"] = robustness(verifier, rows)
    figures["speed"] = speed(EmbeddedVerifier.from_pretrained(arguments.model))
    shown = {key: figures[key] for key in ("means", "slices", "robustness", "speed")}
    print(json.dumps(shown, indent=1))
    save(arguments.out, figures)


if __name__ == "__main__":
    main()

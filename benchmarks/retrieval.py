"""Measures what it takes to find the evidence for a claim, and how often the right sentence is found.

    python -m benchmarks.retrieval [--from-folder FOLDER] [--claims N] [--many N] [--seconds S]

The claims are those that a person labelled as entailed by one sentence (`eval/nli2/fm2_test`,
`eval/true/dialfact`), without claims that depend on earlier dialogue. That sentence is hidden in a document
of other sentences from the same sources (Wikipedia, as Fool Me Twice and Wizard of Wikipedia cite it). For
each evidence sentence the document has the three sentences most like it in words; the rest are any. All are
in random order. A document of n sentences hides n/8 evidence sentences.

The trees begin with parts that the model can read whole. "BST as released" begins with halves of the
document, of which the model reads only the beginnings. A tree's first round costs a pair for every 400
tokens.

Found: the passage that the search returns holds the evidence sentence. The tree and the scan return one
sentence, pre-selection a window of up to three.
Seconds: the time of the pairs and of the search itself. Each pair is run alone and timed once, however many
searches ask for it. Tokenising long parts and indexing are done once for a document, and not counted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import vista_stream
from benchmarks.record import RESULTS, data_folder, save
from vista_stream.claims import Pair, Scores, Span
from vista_stream.retrieval.lexical import Lexicon, words
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import ClaimVector
from vista_stream.retrieval.search import (
    DEFAULT_K,
    Found,
    Search,
    bst,
    linear,
    preselect,
    published_bst,
    settling,
)
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier
from vista_stream.verifiers.onnx import load

CLAIM_SETS = (("eval/nli2/fm2_test", "entailment"), ("eval/true/dialfact", 1))
"""Sets and the label that says entailed."""
SENTENCE_SETS = ("eval/nli2/fm2_test", "eval/true/dialfact", "eval/true/q2", "eval/true/begin", "train/nli")
"""Sets that the other sentences come from; of the last, only the rows of Fool Me Twice."""
SIZES = tuple(2**power for power in range(3, 13))
TREES = {
    "BST": {"branches": 2, "beam": 1},
    "beam 2": {"branches": 2, "beam": 2},
    "beam 4": {"branches": 2, "beam": 4},
}
RELEASED = "BST as released"
LINEAR = "linear"
PRESELECT = "pre-selection"
SAME = "pre-selection, the claims of the trees"
ALIKE = 3
"""How many of the sentences most like an evidence sentence its document also holds."""
TWIN = 0.5
"""A sentence that shares this part of its words or more may say the same, and is left out."""
READ = 4096
"""Characters of a premise that are kept: more than 512 tokens, and no shipped model reads more."""
LEAST = 5
"""Least number of claims that every search is tried on, however long it takes."""
_LEANS = re.compile(
    r"\b(?:i|me|my|we|our|you|your|it|its|he|his|him|she|her|they|their|them|this|that|these|those"
    r"|yes|no|yeah|sure|wow|lol|well|certainly|actually|also|too)\b|[?!]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sought:
    """A claim, and the one sentence that entails it."""

    claim: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One search for one claim."""

    found: bool
    entailed: bool
    contradicted: bool
    runs: int
    """Pairs scored."""
    rounds: int
    """Rounds of pairs, each of which depends on the one before."""
    seconds: float


def sought(folder: Path) -> list[Sought]:
    """Claims with one evidence sentence, one claim for each sentence, in random order."""
    claims: dict[str, str] = {}
    for name, entailed in CLAIM_SETS:
        for row in _rows(folder, name):
            evidence = _sentences(row["premise"])
            plain = len(row["hypothesis"].split()) <= 40 and not _LEANS.search(row["hypothesis"])
            if row["label"] == entailed and plain and len(evidence) == 1:
                claims.setdefault(evidence[0], row["hypothesis"])
    found = [Sought(claim, evidence) for evidence, claim in claims.items()]
    random.Random(0).shuffle(found)
    return found


def sentences(folder: Path) -> list[str]:
    """Every sentence of the premises, each once."""
    premises = dict.fromkeys(row["premise"] for name in SENTENCE_SETS for row in _rows(folder, name))
    return list(dict.fromkeys(sentence for premise in premises for sentence in _sentences(premise)))


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        return [row for row in rows if row.get("source", "fm2_dev") == "fm2_dev"]


def _sentences(text: str) -> list[str]:
    """The whole sentences of a text: no headings, and none without a final punctuation mark."""
    if not text.strip():
        return []
    cut = [" ".join(text[start:end].split()) for start, end in Reference(text, name="premise").sentences]
    return [each for each in cut if len(each.split()) >= 6 and each[-1] in ".!?" and each[0].isupper()]


class Hiding:
    """Makes documents that hide evidence among the sentences of a pool."""

    def __init__(self, pool: Sequence[str], *, seed: int = 0) -> None:
        self._pool = pool
        self._words = [frozenset(words(sentence)) for sentence in pool]
        self._lexicon = Lexicon(pool)
        self._random = random.Random(seed)

    def documents(self, claims: Sequence[Sought], size: int) -> Iterator[tuple[Reference, list[Sought]]]:
        """Documents of `size` sentences, each with the claims whose evidence it hides, in their order."""
        step = max(1, size // 8)
        for start in range(0, len(claims), step):
            hidden = list(claims[start : start + step])
            yield self._document(hidden, size), hidden

    def _document(self, hidden: Sequence[Sought], size: int) -> Reference:
        barred: set[int] = set()
        alike: list[int] = []
        for each in hidden:
            near = np.argsort(-self._lexicon.coverage(each.evidence), kind="stable")[: 8 * ALIKE].tolist()
            twins = {row for row in near if self._twin(row, each.evidence)}
            barred |= twins
            alike += [row for row in near if row not in twins][:ALIKE]
        order = [*alike, *self._random.sample(range(len(self._pool)), len(self._pool))]
        others = [self._pool[row] for row in dict.fromkeys(order) if row not in barred]
        text = list(dict.fromkeys([*(each.evidence for each in hidden), *others]))[:size]
        if len(text) < size:
            raise ValueError(f"size must be at most the sentences there are ({len(text)}), not {size}")
        self._random.shuffle(text)
        return Reference("\n\n".join(text), name="document")

    def _twin(self, row: int, evidence: str) -> bool:
        mine = frozenset(words(evidence))
        return len(mine & self._words[row]) >= TWIN * len(mine | self._words[row])


class Meter:
    """Runs each pair alone, once, and records its scores and time."""

    def __init__(self, verifier: EmbeddedVerifier) -> None:
        self._verifier = verifier
        self._known: dict[Pair, tuple[Scores, float]] = {}

    def __call__(self, pair: Pair) -> tuple[Scores, float]:
        """Scores and seconds of a pair; to the model, parts of a document that begin alike are the same."""
        seen = Pair(pair.premise[:READ], pair.hypothesis)
        if seen not in self._known:
            began = time.perf_counter()
            (scores,) = self._verifier.score_sync([seen])
            self._known[seen] = scores, time.perf_counter() - began
        return self._known[seen]

    def forget(self) -> None:
        """Drop the pairs of documents that are finished."""
        self._known.clear()


def run(begin: Callable[[], Search], meter: Meter) -> tuple[Found, int, float]:
    """Run a search; returns what it finds, its rounds and its seconds."""
    began = time.perf_counter()
    search = begin()
    pairs = next(search)
    seconds, rounds = time.perf_counter() - began, 0
    while True:
        scored = [meter(pair) for pair in pairs]
        seconds += sum(spent for _, spent in scored)
        rounds += 1
        began = time.perf_counter()
        try:
            pairs = search.send([scores for scores, _ in scored])
        except StopIteration as end:
            return end.value, rounds, seconds + time.perf_counter() - began
        seconds += time.perf_counter() - began


class Bench:
    """Measures the strategies on documents of one size after another."""

    def __init__(self, verifier: EmbeddedVerifier, embedder: EmbeddedEmbedder, hiding: Hiding) -> None:
        self._verifier = verifier
        self._embedder = embedder
        self._hiding = hiding
        self._meter = Meter(verifier)

    def size(self, claims: Sequence[Sought], size: int, options: argparse.Namespace) -> dict[str, Any]:
        """Figures of one size: pre-selection on all claims, the costlier strategies on the first few."""
        outcomes: dict[str, list[Outcome]] = defaultdict(list)
        indexing, done, spent = [], 0, 0.0
        for document, hidden in self._hiding.documents(claims, size):
            began = time.perf_counter()
            document.index(self._embedder)
            indexing.append(time.perf_counter() - began)
            for each in hidden:
                began = time.monotonic()
                ways = {PRESELECT: self._preselect(document, each.claim)}
                if done < (options.claims if spent < options.seconds else LEAST):
                    ways |= self._costly(document, each.claim, scan=size <= options.linear_to)
                for name, begin in ways.items():
                    outcomes[name].append(self._outcome(document, each, begin))
                done, spent = done + 1, spent + time.monotonic() - began
            self._meter.forget()
        outcomes[SAME] = outcomes[PRESELECT][: len(outcomes["BST"])]
        figures = {name: summary(each) for name, each in outcomes.items()}
        return {"n": size, "index_seconds": round(statistics.median(indexing), 3), "strategies": figures}

    def _preselect(self, document: Reference, claim: str) -> Callable[[], Search]:
        def begin() -> Search:
            vector = ClaimVector(self._embedder.embed([claim])[0], self._embedder)
            return preselect([document], claim, k=DEFAULT_K, vector=vector)

        return begin

    def _costly(self, document: Reference, claim: str, *, scan: bool) -> dict[str, Callable[[], Search]]:
        """The tree searches and the scan, each as the Verify stage runs it."""
        ways: dict[str, Callable[[], Search]] = {
            name: partial(bst, document, claim, by=settling, **shape) for name, shape in TREES.items()
        }
        ways[RELEASED] = partial(published_bst, document, claim, by=settling)
        if scan:
            ways[LINEAR] = partial(linear, document, claim, by=settling)
        return ways

    def _outcome(self, document: Reference, each: Sought, begin: Callable[[], Search]) -> Outcome:
        found, rounds, seconds = run(begin, self._meter)
        start = document.text.index(each.evidence)
        entailment, _, contradiction = found.scores
        limits = self._verifier.thresholds
        return Outcome(
            found=_holds(found.evidence.span, Span(start, start + len(each.evidence))),
            entailed=entailment >= limits.entailment and entailment > contradiction,
            contradicted=contradiction >= limits.contradiction and contradiction > entailment,
            runs=found.model_calls,
            rounds=rounds,
            seconds=seconds,
        )

    def ceiling(self, claims: Sequence[Sought]) -> float:
        """Share of the claims that the verifier calls entailed by the evidence itself, in percent."""
        scores = self._verifier.score_sync([Pair(each.evidence, each.claim) for each in claims])
        return _percent([triple.entailment >= self._verifier.thresholds.entailment for triple in scores])


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _percent(hits: Sequence[bool]) -> float:
    return round(100 * statistics.fmean(hits), 1)


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Mean model runs and rounds, shares in percent, median seconds."""
    return {
        "claims": len(outcomes),
        "model_runs": round(statistics.fmean(each.runs for each in outcomes), 1),
        "rounds": round(statistics.fmean(each.rounds for each in outcomes), 1),
        "recall": _percent([each.found for each in outcomes]),
        "called_entailed": _percent([each.entailed for each in outcomes]),
        "called_contradicted": _percent([each.contradicted for each in outcomes]),
        "seconds": round(statistics.median(each.seconds for each in outcomes), 4),
    }


def markdown(figures: dict[str, Any]) -> str:
    """A Markdown table of sizes and strategies, with model runs, recall and seconds a claim."""
    names = [PRESELECT, SAME, *TREES, RELEASED, LINEAR]
    rows = ["| sentences | " + " | ".join(names) + " | index, once |", "|" + "---|" * (len(names) + 2)]
    for size in figures["sizes"]:
        cells = [_cell(size["strategies"].get(name)) for name in names]
        if LINEAR not in size["strategies"]:
            cells[-1] = f"{size['n']:,} runs"
        rows.append(f"| {size['n']:,} | " + " | ".join(cells) + f" | {size['index_seconds']:.2f} s |")
    return "\n".join(rows)


def _cell(figures: dict[str, float] | None) -> str:
    if figures is None:
        return "–"
    seconds = f"{figures['seconds']:.3f}" if figures["seconds"] < 1 else f"{figures['seconds']:.1f}"
    return f"{figures['model_runs']:g} runs, {figures['recall']:.0f} %, {seconds} s"


Figures = dict[str, Any]


def measure(
    bench: Bench,
    claims: Sequence[Sought],
    options: argparse.Namespace,
    *,
    keep: Callable[[Figures], None] = lambda figures: None,
) -> Figures:
    """The figures of every size; prints progress, and calls `keep` after each size with those so far."""
    started = time.monotonic()
    figures: Figures = {"called entailed by the evidence itself": bench.ceiling(claims), "sizes": []}
    for size in options.sizes:
        found = bench.size(claims, size, options)
        figures["sizes"].append(found)
        keep(figures)
        cells = ", ".join(f"{name} {_cell(each)}" for name, each in found["strategies"].items())
        print(f"[{time.monotonic() - started:4.0f} s] n={size}: {cells}", flush=True)
    return figures


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--verifier", type=Path, help="a model folder; the shipped one without it")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="sentences a document")
    parser.add_argument("--claims", type=int, default=20, help="at most, for the trees and the scan (20)")
    parser.add_argument("--seconds", type=float, default=40, help="for them, of one size, about (40)")
    parser.add_argument("--many", type=int, default=100, help="claims for pre-selection (100)")
    parser.add_argument("--linear-to", type=int, default=128, help="largest document that is scanned (128)")
    parser.add_argument("--threads", type=int, help="of the models; what ONNX Runtime takes by default")
    parser.add_argument("--out", type=Path, default=RESULTS / "retrieval.json")
    options = parser.parse_args()
    folder = data_folder(options.from_folder, "eval/nli2")
    verifier = EmbeddedVerifier.from_pretrained(options.verifier, threads=options.threads)
    encoder = Path(vista_stream.__file__).parent / "models" / "encoder"
    model = load(encoder, kind="bi-encoder", threads=options.threads)
    # Nothing is cached: otherwise a claim that comes again with the next size would cost nothing to embed.
    bench = Bench(verifier, EmbeddedEmbedder(model, remember=0), Hiding(sentences(folder)))

    def keep(figures: Figures) -> None:
        """Save the figures so far, so that an interrupted run keeps them."""
        save(options.out, {"model": verifier.name, **figures})

    print(markdown(measure(bench, sought(folder)[: options.many], options, keep=keep)))


if __name__ == "__main__":
    main()

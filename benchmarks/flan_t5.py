"""Compares Flan-T5 on ONNX Runtime with scale-score, on the same weights: agreement of scores, and speed.

No trained weights are needed: the models have the published shapes and seeded random weights. Needs the
extra `export`, scale-score, and a folder with the tokenizer of Flan-T5 and its config.json. On a CPU, fp32
and int8 are compared with scale-score; with --device cuda, fp16 with scale-score on the same GPU.

Run: python -m benchmarks.flan_t5 --tokenizer FOLDER [--sizes small,base] [--threads 2] [--device cpu]
Writes results/flan_t5.json, .md and .svg (flan_t5_cuda.json and .md on a GPU).
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.flan_t5_models import Prompt, Texts, seeded_model
from benchmarks.flan_t5_report import PARTS, RELEASED, SAME_TREE, markdown, medians, plot
from benchmarks.flan_t5_speed import (
    arithmetic_limit,
    graph_flops,
    in_turns,
    operator_shares,
    released_stages,
    summary,
)
from vista_stream.claims import Pair, Scores
from vista_stream.errors import missing_extra
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.search import Search, bst, preselect, published_bst
from vista_stream.verifiers.flan_t5 import FlanT5Verifier
from vista_stream.verifiers.flan_t5_manifest import Quantization
from vista_stream.verifiers.flan_t5_question import TEMPLATES

RESULTS = Path(__file__).parent / "results"
TEXTS = Path(__file__).parent.parent / "vista_stream" / "demo" / "documents"
CHUNK_TOKENS = 1000
LENGTHS = (64, 128, 256, 512)
DOCUMENTS = (2000, 6000)
BATCHES = (1, 4, 16, 64)
WHOLE = 1 << 20
"""A max_length so large that nothing is truncated: the released search does not chunk."""


class Bench:
    """The released code and our verifiers, on the same weights, for one model size."""

    def __init__(self, size: str, options: argparse.Namespace, folder: Path) -> None:
        import torch  # type: ignore[import-not-found, unused-ignore]
        import transformers  # type: ignore[import-not-found, unused-ignore]

        from vista_stream.export.flan_t5 import export_flan_t5

        tokenizer = transformers.T5Tokenizer.from_pretrained(options.tokenizer)
        texts = Texts(TEXTS, tokenizer, seed=7)
        calibration = [_prompt(*pair) for pair in texts.prompts([32, 64, 128, 256] * 6)]
        model, self._tokenizer = seeded_model(size, options.tokenizer, prompts=calibration, seed=0)
        say(f"{size}: {sum(p.numel() for p in model.parameters()) / 1e6:.0f} M parameters, seeded")
        model.save_pretrained(folder / "published")
        self._tokenizer.save_pretrained(folder / "published")
        self.model = model.to(options.device)
        self.texts = texts
        self.device = options.device
        self.verifiers: dict[str, FlanT5Verifier] = {}
        self.folders: dict[str, Path] = {}
        wanted: dict[str, Quantization] = (
            {"fp16": "fp16"} if self.device == "cuda" else {"fp32": "none", "int8": "int8"}
        )
        for name, quantization in wanted.items():
            self.folders[name] = folder / name
            export_flan_t5(str(folder / "published"), folder / name, quantization=quantization)
            self.verifiers[name] = FlanT5Verifier.from_pretrained(
                folder / name,
                providers=["CUDAExecutionProvider"] if self.device == "cuda" else None,
                threads=options.threads,
                max_length=WHOLE,
            )
            say(f"{size}: exported {name}")
        torch.set_num_threads(options.threads)

    def released_score(self, premise: str, hypothesis: str) -> float:
        from scale_score.utils import scale_score  # type: ignore[import-not-found, unused-ignore]

        (score,) = scale_score(
            self.model,
            self._tokenizer,
            [premise],
            [[hypothesis]],
            device=self.device,
            chunk_size=CHUNK_TOKENS,
        )
        return float(score)

    def released_search(self, sentences: list[str], hypothesis: str) -> str:
        from scale_score.utils import scale_retrieve

        ((sentence, _),) = scale_retrieve(
            self.model, self._tokenizer, [sentences], [[hypothesis]], device=self.device
        )
        return str(sentence)

    def search(self, name: str, search: Search) -> str:
        """The sentence or window that one of our searches finds, with the entailment question alone."""
        verifier = self.verifiers[name]
        pairs = next(search)
        while True:
            scores = [Scores(p, 1 - p, 0.0) for p in verifier.p_entail_each(pairs)]
            try:
                pairs = search.send(scores)
            except StopIteration as end:
                return str(end.value.evidence.text)

    def parity(self, pairs: Sequence[Prompt], documents: int) -> dict[str, Any]:
        """Differences between our P(entail) and the released code's, and how often the searches agree."""
        released = []
        for number, pair in enumerate(pairs):
            released.append(self.released_score(*pair))
            if number % 50 == 49:
                say(f"  parity: {number + 1} of {len(pairs)} pairs")
        found: dict[str, Any] = {"pairs": len(pairs), "scores": _spread(released)}
        for name, verifier in self.verifiers.items():
            scores = [verifier.p_entail(*pair, chunk_tokens=CHUNK_TOKENS) for pair in pairs]
            away = np.abs(np.subtract(scores, released))
            found[name] = {
                "largest": float(f"{away.max():.2g}"),
                "mean": float(f"{away.mean():.2g}"),
                "correlation": round(float(np.corrcoef(scores, released)[0, 1]), 5),
            }
        return found | {"same_sentence": self._same_sentence(documents), "searched": documents}

    def _same_sentence(self, documents: int) -> dict[str, int]:
        same = dict.fromkeys(self.verifiers, 0)
        for _ in range(documents):
            text = Reference(" ".join(self.texts.document(700)), name="document")
            sentences = [text.text[start:end] for start, end in text.sentences]
            hypothesis = self.texts.hypothesis()
            expected = self.released_search(sentences, hypothesis)
            for name in same:
                same[name] += self.search(name, published_bst(text, hypothesis)) == expected
        return same

    def lengths(self, wanted: Sequence[int], limit: float) -> list[dict[str, Any]]:
        """Times of one pair, for each number of premise tokens."""
        rows = []
        for tokens in wanted:
            pair = self.texts.prompts([tokens])[0]
            length = len(self._tokenizer(_prompt(*pair)).input_ids)
            ways: dict[str, Callable[[], object]] = {RELEASED: lambda pair=pair: self.released_score(*pair)}  # type: ignore[misc]
            for name, verifier in self.verifiers.items():
                ways[name] = lambda verifier=verifier, pair=pair: verifier.p_entail(*pair)  # type: ignore[misc]
            taken = summary(in_turns(ways, repeats=9), baseline=RELEASED)
            row: dict[str, Any] = {"premise_tokens": tokens, "prompt_tokens": length, "ways": taken}
            if "fp32" in taken:
                reached = graph_flops(self.model.config, length) / taken["fp32"]["median_ms"] * 1e-6
                row["fp32_gflops"], row["fp32_share_of_limit"] = round(reached, 1), round(reached / limit, 3)
            rows.append(row)
            say(f"  {tokens} tokens: {_line(taken)}")
        return rows

    def documents(self, wanted: Sequence[int], repeats: int) -> list[dict[str, Any]]:
        """Times of scoring long documents in the published chunks, and of searching them for a sentence."""
        rows = []
        for tokens in wanted:
            text = Reference(" ".join(self.texts.document(tokens)), name="document")
            hypothesis = self.texts.hypothesis()
            for task, ways in (
                ("score", self._ways_to_score(text, hypothesis)),
                ("search", self._ways_to_search(text, hypothesis)),
            ):
                taken = summary(in_turns(ways, repeats=repeats, warm=True), baseline=RELEASED)
                rows.append(
                    {"document_tokens": tokens, "sentences": len(text.sentences), "task": task, "ways": taken}
                )
                say(f"  {task} {tokens} tokens: {_line(taken)}")
        return rows

    def _ways_to_score(self, text: Reference, hypothesis: str) -> dict[str, Callable[[], object]]:
        ways: dict[str, Callable[[], object]] = {RELEASED: lambda: self.released_score(text.text, hypothesis)}
        for name, verifier in self.verifiers.items():
            for label, chunk in ((name, CHUNK_TOKENS), (f"{name}, chunks of 512", 512)):
                ways[label] = lambda verifier=verifier, chunk=chunk: verifier.p_entail(  # type: ignore[misc]
                    text.text, hypothesis, chunk_tokens=chunk
                )
        return ways

    def _ways_to_search(self, text: Reference, hypothesis: str) -> dict[str, Callable[[], object]]:
        sentences = [text.text[start:end] for start, end in text.sentences]
        searches: dict[str, Callable[[], Search]] = {
            SAME_TREE: lambda: published_bst(text, hypothesis),
            PARTS: lambda: bst(text, hypothesis),
            "pre-selection": lambda: preselect([text], hypothesis),
        }
        ways: dict[str, Callable[[], object]] = {
            RELEASED: lambda: self.released_search(sentences, hypothesis)
        }
        for label, begin in searches.items():
            for name in self.verifiers:
                ways[f"{name}, {label}"] = lambda name=name, begin=begin: self.search(name, begin())  # type: ignore[misc]
        return ways

    def batches(self, wanted: Sequence[int]) -> list[dict[str, Any]]:
        """Times of several pairs with 256-token premises together; the released code takes one at a time."""
        rows = []
        for count in wanted:
            pairs = [Pair(*prompt) for prompt in self.texts.prompts([256] * count)]
            ways: dict[str, Callable[[], object]] = {
                RELEASED: lambda pairs=pairs: [self.released_score(p.premise, p.hypothesis) for p in pairs]  # type: ignore[misc]
            }
            for name, verifier in self.verifiers.items():
                ways[name] = lambda verifier=verifier, pairs=pairs: verifier.p_entail_each(pairs)  # type: ignore[misc]
            taken = summary(in_turns(ways, repeats=5), baseline=RELEASED)
            rows.append({"pairs": count, "premise_tokens": 256, "ways": taken})
            say(f"  {count} pairs: {_line(taken)}")
        return rows


_BEGIN = time.monotonic()


def say(text: str) -> None:
    print(f"[{time.monotonic() - _BEGIN:5.0f} s] {text}", flush=True)


def _prompt(premise: str, hypothesis: str) -> str:
    return TEMPLATES["entailment"].replace("{premise}", premise).replace("{hypothesis}", hypothesis)


def _line(taken: dict[str, dict[str, float]]) -> str:
    return ", ".join(
        f"{name} {row['median_ms']:.0f} ms ({row['speedup']:.1f}x)" for name, row in taken.items()
    )


def _spread(scores: Sequence[float]) -> dict[str, float]:
    marks = {"least": 0, "lower quartile": 25, "median": 50, "upper quartile": 75, "greatest": 100}
    return {name: round(float(np.percentile(scores, mark)), 4) for name, mark in marks.items()}


def mixed_lengths(count: int, long: int) -> list[int]:
    """Premise lengths in tokens: evenly spaced on a log scale from 12 to 500, and some documents to chunk."""
    random = np.random.default_rng(3)
    short = np.exp(random.uniform(np.log(12), np.log(500), count - long))
    return [*map(int, short), *map(int, random.uniform(1200, 2600, long))]


def run_size(size: str, options: argparse.Namespace, limit: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(size, options, Path(folder))
        found: dict[str, Any] = {"size": size}
        if options.batches:
            found["batches"] = bench.batches(options.batches)
        if options.device == "cpu":
            found["lengths"] = bench.lengths(options.lengths, limit)
            found["documents"] = bench.documents(options.documents, options.repeats)
            found["profile"] = {
                name: operator_shares(path / "model.onnx", 512, options.threads)
                for name, path in bench.folders.items()
            }
            found["released_ms"] = released_stages(bench.model, 512, 5)
        long = max(options.pairs // 25, 1)
        found["parity"] = bench.parity(bench.texts.prompts(mixed_lengths(options.pairs, long)), long)
        say(f"  parity: {json.dumps(found['parity'])}")
    return found


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tokenizer", type=Path, required=True, help="folder of Flan-T5's tokenizer and config"
    )
    parser.add_argument("--sizes", default=None, help="small,base; base,large on a GPU")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3, help="of the long documents")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, help="tokens of premises")
    parser.add_argument("--documents", type=int, nargs="+", default=DOCUMENTS, help="tokens of documents")
    parser.add_argument(
        "--batches", type=int, nargs="+", help="pairs at a time; 1 4 16 64 on a GPU, left out on a CPU"
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    if not (chosen.tokenizer / "tokenizer.json").is_file():
        parser.error(
            f"--tokenizer takes the folder of a tokenizer.json and config.json, not {chosen.tokenizer}"
        )
    if chosen.device == "cuda":
        chosen.batches = chosen.batches or BATCHES
    return chosen


def main() -> int:
    chosen = options()
    try:
        import onnxruntime  # type: ignore[import-untyped, unused-ignore]
        import scale_score.utils  # type: ignore[import-not-found, unused-ignore]
        import torch
        import transformers
    except ImportError as error:
        print(f"skipped: {error}; needs onnxruntime, torch, transformers and scale-score")
        return 0
    if chosen.device == "cuda" and not torch.cuda.is_available():
        print("skipped: torch sees no CUDA device")
        return 0
    if chosen.device == "cuda" and "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        print(missing_extra("skipped: this onnxruntime has no CUDA", "gpu"))
        return 0
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    scale_score.utils.tqdm = lambda rows: rows
    torch.set_num_threads(chosen.threads)
    limit = arithmetic_limit(chosen.threads)
    say(f"arithmetic limit, GFLOP/s: {limit}")
    found = []
    for size in (chosen.sizes or ("base,large" if chosen.device == "cuda" else "small,base")).split(","):
        found.append(run_size(size, chosen, max(limit.values())))
        _write(_report(chosen, limit, found), chosen)
    say(f"times faster, median: {medians(found)}")
    return 0


def _report(
    chosen: argparse.Namespace, limit: dict[str, float], found: list[dict[str, Any]]
) -> dict[str, Any]:
    import torch

    on_gpu = chosen.device == "cuda"
    packages = ("onnxruntime-gpu" if on_gpu else "onnxruntime", "torch", "transformers", "scale-score")
    return {
        "machine": torch.cuda.get_device_name() if on_gpu else _processor(),
        "threads": chosen.threads,
        "versions": ", ".join(f"{name} {version(name)}" for name in packages),
        "gflops": limit,
        "median_times_faster": medians(found),
        "sizes": found,
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _write(report: dict[str, Any], chosen: argparse.Namespace) -> None:
    """Write the report; called after each size, so that an interrupted run keeps what it has."""
    stem = "flan_t5_cuda" if chosen.device == "cuda" else "flan_t5"
    chosen.results.mkdir(parents=True, exist_ok=True)
    (chosen.results / f"{stem}.json").write_text(json.dumps(report, indent=1) + "\n")
    (chosen.results / f"{stem}.md").write_text(markdown(report) + "\n")
    if chosen.device == "cpu":
        (chosen.results / f"{stem}.svg").write_text(plot(report))


if __name__ == "__main__":
    sys.exit(main())

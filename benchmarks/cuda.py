"""Measures the shipped verifier on a GPU beside the CPU of the same machine.

    python -m benchmarks.cuda [--turns N…] [--claims N] [--pairs N] [--seconds S]

Parity: the probabilities of the float16 and float32 graphs on CUDA and of the float32 graph on the CPU,
against the int8 graph that ships, over pairs of the project's own answers and their documents.

Times: one pair alone, and batches of pairs, on the GPU and on the CPU; the first run of each size apart,
since the GPU then sees a new shape.

Turns: so many tasks at once, each of which verifies some sentences of an answer one after the other: eight,
or as many as --claims leaves each; on the CPU an eighth of that, at least one. A claim reads all that it does
in a session: rules, retrieval with the shipped embedder on the CPU, then the pairs, through one
BatchingVerifier. "Pairs alone" are as many tasks that send their pairs to it, without rules and retrieval.
Claims come as sentences: nothing is parsed.

Memory: what the GPU holds more than before the first graph was loaded, as nvidia-smi tells it, before the
float32 graph is loaded.

Writes results/cuda.json. Where ONNX Runtime offers no CUDA, it says so and writes nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.concurrency import Apart
from benchmarks.latency import percentile
from benchmarks.record import RESULTS, save
from vista_stream.claims import Claim, Pair, Scores, Span
from vista_stream.errors import missing_extra
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.protocols import Grounds
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier
from vista_stream.verifiers.placement import CUDA_PROVIDER, runtime

ANSWERS = Path(__file__).parents[1] / "vista_stream" / "training" / "written" / "answers" / "answers.jsonl"
TURNS = (1, 100, 1000)
QUEUE = 1 << 20
"""Pairs that may wait: no claim is dropped here."""
CLAIMS_A_TURN = 8
"""Claims of one turn at most."""
BATCHES = (1, 16, 64, 256)

Scene = tuple[Reference, list[str]]
"""A document and the sentences of an answer about it."""


def scenes() -> list[Scene]:
    """The written answers with their documents."""
    rows = [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]
    return [
        (Reference(row["reference"], name="document"), [each["text"] for each in row["sentences"]])
        for row in rows
    ]


def pairs_of(found: Sequence[Scene], count: int) -> list[Pair]:
    """Pairs of a sentence of an answer and a window of its document, of all lengths."""

    def every() -> Iterator[Pair]:
        for reference, sentences in found:
            for sentence, window in zip(sentences, itertools.cycle(reference.windows), strict=False):
                yield Pair(window.text, sentence)

    return list(itertools.islice(every(), count))


def parity(scores: Sequence[Scores], shipped: Sequence[Scores]) -> dict[str, float]:
    """How far probabilities lie from those of the graph that ships; how often the likeliest label is one."""
    ours, theirs = np.asarray(scores), np.asarray(shipped)
    away = np.abs(ours - theirs)
    return {
        "mean": round(float(away.mean()), 5),
        "largest": round(float(away.max()), 4),
        "same label %": round(float((ours.argmax(1) == theirs.argmax(1)).mean() * 100), 1),
    }


def timed(verifier: EmbeddedVerifier, pairs: Sequence[Pair], seconds: float) -> dict[str, float]:
    """Milliseconds of one call with these pairs, and pairs a second."""
    begun = time.perf_counter()
    verifier.score_sync(pairs)
    first = time.perf_counter() - begun
    taken: list[float] = []
    begun = time.perf_counter()
    while len(taken) < 3 or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        verifier.score_sync(pairs)
        taken.append(time.perf_counter() - start)
    median = statistics.median(taken)
    return {
        "first ms": round(first * 1000, 2),
        "ms": round(median * 1000, 2),
        "p95 ms": round(percentile(taken, 95) * 1000, 2),
        "pairs a second": round(len(pairs) / median, 1),
    }


class Turns:
    """Many turns at once on one verifier."""

    def __init__(
        self, verifier: EmbeddedVerifier, embedder: EmbeddedEmbedder, found: Sequence[Scene]
    ) -> None:
        self._verifier, self._embedder, self._scenes = verifier, embedder, found

    async def claims(self, turns: int, most: int) -> dict[str, float]:
        """Claims a second with all that a claim reads, and their delays."""
        for reference, _ in self._scenes:
            stage = EmbeddedVerify(self._verifier, embedder=self._embedder)
            await stage.prepare(Grounds(references=(reference,)))

        async def verified(asked: Apart, reference: Reference, sentence: str) -> None:
            stage = EmbeddedVerify(asked, embedder=self._embedder)
            span = Span(0, len(sentence))
            claim = Claim(id=0, sentence=0, text=sentence, span=span, sentence_text=sentence)
            await stage.verify(claim, Grounds(references=(reference,)))

        return await self._run(turns, most, verified)

    async def alone(self, turns: int, most: int) -> dict[str, float]:
        """Pairs a second where each turn sends three pairs at a time, without rules and retrieval."""

        async def verified(asked: Apart, reference: Reference, sentence: str) -> None:
            await asked.score([Pair(window.text, sentence) for window in reference.windows[:3]])

        return await self._run(turns, most, verified)

    async def _run(
        self, turns: int, most: int, verified: Callable[[Apart, Reference, str], Awaitable[None]]
    ) -> dict[str, float]:
        shared = BatchingVerifier(self._verifier, max_queue=QUEUE)
        delays: list[float] = []
        each = max(1, min(CLAIMS_A_TURN, most // turns))

        async def turn(number: int) -> None:
            reference, sentences = self._scenes[number % len(self._scenes)]
            asked = Apart(shared)
            for sentence in itertools.islice(itertools.cycle(sentences), each):
                start = time.perf_counter()
                await verified(asked, reference, sentence)
                delays.append(time.perf_counter() - start)

        begun = time.perf_counter()
        await asyncio.gather(*(turn(number) for number in range(turns)))
        seconds = time.perf_counter() - begun
        stats = shared.stats
        return {
            "claims": len(delays),
            "claims a second": round(len(delays) / seconds, 1),
            "median ms": round(statistics.median(delays) * 1000, 1),
            "p95 ms": round(percentile(delays, 95) * 1000, 1),
            "pairs a second": round(stats.pairs / seconds, 1),
            "pairs a batch": round(stats.pairs / (stats.batches or 1), 1),
        }


def gpu(field: str) -> str:
    """A field of nvidia-smi for the first GPU; empty where there is no nvidia-smi."""
    try:
        asked = ["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader,nounits"]
        told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
        return told.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return ""


def held() -> float:
    """MiB of the GPU's memory in use; 0 where it cannot be told."""
    told = gpu("memory.used")
    return float(told) if told.isdigit() else 0.0


async def measure(chosen: argparse.Namespace) -> dict[str, Any]:
    """All figures."""
    found = scenes()
    before = held()
    on_cpu = EmbeddedVerifier.from_pretrained(threads=chosen.threads)
    on_cuda = EmbeddedVerifier.from_pretrained(device="cuda", cache=chosen.cache)
    if on_cuda.placement.device != "cuda":
        raise SystemExit("skipped: CUDA could not be started; the warning above says why")
    loaded = held()
    embedder = EmbeddedEmbedder.from_pretrained(threads=chosen.threads)
    pairs = pairs_of(found, chosen.pairs)
    shipped = on_cpu.score_sync(pairs)
    figures: dict[str, Any] = {
        "gpu": gpu("name"),
        "driver": gpu("driver_version"),
        "parity": {
            "pairs": len(pairs),
            "float16 on CUDA": parity(on_cuda.score_sync(pairs), shipped),
        },
    }
    say(json.dumps(figures))
    figures["batches"] = [
        {
            "pairs": count,
            "cuda": timed(on_cuda, pairs[:count], chosen.seconds),
            "cpu": timed(on_cpu, pairs[:count], chosen.seconds),
        }
        for count in BATCHES
        if count <= len(pairs)
    ]
    say(json.dumps(figures["batches"]))
    figures["turns"] = []
    for turns in chosen.turns:
        row: dict[str, Any] = {"turns": turns}
        for name, verifier in (("cuda", on_cuda), ("cpu", on_cpu)):
            most = chosen.claims if name == "cuda" else max(turns, chosen.claims // 8)
            many = Turns(verifier, embedder, found)
            row[name] = await many.claims(turns, most)
            if name == "cuda":
                row["cuda, pairs alone"] = await many.alone(turns, most)
        figures["turns"].append(row)
        say(json.dumps(row))
    figures["memory MiB"] = {"float16 graph": loaded - before, "after all runs": held() - before}
    for device in ("cuda", "cpu"):
        whole = EmbeddedVerifier.from_pretrained(device=device, precision="float32", cache=chosen.cache)
        figures["parity"][f"float32 on {device.upper()}"] = parity(whole.score_sync(pairs), shipped)
    return figures


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, nargs="+", default=TURNS)
    parser.add_argument("--claims", type=int, default=4000, help="of a run on CUDA, at most eight a turn")
    parser.add_argument("--pairs", type=int, default=400, help="pairs that parity is measured on")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each timing")
    parser.add_argument("--threads", type=int, default=None, help="of the CPU's graphs")
    parser.add_argument("--cache", type=Path, default=None, help="folder for the unpacked graphs")
    parser.add_argument("--out", type=Path, default=RESULTS / "cuda.json")
    chosen = parser.parse_args()
    if CUDA_PROVIDER not in runtime().get_available_providers():
        say(missing_extra("skipped: this onnxruntime has no CUDA", "gpu"))
        return
    save(chosen.out, asyncio.run(measure(chosen)))
    say(f"written: {chosen.out}")


if __name__ == "__main__":
    main()

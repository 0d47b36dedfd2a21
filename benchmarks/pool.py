"""Throughput of a verifier pool beside the same verifier in this process, on the same cores.

    python -m benchmarks.pool [--pairs N] [--rounds N] [--calls N]

Three ways score the same pairs of windows and claims, with `--calls` calls of one pair at once:

- here: `BatchingVerifier(EmbeddedVerifier)` in this process
- one replica: `vista-stream verifier-serve` in a process of its own, asked by `RemoteVerifier`
- two replicas: each kept to half of the cores

Nothing is cached. Each round times the three ways one after the other, in another order each time, so that
other work on the machine slows all of them. The share is the median over the rounds of the pool's pairs a
second, divided by those of "here" in the same round. The scores are compared too: they must be equal.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.record import RESULTS, save
from vista_stream.claims import Pair, Scores
from vista_stream.cli.material import load_scenes
from vista_stream.retrieval.reference import Reference
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.embedded import EmbeddedVerifier
from vista_stream.verifiers.pool.remote import RemoteVerifier
from vista_stream.verifiers.pool.settings import PoolSettings
from vista_stream.verifiers.protocol import Verifier

HERE, ONE, TWO = "here", "one replica", "two replicas"
_SETTINGS = PoolSettings(attempt=600.0)


def pairs_of_scenes(count: int) -> list[Pair]:
    """Windows of the demo's documents, each with sentences of the answers; all different."""
    scenes = load_scenes()
    answers = [Reference("".join(scene.tokens), name="answer") for scene in scenes]
    documents = [
        Reference(scene.document[1], name="document") for scene in scenes if scene.document is not None
    ]
    claims = [answer.text[start:end] for answer in answers for start, end in answer.sentences]
    windows = [window.text for document in documents for window in document.windows]
    return list(dict.fromkeys(Pair(window, claim) for claim in claims for window in windows))[:count]


@contextmanager
def replica(cores: Collection[int]) -> Iterator[str]:
    """The base URL of a replica in a process of its own, which runs on these cores."""
    code = (
        "import os, sys; from vista_stream.cli import main\n"
        "if hasattr(os, 'sched_setaffinity'): os.sched_setaffinity(0, map(int, sys.argv[1].split(',')))\n"
        "sys.exit(main(['verifier-serve', '--port', '0', '--cache', '0', '--max-wait', '0']))"
    )
    command = [sys.executable, "-c", code, ",".join(map(str, cores))]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as served:
        try:
            assert served.stderr is not None
            yield next(line for line in served.stderr if line.startswith("vista-stream serves")).split()[-1]
        finally:
            served.terminate()


async def rate(verifier: Verifier, pairs: Sequence[Pair], calls: int) -> tuple[float, list[Scores]]:
    """Pairs a second, and the scores, with so many calls of one pair at once."""
    scores: dict[int, Scores] = {}
    left = iter(range(len(pairs)))

    async def caller() -> None:
        for number in left:
            scores[number] = (await verifier.score([pairs[number]]))[0]

    begun = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(calls)))
    return len(pairs) / (time.perf_counter() - begun), [scores[number] for number in range(len(pairs))]


async def measure(urls: Sequence[str], options: argparse.Namespace) -> dict[str, Any]:
    """The figures of all rounds; `urls` holds the replica with all cores, then the two with half of them."""
    pairs = pairs_of_scenes(options.pairs)
    here = BatchingVerifier(EmbeddedVerifier.from_pretrained(), max_wait=0.0, max_queue=len(pairs))
    async with (
        await RemoteVerifier.connect(urls[:1], settings=_SETTINGS) as one,
        await RemoteVerifier.connect(urls[1:], settings=_SETTINGS) as two,
    ):
        ways: dict[str, Verifier] = {HERE: here, ONE: one, TWO: two}
        expected = [(await rate(way, pairs[: options.calls], options.calls))[1] for way in ways.values()]
        rounds, equal = [], expected[0] == expected[1] == expected[2]
        for number in range(options.rounds):
            order = [*ways][number % 3 :] + [*ways][: number % 3]
            found = {name: await rate(ways[name], pairs, options.calls) for name in order}
            equal = equal and found[HERE][1] == found[ONE][1] == found[TWO][1]
            rounds.append({name: round(found[name][0], 2) for name in ways})
            print(rounds[-1], flush=True)
    return {
        "pairs": len(pairs),
        "calls_at_once": options.calls,
        "pairs_a_second": rounds,
        "share_of_here": shares(rounds),
        "equal_scores": equal,
    }


def shares(rounds: Sequence[dict[str, float]]) -> dict[str, float]:
    """Of each way through the pool, the median over the rounds of its share of "here"."""
    return {
        name: round(statistics.median(each[name] / each[HERE] for each in rounds), 3) for name in (ONE, TWO)
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=400, help="scored in each round by each way")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=8, help="at once")
    parser.add_argument("--out", type=Path, default=RESULTS / "pool.json")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    half = max(1, len(cores) // 2)
    with ExitStack() as stack:
        parts = (cores, cores[:half], cores[half:] or cores)
        urls = [stack.enter_context(replica(part)) for part in parts]
        figures = asyncio.run(measure(urls, options))
    print(figures["share_of_here"], "equal scores:", figures["equal_scores"])
    save(options.out, figures)


if __name__ == "__main__":
    main()

"""Measures the time that the guard costs: hold-back of sentences, overhead per delta, lag of the event loop.

    python -m benchmarks.latency [--turns N]

Held: the time from a sentence's last character to the decision about it, with the embedded verifier, a
2,000-token reference and a source at 50 tokens a second.
Overhead: the time per delta when every stage costs nothing; it is that of segmenter, protocol and shell.
Lag: how late a 5 ms timer fires while 20 turns as for "held" run at once.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.record import RESULTS, save
from vista_stream import Importance, Policy, Session
from vista_stream.caching import forget_all
from vista_stream.cli.material import Scene, load_scenes
from vista_stream.stages import Stages
from vista_stream.stages.admission import Admission
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.embedded.decompose import EmbeddedDecompose
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.stages.embedded.rank import EmbeddedRank
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.testing import ScriptedStages
from vista_stream.verifiers import Verifier
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.cached import CachedVerifier
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier

TOKENS_A_SECOND = 50
WORDS = 1_500
"""Words of the reference, about 2,000 tokens."""


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` (0..1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def milliseconds(values: Sequence[float]) -> dict[str, float]:
    """Median, p95 and p99 in milliseconds, of values in seconds."""
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {name: round(1000 * percentile(values, share), 1) for name, share in shares.items()}


async def paced(tokens: Sequence[str]) -> AsyncIterator[str]:
    """Tokens at the pace of a model: each is due at its own time, however late the one before was read."""
    start = time.monotonic()
    for number, token in enumerate(tokens):
        await asyncio.sleep(max(0.0, start + number / TOKENS_A_SECOND - time.monotonic()))
        yield token


def fresh_stages(verifier: Verifier, admission: Admission | None = None) -> Stages:
    """The default stages without caches between turns, since scenes are repeated here.

    The default ones are under an `admission` that all turns of a process share.
    """
    embedder = EmbeddedEmbedder.from_pretrained()
    thresholds = EmbeddedVerifier.from_pretrained().thresholds
    stages = Stages(
        decompose=EmbeddedDecompose(),
        rank=EmbeddedRank(embedder),
        verify=EmbeddedVerify(CachedVerifier(verifier), embedder=embedder, thresholds=thresholds),
        categorise=EmbeddedCategorise(thresholds),
    )
    return admission.stages(stages) if admission else stages


async def prepared(scene: Scene, verifier: Verifier, admission: Admission) -> Session:
    """A session whose reference is indexed, as a service has it when the user asks."""
    load_parse.cache_clear()  # the parser caches its last sentences
    forget_all()
    load_parse()
    session = Session(policy=Policy(deadline=60), stages=fresh_stages(verifier, admission))
    assert scene.document is not None
    session.add_reference(scene.document[1])
    await session.prepare()
    return session


async def held(session: Session, scene: Scene) -> list[float]:
    """Seconds that each sentence of an answer was held back after its last character."""
    async with session.turn(paced(scene.tokens), query=scene.query) as turn:
        report = await turn.drain()
    return list(report.hold_backs)


async def hold_backs(turns: int) -> dict[str, Any]:
    """The embedded verifier on the demo's answers, one turn at a time; the first warms up."""
    material = _material()
    seconds: list[float] = []
    verifier, admission = BatchingVerifier(EmbeddedVerifier.from_pretrained(), max_wait=0.0), Admission()
    for number in range(turns + 1):
        scene = material[number % len(material)]
        found = await held(await prepared(scene, verifier, admission), scene)
        seconds += found if number else []
    return {"sentences": len(seconds), **milliseconds(seconds)}


async def loop_lag(concurrent: int) -> dict[str, Any]:
    """Many such turns at once, and a timer beside them."""
    material = _material()
    lags: list[float] = []
    seconds: list[float] = []
    verifier, admission = BatchingVerifier(EmbeddedVerifier.from_pretrained(), max_wait=0.0), Admission()

    async def watch() -> None:
        while True:
            due = time.perf_counter() + 0.005
            await asyncio.sleep(0.005)
            lags.append(max(0.0, time.perf_counter() - due))

    async def one(session: Session, scene: Scene) -> None:
        seconds.extend(await held(session, scene))

    scenes = [material[number % len(material)] for number in range(concurrent)]
    ready = [(await prepared(scene, verifier, admission), scene) for scene in scenes]
    watching = asyncio.create_task(watch())
    start = time.perf_counter()
    await asyncio.gather(*(one(session, scene) for session, scene in ready))
    total = time.perf_counter() - start
    watching.cancel()
    return {"seconds in all": round(total, 2), "lag": milliseconds(lags), "held": milliseconds(seconds)}


async def overhead(deltas: int) -> float:
    """Microseconds per delta with stages that cost nothing; a sentence has fifteen deltas and one claim."""
    words = ["one", *["two"] * 13, "end. "]
    source = [word if word == "end. " else word + " " for word in words] * (deltas // len(words))
    session = Session(stages=ScriptedStages(importance=lambda text: Importance.OKAY).stages())
    start = time.perf_counter()
    async with session.turn(source) as turn:
        await turn.drain()
    return 1e6 * (time.perf_counter() - start) / len(source)


async def run(turns: int, concurrent: int) -> dict[str, Any]:
    """All figures; prints each as it comes."""
    figures: dict[str, Any] = {}
    for deltas in (1_000, 10_000, 100_000):
        times = [await overhead(deltas) for _ in range(3)]
        figures[f"us a delta, {deltas:,} deltas"] = round(statistics.median(times), 1)
        print(f"{deltas:,} deltas: {statistics.median(times):.1f} us each", flush=True)
    figures["held back, ms"] = await hold_backs(turns)
    print("held back, ms:", figures["held back, ms"], flush=True)
    figures[f"{concurrent} turns at once, ms"] = await loop_lag(concurrent)
    print(f"{concurrent} turns at once:", figures[f"{concurrent} turns at once, ms"], flush=True)
    return figures


def _material() -> list[Scene]:
    """The demo's scenes; the reference of each is all the demo's documents, repeated up to 2,000 tokens."""
    scenes = [scene for scene in load_scenes() if scene.document is not None]
    texts = list(dict.fromkeys(scene.document[1] for scene in scenes if scene.document is not None))
    while sum(len(text.split()) for text in texts) < WORDS:
        texts += texts
    whole = "\n\n".join(texts)
    return [replace(scene, document=("reference", whole)) for scene in scenes]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--turns", type=int, default=8, help="turns of which hold-back is measured (8)")
    parser.add_argument("--concurrent", type=int, default=20, help="turns at once (20)")
    parser.add_argument("--out", type=Path, default=RESULTS / "latency.json")
    arguments = parser.parse_args()
    save(arguments.out, asyncio.run(run(arguments.turns, arguments.concurrent)))


if __name__ == "__main__":
    main()

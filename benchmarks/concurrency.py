"""Runs many turns at once on one verifier: verdicts a second and delays, with and without shared batches.

    python -m benchmarks.concurrency [--turns N…] [--verifier FOLDER] [--flan-t5 FOLDER] [--no-shipped]

Each turn is a session of its own. It streams one of the demo's answers at 50 tokens a second (--pace 0: as
fast as possible) and checks it against its document. Documents are indexed before. Each turn has a cache
scope of its own, as a client of the proxy has, so that nothing that is kept of one turn serves another.

"batched": all turns share one BatchingVerifier and one Admission, as the default stages do. "direct": each
turn calls the verifier itself, which serves calls in the order they come. Delay: from a claim's last
character to its verdict, with a deadline that is never reached. Under load: the largest number of turns once
more, with --deadline seconds, and the share of claims that got their verdicts.

The gain of a batch is measured separately. The shipped model runs each pair alone, so that no score depends
on its neighbours. For it batching saves no time; it only serves VITAL claims first and drops late ones.
Two options add verifiers that run pairs together: --verifier (for example the same model in fp32, whose
manifest has batch_tokens 512) and --flan-t5 (a folder that `vista-stream export` wrote).
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Protocol

from benchmarks.latency import fresh_stages, percentile
from benchmarks.record import RESULTS, save
from vista_stream import Importance, Policy, Session, Verdict
from vista_stream.caching import cache_scope
from vista_stream.claims import Pair, Scores, UnresolvedReason
from vista_stream.cli.material import Scene, load_scenes
from vista_stream.report import TurnReport
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.admission import Admission
from vista_stream.testing import ScriptedVerifier
from vista_stream.verifiers import Verifier
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.embedded import EmbeddedVerifier
from vista_stream.verifiers.flan_t5 import FlanT5Verifier
from vista_stream.verifiers.protocol import pooling_of

TURNS = (1, 8, 32, 128)
NEVER = 3600.0
QUEUE = 4096
"""Pairs that may wait in the queue: so many that claims are dropped only because they are late."""
TOGETHER = 16
"""Pairs in one call when the gain of a batch is measured."""
_NUMBERS = itertools.count()
"""Of all turns of the process: no two share a cache scope."""
Wrap = Callable[[Verifier], Verifier]


class Shared(Protocol):
    """A verifier that also works without an event loop."""

    async def score(self, pairs: Sequence[Pair]) -> Sequence[Scores]: ...

    def score_sync(self, pairs: Sequence[Pair]) -> list[Scores]: ...


async def paced(tokens: Sequence[str], pace: float) -> AsyncIterator[str]:
    """Tokens at `pace` tokens a second, each at its own time; with a pace of 0, as fast as they are read."""
    start = time.monotonic()
    for number, token in enumerate(tokens):
        if pace:
            await asyncio.sleep(max(0.0, start + number / pace - time.monotonic()))
        yield token


class Apart:
    """A verifier for one turn that makes its pairs unequal to those of other turns on the same document.

    Verifiers score equal pairs of a batch only once, and turns of different users rarely have equal pairs.
    """

    def __init__(self, inner: Verifier) -> None:
        self._inner = inner
        self._own = type("OwnPair", (Pair,), {})
        self.pooling = pooling_of(inner)
        """That of the inner verifier: without it, other pairs would be scored."""

    async def score(self, pairs: Sequence[Pair]) -> Sequence[Scores]:
        """The scores of the inner verifier."""
        asked = [
            self._own(**{each.name: getattr(pair, each.name) for each in fields(pair)}) for pair in pairs
        ]
        return await self._inner.score(asked)


class Crowd:
    """Turns that run at once, on one verifier."""

    def __init__(self, verifier: Verifier, *, pace: float) -> None:
        self._verifier = verifier
        self._pace = pace
        self._scenes = [(scene, _reference(scene)) for scene in load_scenes() if scene.document is not None]

    async def run(self, count: int, *, batched: bool, deadline: float = NEVER) -> dict[str, Any]:
        """Verdicts a second and their delays over `count` turns."""
        shared = BatchingVerifier(self._verifier, max_queue=QUEUE) if batched else None
        turns = [self._scenes[number % len(self._scenes)] for number in range(count)]
        admission = Admission() if batched else None
        sessions = [
            self._session(reference, shared or self._verifier, deadline, admission) for _, reference in turns
        ]
        for session in sessions:
            await session.prepare()
        begun = time.perf_counter()
        reports = await asyncio.gather(
            *(self._turn(session, scene) for session, (scene, _) in zip(sessions, turns, strict=True))
        )
        figures = summary(reports, time.perf_counter() - begun)
        if shared is not None:
            stats = shared.stats
            figures |= {"pairs": stats.pairs, "pairs_a_batch": round(stats.pairs / (stats.batches or 1), 1)}
        return figures

    def _session(
        self, reference: Reference, verifier: Verifier, deadline: float, admission: Admission | None
    ) -> Session:
        # A policy that only observes: a turn that is stopped at a contradiction would send fewer claims.
        session = Session(
            policy=Policy.observing(deadline=deadline),
            stages=fresh_stages(Apart(verifier), admission),
        )
        session.add_reference(reference)
        return session

    async def _turn(self, session: Session, scene: Scene) -> TurnReport:
        with cache_scope(f"turn {next(_NUMBERS)}"):
            async with session.turn(paced(scene.tokens, self._pace), query=scene.query) as turn:
                return await turn.drain()


def _reference(scene: Scene) -> Reference:
    assert scene.document is not None
    name, text = scene.document
    return Reference(text, name=name)


def summary(reports: Sequence[TurnReport], seconds: float) -> dict[str, Any]:
    """Verdicts a second, delays in milliseconds, and the percentage of claims that got a verdict."""
    verdicts = [verdict for report in reports for verdict in report.verdicts]
    unresolved = [each for report in reports for each in report.unresolved]
    reasons = Counter(each.reason for each in unresolved)
    vital = [verdict for verdict in verdicts if verdict.claim.importance is Importance.VITAL]
    late = Counter(each.claim.importance is Importance.VITAL for each in unresolved)
    return {
        "verdicts": len(verdicts),
        "seconds": round(seconds, 2),
        "verdicts_a_second": round(len(verdicts) / seconds, 1),
        "delay_ms": _delays(verdicts),
        "vital_delay_ms": _delays(vital),
        "vital_settled": _share(len(vital), late[True]),
        "others_settled": _share(len(verdicts) - len(vital), late[False]),
        "unresolved": {reason.value: reasons[reason] for reason in UnresolvedReason if reasons[reason]},
    }


def _delays(verdicts: Sequence[Verdict]) -> dict[str, float]:
    seconds = [verdict.elapsed for verdict in verdicts]
    if not seconds:
        return {}
    return {f"p{share}": round(1000 * percentile(seconds, share / 100), 1) for share in (50, 95)}


def _share(settled: int, late: int) -> float | None:
    return round(100 * settled / (settled + late), 1) if settled + late else None


def gain(verifier: Shared, repeats: int = 5) -> dict[str, dict[str, float]]:
    """Milliseconds a pair, at the median, of short premises and of windows: see `_gain`."""
    scenes = [scene for scene in load_scenes() if scene.document is not None]
    references = [_reference(scene) for scene in scenes]
    sentences = [each.text[start:end] for each in references for start, end in each.sentences]
    windows = [window.text for each in references for window in each.windows]
    figures = {}
    for name, texts in (("sentences", sorted(sentences, key=len)[:TOGETHER]), ("windows", windows)):
        pairs = [Pair(text, scenes[0].query) for text in sorted(texts, key=len)[-TOGETHER:]]
        figures[name] = _gain(verifier, pairs, repeats)
    return figures


def _gain(verifier: Shared, pairs: Sequence[Pair], repeats: int) -> dict[str, float]:
    """Milliseconds a pair with each pair in a call of its own, and with all in one call, timed in turns."""
    verifier.score_sync(pairs)  # warm-up: fills the token cache and ONNX Runtime's memory arenas
    alone, together = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        for pair in pairs:
            verifier.score_sync([pair])
        between = time.perf_counter()
        verifier.score_sync(pairs)
        alone.append(between - began)
        together.append(time.perf_counter() - between)
    each = [1000 * statistics.median(times) / len(pairs) for times in (alone, together)]
    return {
        "ms_alone": round(each[0], 2),
        f"ms_in_{TOGETHER}": round(each[1], 2),
        "times_faster": round(each[0] / each[1], 2),
    }


async def measure(verifier: Shared, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of one verifier: the gain of batches, and each number of turns in each way."""
    figures: dict[str, Any] = {"gain": gain(verifier), "turns": []}
    print(f"{name}: {figures['gain']}", flush=True)
    crowd, free = (Crowd(each, pace=options.pace) for each in (verifier, ScriptedVerifier()))
    await crowd.run(1, batched=True)  # the parser and the models warm up
    for count in options.turns:
        row: dict[str, Any] = {"turns": count, "free": await free.run(count, batched=False)}
        for way in ("batched", "direct"):
            row[way] = await crowd.run(count, batched=way == "batched")
            hurried = await crowd.run(count, batched=way == "batched", deadline=options.deadline)
            row[way]["in_time"] = {
                key: hurried[key] for key in ("vital_settled", "others_settled", "unresolved")
            }
            print(f"{name}, {count} turns, {way}: {_cell(row[way])}; {_in_time(row[way])}", flush=True)
        figures["turns"].append(row)
    return figures


def markdown(figures: dict[str, Any]) -> str:
    """A Markdown table with a row for each verifier and number of turns."""
    rows = [
        "| verifier | turns | batched | direct | free | in time, batched | in time, direct | pairs a batch |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, found in figures.items():
        for row in found["turns"]:
            cells = [_cell(row[way]) for way in ("batched", "direct", "free")]
            cells += [_in_time(row[way]) for way in ("batched", "direct")]
            rows.append(
                f"| {name} | {row['turns']} | {' | '.join(cells)} | {row['batched']['pairs_a_batch']} |"
            )
    return "\n".join(rows)


def _cell(found: dict[str, Any]) -> str:
    return (
        f"{found['verdicts_a_second']:g}/s, p95 {found['delay_ms'].get('p95', 0):,.0f} ms"
        f" (VITAL {found['vital_delay_ms'].get('p95', 0):,.0f})"
    )


def _in_time(found: dict[str, Any]) -> str:
    shares = (found["in_time"][key] for key in ("vital_settled", "others_settled"))
    vital, others = ("–" if share is None else f"{share:.0f} %" for share in shares)
    return f"VITAL {vital}, others {others}"


def verifiers(options: argparse.Namespace) -> dict[str, Shared]:
    """The verifiers that the command line names, by name."""
    found: dict[str, Shared] = {}
    if options.shipped:
        found["shipped"] = EmbeddedVerifier.from_pretrained(threads=options.threads)
    if options.verifier:
        found["given"] = EmbeddedVerifier.from_pretrained(options.verifier, threads=options.threads)
    if options.flan_t5:
        found["Flan-T5"] = FlanT5Verifier.from_pretrained(options.flan_t5, threads=options.threads)
    return found


async def run(options: argparse.Namespace) -> dict[str, Any]:
    """The figures of every verifier, saved after each, so that an interrupted run keeps what it has."""
    settings = {"pace": options.pace, "deadline": options.deadline, "threads": options.threads}
    figures = {}
    for name, each in verifiers(options).items():
        figures[name] = await measure(each, name, options)
        save(options.out, {**settings, "verifiers": figures})
    return figures


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--turns", type=int, nargs="+", default=TURNS, help="turns at once")
    parser.add_argument("--pace", type=float, default=50.0, help="tokens a second; 0 is at once (50)")
    parser.add_argument("--deadline", type=float, default=5.0, help="seconds, for what is in time (5)")
    parser.add_argument("--verifier", type=Path, help="a model folder whose rows run together")
    parser.add_argument("--flan-t5", type=Path, help="an exported Flan-T5")
    parser.add_argument(
        "--no-shipped", dest="shipped", action="store_false", help="leave the shipped one out"
    )
    parser.add_argument("--threads", type=int, help="of the models; what ONNX Runtime takes by default")
    parser.add_argument("--out", type=Path, default=RESULTS / "concurrency.json")
    options = parser.parse_args()
    print(markdown(asyncio.run(run(options))))


if __name__ == "__main__":
    main()

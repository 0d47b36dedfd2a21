"""Simulates a verifier pool for many streams: workers, costs, overload. Simulated figures, not measured ones.

    python -m benchmarks.scale [--trace] [--cpu-price P] [--gpu-price P] [--gpu-call MS] [--gpu-pair MS]

Needs simpy: `pip install --group simulation`. `--trace` first notes when the claims of the demo's answers
are said, and how long the shipped model takes for the pairs of each (scale_trace.json). Run it right after
`concurrency`, which measured the rest on the same machine.

Validation: the turns that `concurrency` ran at once are simulated, with the times of the trace and the time
of extracting a claim, which ran on the same two cores; nothing is fitted. Verdicts a second must be within
20 % of the mean of its two ways, batched and direct, and the delay's p95 within 20 % of what lies between
them.
Workers: the fewest with which 95 % of the claims are held at most --hold seconds and 99.9 % of the VITAL
ones get their verdict within the deadline of 5 seconds. A CPU worker is a process on two cores, as measured.
A GPU's times are those of an H100 (`cuda`, docs/flan-t5.md). Prices, in dollars an hour, are assumptions.
Overload: twice the streams that a pool is made for, with and without shedding, and with workers that take 30
seconds to start; and workers that fail, each once in --failures seconds, and take 30 seconds to start again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.latency import fresh_stages
from benchmarks.record import RESULTS, save
from benchmarks.scale_pool import Answer, Outcome, Plan, Said, Service, simulate
from vista_stream import Importance, Policy, Session
from vista_stream.claims import Pair, Scores
from vista_stream.cli.material import load_scenes
from vista_stream.verifiers.embedded import EmbeddedVerifier

TRACE = RESULTS / "scale_trace.json"
MEASURED = RESULTS / "concurrency.json"
RUNS = 7
"""Runs of a pair, of which the median counts."""
TOLERANCE = 0.2
TOKENS_A_SECOND = 50
IN_TIME = 0.999
SEARCHED = 300
OBSERVED = 80.0
"""Seconds of a run that is overloaded."""


def load_answers(path: Path = TRACE) -> tuple[list[Answer], float]:
    """The answers that `--trace` noted, and the milliseconds of a claim in the mean, the unit of its work."""
    rows = json.loads(path.read_text(encoding="utf-8"))["figures"]
    claim_ms = mean(ms for row in rows for _, _, ms in row["claims"])
    answers = [
        Answer(
            seconds=row["seconds"],
            claims=[Said(second, vital, ms / claim_ms) for second, vital, ms in row["claims"]],
        )
        for row in rows
    ]
    return answers, claim_ms


class _Noting:
    """Notes the pairs that a verifier scores, by claim."""

    def __init__(self, inner: EmbeddedVerifier) -> None:
        self._inner = inner
        self.pooling = inner.pooling
        self.pairs: dict[str, list[Pair]] = defaultdict(list)

    async def score(self, pairs: Sequence[Pair]) -> Sequence[Scores]:
        """The scores of the inner verifier."""
        for pair in pairs:
            self.pairs[pair.hypothesis].append(pair)
        return await self._inner.score(pairs)

    def milliseconds(self, claim: str) -> float:
        """What the pairs of a claim take, one after the other: the median of several runs."""
        return sum(median(self._took(pair) for _ in range(RUNS)) for pair in self.pairs[claim])

    def _took(self, pair: Pair) -> float:
        begun = time.perf_counter()
        self._inner.score_sync([pair])
        return 1000 * (time.perf_counter() - begun)


async def trace() -> list[dict[str, Any]]:
    """For each of the demo's answers its length in seconds, and its claims: when their last characters come,
    whether they are VITAL, and the milliseconds of the pairs that the shipped model scores for them."""
    rows = []
    model = EmbeddedVerifier.from_pretrained()
    for scene in (scene for scene in load_scenes() if scene.document is not None):
        noting = _Noting(model)
        session = Session(policy=Policy.observing(deadline=3600.0), stages=fresh_stages(noting))
        assert scene.document is not None
        session.add_reference(scene.document[1])
        async with session.turn(scene.tokens, query=scene.query) as turn:
            report = await turn.drain()
        ends = list(accumulate(len(token) for token in scene.tokens))
        claims = sorted(
            (
                bisect_left(ends, verdict.claim.span.end) / TOKENS_A_SECOND,
                verdict.claim.importance is Importance.VITAL,
                round(noting.milliseconds(verdict.claim.text), 2),
            )
            for verdict in report.verdicts
        )
        rows.append({"seconds": len(scene.tokens) / TOKENS_A_SECOND, "claims": claims})
    return rows


def validate(measured: dict[str, Any], answers: Sequence[Answer], service: Service) -> list[dict[str, Any]]:
    """Simulated and measured figures of the shipped model at 8, 32 and 128 turns."""
    rows = []
    found = measured["verifiers"]["shipped"]["turns"]
    crowd = found[-1]["free"]
    extraction = crowd["seconds"] / crowd["verdicts"]
    for row in found:
        if row["turns"] < 8:
            continue
        plan = Plan(
            streams=row["turns"],
            workers=1,
            service=service,
            answers=answers,
            extraction=extraction,
            deadline=math.inf,
        )
        outcome = simulate(plan)
        simulated = {"verdicts a second": round(len(outcome.verdicts) / outcome.ended, 1)}
        simulated |= {f"p{share} ms": round(1000 * outcome.delay(share / 100)) for share in (50, 95)}
        sides = {"simulated": simulated, "measured": _measured(row), "p95 of both ways": _p95s(row)}
        rows.append({"turns": row["turns"], **sides})
    return rows


def _measured(row: dict[str, Any]) -> dict[str, float]:
    """The mean of a number of turns in both ways."""
    ways = [row["batched"], row["direct"]]
    delays = {f"p{share} ms": mean(way["delay_ms"][f"p{share}"] for way in ways) for share in (50, 95)}
    return {"verdicts a second": round(mean(way["verdicts_a_second"] for way in ways), 1)} | {
        name: round(value) for name, value in delays.items()
    }


def _p95s(row: dict[str, Any]) -> list[float]:
    """The delay's p95 of each way in milliseconds, the smaller one first."""
    return sorted(row[way]["delay_ms"]["p95"] for way in ("batched", "direct"))


def holds(plan: Plan, hold: float) -> bool:
    """Whether a pool meets the aims."""
    outcome = simulate(plan)
    return outcome.delay(0.95) <= hold and outcome.in_time(vital=True) >= IN_TIME


def fewest(plan: Plan, hold: float, *, within: float = 0.04) -> int | None:
    """The fewest workers that meet the aims, to 4 %; None where ten times the work's own need do not."""
    offered = plan.streams * claims_a_second(plan.answers)
    low = max(1, math.ceil(offered / plan.service.rate)) - 1
    high = max(2, low + 1)
    while not holds(replace(plan, workers=high), hold):
        low, high = high, math.ceil(high * 1.5)
        if high > 10 + 10 * offered / plan.service.rate:
            return None
    while high - low > max(1, within * high):
        middle = (low + high) // 2
        low, high = (low, middle) if holds(replace(plan, workers=middle), hold) else (middle, high)
    return high


def claims_a_second(answers: Sequence[Answer]) -> float:
    """Of one stream that gives answer after answer."""
    return sum(len(each.claims) for each in answers) / sum(each.seconds for each in answers)


def needs(options: argparse.Namespace, kinds: dict[str, Service], answers: Sequence[Answer]) -> list[Any]:
    """Workers and cost of each kind, hold and number of streams.

    The fewest are searched for SEARCHED streams. For more they grow in proportion, and one run of the whole
    pool tells what that gives; above `largest` streams there are several pools of that size.
    """
    prices = {"CPU": options.cpu_price, "GPU": options.gpu_price}
    answer_seconds = mean(each.seconds for each in answers)
    rows = []
    for kind, service in kinds.items():
        for hold in options.hold:
            plan = Plan(streams=SEARCHED, workers=1, service=service, answers=answers, seconds=6.0)
            found = fewest(plan, hold)
            tried: dict[int, Outcome] = {}
            for streams in options.streams:
                row: dict[str, Any] = {"kind": kind, "streams": streams, "hold ms": 1000 * hold}
                if found is not None:
                    pool = min(streams, options.largest)
                    workers = math.ceil(found * pool / SEARCHED)
                    if pool not in tried:
                        tried[pool] = simulate(replace(plan, streams=pool, workers=workers, seconds=1.5))
                    outcome = tried[pool]
                    cost = found * prices[kind] * answer_seconds / SEARCHED / 3600 * 1e6
                    row |= {"workers": math.ceil(workers * streams / pool)}
                    row |= {"p95 ms": round(1000 * outcome.delay(0.95), 1)}
                    row |= {"vital in time": round(100 * outcome.in_time(vital=True), 2)}
                    row |= {"dollars a million answers": round(cost, 2)}
                rows.append(row)
                print(row, flush=True)
    return rows


def overload(service: Service, answers: Sequence[Answer], failures: float) -> list[dict[str, Any]]:
    """What becomes of claims, five seconds at a time, in a pool that 40 streams load to 70 %.

    From second 20 on there are twice the streams; in the last case workers fail instead.
    """
    made_for = math.ceil(40 * claims_a_second(answers) / service.rate / 0.7)
    plan = Plan(streams=40, workers=made_for, service=service, answers=answers, seconds=OBSERVED, step=20.0)
    cases = {
        "twice the load, shedding": plan,
        "twice the load, no shedding": replace(plan, shedding=False),
        "twice the load, shedding, workers added": replace(plan, scaling=30.0),
        "workers that fail": replace(plan, step=None, failures=failures),
    }
    rows = []
    for name, each in cases.items():
        outcome = simulate(each)
        windows = list(_windows(outcome))
        rows.append({"case": name, "workers": [made_for, outcome.workers], "windows": windows})
        print(name, windows[-1], flush=True)
    return rows


def _windows(outcome: Outcome, width: float = 5.0) -> Any:
    """The outcome of the claims said in each five seconds, but the last ten, after which none follow."""
    for number in range(int((OBSERVED - 10) / width)):
        begin, end = number * width, (number + 1) * width
        part = Outcome(
            verdicts=[each for each in outcome.verdicts if begin <= each[0] < end],
            lost=[each for each in outcome.lost if begin <= each[0] < end],
        )
        yield {
            "second": begin,
            "vital in time": round(100 * part.in_time(vital=True), 2),
            "others in time": round(100 * part.in_time(vital=False), 2),
            "p95 ms": round(1000 * part.delay(0.95)),
        }


def run(options: argparse.Namespace) -> dict[str, Any]:
    """All figures."""
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))["figures"]
    answers, claim_ms = load_answers()
    cpu = Service(claim_ms=claim_ms)
    kinds = {
        "CPU": cpu,
        "GPU": Service(claim_ms=options.gpu_pair, call_ms=options.gpu_call, batch=32),
    }
    return {
        "claims a second of a stream": round(claims_a_second(answers), 2),
        "given": {name: getattr(options, name) for name in _GIVEN},
        "milliseconds of a claim": round(claim_ms, 1),
        "validation": validate(measured, answers, cpu),
        "overload": overload(cpu, answers, options.failures),
        "workers": needs(options, kinds, answers),
    }


_GIVEN = ("cpu_price", "gpu_price", "gpu_call", "gpu_pair", "failures")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--trace", action="store_true", help="note the claims of the demo's answers and their times anew")
    add("--streams", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    add("--hold", type=float, nargs="+", default=[0.1, 0.2], help="seconds, of 95 %% of the claims")
    add("--largest", type=int, default=10_000, help="streams of one pool")
    add("--cpu-price", type=float, default=0.09, help="assumed: of two cores (about a small cloud server's)")
    add(
        "--gpu-price",
        type=float,
        default=2.5,
        help="assumed: of an H100 (about a cloud's)",
    )
    add("--gpu-call", type=float, default=1.2, metavar="MS", help="of a batch, as an H100 took")
    add("--gpu-pair", type=float, default=0.43, metavar="MS", help="of each claim in it, likewise")
    add("--failures", type=float, default=300.0, metavar="S", help="between those of a worker, in the mean")
    add("--out", type=Path, default=RESULTS / "scale.json")
    options = parser.parse_args()
    if find_spec("simpy") is None:
        parser.exit(2, "simpy is missing: pip install --group simulation\n")
    if options.trace:
        save(TRACE, asyncio.run(trace()))
    save(options.out, run(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())

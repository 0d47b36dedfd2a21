"""Keeps the proxy under load for long: memory, descriptors, errors and latency, as they go with time.

    python -m benchmarks.soak [--streams N] [--minutes M] [--pace T] [--verifier zero|embedded]

The three processes are those of `benchmarks.proxy`. One answer in eight is broken off by its client, and one
in eight is followed by a pause. A conversation has four answers, or ends with the first that is broken off.
Half of the questions bring a reference text of their own that differs each time. The streams begin one after
the other within half a minute, and run for M minutes. Then as many again join for a quarter of that time, and
break off all at once. The first ones run on for another quarter.

`latency_p95_ms` is of the sentences that were released since the sample before.
`slope_mib_an_hour` is the straight line through the memory: of the first load without its first quarter, of
its last third, and of the load after the double one.
`recovered_s`: seconds after the double load until a sample's latency (p95) is at most 1.5 times the first
load's median, and no more claims are unresolved than then; null where that did not happen.
`python -m benchmarks.plots` draws the samples as results/soak.svg.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import json
import logging
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.proxy import REFERENCE, Tally, answer, resident, sentence_ends, started, time_of
from benchmarks.record import RESULTS, save

CONVERSATIONS = 512
"""Most conversations that the proxy keeps: so few that their memory is full in the load's first quarter."""
SHARE = 0.125
"""Of the answers that are broken off, and of those that a pause follows."""
TURNS = 4
"""Answers of one conversation."""
SLOWER = 1.5
SPREAD_S = 30.0
"""Within how many seconds the streams of a load begin; at most a quarter of its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What was seen since the sample before."""

    phase: str
    at: float
    """Seconds since the start."""
    memory: float
    """Resident memory of the proxy's process, in MiB."""
    descriptors: int
    """Files and sockets that the proxy's process has open."""
    answers: int
    broken_off: int
    errors: int
    mixed: int
    latency_p95_ms: float | None
    unresolved_share: float | None


class Clients:
    """Streams that come, go and break off; `tally` counts since the last `taken`."""

    def __init__(self, url: str, upstream: str, http: aiohttp.ClientSession, *, seed: int) -> None:
        self._url, self._upstream, self._http = url, upstream, http
        self._random = random.Random(seed)
        self._asked = self._begun = 0
        self._tally, self._broken_off = Tally(), 0
        self.first_error: str | None = None
        self.released: list[tuple[float, float]] = []
        """When each sentence came, and how many seconds after its end was sent."""

    def taken(self) -> tuple[Tally, int]:
        """The counts since the last call, and how many answers were broken off."""
        taken = self._tally, self._broken_off
        self._tally, self._broken_off = Tally(), 0
        return taken

    async def stream(self, *, spread: float) -> None:
        """One stream: answer after answer, until it is cancelled."""
        turn = 0
        await asyncio.sleep(self._random.uniform(0, spread))
        while True:
            if turn % TURNS == 0:
                mark = self._new_mark()
            try:
                whole = await self._turn(mark, turn)
                turn += 1 if whole else TURNS - turn % TURNS
            except (aiohttp.ClientError, AssertionError, KeyError, ValueError) as error:
                told = f"{type(error).__name__}: {error}"[:200]
                self.first_error = self.first_error or told
                self._tally.errors.append(told)
                turn += TURNS - turn % TURNS
            if self._random.random() < SHARE:
                await asyncio.sleep(self._random.uniform(0, 5))

    def _new_mark(self) -> str:
        self._begun += 1
        return f"m{self._begun:05}x"

    async def _turn(self, mark: str, turn: int) -> bool:
        """Ask and read one answer; False where it was broken off."""
        leaves = self._random.randint(1, 40) if self._random.random() < SHARE else None
        text, arrivals, ended = "", [], False
        headers = {"X-Vista-Conversation": mark}
        url = f"{self._url}/v1/chat/completions"
        async with self._http.post(url, json=self._body(mark, turn), headers=headers) as response:
            assert response.status == 200, await response.text()
            async for line in response.content:
                if line.startswith(b"data: {"):
                    text += self._piece(json.loads(line[6:]))
                    arrivals.append((len(text), time.monotonic()))
                ended = ended or line.startswith(b"data: [DONE]")
                if leaves is not None and len(arrivals) > leaves:
                    self._broken_off += 1
                    response.close()
                    return False
        assert ended, "the stream broke off"
        self._tally.answers += 1
        self._tally.mixed += text != answer(mark)
        async with self._http.get(f"{self._upstream}/sent/{mark}-{turn}") as response:
            sent = await response.json()
        for end in sentence_ends(text):
            came = time_of(arrivals, end)
            self.released.append((came, came - time_of(sent, end)))
        return True

    def _body(self, mark: str, turn: int) -> dict[str, Any]:
        self._asked += 1
        body: dict[str, Any] = {"model": "m", "stream": True}
        body["messages"] = [{"role": "user", "content": f"{mark} {turn}"}]
        if self._random.random() < 0.5:
            own = {"name": "notes", "text": f"{REFERENCE} This is copy {self._asked}."}
            body["vista"] = {"references": [own]}
        return body

    def _piece(self, chunk: dict[str, Any]) -> str:
        assert "error" not in chunk, chunk
        vista = chunk.get("vista") or {}
        if "action" in vista:
            self._tally.claims += len(vista["verdicts"]) + len(vista["unresolved"])
            self._tally.unresolved += len(vista["unresolved"])
        return chunk["choices"][0]["delta"].get("content") or ""


class Soak:
    """The phases of one run, and their samples."""

    def __init__(self, clients: Clients, pid: int, *, every: float) -> None:
        self._clients, self._pid, self._every = clients, pid, every
        self._begun = time.monotonic()
        self.samples: list[Sample] = []

    async def load(self, *, streams: int, seconds: float) -> None:
        """`streams` for this long, twice as many for a quarter of it, and the first ones as long again."""
        spread = min(SPREAD_S, seconds / 4)
        async with asyncio.TaskGroup() as group:
            first = [group.create_task(self._clients.stream(spread=spread)) for _ in range(streams)]
            await self._phase("load", seconds=seconds)
            more = [group.create_task(self._clients.stream(spread=spread)) for _ in range(streams)]
            await self._phase("twice", seconds=seconds / 4)
            self._stop(more)
            await self._phase("after", seconds=seconds / 4)
            self._stop(first)
        self._put_latencies()

    async def _phase(self, name: str, *, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(self._every, left))
            self.samples.append(self._sample(name))

    def _stop(self, streams: Sequence[asyncio.Task[None]]) -> None:
        for each in streams:
            each.cancel()

    def _put_latencies(self) -> None:
        """Give each sample the latency of what was released since the one before.

        Clients know it only when an answer has ended, which may be some samples later.
        """
        ends = [self._begun + each.at for each in self.samples]
        felt: list[list[float]] = [[] for _ in ends]
        for came, took in self._clients.released:
            place = bisect.bisect_left(ends, came)
            if place < len(felt):
                felt[place].append(took)
        self.samples = [
            replace(each, latency_p95_ms=_p95_ms(took)) for each, took in zip(self.samples, felt, strict=True)
        ]

    def _sample(self, phase: str) -> Sample:
        tally, broken_off = self._clients.taken()
        return Sample(
            phase=phase,
            at=round(time.monotonic() - self._begun, 1),
            memory=round(resident(self._pid), 2),
            descriptors=len(list(Path(f"/proc/{self._pid}/fd").iterdir())),
            answers=tally.answers,
            broken_off=broken_off,
            errors=len(tally.errors),
            mixed=tally.mixed,
            latency_p95_ms=None,
            unresolved_share=round(tally.unresolved / tally.claims, 3) if tally.claims else None,
        )


def _p95_ms(seconds: Sequence[float]) -> float | None:
    ordered = sorted(seconds)
    return round(1000 * ordered[int(0.95 * (len(ordered) - 1))], 1) if ordered else None


def summary(samples: Sequence[Sample]) -> dict[str, Any]:
    """Sums and trends of a run's samples; the phases are "load", "twice" and "after"."""
    load = [each for each in samples if each.phase == "load"]
    steady = load[len(load) // 4 :]
    slopes = {
        "load": steady,
        "load, last third": load[2 * len(load) // 3 :],
        "after": [each for each in samples if each.phase == "after"],
    }
    return {
        **{name: sum(getattr(each, name) for each in samples) for name in COUNTED},
        "slope_mib_an_hour": {name: _slope(part) for name, part in slopes.items()},
        "memory_mib": [steady[0].memory, steady[-1].memory],
        "descriptors": [steady[0].descriptors, samples[-1].descriptors],
        "latency_p95_ms": {phase: _median(samples, phase, "latency_p95_ms") for phase in PHASES},
        "unresolved_share": {phase: _median(samples, phase, "unresolved_share") for phase in PHASES},
        "recovered_s": recovered(samples),
    }


def _slope(samples: Sequence[Sample]) -> float | None:
    if len(samples) < 2:
        return None
    hours = [each.at / 3600 for each in samples]
    return round(statistics.linear_regression(hours, [each.memory for each in samples]).slope, 2)


COUNTED = ("answers", "broken_off", "errors", "mixed")
PHASES = ("load", "twice", "after")


def _median(samples: Sequence[Sample], phase: str, name: str) -> float | None:
    found = [getattr(each, name) for each in samples if each.phase == phase]
    known = [value for value in found if value is not None]
    return round(statistics.median(known), 3) if known else None


def recovered(samples: Sequence[Sample]) -> float | None:
    """Seconds from the end of the double load to the first sample that is as the first load was."""
    latency = _median(samples, "load", "latency_p95_ms")
    unresolved = _median(samples, "load", "unresolved_share")
    over = max((each.at for each in samples if each.phase == "twice"), default=0.0)
    for each in samples:
        if each.phase != "after" or each.latency_p95_ms is None or latency is None:
            continue
        if each.latency_p95_ms <= SLOWER * latency and (each.unresolved_share or 0.0) <= (unresolved or 0.0):
            return round(each.at - over, 1)
    return None


async def measure(url: str, upstream: str, pid: int, args: argparse.Namespace) -> list[Sample]:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as http:
        clients = Clients(url, upstream, http, seed=args.seed)
        soak = Soak(clients, pid, every=args.every)
        await soak.load(streams=args.streams, seconds=60 * args.minutes)
    if clients.first_error:
        print("first error:", clients.first_error, flush=True)
    return soak.samples


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--pace", type=float, default=1.0, help="tokens a second of each stream")
    parser.add_argument("--verifier", choices=("zero", "embedded"), default="embedded")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS / "soak.json")
    args = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    with (
        tempfile.TemporaryDirectory() as folder,
        started("--role", "upstream", "--pace", str(args.pace)) as (upstream, _),
    ):
        Path(folder, "canal.txt").write_text(REFERENCE)
        kept = ("--references", folder, "--conversations", str(CONVERSATIONS))
        role = ("--role", "proxy", "--upstream", upstream, "--only", args.verifier, *kept)
        with started(*role) as (url, pid):
            samples = asyncio.run(measure(url, upstream, pid, args))
    run = {name: getattr(args, name) for name in ("streams", "minutes", "pace", "verifier", "seed")}
    figures = {"run": run, **summary(samples)}
    print(json.dumps(figures, indent=2))
    save(args.out, {**figures, "samples": [asdict(each) for each in samples]})


if __name__ == "__main__":
    main()

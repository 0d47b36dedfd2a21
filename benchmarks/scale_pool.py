"""A verifier pool as a simulation (SimPy): streams whose claims are verified by workers that may fail.

What is modelled: when the claims of real answers are said, what each costs, batches, VITAL claims first,
the choice of the less loaded of two random workers, refusal of what would be late, workers that fail and
start again, and workers that are added when the load grows. What is not: the network, the proxies, the
upstream.
"""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Steps = Generator[Any, Any, None]
NEARLY_LATE = 0.25
"""Seconds before its deadline from which on a claim goes first, as in `BatchingVerifier`."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """What a worker takes for a batch."""

    claim_ms: float
    """Of a claim of the mean work."""
    call_ms: float = 0.0
    """Of each batch, whatever it holds."""
    batch: int = 5
    """Most claims of a batch."""

    def seconds(self, work: float) -> float:
        """Of a batch of so much work, in claims of the mean work."""
        return (self.call_ms + self.claim_ms * work) / 1000

    @property
    def rate(self) -> float:
        """Claims a second of a worker that is never idle."""
        return self.batch / self.seconds(self.batch)


class Said(NamedTuple):
    """A claim of an answer."""

    second: float
    """When its last character comes, from the answer's begin."""
    vital: bool
    work: float = 1.0
    """The time of its pairs, in units of the mean over all claims; 0 for one that the rules decide."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """When the claims of one answer are said."""

    seconds: float
    claims: Sequence[Said]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One run of the simulation."""

    streams: int
    workers: int
    service: Service
    answers: Sequence[Answer]
    seconds: float | None = None
    """Streams are under way and go on, answer after answer; None: each gives one answer, from 0 on."""
    lead: float = 0.042
    """Seconds from a claim's last character until it reaches the pool."""
    extraction: float = 0.0
    """Seconds in which a claim is extracted on the worker's cores, one at a time. The model's threads
    wait for each other, so the model stands still meanwhile. 0 where others extract."""
    deadline: float = 5.0
    """Seconds after its last character, for its verdict."""
    shedding: bool = True
    """VITAL first, and what would be late is refused; without it claims are verified in their order, late
    ones too."""
    step: float | None = None
    """The second at which as many streams again begin."""
    scaling: float | None = None
    """Seconds until a worker that was asked for serves; None keeps the number."""
    failures: float | None = None
    """Seconds between the failures of one worker, in the mean."""
    restart: float = 30.0
    """Seconds until a worker that failed serves again."""
    notice: float = 1.0
    """Seconds until the claims that it held are sent to another."""
    seed: int = 0


@dataclass
class Outcome:
    """What became of the claims."""

    verdicts: list[tuple[float, float, bool]] = field(default_factory=list)
    """When it was said, how long it took from its last character, whether it is VITAL."""
    lost: list[tuple[float, bool]] = field(default_factory=list)
    """Claims without a verdict in time: when it was said, and whether it is VITAL."""
    ended: float = 0.0
    workers: int = 0
    """At the end."""

    def delay(self, share: float, *, vital: bool = False) -> float:
        """The seconds that `share` of the verdicts did not exceed; 0 without verdicts."""
        waited = sorted(delay for _, delay, important in self.verdicts if important or not vital)
        return waited[min(len(waited) - 1, int(share * len(waited)))] if waited else 0.0

    def in_time(self, *, vital: bool) -> float:
        """The share of the VITAL, or of the other, claims with a verdict in time; 1 where there is none."""
        settled = sum(important is vital for _, _, important in self.verdicts)
        late = sum(important is vital for _, important in self.lost)
        return settled / (settled + late) if settled + late else 1.0


class _Claim(NamedTuple):
    number: int
    said: float
    vital: bool
    work: float
    due: float

    def urgency(self, now: float) -> tuple[bool, float]:
        """Sort key as of `BatchingVerifier`: VITAL or nearly late first, then by deadline."""
        return not self.vital and self.due - now >= NEARLY_LATE, self.due


def _work(claims: Sequence[_Claim]) -> float:
    return sum(claim.work for claim in claims)


class _Worker:
    def __init__(self, pool: _Pool) -> None:
        self._pool = pool
        self.waiting: list[_Claim] = []
        self.running: list[_Claim] = []
        self.up = True
        self.epoch = 0
        """How often it has failed."""
        self.wake = pool.env.event()
        pool.env.process(self._serve())

    @property
    def load(self) -> float:
        return _work(self.waiting) + _work(self.running)

    def take(self, claim: _Claim) -> None:
        self.waiting.append(claim)
        if not self.wake.triggered:
            self.wake.succeed()

    def _serve(self) -> Steps:
        env, service = self._pool.env, self._pool.plan.service
        while True:
            if not self.waiting or not self.up:
                self.wake = env.event()
                yield self.wake
                continue
            self.running = self._next(service.batch)
            epoch = self.epoch
            yield from self._pool.work(service.seconds(_work(self.running)) if self.running else 0.0)
            if epoch == self.epoch:
                self._pool.settle(self.running)
                self.running = []

    def _next(self, count: int) -> list[_Claim]:
        """The next batch; with shedding the most urgent, and what would be late after those is dropped."""
        if self._pool.plan.shedding:
            now, each = self._pool.env.now, 1 / self._pool.plan.service.rate
            kept: list[_Claim] = []
            for claim in sorted(self.waiting, key=lambda claim: claim.urgency(now)):
                if now + (_work(kept) + claim.work) * each > claim.due:
                    self._pool.lose([claim])
                else:
                    kept.append(claim)
            self.waiting = kept
        batch, self.waiting = self.waiting[:count], self.waiting[count:]
        return batch


class _Pool:
    def __init__(self, plan: Plan) -> None:
        import simpy

        self.plan, self.env, self.outcome = plan, simpy.Environment(), Outcome()
        self._random = random.Random(plan.seed)
        self._number, self._offered = 0, 0.0
        self._extracted, self._extracting = 0.0, None
        self.workers = [_Worker(self) for _ in range(plan.workers)]

    @property
    def open(self) -> int:
        """How many claims are neither settled nor lost."""
        return self._number - len(self.outcome.verdicts) - len(self.outcome.lost)

    def offer(self, said: Said) -> None:
        """Give a claim to the less loaded of two workers, or refuse it; the rules decide one without work."""
        self._number += 1
        claim = _Claim(self._number, said.second, said.vital, said.work, said.second + self.plan.deadline)
        if not said.work:
            self.settle([claim])
            return
        self._offered += said.work
        self._place(claim)

    def _place(self, claim: _Claim) -> None:
        up = [worker for worker in self._random.choices(self.workers, k=2) if worker.up]
        up = up or [worker for worker in self.workers if worker.up][:1] or self.workers[:1]
        worker = min(up, key=lambda each: each.load)
        if self.plan.shedding and self._would_be_late(worker, claim):
            self.lose([claim])
        else:
            worker.take(claim)

    def _would_be_late(self, worker: _Worker, claim: _Claim) -> bool:
        if not worker.load:
            return False
        now: float = self.env.now
        key = claim.urgency(now)
        first = [other for other in worker.waiting if other.urgency(now) < key]
        work = _work(worker.running) + _work(first) + claim.work
        return now + work / self.plan.service.rate > claim.due

    def lose(self, claims: Sequence[_Claim]) -> None:
        """Note that claims get no verdict in time."""
        self.outcome.lost += [(claim.said, claim.vital) for claim in claims]

    def settle(self, claims: Sequence[_Claim]) -> None:
        """Note when a batch came."""
        for claim in claims:
            if self.env.now > claim.due:
                self.lose([claim])
            else:
                self.outcome.verdicts.append((claim.said, self.env.now - claim.said, claim.vital))

    def arrive(self, claims: Sequence[Said]) -> Steps:
        """Offer the claims of all streams, each when it is said and extracted."""
        for said in claims:
            due = said.second + self.plan.lead
            if due > self.env.now:
                yield self.env.timeout(due - self.env.now)
            if self.plan.extraction:
                self._extracting = self.env.now
                yield self.env.timeout(self.plan.extraction)
                self._extracted, self._extracting = self._extracted + self.plan.extraction, None
            self.offer(said)

    def work(self, seconds: float) -> Steps:
        """Let a worker compute for so long, besides the time in which it stands still for extraction."""
        while seconds > 0:
            before = self._stood_still()
            yield self.env.timeout(seconds)
            seconds = self._stood_still() - before

    def _stood_still(self) -> float:
        return self._extracted + (0.0 if self._extracting is None else self.env.now - self._extracting)

    def fail(self, mean: float) -> Steps:
        """Let random workers fail: each once in `mean` seconds."""
        while True:
            yield self.env.timeout(self._random.expovariate(len(self.workers) / mean))
            worker = self._random.choice(self.workers)
            if worker.up:
                self.env.process(self._down(worker))

    def _down(self, worker: _Worker) -> Steps:
        worker.up, worker.epoch = False, worker.epoch + 1
        claims, worker.waiting, worker.running = [*worker.running, *worker.waiting], [], []
        yield self.env.timeout(self.plan.notice)
        for claim in claims:
            self._place(claim)
        yield self.env.timeout(max(0.0, self.plan.restart - self.plan.notice))
        worker.up = True
        if worker.waiting and not worker.wake.triggered:
            worker.wake.succeed()

    def scale(self, starting: float, *, every: float = 5.0, busy: float = 0.7) -> Steps:
        """Ask for workers as soon as those there are would be more than `busy`."""
        asked = len(self.workers)
        while True:
            self._offered = 0.0
            yield self.env.timeout(every)
            wanted = math.ceil(self._offered / every / self.plan.service.rate / busy)
            for _ in range(wanted - asked):
                self.env.process(self._added(starting))
            asked = max(asked, wanted)

    def _added(self, starting: float) -> Steps:
        yield self.env.timeout(starting)
        self.workers.append(_Worker(self))


def simulate(plan: Plan) -> Outcome:
    """Run the plan; the same plan gives the same outcome."""
    pool = _Pool(plan)
    arriving = pool.env.process(pool.arrive(arrivals(plan)))
    if plan.failures is not None:
        pool.env.process(pool.fail(plan.failures))
    if plan.scaling is not None:
        pool.env.process(pool.scale(plan.scaling))
    pool.env.run(until=arriving)
    while pool.open:
        pool.env.step()
    pool.outcome.ended, pool.outcome.workers = pool.env.now, len(pool.workers)
    return pool.outcome


def arrivals(plan: Plan) -> list[Said]:
    """The claims of all streams, in the order in which they are said."""
    chance = random.Random(plan.seed + 1)
    claims: list[Said] = []
    for number in range(plan.streams * (1 if plan.step is None else 2)):
        answer = plan.answers[number % len(plan.answers)]
        if plan.seconds is None:
            claims += answer.claims
            continue
        first = plan.step if plan.step is not None and number >= plan.streams else 0.0
        # The first answer is under way already, so that the streams are spread evenly from the begin.
        start = first - chance.uniform(0, answer.seconds)
        while start < plan.seconds:
            claims += (
                said._replace(second=start + said.second)
                for said in answer.claims
                if start + said.second >= first
            )
            start += answer.seconds
            answer = chance.choice(plan.answers)
    within = [claim for claim in claims if plan.seconds is None or claim.second < plan.seconds]
    return sorted(within)

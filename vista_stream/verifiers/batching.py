"""A verifier that all conversations of a process share: it batches the pairs of many turns."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from weakref import WeakSet

import anyio
from anyio.lowlevel import RunVar

from vista_stream.amounts import check_count, check_seconds
from vista_stream.claims import Pair, Scores
from vista_stream.errors import InferenceError
from vista_stream.verifiers.lane import Entry, Lane, Request
from vista_stream.verifiers.pace import Pace
from vista_stream.verifiers.protocol import Verifier
from vista_stream.verifiers.wrapper import Wrapper

_REMEMBERED = 1000
_TOKENS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchingStats:
    """Counters and timings of a BatchingVerifier; each sequence holds the last 1,000 batches."""

    depth: int
    """Pairs that wait now."""
    batches: int
    """Batches that gave scores so far."""
    pairs: int
    """Pairs scored so far."""
    shed: int
    """Calls that raised Overload so far."""
    batch_sizes: Sequence[int]
    """Pairs of each batch."""
    waits: Sequence[float]
    """For each batch, the seconds that its longest-waiting pair waited; batches that failed are included."""
    runs: Sequence[float]
    """Seconds that each batch took."""


class BatchingVerifier(Wrapper):
    """Gathers the pairs of all concurrent calls into batches for the inner verifier, one batch at a time.

    It has no task of its own. The waiting call with the most time left, the leader, runs the next batch, at
    most `max_wait` seconds after the first waiting pair arrived. VITAL pairs and pairs close to their
    deadline go first. The pairs of a cancelled call are dropped; where it was the leader, the other pairs of
    its batch are queued again. Where a batch raises, each call's part of it is tried alone, so one call's
    pairs cannot fail another call.

    A call raises Overload as soon as its pairs cannot be scored before their deadline, estimated from the
    latest batches, and where more than `max_queue` pairs wait (see `Lane`). `max_tokens` defaults to the
    inner verifier's `batch_tokens`, which is large on CUDA, else to 512. The constructor raises ValueError
    for limits that are too small or no numbers, and for what is no verifier.
    """

    def __init__(
        self,
        inner: Verifier,
        *,
        max_tokens: int | None = None,
        max_wait: float = 0.002,
        max_queue: int = 512,
    ) -> None:
        super().__init__(inner)
        if max_tokens is None:
            max_tokens = self.batch_tokens or _TOKENS
        check_batching(max_tokens, max_wait, max_queue)
        self._max_tokens = max_tokens
        self._max_wait = max_wait
        self._max_queue = max_queue
        self._lane_here: RunVar[Lane] = RunVar("vista_stream.batching")
        self._lanes: WeakSet[Lane] = WeakSet()
        self._tally: Counter[str] = Counter()
        self._pace = Pace()
        self._batch_sizes: deque[int] = deque(maxlen=_REMEMBERED)
        self._waits: deque[float] = deque(maxlen=_REMEMBERED)
        self._runs: deque[float] = deque(maxlen=_REMEMBERED)

    @property
    def stats(self) -> BatchingStats:
        """A snapshot of the counters and timings."""
        return BatchingStats(
            depth=sum(lane.depth for lane in self._lanes),
            batches=self._tally["batches"],
            pairs=self._tally["pairs"],
            shed=self._tally["shed"],
            batch_sizes=tuple(self._batch_sizes),
            waits=tuple(self._waits),
            runs=tuple(self._runs),
        )

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        """One score triple for each pair, in the same order.

        Raises Overload, what the inner verifier raises, and InferenceError for a wrong number of scores.
        """
        if not pairs:
            return []
        lane = self._lane()
        request = Request(pairs, anyio.current_time())
        lane.admit(request)
        try:
            while not request.over:
                if lane.leader in (None, request):
                    await self._lead(lane, request)
                else:
                    await request.wake.wait()
                    request.wake = anyio.Event()
        finally:
            lane.leave(request)
        if request.failure is not None:
            raise request.failure
        return [request.scores[row] for row in range(len(pairs))]

    def _lane(self) -> Lane:
        lane = self._lane_here.get(None)
        if lane is None:
            lane = Lane(
                max_tokens=self._max_tokens, max_queue=self._max_queue, tally=self._tally, pace=self._pace
            )
            self._lane_here.set(lane)
            self._lanes.add(lane)
        return lane

    async def _lead(self, lane: Lane, request: Request) -> None:
        """Run one batch, then appoint the next leader."""
        lane.leader = request
        try:
            await self._gather(lane)
            if request.foreseen and lane.waits_for_certain:
                return
            batch = lane.take(anyio.current_time())
            if batch and not request.over:  # where the leader was shed, another call runs the batch
                await self._serve(batch)
        finally:
            lane.put_back()
            lane.appoint()

    async def _gather(self, lane: Lane) -> None:
        """Wait for more pairs, until the batch is full or the oldest pair has waited `max_wait` seconds."""
        until = min(share.request.arrived for share in lane.shares) + self._max_wait
        if anyio.current_time() >= until:
            return
        with anyio.CancelScope(deadline=until):
            while not lane.full_batch:
                lane.more = anyio.Event()
                await lane.more.wait()

    async def _serve(self, batch: Sequence[Entry]) -> None:
        try:
            scores = await self._ask(batch)
        except Exception as error:
            await self._isolate(batch, error)
        else:
            for entry, triple in zip(batch, scores, strict=True):
                entry.request.answer(entry.row, triple)

    async def _isolate(self, batch: Sequence[Entry], error: Exception) -> None:
        """Raise a batch's failure in the call that caused it; of several calls, try each one alone."""
        calls = groupby(sorted(batch, key=lambda entry: id(entry.request)), lambda entry: entry.request)
        parts = [(request, list(entries)) for request, entries in calls]
        if len(parts) == 1:
            parts[0][0].fail(error)
            return
        for _, part in parts:
            await self._serve(part)

    async def _ask(self, batch: Sequence[Entry]) -> Sequence[Scores]:
        begun = anyio.current_time()
        self._waits.append(max(begun - entry.request.arrived for entry in batch))
        tokens, note = sum(entry.tokens for entry in batch), self._pace.note_unfinished
        try:
            scores = await self._inner.score([entry.pair for entry in batch])
            note = self._pace.note
        finally:
            took = anyio.current_time() - begun
            note(tokens, took)
        if len(scores) != len(batch):
            raise InferenceError(f"the verifier gave {len(scores)} scores for {len(batch)} pairs")
        self._runs.append(took)
        self._batch_sizes.append(len(batch))
        self._tally.update(batches=1, pairs=len(batch))
        return scores


def check_batching(max_tokens: int | None, max_wait: float, max_queue: int) -> None:
    """Raise ValueError for a limit that `BatchingVerifier` does not take."""
    if max_tokens is not None:
        check_count("max_tokens", max_tokens, of="tokens", least=1)
    check_count("max_queue", max_queue, of="pairs", least=1)
    check_seconds("max_wait", max_wait, zero=True)

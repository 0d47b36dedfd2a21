"""The queue of a shared verifier, without I/O: order of priority, batches, load shedding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isinf

import anyio

from vista_stream.claims import Importance, Pair, Scores
from vista_stream.errors import Overload
from vista_stream.verifiers.pace import Pace

NEARLY_LATE = 0.25
"""Seconds before its deadline at which a pair goes first, whatever its importance."""
PATIENCE = 2.0
"""Seconds from arrival that count as the deadline of a pair without one, so it cannot starve behind VITAL
pairs: it goes first `NEARLY_LATE` seconds earlier."""
_RANKS = {Importance.VITAL: 0, Importance.OKAY: 1, Importance.LESS_IMPORTANT: 2}
FORESEEN = 3
"""Rank of a pair of a claim that may not come."""


def estimate_tokens(pair: Pair) -> int:
    """Estimated number of tokens of a pair: one per four characters, plus three separators."""
    return (len(pair.premise) + len(pair.hypothesis)) // 4 + 3


def rank_of(pair: Pair) -> int:
    """Rank of a pair as it stands now; 0 is VITAL, and a foreseen one's is the last."""
    foreseen = pair.foresight is not None and not pair.foresight.certain
    return FORESEEN if foreseen else _RANKS[pair.importance]


def due_of(pair: Pair, arrived: float) -> float:
    """When a pair that arrived then is due, in event-loop time; one without a deadline has `PATIENCE`."""
    return arrived + PATIENCE if isinf(pair.deadline) else pair.deadline


@dataclass(eq=False, slots=True)
class Request:
    """One call of `score`, with its pairs and the scores received so far."""

    pairs: Sequence[Pair]
    arrived: float
    """Event-loop time in seconds."""
    scores: dict[int, Scores] = field(default_factory=dict)
    """Scores received so far, by position in `pairs`."""
    failure: Exception | None = None
    wake: anyio.Event = field(default_factory=anyio.Event)
    """Set when the call has something to do: return, raise, or run the next batch."""
    deadline: float = field(init=False)
    """The latest deadline of its pairs, as event-loop time in seconds."""
    _first: dict[int, Pair] = field(init=False)
    """The most important pair of each foresight; they are few, however many pairs there are."""

    def __post_init__(self) -> None:
        self.deadline = max(pair.deadline for pair in self.pairs)
        self._first = {}
        for pair in self.pairs:
            best = self._first.setdefault(id(pair.foresight), pair)
            if _RANKS[pair.importance] < _RANKS[best.importance]:
                self._first[id(pair.foresight)] = pair

    @property
    def over(self) -> bool:
        """Whether all scores are there, or the call failed: it can return or raise."""
        return self.failure is not None or len(self.scores) == len(self.pairs)

    @property
    def rank(self) -> int:
        """Rank of its most important pair; 0 is VITAL."""
        return min(map(rank_of, self._first.values()))

    @property
    def foreseen(self) -> bool:
        """Whether its claim may not come."""
        return self.rank == FORESEEN

    def answer(self, row: int, scores: Scores) -> None:
        """Store one pair's scores; the last one wakes the call."""
        self.scores[row] = scores
        if self.over:
            self.wake.set()

    def fail(self, failure: Exception) -> None:
        """Make the call raise."""
        self.failure = failure
        self.wake.set()


@dataclass(eq=False, slots=True)
class Entry:
    """One pair of a request."""

    pair: Pair
    row: int
    request: Request
    tokens: int

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do for this pair."""
        return self.request.over or self.row in self.request.scores

    def urgency(self, now: float) -> tuple[int, float]:
        """Sort key, smallest first: VITAL or close to the deadline, then by importance; ties by deadline."""
        due = due_of(self.pair, self.request.arrived)
        rank = rank_of(self.pair)
        return 0 if due - now < NEARLY_LATE and rank != FORESEEN else rank, due


class Lane:
    """The queue of one event loop: the waiting pairs, and the request that runs the next batch (the leader).

    Load shedding drops requests that cannot meet their deadline. Durations are estimated from the seconds
    per token of the latest batches (`Pace`).

    - On arrival a request is refused where the running batch, the pairs before it and its own pairs would
      end after its deadline. With an empty queue and no running batch it is accepted.
    - Before each batch the requests are checked in order of urgency. A request is shed where it would end
      too late after those before it, or even if it ran at once. Where all would be shed, the one with the
      latest deadline stays, since estimates err.
    - A batch takes only as many pairs as end before the earliest deadline in it, with a margin.

    A shed request cannot come back, so a queue is assumed to run up to twice as fast as the latest batches
    (`Pace.at_best`). A burst is parsed on the same cores and slows the batches; by their mean, requests would
    be shed that can be served after the burst. An overload thus drops requests that would miss their
    deadline anyway, the less important first, and most of them at once.
    """

    def __init__(self, *, max_tokens: int, max_queue: int, tally: Counter[str], pace: Pace) -> None:
        self._max_tokens = max_tokens
        self._max_queue = max_queue
        self._tally = tally
        self._pace = pace
        self._free = 0.0
        """Event-loop time at which the running batch is expected to end."""
        self.requests: list[Request] = []
        """Requests in order of arrival; a finished one stays until its call leaves."""
        self.waiting: list[Entry] = []
        self.running: list[Entry] = []
        self.leader: Request | None = None
        self.more = anyio.Event()
        """Set when a request arrives."""

    @property
    def waits_for_certain(self) -> bool:
        """Whether a pair waits whose claim is certain."""
        return any(not entry.request.foreseen for entry in self.waiting)

    @property
    def full_batch(self) -> bool:
        """Whether the waiting pairs have at least `max_tokens` tokens."""
        return sum(entry.tokens for entry in self.waiting) >= self._max_tokens

    def admit(self, request: Request) -> None:
        """Queue a request's pairs.

        Where the queue is full, less important requests are shed to make room, the latest first. Raises
        Overload where that does not make enough room, or where the request would end after its deadline. An
        empty queue accepts a request of any size.
        """
        entries = [Entry(pair, row, request, estimate_tokens(pair)) for row, pair in enumerate(request.pairs)]
        self._check_time(request, entries)
        self._make_room(request)
        self.requests.append(request)
        self.waiting += entries
        self.more.set()

    def _check_time(self, request: Request, entries: Sequence[Entry]) -> None:
        now = request.arrived
        if not self.waiting and not self.running:
            return
        last = max(entry.urgency(now) for entry in entries)
        before = [entry for entry in self.waiting if entry.urgency(now) <= last]
        tokens = sum(entry.tokens for entry in [*before, *entries])
        if max(now, self._free) + self._pace.at_best(tokens) > request.deadline:
            self._tally["shed"] += 1
            raise Overload(f"with {len(before)} pairs before it, it would be late")

    def _make_room(self, request: Request) -> None:
        excess = len(self.waiting) + len(request.pairs) - self._max_queue
        if not self.waiting:
            return
        victims = []
        lesser = [other for other in self.requests if not other.over and other.rank > request.rank]
        for other in sorted(lesser, key=lambda other: (-other.rank, -other.arrived)):
            freed = sum(entry.request is other for entry in self.waiting)  # running pairs free no room
            if excess > 0 and freed:
                victims.append(other)
                excess -= freed
        if excess > 0:
            self._tally["shed"] += 1
            raise Overload(f"{len(self.waiting)} pairs wait already: the queue takes {self._max_queue}")
        for victim in victims:
            self._shed(victim, "made way for a more important claim in a full queue")

    def _shed(self, request: Request, reason: str) -> None:
        self._tally["shed"] += 1
        request.fail(Overload(reason))
        self.waiting = [entry for entry in self.waiting if entry.request is not request]

    def take(self, now: float) -> list[Entry]:
        """Move the next batch to `running`: the most urgent pair, and others of similar length.

        No pair is more than twice as long as another. Pairs whose claim may not come wait until there are no
        others, so that they hold none up. The batch has at most `max_tokens`, padding included,
        but always one pair. Requests that would be late fail with Overload (see the class). `now` is
        event-loop time in seconds.
        """
        self._shed_late(now)
        queue = sorted(self.waiting, key=lambda entry: entry.urgency(now))
        longest = shortest = queue[0].tokens if queue else 0
        alone = bool(queue) and queue[0].request.foreseen
        tokens, due = 0, inf
        for entry in queue:
            low, high = min(shortest, entry.tokens), max(longest, entry.tokens)
            if high > 2 * low or (entry.request.foreseen and not alone):
                continue
            due = min(due, entry.request.deadline)
            late = now + self._pace.seconds(tokens + entry.tokens) > due
            if self.running and (late or (len(self.running) + 1) * high > self._max_tokens):
                break
            shortest, longest = low, high
            tokens += entry.tokens
            self.running.append(entry)
        self._free = now + self._pace.mean(tokens)
        taken = set(map(id, self.running))
        self.waiting = [entry for entry in self.waiting if id(entry) not in taken]
        return self.running

    def _shed_late(self, now: float) -> None:
        """Shed requests that are late, and those that would be late after the pairs before them."""
        for request in self.requests:
            if not request.over and request.deadline <= now:
                self._shed(request, "the deadline passed in the queue")
        own: Counter[Request] = Counter()
        for entry in self.waiting:
            own[entry.request] += entry.tokens
        end, late = now, []
        for entry in sorted(self.waiting, key=lambda entry: entry.urgency(now)):
            ends = end + self._pace.at_best(entry.tokens)
            if max(ends, now + self._pace.mean(own[entry.request])) > entry.request.deadline:
                late.append(entry.request)
            else:
                end = ends
        if end == now and late:
            kept = max(late, key=lambda request: request.deadline)
            late = [request for request in late if request is not kept]
        for request in dict.fromkeys(late):
            self._shed(request, "with the pairs before it, it would be late")

    def put_back(self) -> None:
        """Queue the running pairs that got no scores again; after a batch that ended there are none."""
        self.waiting += [entry for entry in self.running if not entry.settled]
        self.running = []

    def leave(self, request: Request) -> None:
        """Remove a request whose call has ended or was cancelled."""
        self.requests.remove(request)
        self.waiting = [entry for entry in self.waiting if entry.request is not request]
        self.running = [entry for entry in self.running if entry.request is not request]
        if self.leader is request:
            self.appoint()

    def appoint(self) -> None:
        """Make the request with the latest deadline the leader: a cancelled leader's batch is run again.

        One whose claim may not come is often cancelled, and leads only where there is no other.
        """
        candidates = [request for request in self.requests if not request.over]
        steady = [request for request in candidates if not request.foreseen]
        self.leader = max(steady or candidates, key=lambda request: request.deadline, default=None)
        if self.leader is not None:
            self.leader.wake.set()

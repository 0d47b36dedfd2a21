"""The queue of a shared verifier, without I/O: order of priority, batches, load shedding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
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
    tokens: int
    share: Share

    @property
    def request(self) -> Request:
        """The request that it is one of."""
        return self.share.request

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do for this pair."""
        return self.request.over or self.row in self.request.scores


@dataclass(eq=False, slots=True)
class Share:
    """The waiting pairs of a request that are equally urgent; those of one claim all are.

    Shares are put in order, not pairs: a request may have thousands of pairs, and batches take a few of them.
    """

    request: Request
    pair: Pair
    """One of them, waiting or not."""
    entries: dict[int, Entry] = field(default_factory=dict)
    """By position in the request's pairs."""
    tokens: int = 0

    def add(self, entry: Entry) -> None:
        """Let one of its pairs wait."""
        self.entries[entry.row] = entry
        self.tokens += entry.tokens

    def remove(self, entry: Entry) -> None:
        """Take out a pair that waits no longer."""
        del self.entries[entry.row]
        self.tokens -= entry.tokens

    def urgency(self, now: float) -> tuple[int, float]:
        """Sort key, smallest first: VITAL or close to the deadline, then by importance; ties by deadline."""
        due, rank = due_of(self.pair, self.request.arrived), rank_of(self.pair)
        return 0 if due - now < NEARLY_LATE and rank != FORESEEN else rank, due


def _shares_of(request: Request) -> list[Share]:
    """A request's pairs, none of which has scores."""
    shares: dict[tuple[Importance, float, int], Share] = {}
    for row, pair in enumerate(request.pairs):
        share = shares.setdefault((pair.importance, pair.deadline, id(pair.foresight)), Share(request, pair))
        share.add(Entry(pair, row, estimate_tokens(pair), share))
    return list(shares.values())


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
        self.shares: list[Share] = []
        """The waiting pairs; none is empty."""
        self.running: list[Entry] = []
        self.leader: Request | None = None
        self.more = anyio.Event()
        """Set when a request arrives."""

    @property
    def depth(self) -> int:
        """Number of pairs that wait."""
        return sum(len(share.entries) for share in self.shares)

    @property
    def waits_for_certain(self) -> bool:
        """Whether a pair waits whose claim is certain."""
        return any(not share.request.foreseen for share in self.shares)

    @property
    def full_batch(self) -> bool:
        """Whether the waiting pairs have at least `max_tokens` tokens."""
        return sum(share.tokens for share in self.shares) >= self._max_tokens

    def admit(self, request: Request) -> None:
        """Queue a request's pairs.

        Where the queue is full, less important requests are shed to make room, the latest first. Raises
        Overload where that does not make enough room, or where the request would end after its deadline. An
        empty queue accepts a request of any size.
        """
        shares = _shares_of(request)
        self._check_time(request, shares)
        self._make_room(request)
        self.requests.append(request)
        self.shares += shares
        self.more.set()

    def _check_time(self, request: Request, own: Sequence[Share]) -> None:
        now = request.arrived
        if not self.shares and not self.running:
            return
        last = max(share.urgency(now) for share in own)
        before = [share for share in self.shares if share.urgency(now) <= last]
        tokens = sum(share.tokens for share in [*before, *own])
        if max(now, self._free) + self._pace.at_best(tokens) > request.deadline:
            self._tally["shed"] += 1
            pairs = sum(len(share.entries) for share in before)
            raise Overload(f"with {pairs} pairs before it, it would be late")

    def _make_room(self, request: Request) -> None:
        waiting: Counter[Request] = Counter()  # running pairs free no room
        for share in self.shares:
            waiting[share.request] += len(share.entries)
        depth = waiting.total()
        excess = depth + len(request.pairs) - self._max_queue
        if not depth or excess <= 0:
            return
        victims = []
        lesser = [other for other in waiting if not other.over and other.rank > request.rank]
        for other in sorted(lesser, key=lambda other: (-other.rank, -other.arrived)):
            victims.append(other)
            excess -= waiting[other]
            if excess <= 0:
                break
        if excess > 0:
            self._tally["shed"] += 1
            raise Overload(f"{depth} pairs wait already: the queue takes {self._max_queue}")
        for victim in victims:
            self._shed(victim, "made way for a more important claim in a full queue")

    def _shed(self, request: Request, reason: str) -> None:
        self._tally["shed"] += 1
        request.fail(Overload(reason))
        self.shares = [share for share in self.shares if share.request is not request]

    def take(self, now: float) -> list[Entry]:
        """Move the next batch to `running`: the most urgent pair, and others of similar length.

        No pair is more than twice as long as another. Pairs whose claim may not come wait until there are no
        others, so that they hold none up. The batch has at most `max_tokens`, padding included,
        but always one pair. Requests that would be late fail with Overload (see the class). `now` is
        event-loop time in seconds.
        """
        self._shed_late(now)
        shortest, longest, tokens, due = inf, 0, 0, inf
        for entry in self._in_order(now):
            low, high = min(shortest, entry.tokens), max(longest, entry.tokens)
            if high > 2 * low:
                continue
            due = min(due, entry.request.deadline)
            late = now + self._pace.seconds(tokens + entry.tokens) > due
            if self.running and (late or (len(self.running) + 1) * high > self._max_tokens):
                break
            shortest, longest = low, high
            tokens += entry.tokens
            self.running.append(entry)
        self._free = now + self._pace.mean(tokens)
        for entry in self.running:
            entry.share.remove(entry)
        self.shares = [share for share in self.shares if share.entries]
        return self.running

    def _in_order(self, now: float) -> Iterator[Entry]:
        """The waiting pairs, the most urgent first; those that may not come only where no others wait."""
        shares = sorted(self.shares, key=lambda share: share.urgency(now))
        if shares and not shares[0].request.foreseen:
            shares = [share for share in shares if not share.request.foreseen]
        return chain.from_iterable(share.entries.values() for share in shares)

    def _shed_late(self, now: float) -> None:
        """Shed requests that are late, and those that would be late after the pairs before them."""
        for request in self.requests:
            if not request.over and request.deadline <= now:
                self._shed(request, "the deadline passed in the queue")
        own: Counter[Request] = Counter()
        for share in self.shares:
            own[share.request] += share.tokens
        end, late = now, []
        for share in sorted(self.shares, key=lambda share: share.urgency(now)):
            due = share.request.deadline
            alone, ends = now + self._pace.mean(own[share.request]), end + self._pace.at_best(share.tokens)
            if max(alone, ends) > due:
                late.append(share.request)
            if alone <= due:  # the pairs of a late share that would be in time count: estimates err
                end = ends if ends <= due else self._last_in_time(share, end)
        if end == now and late:
            kept = max(late, key=lambda request: request.deadline)
            late = [request for request in late if request is not kept]
        for request in dict.fromkeys(late):
            self._shed(request, "with the pairs before it, it would be late")

    def _last_in_time(self, share: Share, start: float) -> float:
        """When those pairs of a share end that would be in time, run one after the other from `start` on."""
        end = start
        for entry in share.entries.values():
            ends = end + self._pace.at_best(entry.tokens)
            if ends <= share.request.deadline:
                end = ends
        return end

    def put_back(self) -> None:
        """Queue the running pairs that got no scores again; after a batch that ended there are none."""
        for entry in self.running:
            if not entry.settled:
                if not entry.share.entries:
                    self.shares.append(entry.share)
                entry.share.add(entry)
        self.running = []

    def leave(self, request: Request) -> None:
        """Remove a request whose call has ended or was cancelled."""
        self.requests.remove(request)
        self.shares = [share for share in self.shares if share.request is not request]
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

"""The queue of a shared verifier, without I/O: what waits, what goes first, what is shed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio

from vista_stream.claims import Importance, Pair, Scores
from vista_stream.errors import Overload

NEARLY_LATE = 0.25
"""Seconds before its deadline from when on a pair goes first, whatever its importance."""
PATIENCE = 2.0
"""Seconds after which a waiting pair goes first, so that none starves behind VITAL ones."""
GRACE = 0.1
"""Seconds past its deadline from when on a call fails: most are cancelled by their callers before."""

_RANKS = {Importance.VITAL: 0, Importance.OKAY: 1, Importance.LESS_IMPORTANT: 2}


def estimate_tokens(pair: Pair) -> int:
    """About how many tokens a pair makes: a quarter of its characters, and three that separate."""
    return (len(pair.premise) + len(pair.hypothesis)) // 4 + 3


@dataclass(eq=False, slots=True)
class Request:
    """One call that waits for the scores of its pairs."""

    pairs: Sequence[Pair]
    arrived: float
    scores: dict[int, Scores] = field(default_factory=dict)
    """By position in `pairs`, as far as they are there."""
    failure: Exception | None = None
    wake: anyio.Event = field(default_factory=anyio.Event)
    """Set when the call has something to do: return, raise, or lead."""

    @property
    def over(self) -> bool:
        """Whether the call can return or raise."""
        return self.failure is not None or len(self.scores) == len(self.pairs)

    @property
    def rank(self) -> int:
        """Of its most important pair; 0 is VITAL."""
        return min(_RANKS[pair.importance] for pair in self.pairs)

    @property
    def deadline(self) -> float:
        """When the last of its pairs is late."""
        return max(pair.deadline for pair in self.pairs)

    def answer(self, row: int, scores: Scores) -> None:
        """Note one pair's scores."""
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
        """Sorts what goes first to the front: VITAL and nearly late, then by importance, then by time."""
        due = min(self.pair.deadline, self.request.arrived + PATIENCE)
        rank = 0 if due - now < NEARLY_LATE else _RANKS[self.pair.importance]
        return rank, due


class Lane:
    """What waits on one event loop, and who of those that wait runs the next batch."""

    def __init__(self, *, max_tokens: int, max_queue: int, tally: Counter[str]) -> None:
        self._max_tokens = max_tokens
        self._max_queue = max_queue
        self._tally = tally
        self.requests: list[Request] = []
        """In order of arrival; those that are over stay until their call leaves."""
        self.waiting: list[Entry] = []
        self.running: list[Entry] = []
        self.led = False
        self.more = anyio.Event()
        """Set when something arrives."""

    @property
    def full_batch(self) -> bool:
        """Whether what waits is enough for a batch."""
        return sum(entry.tokens for entry in self.waiting) >= self._max_tokens

    def admit(self, request: Request) -> None:
        """Queue a request's pairs.

        Where the queue is full, requests of lesser importance make room, the latest first. Raises
        Overload where that would not be room enough; a request alone is taken whatever its size.
        """
        self._make_room(request)
        self.requests.append(request)
        self.waiting += [
            Entry(pair, row, request, estimate_tokens(pair)) for row, pair in enumerate(request.pairs)
        ]
        self.more.set()

    def _make_room(self, request: Request) -> None:
        excess = len(self.waiting) + len(request.pairs) - self._max_queue
        if not self.waiting:
            return
        victims = []
        lesser = [other for other in self.requests if not other.over and other.rank > request.rank]
        for other in sorted(lesser, key=lambda other: (-other.rank, -other.arrived)):
            if excess > 0:
                victims.append(other)
                excess -= sum(entry.request is other for entry in self.waiting)
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
        """Move the next batch to `running`: the most urgent pair, and with it others of its length.

        None is more than twice as long as another, and they are at most `max_tokens`, padding
        included, but always one pair. Requests that are past their deadline fail with Overload.
        """
        for request in self.requests:
            if not request.over and request.deadline + GRACE <= now:
                self._shed(request, "the deadline passed in the queue")
        queue = sorted(self.waiting, key=lambda entry: entry.urgency(now))
        longest = shortest = queue[0].tokens if queue else 0
        for entry in queue:
            low, high = min(shortest, entry.tokens), max(longest, entry.tokens)
            if high > 2 * low:
                continue
            if self.running and (len(self.running) + 1) * high > self._max_tokens:
                break
            shortest, longest = low, high
            self.running.append(entry)
        taken = set(map(id, self.running))
        self.waiting = [entry for entry in self.waiting if id(entry) not in taken]
        return self.running

    def put_back(self) -> None:
        """Queue again what was taken and got no answer; a no-op after a batch that ended."""
        self.waiting += [entry for entry in self.running if not entry.settled]
        self.running = []

    def leave(self, request: Request) -> None:
        """Forget a request whose call is over or was cancelled."""
        self.requests.remove(request)
        self.waiting = [entry for entry in self.waiting if entry.request is not request]
        self.running = [entry for entry in self.running if entry.request is not request]

    def appoint(self) -> None:
        """Wake the one to lead next: who has most time left, for its cancelling would cost a batch."""
        candidates = [request for request in self.requests if not request.over]
        if candidates and not self.led:
            max(candidates, key=lambda request: request.deadline).wake.set()

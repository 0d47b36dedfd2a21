"""Estimates how long work will take from how long earlier work took. No I/O."""

from __future__ import annotations

from collections import deque

MEASURED = 32
"""Number of latest runs that an estimate uses."""
MARGIN = 1.25
"""Safety factor on the mean run time for `Pace.seconds`, so that most deadlines are met."""
BEST = 0.5
"""Factor on the mean run time for `Pace.at_best`. While turns are parsed on the same cores a run takes twice
as long as afterwards."""


class Pace:
    """Estimates the seconds of a run from its size, in the caller's unit, such as tokens or calls.

    It uses the mean seconds per unit of the last `MEASURED` runs. Before the first run it estimates 0.
    """

    def __init__(self) -> None:
        self._runs: deque[tuple[float, float]] = deque(maxlen=MEASURED)
        self._size = 0.0
        self._took = 0.0

    def note(self, size: float, took: float) -> None:
        """Record a run of `size` that took `took` seconds."""
        if len(self._runs) == MEASURED:
            size_then, took_then = self._runs[0]
            self._size -= size_then
            self._took -= took_then
        self._runs.append((size, took))
        self._size += size
        self._took += took

    def note_unfinished(self, size: float, took: float) -> None:
        """Record a run that was cancelled after `took` seconds, if that is longer than estimated."""
        if took > self.seconds(size):
            self.note(size, took)

    def at_best(self, size: float) -> float:
        """Optimistic estimate in seconds: `BEST` times the mean. Use it before dropping work for good."""
        return BEST * self.mean(size)

    def mean(self, size: float) -> float:
        """Mean estimate, in seconds, for a run of `size`."""
        return size * self._took / self._size if self._size else 0.0

    def seconds(self, size: float) -> float:
        """Cautious estimate in seconds: `MARGIN` times the mean. Use it where a deadline should be met."""
        return MARGIN * self.mean(size)

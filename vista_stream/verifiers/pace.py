"""Estimates how long work will take from how long it took before. No I/O."""

from __future__ import annotations

from collections import deque

MEASURED = 32
"""Runs that an estimate is made of."""
MARGIN = 1.25
"""How much longer than the mean a run is taken to be, so that what is promised is mostly kept."""
BEST = 0.5
"""What part of the mean a run is taken to take at best: while turns are parsed on the same cores, work takes
twice as long as after that."""


class Pace:
    """Estimates the seconds of a run from its size, in whatever unit the caller counts, tokens or calls.

    By the mean of the last `MEASURED` runs. Before the first run it knows nothing and estimates 0.
    """

    def __init__(self) -> None:
        self._runs: deque[tuple[float, float]] = deque(maxlen=MEASURED)
        self._size = 0.0
        self._took = 0.0

    def note(self, size: float, took: float) -> None:
        """Take in a run of `size` that took so many seconds."""
        if len(self._runs) == MEASURED:
            size_then, took_then = self._runs[0]
            self._size -= size_then
            self._took -= took_then
        self._runs.append((size, took))
        self._size += size
        self._took += took

    def note_unfinished(self, size: float, took: float) -> None:
        """Take in a run that was given up after so many seconds: it counts where it was a slow one."""
        if took > self.seconds(size):
            self.note(size, took)

    def at_best(self, size: float) -> float:
        """The least that work of `size` may take: what to go by where giving up cannot be taken back."""
        return BEST * self.mean(size)

    def mean(self, size: float) -> float:
        """How long a run of `size` takes in the mean."""
        return size * self._took / self._size if self._size else 0.0

    def seconds(self, size: float) -> float:
        """The same and a `MARGIN`: what to go by where a promise should be kept."""
        return MARGIN * self.mean(size)

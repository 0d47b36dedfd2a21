"""A circuit breaker: a replica that failed several times in a row is left alone for a while. No I/O."""

from __future__ import annotations

LONGEST_PAUSE = 30.0
"""Most seconds for which a replica is left alone before it is tried again."""


class Breaker:
    """Opens after `failures` failures in a row; after `pause` seconds it lets one call through, the probe.

    The probe's success closes it. Its failure opens it again, for twice as long as before, at most
    `LONGEST_PAUSE` seconds. Times are seconds of any one clock. Raises ValueError for limits that are too
    small.
    """

    def __init__(self, *, failures: int, pause: float) -> None:
        if failures < 1 or not pause > 0:
            raise ValueError(f"failures must be 1 or more and pause above 0, not {failures!r}, {pause!r}")
        self._limit = failures
        self._first_pause = pause
        self._pause = pause
        self._failed = 0
        self._opened = False
        self._until = 0.0
        self._probing = False

    @property
    def closed(self) -> bool:
        """Whether every call is let through."""
        return not self._opened

    def admits(self, now: float) -> bool:
        """Whether a call may begin now: the breaker is closed, or it is time for a probe."""
        return not self._opened or (now >= self._until and not self._probing)

    def begin(self) -> None:
        """A call begins; where the breaker is not closed, it is the probe."""
        self._probing = self._opened

    def succeed(self) -> None:
        """A call was answered: the breaker is closed."""
        self._failed, self._opened, self._probing = 0, False, False
        self._pause = self._first_pause

    def fail(self, now: float) -> None:
        """A call got no answer."""
        self._failed += 1
        probed, self._probing = self._probing, False
        if probed:
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        if probed or (self._failed >= self._limit and not self._opened):
            self._opened, self._until = True, now + self._pause

    def drop(self) -> None:
        """A call was given up before it could tell anything; another probe may begin."""
        self._probing = False

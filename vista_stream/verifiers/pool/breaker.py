"""A circuit breaker: a replica that failed several times in a row is left alone for a while. No I/O."""

from __future__ import annotations

LONGEST_PAUSE = 30.0
"""Most seconds for which a replica is left alone before it is tried again."""


class Breaker:
    """Opens after `failures` failures in a row; after `pause` seconds it lets one call through, the probe.

    The probe's success closes it. Its failure opens it again, for twice as long as before, at most
    `LONGEST_PAUSE` seconds. A call that begins although it is not let through is no probe: only its success
    tells something. Times are seconds of any one clock. Raises ValueError for limits that are too small.
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

    def begin(self, now: float) -> bool:
        """A call begins; whether it is the probe."""
        probe = self._opened and self.admits(now)
        self._probing = self._probing or probe
        return probe

    def succeed(self) -> None:
        """A call was answered: the breaker is closed."""
        self._failed, self._opened, self._probing = 0, False, False
        self._pause = self._first_pause

    def fail(self, now: float, *, probe: bool) -> None:
        """A call got no answer; `probe` is what `begin` said of it."""
        self._failed += 1
        if probe and self._opened:  # no other call has closed it meanwhile
            self._probing = False
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._until = now + self._pause
        elif self._failed >= self._limit and not self._opened:
            self._opened, self._until = True, now + self._pause

    def drop(self, *, probe: bool) -> None:
        """A call was given up before it could tell anything; after a probe another may begin."""
        if probe:
            self._probing = False

"""The clock of a turn, used for deadlines; it is stopped while the turn waits for its reader."""

from __future__ import annotations

from time import monotonic


class TurnClock:
    """Counts seconds, except those in which the turn waited for its reader or a callback."""

    def __init__(self) -> None:
        self._stood = 0.0
        self._since: float | None = None
        self.still = _Still(self)
        """`with clock.still:` stops the clock inside the block."""

    def now(self) -> float:
        """Seconds since an arbitrary start; never decreases."""
        return (monotonic() if self._since is None else self._since) - self._stood

    def stop(self) -> None:
        """Stop the clock until `go_on`."""
        self._since = monotonic()

    def go_on(self) -> None:
        """Let the clock go on after `stop`."""
        assert self._since is not None
        self._stood += monotonic() - self._since
        self._since = None


class _Still:
    """Stops a clock inside a block. It is not a generator, which costs more: every event is such a block."""

    __slots__ = ("_clock",)

    def __init__(self, clock: TurnClock) -> None:
        self._clock = clock

    def __enter__(self) -> None:
        self._clock.stop()

    def __exit__(self, *raised: object) -> None:
        self._clock.go_on()

"""The clock of a turn, used for deadlines; it is stopped while the turn waits for its reader."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic


class TurnClock:
    """Counts seconds, except those in which the turn waited for its reader or a callback."""

    def __init__(self) -> None:
        self._stood = 0.0
        self._since: float | None = None

    def now(self) -> float:
        """Seconds since an arbitrary start; never decreases."""
        return (monotonic() if self._since is None else self._since) - self._stood

    @contextmanager
    def still(self) -> Iterator[None]:
        """Stop the clock inside the block."""
        self._since = monotonic()
        try:
            yield
        finally:
            self._stood += monotonic() - self._since
            self._since = None

"""The clock of a turn: deadlines run on it, and it is stopped while the turn waits for its reader."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic


class TurnClock:
    """Seconds, without those for which a reader or a callback kept the turn from going on."""

    def __init__(self) -> None:
        self._stood = 0.0
        self._since: float | None = None

    def now(self) -> float:
        """Seconds since some moment; never less than before."""
        return (monotonic() if self._since is None else self._since) - self._stood

    @contextmanager
    def still(self) -> Iterator[None]:
        """Stand still in the block."""
        self._since = monotonic()
        try:
            yield
        finally:
            self._stood += monotonic() - self._since
            self._since = None

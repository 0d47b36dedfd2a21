"""The settings of a verifier that asks a pool."""

from __future__ import annotations

from dataclasses import dataclass, field

from vista_stream.amounts import check_count, check_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """How a pool is asked; all times in seconds. Raises ValueError for a value that it cannot be."""

    token: str | None = field(default=None, repr=False)
    """Bearer token that is sent to the replicas."""
    connect: float = 1.0
    """Seconds to connect to a replica."""
    attempt: float = 30.0
    """Seconds after which a silent replica counts as failed. The pairs' deadline may come earlier; with a
    fallback half of what is left until it, so that the fallback has time too."""
    patience: float = 2.0
    """Seconds for which a call goes on asking once no replica has answered. With a fallback it asks each
    replica once."""
    hedge: float = 0.2
    """Least seconds after which a call with VITAL claims is also sent to a second replica."""
    failures: int = 5
    """Failures in a row after which a replica is left alone."""
    pause: float = 1.0
    """Seconds for which it is then left alone; doubled, up to 30, each time that it fails again."""

    def __post_init__(self) -> None:
        for name in ("connect", "attempt", "hedge", "pause"):
            check_seconds(name, getattr(self, name))
        check_seconds("patience", self.patience, zero=True)
        check_count("failures", self.failures, of="failures in a row", least=1)

"""The settings of a verifier that asks a pool."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """How a pool is asked; all times in seconds. Raises ValueError for a value that is too small."""

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
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be seconds above 0, not {getattr(self, name)!r}")
        if not self.patience >= 0 or self.failures < 1:
            raise ValueError(
                "patience must be seconds from 0 and failures 1 or more,"
                f" not {self.patience!r}, {self.failures!r}"
            )

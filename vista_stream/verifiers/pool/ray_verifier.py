"""A verifier that asks a pool on Ray Serve, by deployment handle."""

from __future__ import annotations

import asyncio
from typing import Any, Self
from urllib.parse import urlsplit

import anyio

from vista_stream.errors import missing_extra
from vista_stream.verifiers.pool.asking import PoolVerifier, agreed
from vista_stream.verifiers.pool.race import Unanswered
from vista_stream.verifiers.pool.replicas import Replica, Replicas
from vista_stream.verifiers.pool.settings import PoolSettings
from vista_stream.verifiers.pool.wire import Description, Refusal
from vista_stream.verifiers.protocol import Verifier

try:
    import ray
    from ray import serve
    from ray.exceptions import RayError
    from ray.serve.exceptions import BackPressureError, RayServeException
    from ray.serve.handle import DeploymentHandle
except ImportError as error:
    raise ImportError(missing_extra("RayVerifier needs Ray Serve", "ray")) from error

_AT_ONCE = 2
"""A call may be under way twice, by hedging; Ray Serve chooses the replicas."""


class RayVerifier(PoolVerifier):
    """Asks a pool on Ray Serve, as `vista-stream verifier-serve --engine ray` runs. Make one with `connect`.

    Ray Serve chooses the replica of each call, so all replicas count as one where the breaker is concerned.
    """

    def __init__(
        self,
        handle: DeploymentHandle,
        description: Description,
        *,
        fallback: Verifier | None = None,
        settings: PoolSettings | None = None,
    ) -> None:
        super().__init__(description, fallback=fallback, settings=settings)
        self._handle = handle

    @classmethod
    async def connect(
        cls,
        url: str = "ray://auto/vista_stream",
        *,
        fallback: Verifier | None = None,
        settings: PoolSettings | None = None,
    ) -> Self:
        """A verifier for the application of a URL `ray://HOST:PORT/APP`.

        The address is that of a Ray cluster's head (its GCS, port 6379 by default), of which this machine is
        a node; `auto` is the cluster that runs on this machine. Where Ray is initialised already the address
        is not used. Raises as `RemoteVerifier.connect`.
        """
        settings = PoolSettings() if settings is None else settings
        handle = await anyio.to_thread.run_sync(_handle, *_parts(url))
        description = await agreed(_replicas(handle, settings), fallback, settings)
        return cls(handle, description, fallback=fallback, settings=settings)

    def _open(self) -> Replicas:
        return _replicas(self._handle, self._settings)

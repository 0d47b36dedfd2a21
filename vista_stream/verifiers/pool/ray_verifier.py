"""A verifier that asks a pool on Ray Serve, by deployment handle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Self
from urllib.parse import urlsplit

import anyio

from vista_stream.errors import Overload, missing_extra
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
_APP = "vista_stream"


class RayVerifier(PoolVerifier):
    """Asks a pool on Ray Serve, as `vista-stream verifier-serve --engine ray` runs. Make one with `connect`.

    Ray Serve chooses the replica of each call, so all replicas count as one where the breaker is concerned.
    """

    def __init__(
        self,
        find: Callable[[], DeploymentHandle],
        description: Description,
        *,
        fallback: Verifier | None = None,
        settings: PoolSettings | None = None,
    ) -> None:
        super().__init__(description, fallback=fallback, settings=settings)
        self._find = find

    @classmethod
    async def connect(
        cls,
        application: str | Callable[[], DeploymentHandle] = "ray://auto/vista_stream",
        *,
        fallback: Verifier | None = None,
        settings: PoolSettings | None = None,
    ) -> Self:
        """A verifier for an application: a URL `ray://HOST:PORT/APP`, or a function that gives its handle.

        The address is that of the cluster's head, of which this machine must be a node; `auto` takes the
        cluster of RAY_ADDRESS, or of this machine. Where Ray is initialised already the address is not used.
        Waits, takes the fallback's word and raises as `RemoteVerifier.connect` does.
        """
        settings = PoolSettings() if settings is None else settings
        find = _finder(application) if isinstance(application, str) else application
        description = await agreed(_replicas(find, settings), fallback, settings)
        return cls(find, description, fallback=fallback, settings=settings)

    def _open(self) -> Replicas:
        return _replicas(self._find, self._settings)


def _replicas(find: Callable[[], DeploymentHandle], settings: PoolSettings) -> Replicas:
    ask = _ByHandle(find)
    return Replicas([Replica("Ray Serve", ask, settings) for _ in range(_AT_ONCE)])


class _ByHandle:
    """The Transport to the replicas of a deployment; finds the handle at the first request."""

    def __init__(self, find: Callable[[], DeploymentHandle]) -> None:
        self._find = find
        self._handle: Any = None

    async def __call__(self, path: str, body: Any, *, within: float) -> Any:
        try:
            async with asyncio.timeout(within):
                if self._handle is None:
                    self._handle = await anyio.to_thread.run_sync(self._find, abandon_on_cancel=True)
                status, answer = await self._handle.ask.remote(path, body)
        except BackPressureError as error:
            raise Overload("the replicas' queues are full") from error
        except (TimeoutError, ConnectionError, RayError, RayServeException) as error:
            told = "no answer in time" if isinstance(error, TimeoutError) else str(error).partition("\n")[0]
            raise Unanswered(f"Ray Serve: {told or type(error).__name__}") from error
        if status != 200:
            raise Refusal.from_json(answer)
        return answer


def _finder(url: str) -> Callable[[], DeploymentHandle]:
    """A function that joins the cluster of a URL and gives the handle of its application; it blocks."""
    parts = urlsplit(url)
    if parts.scheme != "ray" or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"application must be ray://auto/APP or ray://HOST:PORT/APP, not {url!r}")
    address = "auto" if parts.netloc == "auto" else parts.netloc
    name = parts.path.strip("/") or _APP

    def find() -> DeploymentHandle:
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False)
        return serve.get_app_handle(name)

    return find

"""Replicas of a verifier pool on Ray Serve: batching of requests, autoscaling by queue, health checks."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio

from vista_stream.caching import cache_scope, current_scope
from vista_stream.claims import Pair, Scores
from vista_stream.errors import missing_extra
from vista_stream.verifiers.pool.service import Answer, ReplicaSettings, Service
from vista_stream.verifiers.pool.wire import STATUS, Refusal
from vista_stream.verifiers.protocol import Verifier

try:
    import ray
    from ray import serve
    from starlette.requests import Request
    from starlette.responses import JSONResponse
except ImportError as error:
    raise ImportError(missing_extra("a pool on Ray needs Ray Serve", "ray")) from error

APP = "vista_stream"
"""The name of the pool's application in Ray Serve."""
_BATCHES = 4
"""Batches of requests under way in a replica. Their pairs share its queue, so that the urgent go first."""
_ENDING = (signal.SIGTERM, signal.SIGINT)
_OBJECTS = 100 * 2**20
"""Bytes of the object store of a Ray that is started here; requests and answers are small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayOptions:
    """How Ray Serve runs the replicas. Raises ValueError for a value that is too small."""

    least: int = 1
    """Replicas that always run."""
    most: int = 1
    """Replicas that autoscaling adds up to."""
    ongoing: float = 16.0
    """Requests under way or queued for each replica above which Serve adds one."""
    num_cpus: float = 1.0
    """CPUs that a replica reserves; its model runs on as many threads."""
    num_gpus: float = 0.0
    """GPUs that a replica reserves."""
    batch: int = 8
    """Requests that Serve hands over together."""
    batch_wait: float = 0.0
    """Seconds that Serve waits for such a batch to fill."""

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most:
            raise ValueError(f"replicas must be 1 or more, the least first, not {self.least}, {self.most}")
        if not self.ongoing > 0 or not self.num_cpus > 0 or self.batch < 1:
            raise ValueError(
                "ongoing and num_cpus must be above 0 and batch 1 or more,"
                f" not {self.ongoing!r}, {self.num_cpus!r}, {self.batch!r}"
            )
        if not self.num_gpus >= 0 or not self.batch_wait >= 0:
            raise ValueError(
                f"num_gpus and batch_wait must be 0 or more, not {self.num_gpus!r}, {self.batch_wait!r}"
            )


class VerifierReplica:
    """The class that Ray Serve deploys; `make` gives the verifier, in the replica."""

    def __init__(self, make: Callable[[], Verifier], settings: ReplicaSettings, options: RayOptions) -> None:
        self._service = _Batching(make(), settings, options)

    async def ask(self, path: str, body: Any) -> Answer:
        """Status and JSON for a request by handle; a body of None is a GET."""
        return await self._service.answer("GET" if body is None else "POST", path, body)

    async def __call__(self, request: Request) -> JSONResponse:
        """The same for a request over HTTP."""
        path = request.url.path
        try:
            self._service.admit(path, request.headers.get("Authorization", ""))
            body = self._service.parse(await self._content(request))
        except Refusal as refusal:
            return JSONResponse(refusal.to_json(), STATUS[refusal.code])
        status, answer = await self._service.answer(request.method, path, body)
        return JSONResponse(answer, status)

    async def check_health(self) -> None:
        """Ray Serve's health check; it replaces a replica for which this raises."""
        await self._service.check()

    async def _content(self, request: Request) -> bytes:
        content = b""
        async for part in request.stream():
            content += part
            if len(content) > self._service.settings.max_body:
                raise self._service.too_large
        return content


class _Batching(Service):
    """A Service whose requests Ray Serve gathers."""

    def __init__(self, verifier: Verifier, settings: ReplicaSettings, options: RayOptions) -> None:
        super().__init__(verifier, settings)
        self._together = serve.batch(
            max_batch_size=options.batch,
            batch_wait_timeout_s=options.batch_wait,
            max_concurrent_batches=_BATCHES,
        )(self._gather)

    async def scored(self, pairs: Sequence[Pair]) -> Sequence[Scores]:
        found: Sequence[Scores] | Exception = await self._together((current_scope(), pairs))
        if isinstance(found, Exception):
            raise found
        return found

    async def _gather(self, calls: list[tuple[str, Sequence[Pair]]]) -> list[Sequence[Scores] | Exception]:
        return await asyncio.gather(*(self._alone(scope, pairs) for scope, pairs in calls))

    async def _alone(self, scope: str, pairs: Sequence[Pair]) -> Sequence[Scores] | Exception:
        """The scores, or what the verifier raised: one call's failure is not the batch's."""
        try:
            with cache_scope(scope):
                return await self.verifier.score(pairs)
        except Exception as error:
            return error


def pool(
    make: Callable[[], Verifier],
    *,
    settings: ReplicaSettings | None = None,
    options: RayOptions | None = None,
) -> serve.Application:
    """The application for `ray.serve.run`; `make` is pickled, and called in each replica."""
    settings = ReplicaSettings() if settings is None else settings
    options = RayOptions() if options is None else options
    gpus = {"num_gpus": options.num_gpus} if options.num_gpus else {}
    deployed = serve.deployment(
        name="verifier",
        ray_actor_options={"num_cpus": options.num_cpus, **gpus},
        autoscaling_config={
            "min_replicas": options.least,
            "max_replicas": options.most,
            "target_ongoing_requests": options.ongoing,
        },
        max_ongoing_requests=settings.max_queue,
        graceful_shutdown_timeout_s=settings.drain,
    )(VerifierReplica)
    return deployed.bind(make, settings, options)


async def run_pool(app: serve.Application, *, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Deploy the pool in the Ray of RAY_ADDRESS, or in one started here, until SIGTERM or SIGINT."""
    with anyio.open_signal_receiver(*_ENDING) as early:
        await anyio.to_thread.run_sync(partial(_deploy, app, host=host, port=port))
        try:
            # Again: Ray has set a handler of its own, which aborts a process that takes three seconds to end.
            with anyio.open_signal_receiver(*_ENDING) as signals:
                announce(f"http://{host}:{port}")
                await _first(early, signals)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(_withdraw)


async def _first(*receivers: AsyncIterable[signal.Signals]) -> None:
    """Wait for a signal in any of these."""
    async with anyio.create_task_group() as tasks:

        async def wait(receiver: AsyncIterable[signal.Signals]) -> None:
            await anext(aiter(receiver))
            tasks.cancel_scope.cancel()

        for receiver in receivers:
            tasks.start_soon(wait, receiver)


def _deploy(app: serve.Application, *, host: str, port: int) -> None:
    if not ray.is_initialized():
        started = {} if _named() else {"object_store_memory": _OBJECTS, "include_dashboard": False}
        ray.init(log_to_driver=False, **started)
    serve.start(http_options={"host": host, "port": port})
    serve.run(app, name=APP, route_prefix="/")


def _withdraw() -> None:
    """Delete the application; Serve and Ray themselves end only where they were started here."""
    serve.delete(APP)
    if not _named():
        serve.shutdown()
    ray.shutdown()


def _named() -> bool:
    return bool(os.environ.get("RAY_ADDRESS"))

"""One replica of a verifier pool: an aiohttp application around any verifier.

| path | what it answers |
|---|---|
| `POST /score` | the scores of pairs (`wire`) |
| `POST /read` | nothing, once a model that reads windows once has read them |
| `GET /verifier` | name, thresholds, and whether the model reads windows once |
| `GET /healthz` | 200 while the server runs |
| `GET /readyz` | 200 while it takes requests, 503 while it drains |
| `GET /stats` | pairs that wait, scored, shed |
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from vista_stream.claims import Scores
from vista_stream.errors import InferenceError, missing_extra
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.cached import CachedVerifier
from vista_stream.verifiers.pool.wire import (
    STATUS,
    VERSION,
    Description,
    Refusal,
    WindowTexts,
    decode_pairs,
    decode_windows,
    encode_scores,
)
from vista_stream.verifiers.protocol import Verifier, reader_of

try:
    from aiohttp import web
    from aiohttp.typedefs import Handler
except ImportError as error:
    raise ImportError(missing_extra("verifier-serve needs aiohttp", "pool")) from error

logger = logging.getLogger("vista_stream.pool")

_OPEN = ("/healthz", "/readyz")
_HELD = 64 * 2**20
"""Characters of windows that a replica holds by digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaSettings:
    """How a replica serves. Raises ValueError for a value that is too small."""

    tokens: frozenset[str] = field(default=frozenset(), repr=False)
    """Bearer tokens of which a client must send one; empty admits every client."""
    max_tokens: int = 512
    """Most tokens of a batch, as `BatchingVerifier` takes it."""
    max_wait: float = 0.002
    """Most seconds that a pair waits for others to fill its batch."""
    max_queue: int = 512
    """Most pairs that wait; over it, the less important are shed."""
    cache: int = 4096
    """Pairs whose scores are kept; 0 keeps none."""
    max_body: int = 4 * 2**20
    """Most bytes of a request."""
    drain: float = 30.0
    """Seconds for calls to end after SIGTERM."""

    def __post_init__(self) -> None:
        if self.cache < 0 or self.max_body < 1 or not self.drain >= 0:
            raise ValueError(
                "cache and drain must be 0 or more and max_body 1 or more,"
                f" not {self.cache!r}, {self.drain!r}, {self.max_body!r}"
            )


class _Served:
    """The verifier of a replica, and the state of its server."""

    def __init__(self, verifier: Verifier, settings: ReplicaSettings) -> None:
        self.settings = settings
        self.description = Description.of(verifier)
        self.batching = BatchingVerifier(
            verifier,
            max_tokens=settings.max_tokens,
            max_wait=settings.max_wait,
            max_queue=settings.max_queue,
        )
        self.verifier = CachedVerifier(self.batching, settings.cache) if settings.cache else self.batching
        self.windows = WindowTexts(_HELD)
        self.draining = False
        self.running = 0
        self.idle = asyncio.Event()
        self.idle.set()


_SERVED = web.AppKey("served", _Served)


def make_app(verifier: Verifier, settings: ReplicaSettings | None = None) -> web.Application:
    """The application; run it with `handler_cancellation=True`, so that calls whose client left are dropped.

    Pairs of all requests share one queue: VITAL claims and near deadlines go first. Raises ValueError for
    settings that are too small.
    """
    settings = ReplicaSettings() if settings is None else settings
    app = web.Application(middlewares=[_refusing], client_max_size=settings.max_body)
    app[_SERVED] = _Served(verifier, settings)
    app.router.add_post("/score", _score)
    app.router.add_post("/read", _read)
    app.router.add_get("/verifier", _describe)
    app.router.add_get("/healthz", _health)
    app.router.add_get("/readyz", _ready)
    app.router.add_get("/stats", _stats)
    return app


async def serve(
    app: web.Application, *, host: str, port: int, announce: Callable[[str], None] = logger.info
) -> None:
    """Listen until SIGTERM or SIGINT, then refuse new calls and let those under way end.

    `announce` is called with the URL once requests are accepted. Raises OSError where the address cannot be
    listened on.
    """
    served = app[_SERVED]
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            await web.TCPSite(runner, host, port).start()
            announce(_url(runner))
            await anext(aiter(signals))
            served.draining = True
            logger.info("draining: %d calls are under way", served.running)
            with anyio.move_on_after(served.settings.drain):
                await served.idle.wait()
    finally:
        await runner.cleanup()


def _url(runner: web.AppRunner) -> str:
    host, port = runner.addresses[0][:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@web.middleware
async def _refusing(request: web.Request, handler: Handler) -> web.StreamResponse:
    served = request.app[_SERVED]
    try:
        if request.path not in _OPEN and not _admitted(request, served.settings.tokens):
            raise Refusal("unauthorized", "give one of the replica's tokens: Authorization: Bearer TOKEN")
        return await handler(request)
    except Refusal as refusal:
        return _refused(refusal)
    except web.HTTPRequestEntityTooLarge:
        most = served.settings.max_body
        return _refused(Refusal("too_large", f"the request's body has more than {most:,} bytes"))
    except web.HTTPException as error:
        code = "not_found" if error.status == 404 else "bad_request"
        return _refused(Refusal(code, f"{request.method} {request.path}: {error.reason}"))


def _admitted(request: web.Request, tokens: frozenset[str]) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    shown = token.strip().encode("utf-8", "surrogateescape")
    return not tokens or (
        scheme.lower() == "bearer" and any(hmac.compare_digest(shown, each.encode()) for each in tokens)
    )


def _refused(refusal: Refusal) -> web.Response:
    return web.json_response(refusal.to_json(), status=STATUS[refusal.code])


async def _body(request: web.Request) -> Any:
    try:
        return json.loads(await request.read())
    except ValueError as error:
        raise Refusal("bad_request", f"the body is not JSON: {error}") from error


async def _score(request: web.Request) -> web.Response:
    served = request.app[_SERVED]
    received = anyio.current_time()
    pairs = decode_pairs(await _body(request), received, held=served.windows)
    with _counted(served):
        try:
            with anyio.CancelScope(deadline=max(pair.deadline for pair in pairs)) as scope:
                scores = _checked(await served.verifier.score(pairs), len(pairs))
        except Exception as error:
            raise _told(error) from error
    if scope.cancelled_caught:
        raise Refusal("deadline", "the deadline passed before all pairs were scored")
    return web.json_response(encode_scores(scores, served.description))


async def _read(request: web.Request) -> web.Response:
    served = request.app[_SERVED]
    windows = decode_windows(await _body(request), held=served.windows)
    reader = reader_of(served.verifier)
    if reader is None:
        raise Refusal("bad_request", f"{served.description.name} does not read windows ahead")
    with _counted(served):
        try:
            await reader.read(windows)
        except Exception as error:
            raise _told(error) from error
    return web.json_response({"version": VERSION})


async def _describe(request: web.Request) -> web.Response:
    return web.json_response(request.app[_SERVED].description.to_json())


async def _health(request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


async def _ready(request: web.Request) -> web.Response:
    draining = request.app[_SERVED].draining
    return web.json_response({"status": "draining" if draining else "ready"}, status=503 if draining else 200)


async def _stats(request: web.Request) -> web.Response:
    served = request.app[_SERVED]
    stats = served.batching.stats
    row = {"calls": served.running, "waiting": stats.depth, "batches": stats.batches, "pairs": stats.pairs}
    return web.json_response({"version": VERSION, **row, "shed": stats.shed})


@contextmanager
def _counted(served: _Served) -> Iterator[None]:
    """Count a call, made in the block; raises Refusal where the replica is ending."""
    if served.draining:
        raise Refusal("draining", "the replica is ending")
    served.running += 1
    served.idle.clear()
    try:
        yield
    finally:
        served.running -= 1
        if not served.running:
            served.idle.set()


def _told(error: Exception) -> Refusal:
    refusal = Refusal.of(error)
    if refusal.code == "inference":
        logger.error("the verifier raised %s", type(error).__name__)  # its message may quote the texts
    return refusal


def _checked(scored: Sequence[Scores], count: int) -> list[Scores]:
    if len(scored) != count:
        raise InferenceError(f"the verifier gave {len(scored)} scores for {count} pairs")
    try:
        return [Scores(*triple).check() for triple in scored]
    except (TypeError, ValueError) as error:
        raise InferenceError(f"the verifier must give score triples: {error}") from error

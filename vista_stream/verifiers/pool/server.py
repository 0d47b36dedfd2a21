"""One replica of a verifier pool: an aiohttp application around any verifier.

| path | what it answers |
|---|---|
| `POST /score` | the scores of pairs (`wire`) |
| `POST /read` | nothing, once a model that reads windows once has read them |
| `GET /verifier` | name, thresholds, and whether the model reads windows once |
| `GET /healthz` | 200, or 500 where the verifier raises whatever it is asked |
| `GET /readyz` | 200 while it takes requests, 503 while it drains |
| `GET /stats` | calls under way, pairs that wait, scored, shed |
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable

import anyio

from vista_stream.errors import missing_extra
from vista_stream.logs import drop_text
from vista_stream.verifiers.pool.service import ReplicaSettings, Service, logger
from vista_stream.verifiers.pool.wire import STATUS, Refusal
from vista_stream.verifiers.protocol import Verifier

try:
    from aiohttp import web
except ImportError as error:
    raise ImportError(missing_extra("verifier-serve needs aiohttp", "pool")) from error

_SERVICE = web.AppKey("service", Service)

_connections = logging.getLogger("vista_stream.pool.connections")
# What cannot be read as HTTP is quoted in the exception, and may hold a token.
_connections.addFilter(drop_text)


def make_app(verifier: Verifier, settings: ReplicaSettings | None = None) -> web.Application:
    """The application; `make_runner` makes its server.

    Raises ValueError for settings that are too small.
    """
    settings = ReplicaSettings() if settings is None else settings
    app = web.Application(client_max_size=settings.max_body)
    app[_SERVICE] = Service(verifier, settings)
    app.router.add_route("*", "/{path:.*}", _answer)
    return app


def make_runner(app: web.Application, *, shutdown_timeout: float = 0.5) -> web.AppRunner:
    """A server for an application of `make_app`; use it in place of aiohttp's own.

    Calls whose client left are dropped. A request that cannot be read is logged without what it holds.
    """
    return web.AppRunner(
        app,
        handler_cancellation=True,
        access_log=None,
        logger=_connections,
        shutdown_timeout=shutdown_timeout,
    )


async def serve(
    app: web.Application, *, host: str, port: int, announce: Callable[[str], None] = logger.info
) -> None:
    """Listen until SIGTERM or SIGINT, then refuse new calls and let those under way end.

    `announce` is called with the URL once requests are accepted. Raises OSError where the address cannot be
    listened on.
    """
    service = app[_SERVICE]
    runner = make_runner(app)
    await runner.setup()
    try:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            await web.TCPSite(runner, host, port).start()
            announce(_url(runner))
            await anext(aiter(signals))
            service.draining = True
            logger.info("draining: %d calls are under way", service.running)
            with anyio.move_on_after(service.settings.drain):
                await service.idle.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await runner.cleanup()


def _url(runner: web.AppRunner) -> str:
    host, port = runner.addresses[0][:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _answer(request: web.Request) -> web.Response:
    service = request.app[_SERVICE]
    try:
        service.admit(request.path, request.headers.get("Authorization", ""))
        body = service.parse(await request.read())
    except web.HTTPRequestEntityTooLarge:
        return _refused(service.too_large)
    except web.RequestPayloadError:
        return _refused(Refusal("bad_request", "the body is not encoded as its headers say"))
    except Refusal as refusal:
        return _refused(refusal)
    status, answer = await service.answer(request.method, request.path, body)
    return web.json_response(answer, status=status)


def _refused(refusal: Refusal) -> web.Response:
    return web.json_response(refusal.to_json(), status=STATUS[refusal.code])

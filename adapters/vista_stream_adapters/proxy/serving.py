"""Runs the proxy's application: listens within its limits, and drains when it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from aiohttp import web

from vista_stream.logs import drop_text
from vista_stream_adapters.proxy.state import STATE, ProxyState

logger = logging.getLogger("vista_stream.proxy")

_connections = logging.getLogger("vista_stream.proxy.connections")
# What cannot be read as HTTP is quoted in the exception, and may hold a token.
_connections.addFilter(drop_text)


def make_runner(app: web.Application, *, shutdown_timeout: float = 0.5) -> web.AppRunner:
    """A server for an application of `make_app`; use it in place of aiohttp's own.

    A connection that sends no whole request head within `timeouts.idle` is closed. Nothing is decompressed.
    A request that cannot be read is logged without what it holds.
    """
    return web.AppRunner(
        app,
        handler_cancellation=True,
        access_log=None,
        logger=_connections,
        auto_decompress=False,
        keepalive_timeout=app[STATE].settings.timeouts.idle,
        shutdown_timeout=shutdown_timeout,
    )


async def serve(app: web.Application, *, announce: Callable[[str], None] = logger.info) -> None:
    """Listen until SIGTERM or SIGINT, then drain: accept no more requests, and let running answers end.

    `announce` is called with the URL once requests are accepted. A second signal, or `timeouts.drain`,
    cancels the answers that still run. Raises OSError where the address cannot be listened on.
    """
    state = app[STATE]
    # Answers are drained before the server is closed, so the server itself need not wait.
    runner = make_runner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, state.settings.host, state.settings.port)
        with _signals() as (stop, hurry):
            await site.start()
            announce(_url(runner))
            await stop.wait()
            logger.info("draining: %d answers are under way", state.traffic.running)
            await _drain(state, hurry)
    finally:
        await runner.cleanup()


async def _drain(state: ProxyState, hurry: asyncio.Event) -> None:
    draining = asyncio.create_task(state.traffic.drain(within=state.settings.timeouts.drain))
    hurrying = asyncio.create_task(hurry.wait())
    _, pending = await asyncio.wait((draining, hurrying), return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    if state.traffic.running:
        logger.warning("%d answers are cut off", state.traffic.running)


@contextmanager
def _signals() -> Iterator[tuple[asyncio.Event, asyncio.Event]]:
    """Two events: set by the first, and by any further, SIGTERM or SIGINT."""
    stop, hurry = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    caught = []

    def receive() -> None:
        (hurry if stop.is_set() else stop).set()

    for number in (signal.SIGTERM, signal.SIGINT):
        # Windows has no such handlers: there KeyboardInterrupt ends the loop.
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, receive)
            caught.append(number)
    try:
        yield stop, hurry
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


def _url(runner: web.AppRunner) -> str:
    host, port = runner.addresses[0][:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

"""Replicas of a verifier pool on the loopback, in the test's own event loop."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import anyio
from aiohttp import web

from vista_stream.claims import Pair, Scores
from vista_stream.verifiers.pool.server import make_app, make_runner
from vista_stream.verifiers.pool.service import ReplicaSettings


def pair(number: int = 1, **options: object) -> Pair:
    return Pair(f"premise {number}", "claim", **options)


def triple(number: int) -> Scores:
    return Scores(number / 1000, 1 - number / 1000, 0.0)


class Numbers:
    """A verifier that scores by the number in the premise, after `delay` seconds; counts its calls."""

    name = "numbers"

    def __init__(self, *, delay: float = 0.0, error: Exception | None = None) -> None:
        self.delay = delay
        self.error = error
        self.seen: list[Pair] = []
        self.calls = 0
        self.cancelled = 0
        self.over = anyio.Event()
        """Set when a call has ended, in whatever way."""

    async def score(self, pairs):
        self.seen += pairs
        self.calls += 1
        try:
            await anyio.sleep(self.delay)
        except BaseException:
            self.cancelled += 1
            raise
        finally:
            self.over.set()
        if self.error is not None:
            raise self.error
        return [triple(int(each.premise.split()[1])) for each in pairs]


def make_numbers() -> Numbers:
    """What `--verifier pool_replicas:make_numbers` names."""
    return Numbers()


def make_slow_numbers() -> Numbers:
    """One whose calls take six seconds."""
    return Numbers(delay=6.0)


@asynccontextmanager
async def replica(verifier, *, port: int = 0, **settings):
    """The base URL of a replica around a verifier."""
    runner = make_runner(make_app(verifier, ReplicaSettings(**settings)), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def socket_server(behave):
    """The base URL of a server that does `behave(reader, writer)` with each connection, and no more."""

    async def meet(reader, writer):
        try:
            await behave(reader, writer)
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def silent(reader, writer):
    """Reads what comes and never answers."""
    while await reader.read(65536):
        pass


async def resetting(reader, writer):
    """Breaks the connection off once a request has come."""
    await reader.read(65536)

"""Writes a response of server-sent events and keeps it alive while text is held back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from vista_stream_adapters.proxy.settings import Timeouts
from vista_stream_adapters.rewrite.sse import encode_comment

_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    # Without it, reverse proxies such as nginx buffer events.
    "X-Accel-Buffering": "no",
}
_BEGUN = web.RequestKey("begun", web.StreamResponse)
"""Key of the response that a request was sent the beginning of."""


class EventWriter:
    """Writes events to one client: `async with EventWriter(request, timeouts=...) as writer`.

    A write waits while the client reads slowly; this is how backpressure reaches the upstream. A write that
    waits longer than `timeouts.client` raises ConnectionResetError, as for a client that disconnected.
    """

    def __init__(
        self, request: web.Request, *, timeouts: Timeouts, headers: dict[str, str] | None = None
    ) -> None:
        self._request = request
        self._timeouts = timeouts
        self._response = web.StreamResponse(headers={**_HEADERS, **(headers or {})})
        self._lock = asyncio.Lock()
        self._wrote = asyncio.Event()
        self._pulse: asyncio.Task[None] | None = None

    @property
    def response(self) -> web.StreamResponse:
        """The response, for the request's handler to return."""
        return self._response

    async def __aenter__(self) -> Self:
        self._request[_BEGUN] = self._response
        await self._response.prepare(self._request)
        self._pulse = asyncio.create_task(self._keep_alive())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._pulse is not None
        self._pulse.cancel()
        await asyncio.wait([self._pulse])
        if kind is None:
            await self._in_time(self._response.write_eof())

    async def send(self, frame: bytes) -> None:
        """Write one or more whole events, encoded."""
        self._wrote.set()
        async with self._lock:
            await self._in_time(self._response.write(frame))

    async def _in_time(self, writing: Coroutine[Any, Any, None]) -> None:
        await _written(self._request, writing, within=self._timeouts.client)

    async def _keep_alive(self) -> None:
        while True:
            self._wrote.clear()
            try:
                async with asyncio.timeout(self._timeouts.keep_alive):
                    await self._wrote.wait()
            except TimeoutError:
                if not self._lock.locked():
                    await self._beat()

    async def _beat(self) -> None:
        try:
            await self.send(encode_comment("held back"))
        except ConnectionError:
            # Writing the answer raises the same error, which ends the turn.
            _drop(self._request)


def write_middleware(timeouts: Timeouts) -> Middleware:
    """Writes whole responses too within `timeouts.client`: a client that does not read one is dropped.

    After the beginning of a stream no other response can be written: there the connection ends.
    """

    @web.middleware
    async def write(request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        if _BEGUN in request and request[_BEGUN] is not response:
            raise ConnectionResetError("the request failed after its stream had begun")
        await response.prepare(request)
        await _written(request, response.write_eof(), within=timeouts.client)
        return response

    return write


async def _written(request: web.Request, writing: Coroutine[Any, Any, None], *, within: float) -> None:
    try:
        async with asyncio.timeout(within):
            await writing
    except TimeoutError:
        _drop(request)
        raise ConnectionResetError("the client does not read") from None


def _drop(request: web.Request) -> None:
    """Close the connection; this cancels the request's handler, which closes the upstream."""
    if request.transport is not None:
        request.transport.abort()

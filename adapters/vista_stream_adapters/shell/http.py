"""Guarded HTTP clients: a layer between an SDK and its httpx client.

The SDK gets a client of the class that it expects. The client's `send` rewrites the answers to guarded
requests, so every method of the SDK is guarded, and the SDK still builds its own objects. httpx and its
successor httpx2 are both supported.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import cache, partial
from types import ModuleType
from typing import Any, TypeAlias

import anyio
from anyio import CapacityLimiter, to_thread
from anyio.from_thread import BlockingPortal

from vista_stream import UpstreamError
from vista_stream.portal import begun_through, blocking_portal, call_through
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.dialect import Dialect
from vista_stream_adapters.rewrite.lane_log import Payload
from vista_stream_adapters.rewrite.sse import encode
from vista_stream_adapters.shell.detached import Detached
from vista_stream_adapters.shell.stream import GuardedStream, guard_body

CONVERSATION_HEADER = "x-vista-conversation"
"""Request header that names the conversation; it is not sent on."""

DialectFor: TypeAlias = Callable[[Any, Mapping[str, Any]], Dialect | None]
"""Returns the dialect for an httpx request and its JSON body; None leaves the answer unguarded. Raises
ValueError for a request whose answer cannot be guarded."""

_DROPPED = ("content-length", "content-encoding", "transfer-encoding")


def guarded_client(client: Any, guard: Guard, dialect_for: DialectFor) -> Any:
    """A client of the same httpx class as the SDK's own that sends through it and guards the answers.

    Raises TypeError where `client` is no client of an SDK, or does not send through httpx or httpx2.
    """
    inner = getattr(client, "_client", None)
    if inner is None:
        raise TypeError(
            f"client must be a client of the SDK, such as AsyncOpenAI(), not {type(client).__name__}"
        )
    for base in type(inner).__mro__:
        module = sys.modules[base.__module__.partition(".")[0]]
        if base.__name__ in ("Client", "AsyncClient") and module.__name__ in ("httpx", "httpx2"):
            guarded = _AsyncGuarded if base.__name__ == "AsyncClient" else _SyncGuarded
            # `base.__init__` is never called: `inner` does the sending.
            return _class(guarded, base)(module, inner, guard, dialect_for)
    raise TypeError(f"the client must send through httpx or httpx2, not {type(inner).__name__}")


class _Plan:
    """How the answer to one request is guarded."""

    def __init__(self, guard: Guard, dialect: Dialect, conversation: str | None, *, streamed: bool) -> None:
        self._streamed = streamed
        self.stream = partial(GuardedStream, dialect=dialect, guard=guard, conversation=conversation)
        self.body = partial(guard_body, dialect=dialect, guard=guard, conversation=conversation)

    def is_stream(self, response: Any) -> bool:
        """Whether an answer is a stream of events: by its content type, else by what the request asked."""
        kinds = {"text/event-stream": True, "application/json": False}
        return kinds.get(_media(response), self._streamed)


def _plan(request: Any, guard: Guard, dialect_for: DialectFor) -> _Plan | None:
    conversation = request.headers.pop(CONVERSATION_HEADER, None)
    asked = _asked(request)
    dialect = dialect_for(request, asked)
    streamed = bool(asked.get("stream")) or request.url.params.get("stream") == "true"
    return None if dialect is None else _Plan(guard, dialect, conversation, streamed=streamed)


def _asked(request: Any) -> Mapping[str, Any]:
    """A request's JSON object; empty for other content, which may not be readable yet, as in an upload."""
    if _media(request) != "application/json":
        return {}
    try:
        body = json.loads(request.content)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _media(message: Any) -> str:
    return str(message.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _read(response: Any) -> Payload:
    """The JSON object of a received answer; raises UpstreamError where it is not one."""
    try:
        body = response.json()
    except (ValueError, RecursionError) as error:
        raise UpstreamError(f"the upstream's answer is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise UpstreamError("the upstream's answer is not a JSON object")
    return body


def _like(module: ModuleType, response: Any, **content: Any) -> Any:
    """A copy of a response with other content."""
    headers = [(key, value) for key, value in response.headers.multi_items() if key.lower() not in _DROPPED]
    like = _class(_Response, module.Response)(
        response.status_code,
        headers=headers,
        request=response.request,
        extensions=response.extensions,
        **content,
    )
    like.guarded = response
    return like


def _failed(module: ModuleType, response: Any, failure: Exception) -> Any:
    """A copy of a response that raises `failure` where its content is read.

    Some SDKs retry, and pay again, whatever `send` raises; they do not retry after this.
    """
    stream = _class(_Failure, module.SyncByteStream, module.AsyncByteStream)(failure)
    like = _like(module, response, stream=stream)
    like.failure = failure
    return like


def _refused(module: ModuleType, request: Any, failure: Exception) -> Any:
    """The answer to a request that is not sent because it could not be guarded; it raises `failure`."""
    headers = {"content-type": "application/json"}
    return _failed(module, module.Response(200, headers=headers, request=request), failure)


class _Guarded:
    """A wrapper around another client; everything except sending is delegated to that client."""

    def __init__(self, module: ModuleType, inner: Any, guard: Guard, dialect_for: DialectFor) -> None:
        self._module = module
        self._inner = inner
        self._guard = guard
        self._dialect_for = dialect_for

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _AsyncGuarded(_Guarded):
    async def send(self, request: Any, *, stream: bool = False, **settings: Any) -> Any:
        try:
            plan = _plan(request, self._guard, self._dialect_for)
        except ValueError as error:
            return _refused(self._module, request, error)
        response = await self._inner.send(request, stream=stream or plan is not None, **settings)
        if plan is None:
            return response
        if response.is_success and not plan.is_stream(response):
            await response.aread()
            try:
                content = json.dumps(await plan.body(_read(response))).encode()
            except Exception as error:
                return _failed(self._module, response, error)
            return _like(self._module, response, content=content)
        if response.is_success:
            body = _class(_AsyncBody, self._module.AsyncByteStream)(response, plan)
            response = _like(self._module, response, stream=body)
        if not stream:
            await response.aread()
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _SyncGuarded(_Guarded):
    def send(self, request: Any, *, stream: bool = False, **settings: Any) -> Any:
        try:
            plan = _plan(request, self._guard, self._dialect_for)
        except ValueError as error:
            return _refused(self._module, request, error)
        response = self._inner.send(request, stream=stream or plan is not None, **settings)
        if plan is None:
            return response
        if response.is_success and not plan.is_stream(response):
            response.read()
            try:
                # Not anyio.run: the caller's thread may already run an event loop, as in a notebook.
                with blocking_portal() as portal:
                    content = json.dumps(call_through(portal, plan.body, _read(response))).encode()
            except Exception as error:
                return _failed(self._module, response, error)
            return _like(self._module, response, content=content)
        if response.is_success:
            response.stream = _class(_Leaving, self._module.SyncByteStream)(response)
            body = _class(_SyncBody, self._module.SyncByteStream)(response, plan)
            response = _like(self._module, response, stream=body)
        if not stream:
            response.read()
        return response

    def close(self) -> None:
        self._inner.close()


@cache
def _class(ours: type, *bases: type) -> type:
    """Our class as a subclass of httpx's classes: httpx and the SDKs accept no others."""
    return type(ours.__name__, (ours, *bases), {})


class _Response:
    """A response that replaces `guarded`, the upstream's own response."""

    guarded: Any
    failure: Exception | None = None

    @property
    def elapsed(self) -> Any:
        """The time of the upstream's response: only that one was measured."""
        return self.guarded.elapsed

    @property
    def content(self) -> bytes:
        if self.failure is not None:
            raise self.failure
        content: bytes = super().content  # type: ignore[misc]
        return content


class _Failure:
    """Content that raises `failure` when it is read."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    def __iter__(self) -> Iterator[bytes]:
        raise self._failure

    def __aiter__(self) -> AsyncIterator[bytes]:
        raise self._failure


class _SyncBody:
    """A guarded answer's bytes; the guard runs in an event loop in a thread. Any thread may close it."""

    def __init__(self, response: Any, plan: _Plan) -> None:
        self._response = response
        self._events = Detached(partial(_send_all, plan, response))
        self._loop = ExitStack()
        self._portal: BlockingPortal | None = None
        self._turns = threading.Lock()
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        with self._turns:
            if self._closed:
                raise StopIteration
            if self._portal is None:
                self._portal = self._loop.enter_context(blocking_portal())
                self._thread = self._portal.call(threading.get_ident)
            reading = begun_through(self._portal, anext, self._events, None)
        over = True
        try:
            event: bytes | None = reading()
            over = event is None
        finally:
            if over:
                self.close()
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        with self._turns:
            closed, self._closed = self._closed, True
        if closed:
            return
        if self._portal is not None and self._thread == threading.get_ident():
            # The collector may finish a reader's generator in the loop's own thread, which cannot wait for
            # itself.
            threading.Thread(target=self._leave, daemon=True).start()
        else:
            self._leave()

    def _leave(self) -> None:
        with self._loop:
            try:
                if self._portal is not None:
                    call_through(self._portal, self._events.aclose)
            finally:
                self._response.close()


class _Leaving:
    """The bytes of an upstream's response; closing them ends a read that waits in another thread."""

    def __init__(self, response: Any) -> None:
        self._stream = response.stream
        self._ended = False
        # The streams of HTTP/2 share one connection.
        alone = response.http_version != "HTTP/2"
        self._network = response.extensions.get("network_stream") if alone else None

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream
        self._ended = True

    def close(self) -> None:
        connection = None if self._ended or self._network is None else self._network.get_extra_info("socket")
        if connection is not None:
            # Closing alone tells the upstream nothing while a thread still reads.
            with suppress(OSError):  # the upstream has left already
                connection.shutdown(socket.SHUT_RDWR)
        self._stream.close()


async def _send_all(plan: _Plan, response: Any, send: Callable[[bytes], Awaitable[None]]) -> None:
    # Its own: threads that wait for silent upstreams would use up a shared one.
    limiter = CapacityLimiter(2)

    async def close() -> None:
        await to_thread.run_sync(response.close, limiter=limiter)

    async with plan.stream(_in_threads(response.iter_bytes(), limiter), close=close) as events:
        async for event in events:
            await send(encode(event))


async def _in_threads(chunks: Iterator[bytes], limiter: CapacityLimiter) -> AsyncIterator[bytes]:
    read = partial(to_thread.run_sync, next, chunks, None, abandon_on_cancel=True, limiter=limiter)
    while (chunk := await read()) is not None:
        yield chunk


class _AsyncBody(Detached[bytes]):
    """A guarded answer's bytes."""

    def __init__(self, response: Any, plan: _Plan) -> None:
        guarded = plan.stream(response.aiter_bytes(), close=response.aclose)

        async def run(send: Callable[[bytes], Awaitable[None]]) -> None:
            async with guarded as events:
                async for event in events:
                    await send(encode(event))

        super().__init__(run)
        self._response = response

    async def aclose(self) -> None:
        await super().aclose()
        with anyio.CancelScope(shield=True):
            await self._response.aclose()

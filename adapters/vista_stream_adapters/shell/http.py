"""HTTP clients whose answers are guarded: what stands between an SDK and its httpx client.

An SDK is handed a client of the class that it expects, whose `send` rewrites the answers of guarded
requests. So every way the SDK has of asking is guarded at once, and it builds its own objects. httpx and
its successor httpx2 are served alike.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache, partial
from threading import Lock
from types import ModuleType
from typing import Any, TypeAlias

import anyio
from anyio import to_thread
from anyio.from_thread import BlockingPortal

from vista_stream import UpstreamError
from vista_stream.portal import blocking_portal
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.dialect import Dialect
from vista_stream_adapters.rewrite.lane_log import Payload
from vista_stream_adapters.rewrite.sse import encode
from vista_stream_adapters.shell.detached import Detached
from vista_stream_adapters.shell.stream import GuardedStream, guard_body

CONVERSATION_HEADER = "x-vista-conversation"
"""Request header that names the conversation; it is not sent on."""

DialectFor: TypeAlias = Callable[[Any, Mapping[str, Any]], Dialect | None]
"""Gives the dialect for a request of httpx and its JSON body; None leaves its answer unguarded. It raises
ValueError for a request whose answer could not be guarded."""

_DROPPED = ("content-length", "content-encoding", "transfer-encoding")


def guarded_client(inner: Any, guard: Guard, dialect_for: DialectFor) -> Any:
    """A client of the same httpx class as `inner`, sending through it, that guards what comes back.

    Raises TypeError where `inner` is no client of httpx or httpx2.
    """
    for base in type(inner).__mro__:
        module = sys.modules[base.__module__.partition(".")[0]]
        if base.__name__ in ("Client", "AsyncClient") and module.__name__ in ("httpx", "httpx2"):
            guarded = _AsyncGuarded if base.__name__ == "AsyncClient" else _SyncGuarded
            # `base` is never initialised, `inner` is.
            return _class(guarded, base)(module, inner, guard, dialect_for)
    raise TypeError(f"the client must send through httpx or httpx2, not {type(inner).__name__}")


class _Plan:
    """What guards the answer to one request."""

    def __init__(self, guard: Guard, dialect: Dialect, conversation: str | None, *, streamed: bool) -> None:
        self._streamed = streamed
        self.stream = partial(GuardedStream, dialect=dialect, guard=guard, conversation=conversation)
        self.body = partial(guard_body, dialect=dialect, guard=guard, conversation=conversation)

    def is_stream(self, response: Any) -> bool:
        """Whether an answer is events: as it says, or else, since none may pass, as the request said."""
        kinds = {"text/event-stream": True, "application/json": False}
        return kinds.get(_media(response), self._streamed)


def _plan(request: Any, guard: Guard, dialect_for: DialectFor) -> _Plan | None:
    conversation = request.headers.pop(CONVERSATION_HEADER, None)
    asked = _asked(request)
    dialect = dialect_for(request, asked)
    streamed = bool(asked.get("stream")) or request.url.params.get("stream") == "true"
    return None if dialect is None else _Plan(guard, dialect, conversation, streamed=streamed)


def _asked(request: Any) -> Mapping[str, Any]:
    """A request's JSON object; empty where it is none. Other content, as an upload's, is not there yet."""
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
    """The JSON object of an answer that has come; raises UpstreamError where it is none."""
    try:
        body = response.json()
    except (ValueError, RecursionError) as error:
        raise UpstreamError(f"the upstream's answer is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise UpstreamError("the upstream's answer is not a JSON object")
    return body


def _like(module: ModuleType, response: Any, **content: Any) -> Any:
    """A response like another with other content."""
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
    """A response like another, whose content cannot be had.

    Some SDKs ask again, and pay again, whatever `send` raises; this raises where the content is read.
    """
    stream = _class(_Failure, module.SyncByteStream, module.AsyncByteStream)(failure)
    like = _like(module, response, stream=stream)
    like.failure = failure
    return like


def _refused(module: ModuleType, request: Any, failure: Exception) -> Any:
    """In the place of an answer to a request that is not sent, since the answer could not be guarded."""
    headers = {"content-type": "application/json"}
    return _failed(module, module.Response(200, headers=headers, request=request), failure)


class _Guarded:
    """Stands in front of another client, which answers for all but sending."""

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
                # Not anyio.run: the caller's thread may have an event loop running, as in a notebook.
                with blocking_portal() as portal:
                    content = json.dumps(portal.call(plan.body, _read(response))).encode()
            except Exception as error:
                return _failed(self._module, response, error)
            return _like(self._module, response, content=content)
        if response.is_success:
            body = _class(_SyncBody, self._module.SyncByteStream)(response, plan)
            response = _like(self._module, response, stream=body)
        if not stream:
            response.read()
        return response

    def close(self) -> None:
        self._inner.close()


@cache
def _class(ours: type, *bases: type) -> type:
    """Ours as one of httpx's: it and the SDKs take only their own."""
    return type(ours.__name__, (ours, *bases), {})


class _Response:
    """A response in the place of `guarded`, the upstream's own."""

    guarded: Any
    failure: Exception | None = None

    @property
    def elapsed(self) -> Any:
        """As of the upstream's, which alone was timed."""
        return self.guarded.elapsed

    @property
    def content(self) -> bytes:
        if self.failure is not None:
            raise self.failure
        content: bytes = super().content  # type: ignore[misc]
        return content


class _Failure:
    """Content that cannot be read."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    def __iter__(self) -> Iterator[bytes]:
        raise self._failure

    def __aiter__(self) -> AsyncIterator[bytes]:
        raise self._failure


class _SyncBody:
    """A guarded answer's bytes, which any thread may close; the guard has an event loop in a thread."""

    def __init__(self, response: Any, plan: _Plan) -> None:
        self._response = response
        self._events = Detached(partial(_send_all, plan, response))
        self._loop = ExitStack()
        self._portal: BlockingPortal | None = None
        self._turns = Lock()
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        with self._turns:
            if self._closed:
                raise StopIteration
            if self._portal is None:
                self._portal = self._loop.enter_context(blocking_portal())
            reading = self._portal.start_task_soon(anext, self._events, None)
        over = True
        try:
            event: bytes | None = reading.result()
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
        if self._portal is not None:
            self._portal.call(self._events.aclose)
        self._loop.close()
        self._response.close()


async def _send_all(plan: _Plan, response: Any, send: Callable[[bytes], Awaitable[None]]) -> None:
    async def close() -> None:
        await to_thread.run_sync(response.close)

    async with plan.stream(_in_threads(response.iter_bytes()), close=close) as events:
        async for event in events:
            await send(encode(event))


async def _in_threads(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    while (chunk := await to_thread.run_sync(next, chunks, None, abandon_on_cancel=True)) is not None:
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

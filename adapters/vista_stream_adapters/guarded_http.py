"""HTTP clients whose answers are guarded: what stands between an SDK and its httpx client.

An SDK is handed a client of the class that it expects, whose `send` rewrites the answers of guarded
requests. So every way the SDK has of asking is guarded at once, and it builds its own objects. httpx and
its successor httpx2 are served alike.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from functools import cache, partial
from types import ModuleType
from typing import Any, TypeAlias

import anyio
from anyio import to_thread
from anyio.from_thread import start_blocking_portal

from vista_stream import UpstreamError
from vista_stream_adapters.detached import Detached
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.lane_log import Payload
from vista_stream_adapters.rewrite import Dialect
from vista_stream_adapters.rewrite_stream import GuardedStream, guard_body
from vista_stream_adapters.sse import encode

CONVERSATION_HEADER = "x-vista-conversation"
"""Request header that names the conversation; it is not sent on."""

DialectFor: TypeAlias = Callable[[Any, Mapping[str, Any]], Dialect | None]
"""Gives the dialect for a request of httpx and its JSON body; None leaves its answer unguarded."""

_DROPPED = ("content-length", "content-encoding", "transfer-encoding")


def guarded_client(inner: Any, guard: Guard, dialect_for: DialectFor) -> Any:
    """A client of the same httpx class as `inner`, sending through it, that guards what comes back.

    Raises TypeError where `inner` is no client of httpx or httpx2.
    """
    for base in type(inner).__mro__:
        module = sys.modules[base.__module__.partition(".")[0]]
        if base.__name__ in ("Client", "AsyncClient") and module.__name__ in ("httpx", "httpx2"):
            guarded = _AsyncGuarded if base.__name__ == "AsyncClient" else _SyncGuarded
            return _client_class(base, guarded)(module, inner, guard, dialect_for)
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
    return module.Response(
        response.status_code,
        headers=headers,
        request=response.request,
        extensions=response.extensions,
        **content,
    )


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
        plan = _plan(request, self._guard, self._dialect_for)
        response = await self._inner.send(request, stream=stream or plan is not None, **settings)
        if plan is None:
            return response
        if response.is_success and not plan.is_stream(response):
            await response.aread()
            content = json.dumps(await plan.body(_read(response))).encode()
            return _like(self._module, response, content=content)
        if response.is_success:
            body = _stream_class(self._module.AsyncByteStream, _AsyncBody)(response, plan)
            response = _like(self._module, response, stream=body)
        if not stream:
            await response.aread()
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _SyncGuarded(_Guarded):
    def send(self, request: Any, *, stream: bool = False, **settings: Any) -> Any:
        plan = _plan(request, self._guard, self._dialect_for)
        response = self._inner.send(request, stream=stream or plan is not None, **settings)
        if plan is None:
            return response
        if response.is_success and not plan.is_stream(response):
            response.read()
            # Not anyio.run: the caller's thread may have an event loop running, as in a notebook.
            with start_blocking_portal() as portal:
                content = json.dumps(portal.call(plan.body, _read(response))).encode()
            return _like(self._module, response, content=content)
        if response.is_success:
            body = _stream_class(self._module.SyncByteStream, _SyncBody)(response, plan)
            response = _like(self._module, response, stream=body)
        if not stream:
            response.read()
        return response

    def close(self) -> None:
        self._inner.close()


@cache
def _stream_class(base: type, body: type) -> type:
    """httpx takes only streams of its own classes."""
    return type(body.__name__, (body, base), {})


@cache
def _client_class(base: type, guarded: type) -> type:
    """SDKs take only clients of httpx's classes; `base` is never initialised, `_inner` is."""
    return type(guarded.__name__, (guarded, base), {})


class _SyncBody:
    """A guarded answer's bytes; the guard runs on an event loop in a thread of its own."""

    def __init__(self, response: Any, plan: _Plan) -> None:
        self._response = response
        self._pieces = _pieces(response, plan)

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        self._pieces.close()
        self._response.close()


def _pieces(response: Any, plan: _Plan) -> Generator[bytes]:
    async def close() -> None:
        await to_thread.run_sync(response.close)

    guarded = plan.stream(_in_threads(response.iter_bytes()), close=close)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(guarded) as events:
        while (event := portal.call(anext, events, None)) is not None:
            yield encode(event)


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

"""HTTP clients whose answers are guarded: what stands between an SDK and its httpx client.

An SDK is handed a client of the class that it expects, whose `send` rewrites the answers of guarded
requests. So every way the SDK has of asking is guarded at once, and it builds its own objects. httpx and
its successor httpx2 are served alike.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
from functools import cache, partial
from types import ModuleType
from typing import Any, TypeAlias

import anyio
from anyio import to_thread
from anyio.from_thread import start_blocking_portal

from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite import Dialect
from vista_stream_adapters.rewrite_stream import GuardedStream, guard_body
from vista_stream_adapters.sse import encode

CONVERSATION_HEADER = "x-vista-conversation"
"""Request header that names the conversation; it is not sent on."""

DialectFor: TypeAlias = Callable[[str, str, Mapping[str, Any]], Dialect | None]
"""Gives the dialect for a request's method, path and JSON body; None leaves its answer unguarded."""

_DROPPED = ("content-length", "content-encoding", "transfer-encoding")
_running: set[asyncio.Task[None]] = set()


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

    def __init__(self, guard: Guard, dialect: Dialect, conversation: str | None) -> None:
        self.stream = partial(GuardedStream, dialect=dialect, guard=guard, conversation=conversation)
        self.body = partial(guard_body, dialect=dialect, guard=guard, conversation=conversation)


def _plan(request: Any, guard: Guard, dialect_for: DialectFor) -> _Plan | None:
    conversation = request.headers.pop(CONVERSATION_HEADER, None)
    try:
        body = json.loads(request.content or b"{}")
    except ValueError:
        return None
    dialect = dialect_for(request.method, request.url.path, body)
    return None if dialect is None else _Plan(guard, dialect, conversation)


def _kind(response: Any) -> str:
    """What an answer is: 'events', 'body', or 'other', which stays as it is."""
    media = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not response.is_success:
        return "other"
    return {"text/event-stream": "events", "application/json": "body"}.get(media, "other")


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
        kind = _kind(response)
        if kind == "body":
            await response.aread()
            content = json.dumps(await plan.body(response.json())).encode()
            return _like(self._module, response, content=content)
        if kind == "events":
            guarded = plan.stream(response.aiter_bytes(), close=response.aclose)
            body = _stream_class(self._module.AsyncByteStream, _AsyncBody)(guarded, response.aclose)
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
        kind = _kind(response)
        if kind == "body":
            response.read()
            content = json.dumps(anyio.run(plan.body, response.json())).encode()
            return _like(self._module, response, content=content)
        if kind == "events":
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


class _AsyncBody:
    """A guarded stream in a task of its own: a reader may take and close it from any task or scope.

    An SDK's stream is read in one place and closed in another, which a task group does not allow. The
    task starts with the first read and ends with the stream or with `aclose`.
    """

    def __init__(self, guarded: GuardedStream, close: Callable[[], Awaitable[None]]) -> None:
        self._guarded = guarded
        self._close = close
        self._scope: anyio.CancelScope | None = None
        self._failure: Exception | None = None
        self._send, self._receive = anyio.create_memory_object_stream[bytes](0)

    def __aiter__(self) -> _AsyncBody:
        return self

    async def __anext__(self) -> bytes:
        if self._scope is None:
            self._scope = anyio.CancelScope()
            self._over = anyio.Event()
            _spawn(self._run)
        try:
            return await self._receive.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            failure, self._failure = self._failure, None
            if failure is not None:
                raise failure from failure.__cause__
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Cancel the guard and close the upstream."""
        with anyio.CancelScope(shield=True):
            if self._scope is not None:
                self._scope.cancel()
                await self._over.wait()
            self._send.close()
            self._receive.close()
            await self._close()

    async def _run(self) -> None:
        assert self._scope is not None
        try:
            with self._scope:
                async with self._guarded as events:
                    async for event in events:
                        await self._send.send(encode(event))
        except Exception as error:
            self._failure = error
        finally:
            self._send.close()
            self._over.set()


def _spawn(run: Callable[[], Coroutine[Any, Any, None]]) -> None:
    try:
        task = asyncio.get_running_loop().create_task(run())
    except RuntimeError:
        import trio

        trio.lowlevel.spawn_system_task(run)
    else:
        _running.add(task)
        task.add_done_callback(_running.discard)

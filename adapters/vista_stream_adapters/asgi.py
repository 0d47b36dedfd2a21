"""A guarded answer as an ASGI response: server-sent events or a WebSocket, with no dependency.

Any ASGI server can run it. A route of Starlette or FastAPI can return it directly: where Starlette is
installed, `GuardedAnswer` is a subclass of its `Response`.
"""

from __future__ import annotations

import json
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Iterable,
    MutableMapping,
    Sequence,
)
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio

from vista_stream import BadDelta, VistaError
from vista_stream.core.text.surrogates import encodable
from vista_stream.failures import one_error
from vista_stream_adapters.guard import Guard, Message
from vista_stream_adapters.rewrite.lane_log import Sent
from vista_stream_adapters.rewrite.sse import SseEvent, encode
from vista_stream_adapters.shell.text import guarded_pieces

if TYPE_CHECKING:
    from starlette.responses import Response as _Response
else:
    try:
        from starlette.responses import Response as _Response
    except ImportError:
        _Response = object

AsgiMessage: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[AsgiMessage]]
Send: TypeAlias = Callable[[AsgiMessage], Awaitable[None]]

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]


class GuardedAnswer(_Response):
    """One guarded answer; an ASGI application for one `http` or `websocket` scope.

    Each server-sent event or text frame is a JSON object. `{"type": "text", "text": …, "vista": …}` is
    released text, with `vista` where there are verdicts. The last is `{"type": "end", "vista": …}`, or
    `{"type": "error", "error": …}` with the name of the VistaError or BadDelta that ended the answer.
    When the client disconnects, the turn is cancelled and the deltas are closed.

    Args:
        deltas: the answer, any async or sync iterable of str.
        guard: makes the session.
        messages: the chat messages that it answers; they give the query and the history.
        conversation: key under which the common ground is kept.
    """

    def __init__(
        self,
        deltas: AsyncIterable[str] | Iterable[str],
        *,
        guard: Guard,
        messages: Sequence[Message],
        conversation: str | None = None,
    ) -> None:
        # The attributes that Starlette and FastAPI read. Their __init__ is not called: it wants a whole body.
        self.status_code = 200
        self.background: Any = None
        """Background task, awaited after a whole answer over `http`; None for none."""
        self.raw_headers = list(_HEADERS)
        self._pieces = guarded_pieces(deltas, guard=guard, messages=messages, conversation=conversation)

    async def body(self) -> AsyncGenerator[bytes]:  # type: ignore[override, unused-ignore]
        """The answer as server-sent events."""
        async with aclosing(self._objects()) as objects:
            async for line in objects:
                yield encode(SseEvent(data=line))

    async def __call__(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Answer one request; raises ValueError for a scope that is neither http nor websocket."""
        respond = {"http": self._respond, "websocket": self._speak}.get(scope["type"])
        if respond is None:
            raise ValueError(f"scope must be of type 'http' or 'websocket', not {scope['type']!r}")
        answered = False
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_cancel_on_leaving, receive, tasks.cancel_scope)
                await respond(send)
                answered = True
                tasks.cancel_scope.cancel()
        except ExceptionGroup as group:
            error = one_error(group)
            raise error from error.__cause__
        # Here, because servers tell of a disconnect as soon as the answer is complete.
        if answered and scope["type"] == "http" and self.background is not None:
            await self.background()

    async def _respond(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self.body()) as body:
            async for piece in body:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _speak(self, send: Send) -> None:
        await send({"type": "websocket.accept"})
        async with aclosing(self._objects()) as objects:
            async for line in objects:
                await send({"type": "websocket.send", "text": line})
        await send({"type": "websocket.close", "code": 1000})

    async def _objects(self) -> AsyncGenerator[str]:
        async with aclosing(self._pieces) as pieces:
            try:
                async for sent in pieces:
                    yield encodable(json.dumps(_object(sent), ensure_ascii=False))
            except (VistaError, BadDelta) as error:
                # The HTTP status is already sent. The message may quote unguarded text: send only the type.
                yield json.dumps({"type": "error", "error": type(error).__name__})


def _object(sent: Sent) -> dict[str, Any]:
    if "stopped" in sent.vista:
        return {"type": "end", "vista": sent.vista}
    verdicts = {"vista": sent.vista} if sent.vista else {}
    return {"type": "text", "text": sent.text, **verdicts}


async def _cancel_on_leaving(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] not in ("http.disconnect", "websocket.disconnect"):
        pass
    scope.cancel()

"""The routes of the API: chat completions and responses, guarded; models, embeddings and moderations."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias
from urllib.parse import quote

from aiohttp import web

from vista_stream_adapters.proxy.auth import CLIENT
from vista_stream_adapters.proxy.errors import ApiError, as_api_error
from vista_stream_adapters.proxy.record import TRACE_HEADERS, AnswerRecord
from vista_stream_adapters.proxy.requests import (
    CONVERSATION,
    conversation_key,
    expect,
    read_json,
    take_extra,
    tool_texts,
)
from vista_stream_adapters.proxy.state import STATE, ProxyState
from vista_stream_adapters.proxy.upstream import UpstreamStream
from vista_stream_adapters.proxy.writer import EventWriter
from vista_stream_adapters.rewrite.chat import HELPER_HEADER, ChatDialect
from vista_stream_adapters.rewrite.dialect import Dialect
from vista_stream_adapters.rewrite.responses import ResponsesDialect
from vista_stream_adapters.rewrite.sse import encode
from vista_stream_adapters.rewrite.wire import refuse_audio, write_json
from vista_stream_adapters.shell.stream import GuardedStream, guard_body

Body: TypeAlias = dict[str, Any]

PATHS = {"chat": "/chat/completions", "responses": "/responses"}
"""Path of each guarded API: under `/v1` here, and under the base URL of the upstream."""

MESSAGES = {"chat": "messages", "responses": "input"}
"""Field of each guarded API's requests that holds the messages."""


def add_answers(app: web.Application) -> None:
    """Add the API's routes to an application that holds a ProxyState."""
    for api, path in PATHS.items():
        app.router.add_post(f"/v1{path}", _handler(api), expect_handler=expect)
    app.router.add_get("/v1/models", _models)
    app.router.add_get("/v1/models/{model:.+}", _models)
    for path in ("/embeddings", "/moderations"):
        app.router.add_post(f"/v1{path}", _pass_on(path), expect_handler=expect)


def _handler(api: str) -> Callable[[web.Request], Any]:
    async def handle(request: web.Request) -> web.StreamResponse:
        state = request.app[STATE]
        body = await read_json(request, state.settings)
        model = body.get("model")
        record = AnswerRecord(
            api=api,
            model=model if isinstance(model, str) else "",
            streamed=body.get("stream") is True,
            conversation=CONVERSATION in request.headers,
            finish_reason=state.settings.finish_reason or "content_filter",
            carrier={name: request.headers[name] for name in TRACE_HEADERS if name in request.headers},
        )
        with state.recorder.answer(record), state.traffic.admit(request[CLIENT]):
            return await _answer(request, body, record)

    return handle


async def _answer(request: web.Request, body: Body, record: AnswerRecord) -> web.StreamResponse:
    state, conversation = request.app[STATE], conversation_key(request)
    limits = state.settings.limits
    references = await asyncio.to_thread(
        take_extra, body, client=request[CLIENT], uploaded=state.uploaded, limits=limits
    )
    _check(body, record.api)
    dialect = _dialect(request, body, record.api)
    returned = await asyncio.to_thread(
        tool_texts,
        dialect.messages,
        where=MESSAGES[record.api],
        room=limits.references - len(references),
        limits=limits,
    )
    async with state.serving(request[CLIENT], conversation, [*references, *returned]):
        if record.streamed:
            return await _stream(request, body, record, dialect)
        answer = await state.upstream.answer("POST", PATHS[record.api], body)
        record.upstream_ended = time.time()
        await guard_body(answer, dialect, state.guard, conversation=conversation)
        if answer.get("error"):
            record.error = "upstream_error"
        return await _json(state, answer, headers=_echo(request))


async def _stream(
    request: web.Request, body: Body, record: AnswerRecord, dialect: Dialect
) -> web.StreamResponse:
    state = request.app[STATE]
    async with state.upstream.stream(PATHS[record.api], body) as upstream:
        guarded = GuardedStream(
            _timed(upstream, record),
            dialect,
            state.guard,
            conversation=conversation_key(request),
            close=upstream.close,
        )
        headers = _echo(request)
        async with EventWriter(request, timeouts=state.settings.timeouts, headers=headers) as writer:
            await _write(guarded, dialect, writer, state, record)
    return writer.response


async def _write(
    guarded: GuardedStream, dialect: Dialect, writer: EventWriter, state: ProxyState, record: AnswerRecord
) -> None:
    """Send the guarded events; where the answer breaks off, send an error as the last event."""
    try:
        async with guarded:
            async for event in guarded:
                await writer.send(state.upstream.clean(encode(event).decode()).encode())
        if not dialect.finished:
            raise ApiError(502, "the upstream broke off its answer", code="upstream_broken")
        if dialect.failed:
            record.error = "upstream_error"
    except ConnectionError:
        raise
    except Exception as error:
        told = as_api_error(error)
        record.error = told.counted
        await writer.send(told.frame())


async def _timed(upstream: UpstreamStream, record: AnswerRecord) -> AsyncIterator[bytes]:
    async for chunk in upstream:
        record.upstream_ended = time.time()
        yield chunk


def _dialect(request: web.Request, body: Body, api: str) -> Dialect:
    guard = request.app[STATE].guard
    arguments = guard.tool_call_arguments == "guard"
    if api == "responses":
        return ResponsesDialect(body, arguments=arguments, completes=guard.finish_reason == "stop")
    helper = HELPER_HEADER in request.headers
    return ChatDialect(body, arguments=arguments, finish_reason=guard.finish_reason, helper=helper)


def _check(body: Body, api: str) -> None:
    """Raise ApiError 400, naming the field, for a request whose answer could not be guarded."""
    _expect(body, "model", str)
    try:
        refuse_audio(body)
    except ValueError as error:
        raise ApiError(400, str(error), code="invalid_value", param="modalities") from error
    if api == "chat":
        _expect(body, "messages", list)
        if not all(isinstance(message, dict) for message in body["messages"]):
            raise _wrong("messages", "a list of objects")
        _expect(body, "response_format", dict, optional=True)
        _expect(body, "n", int, optional=True)
    else:
        _expect(body, "input", (str, list), optional=True)
        if isinstance(body.get("input"), list) and not all(isinstance(item, dict) for item in body["input"]):
            raise _wrong("input", "text or a list of objects")
        _expect(body, "text", dict, optional=True)
        if not isinstance((body.get("text") or {}).get("format") or {}, dict):
            raise _wrong("text.format", "an object")
    _expect(body, "stream", bool, optional=True)


def _expect(body: Body, name: str, kind: type | tuple[type, ...], *, optional: bool = False) -> None:
    value = body.get(name)
    if isinstance(value, kind) or (optional and value is None):
        return
    kinds = kind if isinstance(kind, tuple) else (kind,)
    raise _wrong(name, " or ".join(_WORDS[one] for one in kinds))


_WORDS = {str: "text", list: "a list", dict: "an object", int: "a whole number", bool: "true or false"}


def _wrong(name: str, takes: str) -> ApiError:
    return ApiError(400, f"{name} must be {takes}", code="invalid_value", param=name)


def _echo(request: web.Request) -> dict[str, str]:
    name = request.headers.get(CONVERSATION)
    return {} if name is None else {CONVERSATION: name}


async def _models(request: web.Request) -> web.Response:
    model = request.match_info.get("model")
    if model is not None and not {"", ".", ".."}.isdisjoint(model.split("/")):
        raise web.HTTPNotFound  # "../responses/…" would read unguarded answers from the upstream
    path = "/models" if model is None else f"/models/{quote(model)}"
    state = request.app[STATE]
    return await _json(state, await state.upstream.answer("GET", path))


def _pass_on(path: str) -> Callable[[web.Request], Any]:
    """A handler that passes a request on unguarded: for endpoints whose answers hold no text to guard."""

    async def handle(request: web.Request) -> web.Response:
        state = request.app[STATE]
        body = await read_json(request, state.settings)
        with state.traffic.admit(request[CLIENT]):
            answer = await state.upstream.answer("POST", path, body)
        return await _json(state, answer)

    return handle


async def _json(state: ProxyState, answer: Body, *, headers: dict[str, str] | None = None) -> web.Response:
    def write() -> bytes:
        return state.upstream.clean(write_json(answer)).encode()

    body = await asyncio.to_thread(write)
    return web.Response(body=body, content_type="application/json", charset="utf-8", headers=headers)

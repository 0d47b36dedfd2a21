"""The page at `/`: its files, the shipped material, and streams of events for it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from importlib.resources import files
from typing import Any

from aiohttp import web

from vista_stream import Policy, Reference, Session, StoreError
from vista_stream_adapters.proxy.auth import CLIENT
from vista_stream_adapters.proxy.errors import ApiError, as_api_error
from vista_stream_adapters.proxy.page_events import Arrivals, common_ground_event, page_event
from vista_stream_adapters.proxy.requests import EXTRA, expect, read_json, take_extra
from vista_stream_adapters.proxy.state import STATE, ProxyState
from vista_stream_adapters.proxy.upstream import Upstream
from vista_stream_adapters.proxy.writer import EventWriter
from vista_stream_adapters.rewrite.sse import SseEvent, encode
from vista_stream_adapters.rewrite.wire import object_in, objects_in, read_payload, text_in
from vista_stream_adapters.shell.stream import decoded

FILES = {
    "index.html": "text/html",
    "page.css": "text/css",
    "main.js": "text/javascript",
    "panels.js": "text/javascript",
    "sse.js": "text/javascript",
    "turn_view.js": "text/javascript",
    "words.js": "text/javascript",
    "mark.svg": "image/svg+xml",
}
"""The page's files and their types; no other file is served."""

SPEEDS = {"chat": 22.0, "fast": float("inf")}
"""Tokens per second at which a finished answer is streamed, by name."""

POLICIES = ("own", *Policy.NAMES)
"""Policies that the page may choose: the proxy's own, or one by its name."""

_SHOWN_REFERENCES = 500_000
"""Most characters of reference texts that are sent to the page."""


def add_page(app: web.Application) -> None:
    """Add the page's routes to an application that holds a ProxyState."""
    folder = files("vista_stream_adapters.proxy").joinpath("page")
    for name, kind in FILES.items():
        content = folder.joinpath(name).read_bytes()
        app.router.add_get("/" if name == "index.html" else f"/page/{name}", _serve(content, kind))
    app.router.add_get("/page/about", _about)
    app.router.add_post("/page/api/check", _check, expect_handler=expect)
    app.router.add_post("/page/api/ask", _ask, expect_handler=expect)


def _serve(content: bytes, kind: str) -> Any:
    async def serve(request: web.Request) -> web.Response:
        return web.Response(body=content, content_type=kind, charset="utf-8")

    return serve


async def _about(request: web.Request) -> web.Response:
    state = request.app[STATE]
    return web.json_response(
        {
            "upstream": state.upstream.configured,
            "token": bool(state.settings.tokens),
            "scenes": list(state.scenes),
        }
    )


async def _check(request: web.Request) -> web.StreamResponse:
    """Stream a finished answer through a session, as a model would write it."""
    body = await read_json(request, request.app[STATE].settings)
    answer, speed = body.get("answer"), body.get("speed", "chat")
    if not isinstance(answer, str) or not answer.strip():
        raise ApiError(400, "answer must be text", code="invalid_answer", param="answer")
    if not isinstance(speed, str) or speed not in SPEEDS:
        raise ApiError(400, f"speed must be one of {', '.join(SPEEDS)}", code="invalid_speed", param="speed")
    return await _watch(request, body, _typed(answer, SPEEDS[speed]))


async def _ask(request: web.Request) -> web.StreamResponse:
    """Stream the upstream's answer to a question through a session."""
    state = request.app[STATE]
    body = await read_json(request, state.settings)
    asked = {"model": await _model(state.upstream), "messages": _messages(body), "stream": True}
    return await _watch(request, body, _written(state.upstream, asked))


async def _watch(
    request: web.Request, body: dict[str, Any], deltas: AsyncGenerator[str, None]
) -> web.StreamResponse:
    state = request.app[STATE]
    messages, conversation = _messages(body), _conversation(request, body)
    policy = _policy(body, state.settings.policy)
    async with aclosing(deltas):
        with state.traffic.admit(request[CLIENT]):
            references = await asyncio.to_thread(
                take_extra,
                {EXTRA: body.get(EXTRA, {})},
                client=request[CLIENT],
                uploaded=state.uploaded,
                limits=state.settings.limits,
            )
            async with state.serving(request[CLIENT], conversation, references):
                session, query = await state.guard.open_session(messages, conversation)
                session.policy = policy
                async with EventWriter(request, timeouts=state.settings.timeouts) as writer:
                    if await _tell(writer, session, query, deltas):
                        await _tell_ground(writer, state, conversation)
                return writer.response


def _policy(body: dict[str, Any], own: Policy) -> Policy:
    """The policy of one turn on the page; under any policy the page also shows what is held back.

    A name changes what is done with verdicts. How claims are judged, and what failures do, stays the proxy's.
    """
    name = body.get("policy", "own")
    if name == "own":
        return own
    if isinstance(name, str) and name in Policy.NAMES:
        named = Policy.named(name)
        return replace(own, rules=named.rules, unresolved=named.unresolved, mode=named.mode)
    raise ApiError(400, f"policy must be one of {', '.join(POLICIES)}", code="invalid_policy", param="policy")


def _conversation(request: web.Request, body: dict[str, Any]) -> str:
    name = body.get("conversation")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9-]{1,64}", name):
        raise ApiError(400, "conversation must be a short key", code="invalid_conversation")
    return f"{request[CLIENT]}/page/{name}"


async def _tell(
    writer: EventWriter, session: Session, query: str | None, deltas: AsyncGenerator[str, None]
) -> bool:
    """Send all events of the turn, in order; returns False after a failure, which is sent as an error."""
    arrivals = Arrivals()

    async def watched() -> AsyncIterator[str]:
        async for delta in deltas:
            arrivals.add(delta)
            await writer.send(_frame({"type": "delta", "text": delta}))
            yield delta

    try:
        await writer.send(_frame(_references_event(session.references)))
        async with session.turn(watched(), query=query) as turn:
            async for event in turn:
                await writer.send(_frame(page_event(event, arrivals, session.references)))
    except ConnectionError:
        raise
    except Exception as error:
        await writer.send(as_api_error(error).frame())
        return False
    return True


async def _tell_ground(writer: EventWriter, state: ProxyState, conversation: str) -> None:
    """Send the common ground after a turn, or an error where the store cannot be read.

    Where the policy continues without the store nothing is sent, and the page keeps its list.
    """
    try:
        ground = await state.common_ground(conversation)
    except StoreError as error:
        if state.guard.policy.on_store_error == "raise":
            await writer.send(as_api_error(error).frame())
        return
    await writer.send(_frame(common_ground_event(ground)))


def _references_event(references: Sequence[Reference]) -> dict[str, Any]:
    shown, room = [], _SHOWN_REFERENCES
    for reference in references:
        room -= len(reference.text)
        if room < 0:
            break
        shown.append({"name": reference.name, "text": reference.text})
    return {"type": "references", "references": shown}


def _frame(event: dict[str, Any]) -> bytes:
    return encode(SseEvent(data=json.dumps(event, ensure_ascii=False)))


def _messages(body: dict[str, Any]) -> list[dict[str, str]]:
    match body.get("messages"):
        case [*entries] if entries and all(_is_message(entry) for entry in entries):
            return entries
    raise ApiError(400, "messages must be a list of role and content", code="invalid_messages")


def _is_message(entry: object) -> bool:
    match entry:
        case {"role": "user" | "assistant", "content": str()}:
            return True
    return False


async def _typed(answer: str, speed: float) -> AsyncGenerator[str, None]:
    for token in re.findall(r"\s*\S{1,6}|\s+$", answer):
        yield token
        await asyncio.sleep(1 / speed)


async def _model(upstream: Upstream) -> str:
    """The first model in the upstream's list of models."""
    match await upstream.answer("GET", "/models"):
        case {"data": [{"id": str(name)}, *_]}:
            return name
    raise ApiError(502, "the upstream names no model", code="upstream_broken")


async def _written(upstream: Upstream, asked: dict[str, Any]) -> AsyncGenerator[str, None]:
    """The text deltas of a streamed chat completion, which must tell of its end."""
    finished = False
    async with upstream.stream("/chat/completions", asked) as chunks, aclosing(decoded(chunks)) as events:
        async for event in events:
            if event.data.startswith("[DONE]"):
                return
            chunk = read_payload(event)
            if chunk.get("error"):
                raise ApiError(502, "the upstream ended its stream with an error", code="upstream_error")
            for choice in objects_in(chunk, "choices")[:1]:
                if text := text_in(object_in(choice, "delta"), "content"):
                    yield text
                finished = finished or bool(choice.get("finish_reason"))
    if not finished:
        raise ApiError(502, "the upstream broke off its answer", code="upstream_broken")

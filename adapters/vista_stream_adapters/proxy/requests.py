"""Reads a client's request: its JSON body within limits, its conversation and its reference texts."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Any

from aiohttp import HttpVersion11, web

from vista_stream import Reference
from vista_stream_adapters.messages import Message, documents_by_message
from vista_stream_adapters.proxy.auth import CLIENT
from vista_stream_adapters.proxy.errors import ApiError
from vista_stream_adapters.proxy.references import (
    UploadedReferences,
    check_length,
    make_reference,
    parse_text,
)
from vista_stream_adapters.proxy.settings import Limits, ProxySettings
from vista_stream_adapters.rewrite.wire import finite

CONVERSATION = "X-Vista-Conversation"
"""Header that names the conversation; requests without it share no common ground."""

EXTRA = "vista"
"""Field of the body for the proxy itself; it is not sent on."""

_KEY = re.compile(r"[A-Za-z0-9._:-]{1,128}")


async def expect(request: web.Request) -> web.Response | None:
    """Refuse an unknown `Expect` with 417; the `expect_handler` of each route whose body is read.

    aiohttp calls it before the middlewares, so it asks for no body: `read_json` does, of a client that may
    send one.
    """
    if request.headers["Expect"].lower() == "100-continue":
        return None
    return ApiError(417, "Expect takes 100-continue", code="expectation_failed", param="Expect").response()


async def _ask_for_body(request: web.Request) -> None:
    if request.headers.get("Expect") and request.version >= HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # it is no part of the response


async def read_json(request: web.Request, settings: ProxySettings) -> dict[str, Any]:
    """The body's JSON object; raises ApiError 400, 408 or 415, and aiohttp's 413.

    Only `application/json` is accepted: a browser sends it from another web page only after a CORS preflight.
    A compressed body is refused, since a few kilobytes of it can hold gigabytes.
    """
    if request.content_type != "application/json":
        raise ApiError(415, "send Content-Type: application/json", code="unsupported_media_type")
    if (request.headers.get("Content-Encoding") or "identity").lower() != "identity":
        raise ApiError(415, "send the body without Content-Encoding", code="unsupported_encoding")
    try:
        async with asyncio.timeout(settings.timeouts.body):
            await _ask_for_body(request)
            raw = await request.read()
    except TimeoutError as error:
        raise ApiError(408, "the request's body did not arrive in time", code="body_timeout") from error
    except web.RequestPayloadError as error:
        raise ApiError(400, "the request's body is malformed", code="invalid_body") from error
    try:
        body = json.loads(raw, parse_float=finite, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, "the body is not JSON", code="invalid_json") from error
    if not isinstance(body, dict):
        raise ApiError(400, "the body must be a JSON object", code="invalid_json")
    return body


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def conversation_key(request: web.Request) -> str | None:
    """The key of the conversation in a request's header, separate for each client; None without the header.

    Raises ApiError 400 for an invalid name.
    """
    name = request.headers.get(CONVERSATION)
    if name is None:
        return None
    if not _KEY.fullmatch(name):
        raise ApiError(
            400,
            f"{CONVERSATION} takes 1 to 128 letters, digits, dots, colons, dashes and underscores",
            code="invalid_conversation",
            param=CONVERSATION,
        )
    return f"{request[CLIENT]}/{name}"


def take_extra(
    body: dict[str, Any], *, client: str, uploaded: UploadedReferences, limits: Limits
) -> Sequence[Reference]:
    """Remove the field `vista` from a body; returns the reference texts that it holds or names by id.

    The field looks like `{"references": ["ref_...", {"name": "...", "text": "..."}]}`. Raises ApiError 400,
    404 or 413. Blocking where it holds texts.
    """
    extra = body.pop(EXTRA, {})
    if not isinstance(extra, dict) or extra.keys() - {"references"}:
        raise ApiError(400, f"{EXTRA} takes an object with references", code="invalid_extra", param=EXTRA)
    entries = extra.get("references", [])
    where = f"{EXTRA}.references"
    if not isinstance(entries, list):
        raise ApiError(400, f"{where} must be a list", code="invalid_extra", param=where)
    if len(entries) > limits.references:
        raise ApiError(400, f"{where} may hold {limits.references}", code="too_many_references", param=where)
    return [
        uploaded.get(client, entry)
        if isinstance(entry, str)
        else _sent(entry, number, client=client, limits=limits)
        for number, entry in enumerate(entries)
    ]


def tool_texts(messages: Sequence[Message], *, where: str, room: int, limits: Limits) -> Sequence[str]:
    """The reference texts in the tool messages of a request's field `where`; `room` is how many it may hold.

    Where they would be more, what one message returned is one text. Raises ApiError: 400 where they still are
    more, 413 for a text that is too long. Blocking where there are many.
    """
    found = documents_by_message(messages)
    if sum(map(len, found)) > room:
        found = [["\n\n".join(texts)] for texts in found]
    texts = [text for texts in found for text in texts]
    if len(texts) > room:
        raise ApiError(
            400,
            f"{where} holds the results of {len(texts)} tool calls since the user's last message, and"
            f" {EXTRA}.references {limits.references - room} texts: together they may be {limits.references}",
            code="too_many_references",
            param=where,
        )
    for text in texts:
        check_length(text, "what a tool returns", where=where, limits=limits)
    return texts


def _sent(entry: object, number: int, *, client: str, limits: Limits) -> Reference:
    where = f"{EXTRA}.references[{number}]"
    name, text = parse_text(entry, where=where, limits=limits)
    return make_reference(text, name=name or f"reference {number + 1}", client=client, where=where)

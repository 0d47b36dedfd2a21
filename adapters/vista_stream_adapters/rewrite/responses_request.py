"""What a request to the responses API asks, as the guard needs it. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vista_stream_adapters.course import Asked
from vista_stream_adapters.guard import Message


def format_of(request: Mapping[str, Any]) -> Any:
    """The type of the text format that a request asks for; None where it names none."""
    text = request.get("text")
    wanted = text.get("format") if isinstance(text, Mapping) else None
    return wanted.get("type") if isinstance(wanted, Mapping) else None


def asked_by(request: Mapping[str, Any]) -> Asked:
    """A request's messages and its place in the conversation.

    Where it names an earlier response or a conversation, its messages are the newest ones only: the upstream
    keeps the others. A conversation grows with every request, so its name is no place.
    """
    place = None if request.get("conversation") else str(request.get("previous_response_id") or "")
    return Asked(list(messages_of(request)), place=place)


def messages_of(request: Mapping[str, Any]) -> Iterator[Message]:
    """A request's input as chat messages; malformed items are skipped: the upstream refuses them.

    What a tool returned is a tool message: the output of a function, a custom tool or a server of tools, or
    the results of a search.
    """
    if request.get("instructions"):
        yield {"role": "system", "content": request["instructions"]}
    given = request.get("input") or ()
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    for item in given if isinstance(given, list) else ():
        if not isinstance(item, Mapping):
            continue
        if "role" in item:
            yield item
        elif returned := item.get("output") or item.get("results"):
            yield {"role": "tool", "content": returned}

"""The official `anthropic` client under guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.dialect import Dialect
from vista_stream_adapters.rewrite.messages import MessagesDialect
from vista_stream_adapters.shell.http import guarded_client

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic

_ClientT = TypeVar("_ClientT", bound="AsyncAnthropic | Anthropic")


def guard_anthropic(client: _ClientT, guard: Guard) -> _ClientT:
    """A copy of the client whose messages hold only released text: `create`, streamed and not, `stream`.

    Events and messages are the real client's objects; thinking, tool use and usage pass in order, and
    verdicts are in the extra field `vista`. Text blocks that follow each other, into which citations cut a
    sentence, are judged as one text. After a stop the message ends with `stop_reason="refusal"`,
    and the upstream is closed at once. Tool input is guarded in streams where the guard says so; not
    streamed it passes. Batches are not guarded. Name the conversation as with `guard_openai`.
    """

    def dialect_for(request: Any, body: Mapping[str, Any]) -> Dialect | None:
        if request.method != "POST" or not request.url.path.rstrip("/").endswith("/messages"):
            return None
        return MessagesDialect(body, arguments=guard.tool_call_arguments == "guard")

    return cast(_ClientT, client.copy(http_client=guarded_client(client._client, guard, dialect_for)))

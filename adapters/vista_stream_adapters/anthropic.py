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
    """A copy of the client whose messages hold only released text.

    It guards `messages.create` (streamed or not) and `messages.stream`. Batches are not guarded. Events and
    messages are the real client's objects. Thinking, tool use and usage pass in order. Verdicts are in the
    extra field `vista`. Citations can split a sentence into several text blocks, so consecutive text blocks
    are judged as one text. After a stop the message ends with `stop_reason="refusal"`, and the upstream is
    closed at once. With `guard.tool_call_arguments="guard"` tool input is guarded in streams; an answer that
    is not streamed passes it on unguarded. Name the conversation as with `guard_openai`.
    """

    def dialect_for(request: Any, body: Mapping[str, Any]) -> Dialect | None:
        if request.method != "POST" or not request.url.path.rstrip("/").endswith("/messages"):
            return None
        return MessagesDialect(body, arguments=guard.tool_call_arguments == "guard")

    return cast(_ClientT, client.copy(http_client=guarded_client(client, guard, dialect_for)))

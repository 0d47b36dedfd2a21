"""The official `openai` client under guard."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from vista_stream_adapters.guard import Guard, Outcome, retrieved_documents
from vista_stream_adapters.rewrite.chat import HELPER_HEADER, ChatDialect
from vista_stream_adapters.rewrite.dialect import Dialect
from vista_stream_adapters.rewrite.responses import ResponsesDialect
from vista_stream_adapters.shell.http import CONVERSATION_HEADER, guarded_client

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

__all__ = ["CONVERSATION_HEADER", "Guard", "Outcome", "guard_openai", "retrieved_documents", "text_deltas"]

_CHAT = re.compile(r"^(GET|POST) \S*/chat/completions(/[^/]+)?$")
_RESPONSES = re.compile(r"^(POST \S*/responses|GET \S*/responses/[^/]+|POST \S*/responses/[^/]+/cancel)$")
"""Method and path of the requests that are answered with a response, new or kept; `_CHAT` is the same for
chat completions."""

_ClientT = TypeVar("_ClientT", bound="AsyncOpenAI | OpenAI")


def guard_openai(client: _ClientT, guard: Guard) -> _ClientT:
    """A copy of the client whose chat completions and responses hold only released text.

    It guards `chat.completions` and `responses`: `create` (streamed or not), `stream` and `parse`, and calls
    that return kept answers, such as `retrieve` and `list`. A request for audio raises ValueError: ask for
    `modalities=["text"]` and synthesise speech from the released text. Other endpoints, such as legacy
    completions, realtime and `responses.connect`, are not guarded.

    Chunks, events and answers are the real client's objects. Whatever is not answer text passes in order:
    roles, usage, tool calls, reasoning, refusals. Verdicts are in the extra field `vista` of the chunk with
    the text they are about, or of the choice or output part where the answer is not streamed. Verdicts on
    withheld sentences have no wording unless `guard.show_withheld` is set. Log-probabilities are kept for
    deltas that were released whole. After a stop the answer ends as `guard.finish_reason` says. The upstream
    is closed at once, and its usage is not sent.

    To keep common ground, name the conversation in the request header `CONVERSATION_HEADER`
    (`extra_headers`). Errors of the upstream are the real client's. Two more errors are raised while the
    answer is read: `vista_stream.UpstreamError` for data that is not JSON, and `vista_stream.TurnWithheld`
    for a policy that raises.
    """

    def dialect_for(request: Any, body: Mapping[str, Any]) -> Dialect | None:
        return openai_dialect(request, body, guard)

    guarded = guarded_client(client, guard, dialect_for)
    return cast(_ClientT, client.copy(http_client=guarded))


def openai_dialect(
    request: Any, body: Mapping[str, Any], guard: Guard, *, completes: bool = False
) -> Dialect | None:
    """The dialect for the answer to an httpx request; None where the answer holds no guarded text.

    With `completes` a stopped response has the status `completed`, unless `guard.finish_reason` is set.
    """
    asked = f"{request.method} {request.url.path.rstrip('/')}"
    arguments = guard.tool_call_arguments == "guard"
    if _CHAT.search(asked):
        return ChatDialect(
            body,
            arguments=arguments,
            finish_reason=guard.finish_reason,
            helper=HELPER_HEADER in request.headers,
        )
    if _RESPONSES.search(asked):
        ends = guard.finish_reason or ("stop" if completes else None)
        return ResponsesDialect(body, arguments=arguments, completes=ends == "stop")
    return None


async def text_deltas(stream: Any) -> AsyncIterator[str]:
    """The text deltas of an unguarded stream of chunks or response events, for your own `Session.turn`.

    For chat completions they are those of the first choice. Closing the iterator closes the stream.
    """
    try:
        async for item in stream:
            if getattr(item, "type", None) == "response.output_text.delta":
                yield item.delta
            for choice in getattr(item, "choices", None) or ():
                if choice.index == 0 and choice.delta.content:
                    yield choice.delta.content
    finally:
        await stream.close()

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
"""The requests that are answered by chat completions and responses, new ones and some that were kept."""

_ClientT = TypeVar("_ClientT", bound="AsyncOpenAI | OpenAI")


def guard_openai(client: _ClientT, guard: Guard) -> _ClientT:
    """A copy of the client whose chat completions and responses hold only released text.

    Guarded are `chat.completions` and `responses`: `create`, streamed and not, `stream` and `parse`, and the
    calls that give such answers again, as `retrieve` and `list` do. A request for audio raises ValueError:
    ask for `modalities=["text"]`, and have what was released spoken.
    Chunks, events and answers are the real client's objects. What is no answer text passes in order:
    roles, usage, tool calls, reasoning, refusals. Verdicts are in the extra field `vista` of the chunk
    whose text they are about (not streamed: of the choice or the output part), those of withheld
    sentences without their wording unless `guard.show_withheld`. Log-probabilities are kept for deltas
    that were released whole. After a stop the answer ends as `guard.finish_reason` says, and the
    upstream is closed at once, so that its usage is not sent.

    Name the conversation by the request header `CONVERSATION_HEADER` (`extra_headers`), to keep its
    common ground. Other endpoints, such as legacy completions, realtime and `responses.connect`, are not
    guarded. Errors of the upstream are the real client's; what it sent that is not JSON raises
    `vista_stream.UpstreamError`, and a policy that raises `vista_stream.TurnWithheld`, both while the
    answer is read.
    """

    def dialect_for(request: Any, body: Mapping[str, Any]) -> Dialect | None:
        return openai_dialect(request, body, guard)

    guarded = guarded_client(client._client, guard, dialect_for)
    return cast(_ClientT, client.copy(http_client=guarded))


def openai_dialect(
    request: Any, body: Mapping[str, Any], guard: Guard, *, completes: bool = False
) -> Dialect | None:
    """The protocol that answers a request of httpx, or None where its answer holds no guarded text.

    With `completes` a response whose text the policy stopped is `completed`, unless the guard says how
    answers end.
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
    """The text of an unguarded stream of chunks or response events, for a `Session.turn` of your own.

    Of chat completions it is the first choice's. Leaving closes the stream.
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

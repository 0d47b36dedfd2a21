"""LiteLLM: a custom guardrail for its proxy that guards answers while they stream."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from vista_stream_adapters.extras import not_installed

try:
    from litellm.integrations.custom_guardrail import CustomGuardrail
    from litellm.types.guardrails import GuardrailEventHooks
    from litellm.types.utils import ModelResponse, ModelResponseStream
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError(not_installed("LiteLLM", "litellm"), name=absent.name) from absent


from vista_stream import UpstreamError
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.chat import ChatDialect
from vista_stream_adapters.rewrite.sse import encode
from vista_stream_adapters.rewrite.wire import written
from vista_stream_adapters.shell.detached import Detached
from vista_stream_adapters.shell.stream import GuardedStream, guard_body


class VistaGuardrail(CustomGuardrail):
    """A LiteLLM guardrail: name an instance in `guardrails` or add it to `litellm.callbacks`.

    Chat completions, streamed or not, hold only released text; verdicts are in `vista`. Answers of LiteLLM's
    other endpoints, such as messages and responses, pass unguarded. The conversation is the request's
    `litellm_session_id`; two callers with the same id have separate conversations.
    """

    def __init__(self, guard: Guard, **settings: Any) -> None:
        preset = {"guardrail_name": "vista-stream", "default_on": True}
        super().__init__(**{**preset, "event_hook": GuardrailEventHooks.post_call, **settings})
        self._guard = guard

    def _dialect(self, request: dict[str, Any]) -> ChatDialect:
        arguments = self._guard.tool_call_arguments == "guard"
        return ChatDialect(request, arguments=arguments, finish_reason=self._guard.finish_reason)

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncGenerator[ModelResponseStream, None]:
        """The guarded chunks; a stop closes the upstream's stream. Streams of other endpoints pass."""
        chunks = aiter(response)
        first = await anext(chunks, None)
        if isinstance(first, ModelResponseStream):
            conversation = _conversation(request_data, user_api_key_dict)
            guarded = GuardedStream(
                _wire(first, chunks),
                self._dialect(request_data),
                self._guard,
                conversation=conversation,
                close=getattr(response, "aclose", None),
            )
            passed = _chunks(guarded, first._hidden_params)
        else:
            passed = _unguarded(first, chunks)
        async with aclosing(passed):
            async for chunk in passed:
                yield chunk

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """The guarded form of an answer that was not streamed; answers of other endpoints pass unguarded."""
        if not isinstance(response, ModelResponse):
            return response
        plain: Any = response
        body = await guard_body(
            plain.model_dump(exclude_none=True),
            self._dialect(data),
            self._guard,
            conversation=_conversation(data, user_api_key_dict),
        )
        guarded = ModelResponse(**body)
        # These are not from the upstream: LiteLLM uses them for its response headers and costs.
        guarded._hidden_params = response._hidden_params
        guarded._response_headers = response._response_headers
        return guarded


def _conversation(request: dict[str, Any], caller: Any) -> str | None:
    """The key of a request's conversation, with a digest of the caller: callers choose their ids freely."""
    name = request.get("litellm_session_id")
    if name is None:
        return None
    known = [getattr(caller, part, None) for part in ("api_key", "user_id", "team_id")]
    return f"{hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]}/{name}"


async def _chunks(
    guarded: GuardedStream, hidden: dict[str, Any]
) -> AsyncGenerator[ModelResponseStream, None]:
    """Guarded chunks for LiteLLM; each carries the hidden parameters of the upstream's first chunk."""

    async def run(send: Callable[[ModelResponseStream], Awaitable[None]]) -> None:
        async with guarded as events:
            async for event in events:
                if event.data != "[DONE]":
                    chunk = ModelResponseStream(**json.loads(event.data))
                    chunk._hidden_params = dict(hidden)
                    await send(chunk)

    async with aclosing(Detached(run)) as chunks:
        async for chunk in chunks:
            yield chunk


async def _wire(first: ModelResponseStream, rest: Any) -> AsyncIterator[bytes]:
    """LiteLLM's chunks encoded as server-sent events."""
    yield _written(first)
    async for chunk in rest:
        if not isinstance(chunk, ModelResponseStream):
            raise UpstreamError(f"a stream of chat chunks held {type(chunk).__name__}: it cannot be guarded")
        yield _written(chunk)


def _written(chunk: ModelResponseStream) -> bytes:
    plain: Any = chunk
    return encode(written(plain.model_dump(mode="json", exclude_none=True)))


async def _unguarded(first: Any, rest: Any) -> AsyncGenerator[Any, None]:
    """The stream unchanged; closing this generator closes it."""
    try:
        if first is not None:
            yield first
        async for chunk in rest:
            yield chunk
    finally:
        if (close := getattr(rest, "aclose", None)) is not None:
            await close()

"""LiteLLM: a custom guardrail for its proxy, that guards answers while they stream."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.guardrails import GuardrailEventHooks
from litellm.types.utils import ModelResponse, ModelResponseStream

from vista_stream import UpstreamError
from vista_stream_adapters.detached import Detached
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite_chat import ChatDialect
from vista_stream_adapters.rewrite_stream import GuardedStream, guard_body
from vista_stream_adapters.sse import encode
from vista_stream_adapters.wire import written


class VistaGuardrail(CustomGuardrail):
    """Name an instance in LiteLLM's `guardrails` or add it to `litellm.callbacks`.

    Chat completions, streamed and not, hold only released text; verdicts are in `vista`. Answers of
    LiteLLM's other endpoints, such as messages and responses, pass: they are not guarded. The
    conversation is the request's `litellm_session_id`.
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
        """The chunks under guard; a stop closes the upstream's stream. Streams of other endpoints pass."""
        chunks = aiter(response)
        first = await anext(chunks, None)
        if isinstance(first, ModelResponseStream):
            passed = self._guarded(first, chunks, request_data, close=getattr(response, "aclose", None))
        else:
            passed = _unguarded(first, chunks)
        async with aclosing(passed):
            async for chunk in passed:
                yield chunk

    async def _guarded(
        self, first: ModelResponseStream, rest: Any, request: dict[str, Any], *, close: Any
    ) -> AsyncGenerator[ModelResponseStream, None]:
        guarded = GuardedStream(
            _wire(first, rest),
            self._dialect(request),
            self._guard,
            conversation=request.get("litellm_session_id"),
            close=close,
        )

        async def run(send: Callable[[ModelResponseStream], Awaitable[None]]) -> None:
            async with guarded as events:
                async for event in events:
                    if event.data != "[DONE]":
                        await send(ModelResponseStream(**json.loads(event.data)))

        async with aclosing(Detached(run)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """An answer that was not streamed, under guard; answers of other endpoints pass."""
        if not isinstance(response, ModelResponse):
            return response
        plain: Any = response
        body = await guard_body(
            plain.model_dump(exclude_none=True),
            self._dialect(data),
            self._guard,
            conversation=data.get("litellm_session_id"),
        )
        return ModelResponse(**body)


async def _wire(first: ModelResponseStream, rest: Any) -> AsyncIterator[bytes]:
    """LiteLLM's chunks as the bytes that they came from."""
    yield _written(first)
    async for chunk in rest:
        if not isinstance(chunk, ModelResponseStream):
            raise UpstreamError(f"a stream of chat chunks held {type(chunk).__name__}: it cannot be guarded")
        yield _written(chunk)


def _written(chunk: ModelResponseStream) -> bytes:
    plain: Any = chunk
    return encode(written(plain.model_dump(mode="json", exclude_none=True)))


async def _unguarded(first: Any, rest: Any) -> AsyncGenerator[Any, None]:
    """A stream as it came; closed where it is left."""
    try:
        if first is not None:
            yield first
        async for chunk in rest:
            yield chunk
    finally:
        if (close := getattr(rest, "aclose", None)) is not None:
            await close()

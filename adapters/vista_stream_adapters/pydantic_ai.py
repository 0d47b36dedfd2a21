"""pydantic-ai: a wrapper model whose text parts are guarded."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from vista_stream_adapters.guard import Guard, Message
from vista_stream_adapters.guarded_text import guarded_pieces


class GuardedModel(WrapperModel):
    """A model whose text holds only released sentences, streamed and not.

    Thinking and tool calls pass, each whole at its end. After a stop the answer ends with
    `finish_reason="content_filter"` and the model's stream is closed.
    """

    def __init__(self, wrapped: Any, guard: Guard) -> None:
        super().__init__(wrapped)
        self._guard = guard

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The model's response with its texts guarded."""
        response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        parts: list[Any] = []
        for part in response.parts:
            if not isinstance(part, TextPart):
                parts.append(part)
                continue
            pieces = guarded_pieces([part.content], guard=self._guard, messages=_chat(messages))
            async with aclosing(pieces):
                sent = [piece async for piece in pieces]
            parts.append(replace(part, content="".join(piece.text for piece in sent)))
            if sent[-1].vista["stopped"]:
                return replace(response, parts=parts, finish_reason="content_filter")
        return replace(response, parts=parts)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """The model's stream with its texts guarded."""
        async with self.wrapped.request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as stream:
            yield _GuardedResponse(model_request_parameters, stream, self._guard, _chat(messages))


@dataclass
class _GuardedResponse(StreamedResponse):
    inner: StreamedResponse
    guard: Guard
    messages: Sequence[Message]

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in self.inner:
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                async with aclosing(self._guarded(event.index, event.part.content)) as guarded:
                    async for said in guarded:
                        yield said
                if self.finish_reason is not None:
                    return
            elif isinstance(event, PartEndEvent) and not isinstance(event.part, TextPart):
                yield self._parts_manager.handle_part(vendor_part_id=event.index, part=event.part)
        self.finish_reason = self.inner.finish_reason

    async def _guarded(self, index: int, start: str) -> AsyncGenerator[ModelResponseStreamEvent]:
        """One text part: its deltas go to the guard, and what it lets out becomes events."""
        pieces = guarded_pieces(self._deltas(start), guard=self.guard, messages=self.messages)
        async with aclosing(pieces):
            async for sent in pieces:
                if sent.text:
                    for event in self._parts_manager.handle_text_delta(
                        vendor_part_id=index, content=sent.text
                    ):
                        yield event
                if sent.vista.get("stopped"):
                    self.finish_reason = "content_filter"
                    await self.inner.close_stream()

    async def _deltas(self, start: str) -> AsyncIterator[str]:
        yield start
        async for event in self.inner:
            if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                yield event.delta.content_delta
            elif isinstance(event, PartEndEvent):
                return

    async def close_stream(self) -> None:
        await self.inner.close_stream()

    @property
    def usage(self) -> RequestUsage:
        return self.inner.usage

    @property
    def model_name(self) -> str:
        return self.inner.model_name

    @property
    def provider_name(self) -> str | None:
        return self.inner.provider_name

    @property
    def provider_url(self) -> str | None:
        return self.inner.provider_url

    @property
    def timestamp(self) -> datetime:
        return self.inner.timestamp


def _chat(messages: Sequence[ModelMessage]) -> list[Message]:
    """pydantic-ai's messages as chat messages."""
    chat: list[Message] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            chat.extend(
                _said(part) for part in message.parts if isinstance(part, UserPromptPart | ToolReturnPart)
            )
        else:
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            chat.append({"role": "assistant", "content": text})
    return chat


def _said(part: UserPromptPart | ToolReturnPart) -> Message:
    if isinstance(part, ToolReturnPart):
        return {"role": "tool", "content": part.model_response_str()}
    texts = (
        [part.content] if isinstance(part.content, str) else [c for c in part.content if isinstance(c, str)]
    )
    return {"role": "user", "content": "\n".join(texts)}

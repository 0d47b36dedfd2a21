"""pydantic-ai: a wrapper model whose text parts are guarded."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import Any

from vista_stream_adapters.extras import not_installed

try:
    from pydantic_ai import RunContext
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        ModelResponseStreamEvent,
        PartDeltaEvent,
        PartEndEvent,
        PartStartEvent,
        TextContent,
        TextPart,
        TextPartDelta,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.models import ModelRequestParameters, StreamedResponse
    from pydantic_ai.models.wrapper import WrapperModel
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.usage import RequestUsage
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError(not_installed("Pydantic AI", "pydantic-ai"), name=absent.name) from absent


from vista_stream_adapters.guard import Guard, Message
from vista_stream_adapters.rewrite.pydantic_ai import (
    PartEvent,
    PartsDialect,
    WholeResponse,
    edited,
    without_logprobs,
)
from vista_stream_adapters.shell.detached import Detached
from vista_stream_adapters.shell.stream import GuardedEvents, guard_slots


class GuardedModel(WrapperModel):
    """A model whose text holds only released sentences, streamed or not.

    Thinking passes; each thinking part is sent whole when it ends. Tool calls are sent whole at the end of
    the stream and keep their place in the response. In a native or prompted output the strings are guarded,
    and the output stays a JSON document. Where text was withheld, log-probabilities, the text part's id and
    the anchors of its citations are removed. After a stop the answer ends with
    `finish_reason="content_filter"`, and the model's stream is closed. The conversation is the run's
    `conversation_id`, which runs with one message history share. Errors of the model are raised
    unchanged; a policy that raises gives `vista_stream.TurnWithheld`.
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
        json = self._wants_document(model_settings, model_request_parameters)
        whole = WholeResponse(response, json=json, arguments=self._guards_arguments)
        await guard_slots(
            whole.slots(), self._guard, messages=_chat(messages), conversation=_conversation(messages)
        )
        return whole.response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """The model's stream with its texts guarded."""
        json = self._wants_document(model_settings, model_request_parameters)
        dialect = PartsDialect(_chat(messages), json=json, arguments=self._guards_arguments)
        async with self.wrapped.request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as stream:
            guarded = _GuardedResponse(
                model_request_parameters, stream, self._guard, dialect, _conversation(messages)
            )
            try:
                yield guarded
            finally:
                await guarded.leave()

    @property
    def _guards_arguments(self) -> bool:
        return self._guard.tool_call_arguments == "guard"

    def _wants_document(self, settings: ModelSettings | None, parameters: ModelRequestParameters) -> bool:
        if parameters.output_mode == "auto":
            _, parameters = self.prepare_request(settings, parameters)
        return parameters.output_mode in ("native", "prompted")


@dataclass
class _GuardedResponse(StreamedResponse):
    inner: StreamedResponse
    guard: Guard
    dialect: PartsDialect
    conversation: str | None

    def __post_init__(self) -> None:
        self._given: dict[int, TextPart] = {}
        self._places: dict[int, int] = {}
        source = self._events()

        async def close() -> None:
            await source.aclose()
            if self.dialect.stopped:
                with suppress(NotImplementedError):  # not every model can; then leaving its block closes it
                    await self.inner.close_stream()

        async def run(send: Callable[[PartEvent], Awaitable[None]]) -> None:
            async with GuardedEvents(
                source, self.dialect, self.guard, conversation=self.conversation, close=close
            ) as events:
                async for event in events:
                    await send(event)

        self._guarded = Detached(run)

    async def leave(self) -> None:
        """Cancel guarding at any point of the stream; the reader then finds the stream ended."""
        await self._guarded.aclose()

    async def _events(self) -> AsyncGenerator[PartEvent]:
        """The model's events, then None. Tool calls come last, whole, since their deltas may interleave."""
        calls: list[int] = []
        iterator: Any = aiter(self.inner)
        async with aclosing(iterator) as events:
            async for event in events:
                if isinstance(event, PartStartEvent | PartEndEvent) and isinstance(event.part, ToolCallPart):
                    calls.append(event.index)
                else:
                    yield event
        parts = self.inner.get().parts
        for index in dict.fromkeys(calls):
            yield PartEndEvent(index=index, part=parts[index])
        yield None

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async with aclosing(self._guarded) as events:
            async for event in events:
                for told in self._told(event):
                    yield told
        for told in self._finish():
            yield told

    def _told(self, event: PartEvent) -> Iterator[ModelResponseStreamEvent]:
        """The events that the reader gets for a guarded event; they also update the response."""
        self.provider_response_id = self.inner.provider_response_id
        for told in self._taken(event):
            if isinstance(told, PartStartEvent) and isinstance(event, PartDeltaEvent | PartEndEvent):
                self._places[told.index] = event.index
            yield told

    def _taken(self, event: PartEvent) -> Iterator[ModelResponseStreamEvent]:
        match event:
            case PartStartEvent(index=index, part=TextPart() as part):
                self._given[index] = part
            case PartDeltaEvent(index=index, delta=TextPartDelta(content_delta=text)):
                given = self._given[index]
                yield from self._parts_manager.handle_text_delta(
                    vendor_part_id=index, content=text, id=given.id, provider_name=given.provider_name
                )
            case PartEndEvent(index=index, part=part):
                yield self._parts_manager.handle_part(vendor_part_id=index, part=part)

    def _finish(self) -> Iterator[ModelResponseStreamEvent]:
        """Events for what is known at the end only: details of the response and of its text parts."""
        whole = self.inner.get()
        self.provider_response_id = whole.provider_response_id
        self.finish_reason = "content_filter" if self.dialect.stopped else self.inner.finish_reason
        self.state = self.state if self.dialect.stopped else self.inner.state
        self.provider_details = whole.provider_details
        if self.dialect.changed:
            self.provider_details = without_logprobs(whole.provider_details)
        for index in self._places.values():
            part = whole.parts[index]
            if not isinstance(part, TextPart):
                continue
            part = edited(part) if index in self.dialect.changed else part
            if part.provider_details or part.citations:
                yield from self._parts_manager.handle_text_delta(
                    vendor_part_id=index,
                    content="",
                    provider_name=part.provider_name,
                    provider_details=part.provider_details,
                    citations=part.citations,
                )

    def get(self) -> ModelResponse:
        """The response so far: the model's, with guarded parts, details, finish reason and state.

        The parts are in the model's order.
        """
        guarded = super().get()
        places = ((self._places.get(place, place), part) for place, part in enumerate(guarded.parts))
        parts = [
            edited(part) if isinstance(part, TextPart) and index in self.dialect.changed else part
            for index, part in sorted(places, key=itemgetter(0))
        ]
        return replace(
            self.inner.get(),
            parts=parts,
            provider_details=guarded.provider_details,
            finish_reason=guarded.finish_reason,
            state=guarded.state,
        )

    async def close_stream(self) -> None:
        await self.leave()
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


def _conversation(messages: Sequence[ModelMessage]) -> str | None:
    """The conversation of a request, whose own message is the last; a direct request has none."""
    return messages[-1].conversation_id if messages else None


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
    items = [part.content] if isinstance(part.content, str) else part.content
    texts = (item.content if isinstance(item, TextContent) else item for item in items)
    return {"role": "user", "content": "\n".join(text for text in texts if isinstance(text, str))}

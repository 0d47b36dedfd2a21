"""pydantic-ai's responses under guard: the events of a stream, and a whole response. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from pydantic_ai.messages import (
    BaseToolCallPart,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
)

from vista_stream_adapters.guard import Message
from vista_stream_adapters.rewrite.dialect import Done, Pass, Slot
from vista_stream_adapters.rewrite.lane_log import Lane, Payload, Sent, Text
from vista_stream_adapters.rewrite.placement import Placement

PartEvent: TypeAlias = ModelResponseStreamEvent | None
"""An event of a stream; None is the stream's end."""


class PartsDialect:
    """The dialect of pydantic-ai's stream events, for one response.

    Text parts are sent in deltas; any other part is sent whole, as a PartEndEvent. It guards the text parts
    (as JSON documents with `json`) and, with `arguments`, the arguments of function tool calls. Each is a
    lane, and all are one track.
    """

    def __init__(self, messages: Sequence[Message], *, json: bool, arguments: bool) -> None:
        self.messages = messages
        self.changed: set[int] = set()
        """Indices of the parts of which something was withheld."""
        self.stopped = False
        """Whether the policy stopped the response."""
        self._json = json
        self._arguments = arguments
        self._open: list[Lane] = []
        self._calls: dict[int, ToolCallPart] = {}
        self._said: dict[int, str] = {}

    def receive(self, event: PartEvent) -> list[Text | Done | Pass[PartEvent]]:
        """The steps of the next event."""
        match event:
            case None:
                return [*self._done(self._open)]
            case PartStartEvent(index=index, part=TextPart() as part):
                # A part's text ends where another text part begins; a tool call may come inside it.
                done = self._done([lane for lane in self._open if lane.part != index])
                return [*done, Pass(track=0, event=event), *self._text(index, part.content)]
            case PartDeltaEvent(index=index, delta=TextPartDelta(content_delta=text)):
                return [*self._text(index, text)]
            case PartStartEvent(index=index, part=part) if not isinstance(
                part, ThinkingPart | BaseToolCallPart
            ):
                return [Pass(track=0, event=PartEndEvent(index=index, part=part))]
            case PartEndEvent(index=index, part=ToolCallPart() as call) if self._arguments and call.args:
                self._calls[index] = call
                lane = self._lane(index, json=True, keeps=False)
                return [Text(lane=lane, text=call.args_as_json_str()), *self._done([lane])]
            case PartEndEvent(part=part) if not isinstance(part, TextPart):
                return [Pass(track=0, event=event)]
        return []

    def _text(self, index: int, text: str) -> list[Text]:
        return [Text(lane=self._lane(index, json=self._json), text=text)] if text else []

    def _lane(self, index: int, *, json: bool, keeps: bool = True) -> Lane:
        lane = Lane(track=0, part=index, json=json, keeps=keeps)
        if lane not in self._open:
            self._open.append(lane)
        return lane

    def _done(self, lanes: Sequence[Lane]) -> list[Done]:
        self._open = [lane for lane in self._open if lane not in lanes]
        return [Done(lane=lane) for lane in lanes]

    def say(self, lane: Lane, sent: Sent) -> list[PartEvent]:
        """A delta of released text; arguments are collected, since their tool call is sent whole."""
        if lane.part in self._calls:
            self._said[lane.part] = self._said.get(lane.part, "") + sent.text
            return []
        return (
            [PartDeltaEvent(index=lane.part, delta=TextPartDelta(content_delta=sent.text))]
            if sent.text
            else []
        )

    def end(self, lane: Lane, vista: Payload, *, stopped: bool) -> list[PartEvent]:
        """The tool call whose arguments ended; nothing for a text part."""
        self.stopped = self.stopped or stopped
        if vista["withheld"]:
            self.changed.add(lane.part)
        if lane.part not in self._calls:
            return []
        part = replace(self._calls[lane.part], args=self._said.get(lane.part, ""))
        return [PartEndEvent(index=lane.part, part=part)]

    def go_on(self, step: Pass[PartEvent]) -> list[PartEvent]:
        """The event."""
        return [step.event]

    def close(self) -> list[PartEvent]:
        """Nothing: after a stop no more events are sent."""
        return []

    def over(self, stopped: set[int], ended: set[int]) -> bool:
        """A stop ends the response."""
        return bool(stopped)


class WholeResponse:
    """A response that was not streamed. Once every slot was `put`, `response` holds released text only."""

    def __init__(self, response: ModelResponse, *, json: bool, arguments: bool) -> None:
        self._response = response
        self._json = json
        self._arguments = arguments
        self._parts: list[Any] = list(response.parts)
        self._changed = False
        self._stopped = False

    @property
    def response(self) -> ModelResponse:
        """The response as it may be shown."""
        response = replace(self._response, parts=self._parts)
        if self._changed:
            response = replace(response, provider_details=without_logprobs(response.provider_details))
        return replace(response, finish_reason="content_filter") if self._stopped else response

    def slots(self) -> Iterator[Slot]:
        """The guarded texts in their order."""
        for index, part in enumerate(self._response.parts):
            if isinstance(part, TextPart) and part.content:
                yield _PartSlot(self, Lane(track=0, part=index, json=self._json), part.content)
            elif isinstance(part, ToolCallPart) and self._arguments and part.args:
                yield _PartSlot(
                    self, Lane(track=0, part=index, json=True, keeps=False), part.args_as_json_str()
                )

    def put(self, index: int, sent: str, *, changed: bool, stopped: bool) -> None:
        """Replace a part's text by what was released; after a stop the later parts are removed."""
        if self._stopped:
            return  # the part was removed
        part = self._parts[index]
        if changed and isinstance(part, TextPart):
            self._parts[index] = edited(replace(part, content=sent))
        elif changed:
            self._parts[index] = replace(part, args=sent)
        self._changed = self._changed or changed
        if stopped:
            self._stopped = True
            del self._parts[index + 1 :]


class _PartSlot:
    def __init__(self, whole: WholeResponse, lane: Lane, text: str) -> None:
        self.lane = lane
        self.text = text
        self._whole = whole

    def put(self, sent: str, vista: Payload, *, placement: Placement, changed: bool, stopped: bool) -> None:
        self._whole.put(self.lane.part, sent, changed=changed, stopped=stopped)


def edited(part: TextPart) -> TextPart:
    """A text part with changed content, without anything that would bring back the withheld text.

    Its id is removed, since a provider would use its own copy of that part. The anchors of its citations are
    removed, since their positions are no longer right.
    """
    citations = part.citations and [replace(citation, anchor=None) for citation in part.citations]
    details = without_logprobs(part.provider_details)
    return replace(part, id=None, citations=citations, provider_details=details)


def without_logprobs(details: dict[str, Any] | None) -> dict[str, Any] | None:
    """A provider's details without log-probabilities, which contain the text, and without unmapped fields."""
    kept = {key: value for key, value in (details or {}).items() if "logprobs" not in key}
    kept.pop("unmapped", None)  # fields that pydantic-ai does not know, such as a service's `token_ids`
    return kept or None

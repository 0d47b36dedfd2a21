"""Anthropic's messages under guard: the events of a stream, and an answer that was not streamed. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vista_stream_adapters.guard import Message, message_text
from vista_stream_adapters.lane_log import Lane, Payload, Sent, Text
from vista_stream_adapters.rewrite import Done, Pass, Slot, Step
from vista_stream_adapters.sse import SseEvent
from vista_stream_adapters.wire import read_payload, written


class MessagesDialect:
    """The messages protocol for one request.

    Guarded are the text blocks, and with `arguments` the input of tool calls; each is a lane, and all
    are one track. All else passes. A stop ends the message with `stop_reason="refusal"`.
    """

    def __init__(self, request: Mapping[str, Any], *, arguments: bool = False) -> None:
        self.messages: Sequence[Message] = list(_messages(request))
        self._kinds = ("text_delta", "input_json_delta") if arguments else ("text_delta",)
        self._open: dict[int, Lane] = {}
        self._ends: dict[int, Payload] = {}

    def receive(self, event: SseEvent) -> list[Step]:
        """The steps of the upstream's next event; raises UpstreamError where its data is not JSON."""
        payload = read_payload(event)
        index, delta = payload.get("index", 0), payload.get("delta") or {}
        passed = Pass(track=0, event=event, payload=payload)
        match payload.get("type"):
            case "content_block_delta" if delta.get("type") in self._kinds:
                json = delta["type"] == "input_json_delta"
                lane = self._open.setdefault(index, Lane(track=0, part=index, json=json, keeps=not json))
                return [Text(lane=lane, text=str(delta.get("partial_json" if json else "text") or ""))]
            case "content_block_start" if text := (payload.get("content_block") or {}).get("text"):
                lane = self._open.setdefault(index, Lane(track=0, part=index))
                bare = {**payload, "content_block": {**payload["content_block"], "text": ""}}
                started = Pass(track=0, event=replace(event, data=written(bare).data), payload=bare)
                return [started, Text(lane=lane, text=str(text))]
            case "content_block_stop" if index in self._open:
                return [Done(lane=self._open.pop(index)), passed]
        return [passed]

    def say(self, lane: Lane, sent: Sent) -> list[SseEvent]:
        """One delta of released text; its verdicts are in `vista`."""
        name = {"type": "input_json_delta", "partial_json": sent.text}
        delta = name if lane.json else {"type": "text_delta", "text": sent.text}
        return [self._event("content_block_delta", index=lane.part, delta=delta, vista=sent.vista)]

    def end(self, lane: Lane, vista: Payload, *, stopped: bool) -> list[SseEvent]:
        """After a stop the events that finish the block and the message."""
        self._ends[lane.part] = vista
        if not stopped:
            return []
        delta = {"stop_reason": "refusal", "stop_sequence": None}
        return [
            self._event("content_block_stop", index=lane.part, vista=vista),
            self._event("message_delta", delta=delta, usage={"output_tokens": vista["tokens_received"]}),
            self._event("message_stop"),
        ]

    def go_on(self, step: Pass[SseEvent]) -> list[SseEvent]:
        """The event as it came; the end of a guarded block has what it amounts to in `vista`."""
        payload = step.payload or {}
        ends = self._ends if payload.get("type") == "content_block_stop" else {}
        if payload.get("index") not in ends:
            return [step.event]
        return [replace(step.event, data=written({**payload, "vista": ends[payload["index"]]}).data)]

    def close(self) -> list[SseEvent]:
        """Nothing: the stop has ended the message."""
        return []

    def over(self, stopped: set[int], ended: set[int]) -> bool:
        """A stop ends the message."""
        return bool(stopped)

    def slots(self, body: Payload) -> list[Slot]:
        """The text blocks; a tool call's input is an object here, and passes."""
        blocks = enumerate(body.get("content") or ())
        return [_Block(index, block, body) for index, block in blocks if block.get("text")]

    def _event(self, kind: str, *, vista: Payload | None = None, **fields: Any) -> SseEvent:
        return written({"type": kind, **fields, **({"vista": vista} if vista else {})}, kind)


class _Block:
    def __init__(self, index: int, block: Payload, body: Payload) -> None:
        self.lane = Lane(track=0, part=index)
        self.text: str = block["text"]
        self._block = block
        self._body = body

    def put(self, sent: str, vista: Payload, *, changed: bool, stopped: bool) -> None:
        self._block["text"] = sent
        self._block["vista"] = vista
        if stopped:
            self._body["stop_reason"] = "refusal"
            del self._body["content"][self.lane.part + 1 :]


def _messages(request: Mapping[str, Any]) -> Iterator[Message]:
    """A request's messages as chat messages; tool results are messages of their own here.

    They come after what the user said beside them; a message of results alone is nothing that a user said.
    """
    for message in request.get("messages") or ():
        content = message.get("content")
        parts = content if isinstance(content, list) else ()
        results = [part for part in parts if part.get("type") == "tool_result"]
        if not results or message_text(message).strip():
            yield message
        yield from ({"role": "tool", "content": part.get("content")} for part in results)

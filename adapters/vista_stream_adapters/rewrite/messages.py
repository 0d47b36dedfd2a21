"""Anthropic's messages under guard: the events of a stream, and an answer that was not streamed. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vista_stream_adapters.guard import Message, message_text
from vista_stream_adapters.rewrite.dialect import Done, Pass, Slot, Step
from vista_stream_adapters.rewrite.lane_log import Lane, Payload, Sent, Text
from vista_stream_adapters.rewrite.placement import Placement
from vista_stream_adapters.rewrite.sse import SseEvent
from vista_stream_adapters.rewrite.wire import index_in, object_in, objects_in, read_payload, written


class MessagesDialect:
    """The dialect of Anthropic's messages API, for one request.

    It guards the texts, and with `arguments` the input of tool calls. Each is a lane, and all are one track.
    Citations split a sentence into several text blocks, so consecutive text blocks form one text.

    The replacement of a sentence is sent in the block in which the sentence began. Later blocks with nothing
    left are removed, and a block that was changed loses its citations. All else passes. A stop ends the
    message with `stop_reason="refusal"`.
    """

    def __init__(self, request: Mapping[str, Any], *, arguments: bool = False) -> None:
        self.messages: Sequence[Message] = list(_messages(request))
        self._arguments = arguments
        self._inputs: dict[int, Lane] = {}
        self._running: Lane | None = None
        self._last = ""
        self._received = 0
        self._held: list[Step] = []
        self._cited: list[Step] = []
        self._texts: dict[int, tuple[Lane, int, int]] = {}
        self._placements: dict[Lane, Placement] = {}
        self._end: Payload | None = None
        self._block = 0
        self._waiting: Pass[SseEvent] | None = None
        self._taken_out = 0
        self._finished = self._failed = False

    # -- in

    def receive(self, event: SseEvent) -> list[Step]:
        """The steps of the upstream's next event; raises UpstreamError where its data is not JSON."""
        payload = read_payload(event)
        index, delta = index_in(payload, 0), object_in(payload, "delta")
        last = payload.get("type") in ("message_stop", "error")
        passed = Pass(track=0, event=event, payload=payload, last=last)
        match payload.get("type"), delta.get("type"):
            case "content_block_delta", "text_delta":
                return self._text(index, str(delta.get("text") or ""))
            case "content_block_delta", "citations_delta":
                self._cited.append(passed)  # held until it is known whether the block stays unchanged
                return []
            case "content_block_delta", "input_json_delta" if self._arguments:
                lane = self._inputs.setdefault(index, Lane(track=0, part=index, json=True, keeps=False))
                return [Text(lane=lane, text=str(delta.get("partial_json") or ""))]
            case "content_block_start", _ if (
                text := _text_of(object_in(payload, "content_block"))
            ) is not None:
                return self._start(passed, text)
            case "content_block_stop", _ if index in self._inputs:
                return [Done(lane=self._inputs.pop(index)), passed]
            case "content_block_stop", _:
                # Only the next event shows whether the text continues in another block.
                steps, self._cited = [*self._cited, passed], []
                return self._hold(steps)
            case "content_block_start" | "message_delta" | "message_stop" | "error", _:
                return [*self._done(), passed]
        return [passed]

    def _hold(self, steps: list[Step]) -> list[Step]:
        """Hold steps back while the running text may continue in another block."""
        if self._running is None:
            return steps
        self._held += steps
        return []

    def _start(self, started: Pass[SseEvent], text: str) -> list[Step]:
        payload = started.payload or {}
        if text:
            payload = {**payload, "content_block": {**payload["content_block"], "text": ""}}
            started = replace(
                started, event=replace(started.event, data=written(payload).data), payload=payload
            )
        return [*self._hold([started]), *self._text(payload.get("index", 0), text)]

    def _text(self, index: int, text: str) -> list[Step]:
        if not text:
            return []
        steps: list[Step] = []
        if self._held and _begins_anew(self._last, text):
            steps = self._done()
        steps, self._held = [*steps, *self._held], []
        if self._running is None:
            self._running, self._received = Lane(track=0, part=index), 0
        lane, start, _ = self._texts.get(index, (self._running, self._received, 0))
        self._received += len(text)
        self._texts[index], self._last = (lane, start, self._received), text[-1]
        return [*steps, Text(lane=lane, text=text)]

    def _done(self) -> list[Step]:
        """The end of the running text, and the steps that were held back for it."""
        done = [] if self._running is None else [Done(lane=self._running)]
        steps, self._running, self._held = [*done, *self._held], None, []
        return steps

    # -- out

    def say(self, lane: Lane, sent: Sent) -> list[SseEvent]:
        """One delta of released text; its verdicts are in `vista`."""
        if lane.json:
            index, delta = lane.part, {"type": "input_json_delta", "partial_json": sent.text}
        else:
            index, delta = self._block, {"type": "text_delta", "text": sent.text}
            self._placements.setdefault(lane, Placement()).add(sent)
        said = {"type": "content_block_delta", "index": index, "delta": delta}
        return [*self._opened(), self._event({**said, "vista": sent.vista} if sent.vista else said)]

    def _opened(self) -> list[SseEvent]:
        """The start event of a block that continues a text, sent once the block has something in it."""
        started, self._waiting = self._waiting, None
        return [] if started is None else [self._event(started.payload or {}, started.event)]

    def end(self, lane: Lane, vista: Payload, *, stopped: bool) -> list[SseEvent]:
        """After a stop, the events that finish the block and the message; else none."""
        if not stopped:
            self._end = vista
            return []
        index = lane.part if lane.json else self._block
        delta = {"stop_reason": "refusal", "stop_sequence": None}
        usage = {"output_tokens": vista["tokens_received"]}
        opened = self._waiting is None
        return [
            *(
                [self._event({"type": "content_block_stop", "index": index, "vista": vista})]
                if opened
                else ()
            ),
            self._event({"type": "message_delta", "delta": delta, "usage": usage}),
            self._event({"type": "message_stop"}),
        ]

    def go_on(self, step: Pass[SseEvent]) -> list[SseEvent]:
        """The event with its block's new number; the first event after a text's end gets the text's `vista`.

        Citations of a changed block, and the events of a block with nothing left, are dropped.
        """
        payload = step.payload or {}
        index, kind = payload.get("index", 0), payload.get("type")
        self._failed = self._failed or kind == "error"
        self._finished = self._finished or self._failed or kind == "message_stop"
        if kind == "ping":
            return [step.event]
        if kind == "content_block_start":
            self._block = index
            if index in self._texts and self._texts[index][0].part != index:
                self._waiting = step
                return []
        if (payload.get("delta") or {}).get("type") == "citations_delta" and not self._whole(index):
            return []
        if kind == "content_block_stop" and self._waiting is not None:
            self._waiting = None
            self._taken_out += 1
            return []
        opened = self._opened()
        end, self._end = (None, None) if kind == "error" else (self._end, None)
        if end is None and not self._taken_out:
            return [*opened, step.event]
        return [*opened, self._event(payload if end is None else {**payload, "vista": end}, step.event)]

    def _whole(self, index: int) -> bool:
        """Whether all of a block's text was sent unchanged."""
        if index not in self._texts:
            return True
        lane, start, end = self._texts[index]
        return self._placements.get(lane, Placement()).find(start, end) is not None

    def _event(self, payload: Payload, came: SseEvent | None = None) -> SseEvent:
        """An event with the block's number among the blocks that were not removed."""
        if "index" in payload:
            payload = {**payload, "index": payload["index"] - self._taken_out}
        event = written(payload, str(payload.get("type")))
        self._finished = self._finished or payload.get("type") == "message_stop"
        return event if came is None else replace(came, data=event.data)

    def close(self) -> list[SseEvent]:
        """Nothing: the stop has ended the message."""
        return []

    def over(self, stopped: set[int], ended: set[int]) -> bool:
        """A stop ends the message."""
        return bool(stopped)

    @property
    def finished(self) -> bool:
        """Whether the end of the message, or an error, was sent."""
        return self._finished

    @property
    def failed(self) -> bool:
        """Whether an error of the upstream was sent."""
        return self._failed

    # -- not streamed

    def slots(self, body: Payload) -> list[Slot]:
        """The texts; a tool call's input is a JSON object here, and passes unguarded."""
        runs: list[_Blocks] = []
        goes_on, last = False, ""
        for index, block in enumerate(objects_in(body, "content")):
            text = _text_of(block)
            if text is None or _begins_anew(last, text):
                goes_on, last = False, ""
            if text is not None:
                runs += [] if goes_on else [_Blocks(index, body)]
                runs[-1].add(block, text)
                goes_on, last = True, text[-1:] or last
        return [run for run in runs if run.text]


class _Blocks:
    """A text that consists of one or more consecutive blocks."""

    def __init__(self, index: int, body: Payload) -> None:
        self.lane = Lane(track=0, part=index)
        self.text = ""
        self._blocks: list[tuple[Payload, int, int]] = []
        self._body = body

    def add(self, block: Payload, text: str) -> None:
        """Take in the next block."""
        start, self.text = len(self.text), self.text + text
        self._blocks.append((block, start, len(self.text)))

    def put(self, sent: str, vista: Payload, *, placement: Placement, changed: bool, stopped: bool) -> None:
        first = last = self._blocks[0][0]
        emptied: list[Payload] = []
        for block, start, end in self._blocks:
            text = placement.between(start, end)
            if block.get("citations") and placement.find(start, end) is None:
                block["citations"] = None
            block["text"] = text
            if start < end and not text and block is not first:
                emptied.append(block)
            else:
                last = block
        first["vista"] = vista
        content = [block for block in self._body["content"] if not any(block is one for one in emptied)]
        if stopped:
            self._body["stop_reason"] = "refusal"
            content = content[: next(n for n, block in enumerate(content, 1) if block is last)]
        self._body["content"] = content


def _text_of(block: Payload) -> str | None:
    """The text of a text block; None for any other block."""
    if not (block.get("type") == "text" or block.get("text")):
        return None
    return str(block.get("text") or "")


def _begins_anew(last: str, text: str) -> bool:
    """Whether a block begins a new text: the last character ended a sentence, and a capital follows."""
    return last in (".", "!", "?") and text[:1].isupper()


def _messages(request: Mapping[str, Any]) -> Iterator[Message]:
    """A request's messages as chat messages; each tool result becomes a message of its own.

    Tool results come after the user's text in the same message. A message with tool results only gives no
    user message. Malformed messages and parts are skipped: the upstream refuses them.
    """
    given = request.get("messages")
    for message in given if isinstance(given, list) else ():
        if not isinstance(message, Mapping):
            continue
        content = message.get("content")
        parts = content if isinstance(content, list) else ()
        results = [part for part in parts if isinstance(part, Mapping) and part.get("type") == "tool_result"]
        if not results or message_text(message).strip():
            yield message
        yield from ({"role": "tool", "content": part.get("content")} for part in results)

"""Responses under guard: the events of a stream, and an answer that was not streamed. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from vista_stream_adapters.guard import Message
from vista_stream_adapters.rewrite.dialect import Done, Pass, Slot, Step
from vista_stream_adapters.rewrite.lane_log import Lane, Payload, Sent, Text
from vista_stream_adapters.rewrite.placement import Placement, placed
from vista_stream_adapters.rewrite.responses_output import (
    OutputText,
    content_of,
    holds_text,
    parts_of,
    stopped_fields,
    texts_in,
)
from vista_stream_adapters.rewrite.responses_request import asked_by, format_of
from vista_stream_adapters.rewrite.sse import SseEvent
from vista_stream_adapters.rewrite.wire import (
    index_in,
    object_in,
    objects_in,
    read_payload,
    refuse_audio,
    spoken,
    text_in,
    untyped_error,
    written,
)

_TEXT = "response.output_text"
_COPY = "output_text"
"""Field in which some services repeat all texts, beside `output`; the SDK computes its own from `output`."""
_ANNOTATION = f"{_TEXT}.annotation.added"
_CALLS = {
    "arguments": "response.function_call_arguments",
    "input": "response.custom_tool_call_input",
}
"""The fields of INPUTS, and the start of the names of the events that carry them."""
_SPOKEN = ("response.audio.", "response.output_audio")
_FAILURES = ("response.failed", "error")
_LAST = ("response.completed", "response.incomplete", "response.failed")
"""Types of the events after which nothing comes; an `error` may come before `response.failed`."""
_CLOSING = (*_LAST, "error")
"""Types of the events that end a response."""
_PLACED = (_TEXT, *_CALLS.values(), "response.output_item.", "response.content_part.")


class ResponsesDialect:
    """The dialect of the responses API, for one request.

    It guards the parts with text, and with `arguments` the inputs of function and custom tool calls. Each is
    a lane, and all are one track. All else passes, as reasoning does; in events that repeat a text it is
    replaced by what was released. A text that no event of its own has told is guarded where its part, item
    or response is done, and sent there alone.

    A stop finishes the open item and ends with the event `response.completed`, because the official client's
    stream helper requires it. Its response has `status="incomplete"` and
    `incomplete_details.reason="content_filter"`. With `completes` it has `status="completed"`, unless a tool
    call was cut short. Audio answers are refused, as in chat completions.
    """

    def __init__(
        self, request: Mapping[str, Any], *, arguments: bool = False, completes: bool = False
    ) -> None:
        refuse_audio(request)
        self.messages: Sequence[Message] = asked_by(request)
        self._json = format_of(request) in ("json_object", "json_schema")
        self._arguments = arguments
        self._completes = completes
        self._open: list[Lane] = []
        self._frames: dict[Lane, Payload] = {}
        self._sent: dict[tuple[int, Any], str] = {}
        self._changed: set[tuple[int, Any]] = set()
        self._placements: dict[tuple[int, Any], Placement] = {}
        self._annotated: Counter[tuple[int, Any]] = Counter()
        self._original: dict[tuple[int, Any], str] = {}
        self._ends: dict[tuple[int, Any], Payload] = {}
        self._response: Payload = {}
        self._items: dict[int, Payload] = {}
        self._reasoning: set[int] = set()
        """The output indices of the items that are reasoning, as far as the upstream's events tell."""
        self._late: dict[tuple[int, Any], Payload] = {}
        """The texts that no event of their own has told, and their items as the upstream sent them."""
        self._outputs: dict[str, set[int]] = {}
        """The output indices of the items with an id; some services give several items the same one."""
        self._number: int | None = None
        self._finished = self._failed = False

    # -- in

    def receive(self, event: SseEvent) -> list[Step]:
        """The steps of the upstream's next event; raises UpstreamError where its data is not JSON."""
        if event.data.startswith("[DONE]"):
            return [*self._done(*self._open), Pass(track=0, event=event, last=True)]
        payload = read_payload(event)
        if "type" not in payload and (event.event or "").startswith("response."):
            payload["type"] = event.event  # told by the event's own field alone
        payload = self._placed(payload)
        if object_in(payload, "item").get("type") == "reasoning":
            self._reasoning.add(payload.get("output_index", 0))
        kind, lane = str(payload.get("type")), self._lane(payload)
        if kind.startswith(_SPOKEN) or object_in(payload, "part").get("type") == "output_audio":
            raise spoken()
        last = kind in _LAST or untyped_error(payload)
        passed = Pass(track=0, event=event, payload=payload, last=last)
        if lane is None:
            done = self._done(*(self._open if last or kind in _CLOSING else ()))
            return [*done, *self._told_late(payload), passed]
        if kind.endswith(".delta"):
            self._frames[lane] = _frame(payload)
            delta = text_in(payload, "delta")
            self._original[_place(lane)] = self._original.get(_place(lane), "") + delta
            return self._text(lane, delta, objects_in(payload, "logprobs"))
        text = str(payload.get(_key(kind)) or "")
        steps: list[Step] = []
        if text and lane not in self._frames:
            # A server that sends no deltas: the text in its last event is guarded instead.
            self._frames[lane] = {**_frame(payload), "type": kind.replace(".done", ".delta")}
            self._original[_place(lane)] = text
            steps += self._text(lane, text, ())
        return [*steps, *self._done(lane), passed]

    def _placed(self, payload: Payload) -> Payload:
        """The event with its output and content index, which llama.cpp leaves out: found by the item's id."""
        kind, item = str(payload.get("type")), object_in(payload, "item")
        identity = payload.get("item_id") or item.get("id")
        for key in ("output_index", "content_index"):
            index_in(payload, 0, key)
        if not kind.startswith(_PLACED) or not isinstance(identity, str):
            return payload
        outputs = self._outputs.get(identity, set())
        output = payload.get("output_index")
        if output is None:
            output = max(outputs, default=len(self._outputs))
        self._outputs[identity] = {*outputs, output}
        within = {} if "item" in payload or _key(kind) in _CALLS else {"content_index": 0}
        return {**within, **payload, "output_index": output}

    def _lane(self, payload: Payload) -> Lane | None:
        """The lane of an event that carries guarded text; None for any other event."""
        kind, output = payload.get("type"), payload.get("output_index", 0)
        if kind in (f"{_TEXT}.delta", f"{_TEXT}.done"):
            return self._lane_at(output, payload.get("content_index", 0))
        key = _key(str(kind))
        if self._arguments and key in _CALLS and kind in (f"{_CALLS[key]}.delta", f"{_CALLS[key]}.done"):
            return self._lane_at(output, key)
        return None

    def _lane_at(self, output: int, part: Any) -> Lane:
        if part in _CALLS:
            return Lane(track=0, part=(output, part), json=part == "arguments", keeps=False)
        return Lane(track=0, part=(output, part), json=self._json)

    def _told_late(self, payload: Payload) -> list[Step]:
        """The steps of texts that first stand in an event about a whole part, item or response."""
        kind, steps = str(payload.get("type")), list[Step]()
        if not (kind.endswith(".done") or kind in _LAST):
            return steps
        for holder, key, place, item in self._texts_of(payload):
            text = text_in(holder, key)
            if text and not self._original.get(place):
                self._original[place], self._late[place] = text, item
                lane = self._lane_at(*place)
                steps += [*self._text(lane, text, ()), *self._done(lane)]
        return steps

    def _text(self, lane: Lane, text: str, logprobs: Any) -> list[Step]:
        if lane not in self._open:
            self._open.append(lane)
        return [Text(lane=lane, text=text, logprobs=logprobs)] if text else []

    def _done(self, *lanes: Lane) -> list[Step]:
        done = [lane for lane in lanes if lane in self._open and self._original.get(_place(lane))]
        self._open = [lane for lane in self._open if lane not in lanes]
        return [Done(lane=lane) for lane in done]

    # -- out

    def say(self, lane: Lane, sent: Sent) -> list[SseEvent]:
        """One delta of released text; its verdicts are in `vista`."""
        self._sent[_place(lane)] = self._sent.get(_place(lane), "") + sent.text
        self._placements.setdefault(_place(lane), Placement()).add(sent)
        if _place(lane) in self._late:
            return []
        payload = {**self._frames[lane], "delta": sent.text}
        if "logprobs" in payload:
            payload["logprobs"] = list(sent.logprobs)
        return [self._event({**payload, "vista": sent.vista} if sent.vista else payload)]

    def end(self, lane: Lane, vista: Payload, *, stopped: bool) -> list[SseEvent]:
        """After a stop, the events that finish the item and the response; else none."""
        place = _place(lane)
        self._ends[place] = vista
        if self._sent.get(place, "") != self._original.get(place, ""):
            self._changed.add(place)
        return [self._event(payload) for payload in self._finish(lane, vista)] if stopped else []

    def _finish(self, lane: Lane, vista: Payload) -> Iterator[Payload]:
        output, part = _place(lane)
        frame = self._frames.get(lane, {})
        at = {k: v for k, v in frame.items() if k in ("item_id", "output_index", "content_index")}
        for (index, _), late in self._late.items():
            if late and index <= output:
                self._items[index] = deepcopy(late)
                self._repeat({"output_index": index, "item": self._items[index]})
        item = self._items.setdefault(output, {"type": "message", "role": "assistant", "content": []})
        end = stopped_fields(part, completes=self._completes)
        item["status"] = end["status"]
        text, own = self._sent.get((output, part), ""), list[Payload]()
        if part in _CALLS:
            item[part] = text
            name = {"name": item["name"]} if "name" in item else {}
            own = [{"type": f"{_CALLS[part]}.done", **at, **name, part: text, "vista": vista}]
        elif isinstance(item.get("content"), str):
            item["content"] = text
        else:
            logprobs: Payload = {"logprobs": []} if "logprobs" in frame else {}
            own_part = dict(enumerate(parts_of(item))).get(part, {})
            content = {"annotations": [], **own_part, "type": "output_text", "text": text}
            item["content"] = [*parts_of(item)[:part], content]
            own = [
                {"type": f"{_TEXT}.done", **at, "text": text, **logprobs, "vista": vista},
                {"type": "response.content_part.done", **at, "part": content},
            ]
        yield from own if frame else ()
        yield {"type": "response.output_item.done", "output_index": output, "item": item}
        response = {
            **self._response,
            **end,
            "output": [self._items[index] for index in sorted(self._items)],
        }
        yield {"type": "response.completed", "response": response}

    def go_on(self, step: Pass[SseEvent]) -> list[SseEvent]:
        """The event with the texts that it repeats replaced by what was released."""
        if step.payload is None or "type" not in step.payload:
            # An error without a type, as some services send it; or `[DONE]`, as in chat completions.
            self._finished = self._finished or step.last
            self._failed = self._failed or (step.last and step.payload is not None)
            return [step.event]
        payload = deepcopy(step.payload)
        self._failed = self._failed or payload["type"] in _FAILURES
        if payload["type"] == _ANNOTATION and not self._annotate(payload):
            return []
        self._repeat(payload)
        self._remember(payload)
        return [replace(step.event, data=self._event(payload).data)]

    def _annotate(self, payload: Payload) -> bool:
        """Move an annotation to its text's position in what was sent; False where that text was withheld."""
        place = (payload.get("output_index", 0), payload.get("content_index", 0))
        kept = placed([payload.get("annotation") or {}], self._placements.get(place, Placement()))
        if kept:
            payload |= {"annotation": kept[0], "annotation_index": self._annotated[place]}
            self._annotated[place] += 1
        return bool(kept)

    def _repeat(self, payload: Payload) -> None:
        """Replace the texts that an event repeats by what was released, in place."""
        lane = self._lane(payload)
        if lane is not None:
            self._restore(payload, _key(str(payload.get("type"))), _place(lane))
            payload["vista"] = self._ends.get(_place(lane), {})
            return
        object_in(payload, "response").pop(_COPY, None)
        for holder, key, place, _ in self._texts_of(payload):
            self._restore(holder, key, place)

    def _texts_of(self, payload: Payload) -> Iterator[tuple[Payload, str, tuple[int, Any], Payload]]:
        """The texts in an event's part, item or response: each with object, field, place and item."""
        output, part = payload.get("output_index", 0), object_in(payload, "part")
        reasons = output in self._reasoning or str(payload.get("type")).startswith("response.reasoning")
        if holds_text(part) and not reasons:
            yield part, "text", (output, payload.get("content_index", 0)), {}
        items = [(output, object_in(payload, "item"))]
        told = {identity: iter(sorted(outputs)) for identity, outputs in self._outputs.items()}
        for index, item in enumerate(objects_in(object_in(payload, "response"), "output")):
            items.append((next(told.get(str(item.get("id")), iter(())), index), item))
        for output, item in items:
            for holder, key, part in texts_in(item, arguments=self._arguments):
                yield holder, key, (output, part), item

    def _restore(self, holder: Payload, key: str, place: tuple[int, Any]) -> None:
        """Replace one text by what was released, in place; a text that was never guarded becomes empty."""
        if key in holder:
            holder[key] = self._sent.get(place, "")
        if annotations := objects_in(holder, "annotations"):
            holder["annotations"] = placed(annotations, self._placements.get(place, Placement()))
        if place in self._changed and holder.get("logprobs"):
            holder["logprobs"] = []
        if place in self._late:
            holder["vista"] = self._ends.get(place, {})

    def _remember(self, payload: Payload) -> None:
        """Keep the items in the form in which they were sent, to finish them after a stop."""
        output = payload.get("output_index", 0)
        if isinstance(payload.get("response"), dict):
            self._response = payload["response"]
        elif isinstance(payload.get("item"), dict):
            self._items[output] = deepcopy(payload["item"])
        elif isinstance(payload.get("part"), dict) and output in self._items:
            item, end = self._items[output], payload.get("content_index", 0)
            item["content"] = [*parts_of(item)[:end], payload["part"]]

    def close(self) -> list[SseEvent]:
        """Nothing: the stop has completed the response."""
        return []

    def over(self, stopped: set[int], ended: set[int]) -> bool:
        """A stop ends the response."""
        return bool(stopped)

    @property
    def finished(self) -> bool:
        """Whether an event that ends the response was sent."""
        return self._finished

    @property
    def failed(self) -> bool:
        """Whether an error of the upstream was sent."""
        return self._failed

    def _event(self, payload: Payload) -> SseEvent:
        """An event with the next sequence number: the numbers of sent and upstream events differ."""
        if self._number is None:
            self._number = int(payload.get("sequence_number") or 0)
        payload = {**payload, "sequence_number": self._number}
        self._number += 1
        self._finished = self._finished or payload["type"] in _CLOSING
        return written(payload, str(payload["type"]))

    # -- not streamed

    def slots(self, body: Payload) -> list[Slot]:
        """The output's texts and, where guarded, the inputs of its tool calls."""
        body.pop(_COPY, None)
        return list(self._slots(body))

    def _slots(self, body: Payload) -> Iterator[Slot]:
        for output, item in enumerate(objects_in(body, "output")):
            if any(part.get("type") == "output_audio" for part in content_of(item)):
                raise spoken()
            for holder, key, part in texts_in(item, arguments=self._arguments):
                if text_in(holder, key):
                    lane = self._lane_at(output, part)
                    yield OutputText(lane, holder, key, body, completes=self._completes)


def _frame(payload: Payload) -> Payload:
    """An event of a text without the text, in which another one can be sent."""
    return {key: value for key, value in payload.items() if key not in ("delta", "text", *_CALLS)}


def _key(kind: str) -> str:
    """The field with the whole text in a `.done` event of this type."""
    return next((key for key, name in _CALLS.items() if kind.startswith(name)), "text")


def _place(lane: Lane) -> tuple[int, Any]:
    output, part = lane.part
    return output, part

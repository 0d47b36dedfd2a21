"""Where a response's output holds guarded text, and such a text of an answer not streamed. No I/O."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vista_stream_adapters.rewrite.lane_log import Lane, Payload
from vista_stream_adapters.rewrite.placement import Placement, placed
from vista_stream_adapters.rewrite.wire import objects_in

INPUTS = {"function_call": "arguments", "custom_tool_call": "input"}
"""Types of the items that are guarded tool calls, and the field with a call's input."""
_REASONING = ("reasoning_text", "summary_text")
_OF_ANSWER = (None, "output_text", "text")
"""Types of parts whose text is the answer's, so that it must be text; None stands for a missing type."""


def texts_in(item: Payload, *, arguments: bool) -> Iterator[tuple[Payload, str, Any]]:
    """The guarded texts of an item: the object and field of each, and the lane's part of the item.

    That is the index of a part of the content, or with `arguments` the field with a tool call's input.
    """
    if isinstance(item.get("content"), str) and not _strict(item):
        yield item, "content", 0
    for index, part in enumerate(content_of(item)):
        if holds_text(part):
            yield part, "text", index
    key = INPUTS.get(str(item.get("type")))
    if arguments and key:
        yield item, key, key


def _strict(item: Payload) -> bool:
    """Whether an item's content must be a list of parts, or holds no text of the answer at all."""
    return item.get("type") in ("message", "reasoning")


def content_of(item: Payload) -> list[Payload]:
    """The parts of an item that may hold text of the answer: those of reasoning hold none."""
    return [] if item.get("type") == "reasoning" else parts_of(item)


def parts_of(item: Payload) -> list[Payload]:
    """The parts of an item's content; raises UpstreamError where a message or reasoning has no list of them.

    In another item each string in the list becomes a part, in place; what is no part gives an empty one.
    """
    content = item.get("content")
    if _strict(item):
        return objects_in(item, "content")
    if isinstance(content, dict):
        return [content]
    if not isinstance(content, list):
        return []
    content[:] = [{"type": "output_text", "text": p} if isinstance(p, str) else p for p in content]
    return [part if isinstance(part, dict) else {} for part in content]


def holds_text(part: Payload) -> bool:
    """Whether a part holds text of the answer; some services name its type otherwise than `output_text`."""
    kind, text = part.get("type"), part.get("text")
    if kind == "output_text":
        return True
    return bool(text) and kind not in _REASONING and (isinstance(text, str) or kind in _OF_ANSWER)


def stopped_fields(part: Any, *, completes: bool) -> Payload:
    """Status fields of a response stopped in a part; a tool call cut short is always `incomplete`."""
    if completes and part not in INPUTS.values():
        return {"status": "completed", "incomplete_details": None}
    return {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}


class OutputText:
    """A guarded text in the body of a response that was not streamed."""

    def __init__(self, lane: Lane, place: Payload, key: str, body: Payload, *, completes: bool) -> None:
        self.lane = lane
        self._completes = completes
        self.text: str = place[key]
        self._place_of_text = place
        self._key = key
        self._body = body

    def put(self, sent: str, vista: Payload, *, placement: Placement, changed: bool, stopped: bool) -> None:
        """Replace the text by what was released, as `Slot` describes."""
        self._place_of_text[self._key] = sent
        if annotations := objects_in(self._place_of_text, "annotations"):
            self._place_of_text["annotations"] = placed(annotations, placement)
        self._place_of_text["vista"] = vista
        if changed and self._place_of_text.get("logprobs"):
            self._place_of_text["logprobs"] = []
        if stopped:
            output, part = self.lane.part
            content = self._body["output"][output].get("content")
            if part not in INPUTS.values() and isinstance(content, list):
                del content[part + 1 :]
            self._body |= stopped_fields(part, completes=self._completes)
            self._body["output"] = self._body["output"][: output + 1]

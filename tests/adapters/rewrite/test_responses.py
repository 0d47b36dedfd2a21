"""Copies of the text beside the output, which nobody guards; malformed answers."""

import json

import pytest

from vista_stream import UpstreamError
from vista_stream.claims import Category
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.lane_log import Text
from vista_stream_adapters.rewrite.responses import ResponsesDialect
from vista_stream_adapters.rewrite.sse import SseEvent
from vista_stream_adapters.shell.stream import guard_body

pytestmark = pytest.mark.anyio


async def test_a_response_says_no_text_once_more():
    part = {"type": "output_text", "text": "It is FALSE.", "annotations": []}
    item = {"type": "message", "id": "m", "role": "assistant", "content": [part]}
    body = {"id": "r", "output": [item], "output_text": "It is FALSE."}
    guard = Guard(stages=ScriptedStages({"FALSE": Category.CONTRADICTED}).stages())
    guarded = await guard_body(body, ResponsesDialect({"input": "Tell me."}), guard)
    assert "FALSE" not in json.dumps(guarded["output"][0]["content"][0]["text"])
    assert "output_text" not in guarded


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"output": [None]}, "output must be a list of objects"),
        ({"output": [{"type": "message", "content": "x"}]}, "content must be a list of objects"),
        ({"output": [{"type": "message", "content": [{"type": "output_text", "text": 3}]}]}, "text must be"),
    ],
)
def test_a_malformed_response_is_refused_by_name(body, wrong):
    with pytest.raises(UpstreamError, match=wrong):
        ResponsesDialect({"input": "Tell me."}).slots(body)


@pytest.mark.parametrize(
    ("field", "value", "wrong"),
    [
        ("output_index", "x", "output_index must be a whole number"),
        ("content_index", [], "content_index must be a whole number"),
        ("logprobs", 3, "logprobs must be a list of objects"),
    ],
)
def test_a_malformed_event_is_refused_by_name(field, value, wrong):
    at = {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0}
    event = SseEvent(data=json.dumps({**at, "delta": "It is FALSE.", field: value}))
    with pytest.raises(UpstreamError, match=wrong):
        ResponsesDialect({"input": "Tell me."}).receive(event)


@pytest.mark.parametrize("identity", [[], {}, 3, None, ""])
def test_an_item_may_have_any_id(identity):
    at = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0}
    dialect = ResponsesDialect({"input": "Tell me."})
    (step,) = dialect.receive(SseEvent(data=json.dumps({**at, "item_id": identity, "delta": "It is FALSE."})))
    assert step.lane.part == (0, 0)
    item = {"id": identity, "type": "message", "content": [{"type": "output_text", "text": "It is FALSE."}]}
    last = {"type": "response.completed", "response": {"id": "r", "output": [item]}}
    *_, passed = dialect.receive(SseEvent(data=json.dumps(last)))
    (sent,) = dialect.go_on(passed)
    assert "FALSE" not in sent.data, "nothing was released"


def test_an_event_whose_type_only_its_own_field_tells_is_guarded():
    data = json.dumps({"item_id": "m", "output_index": 0, "content_index": 0, "delta": "It is FALSE."})
    steps = ResponsesDialect({"input": "Tell me."}).receive(
        SseEvent(data=data, event="response.output_text.delta")
    )
    assert [step.text for step in steps if isinstance(step, Text)] == ["It is FALSE."]

"""Copies of the text beside the output, which nobody guards; malformed answers."""

import json
from copy import deepcopy

import pytest

from vista_stream import Importance, Policy, UpstreamError, stop
from vista_stream.claims import Category
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.lane_log import Text
from vista_stream_adapters.rewrite.responses import ResponsesDialect
from vista_stream_adapters.rewrite.sse import SseEvent
from vista_stream_adapters.shell.stream import GuardedStream, guard_body

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


def item_of(item, part):
    content = [{"type": "output_text", "text": "It is FALSE.", **part}]
    return {"type": "message", "id": "m", "role": "assistant", "content": content, **item}


@pytest.mark.parametrize("item", [{}, {"type": None}, {"type": "answer"}])
@pytest.mark.parametrize("part", [{}, {"type": None}, {"type": "text"}])
async def test_text_is_guarded_whatever_its_item_and_part_are_called(item, part):
    guard = Guard(stages=ScriptedStages({"FALSE": Category.CONTRADICTED}).stages())
    body = {"id": "r", "output": [item_of(item, part)]}
    guarded = await guard_body(deepcopy(body), ResponsesDialect({"input": "Tell me."}), guard)
    assert "FALSE" not in json.dumps(guarded["output"])
    dialect, last = ResponsesDialect({"input": "Tell me."}), {"type": "response.completed", "response": body}
    text, _, passed = dialect.receive(SseEvent(data=json.dumps(last)))
    assert text.text == "It is FALSE."
    assert "FALSE" not in dialect.go_on(passed)[0].data, "nothing was released"


@pytest.mark.parametrize("kind", ["reasoning_text", "summary_text"])
def test_reasoning_passes(kind):
    item = item_of({"type": "reasoning"}, {"type": kind})
    assert ResponsesDialect({"input": "Tell me."}).slots({"output": [item]}) == []
    dialect = ResponsesDialect({"input": "Tell me."})
    for told in ({"item": item}, {"part": item["content"][0]}):
        event = {"type": "response.output_item.done", "output_index": 0, **told}
        (passed,) = dialect.receive(SseEvent(data=json.dumps(event)))
        assert "FALSE" in dialect.go_on(passed)[0].data


async def test_a_stop_in_an_item_whose_content_was_null_completes_the_response():
    rules = {(Category.CONTRADICTED, importance): stop("[Stopped.]") for importance in Importance}
    stages = ScriptedStages({"FALSE": Category.CONTRADICTED}).stages()
    guard = Guard(stages=stages, policy=Policy(rules=rules))
    at = {"item_id": "m", "output_index": 0, "content_index": 0}
    item = {"type": "message", "id": "m", "role": "assistant", "content": None}
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_text.delta", **at, "delta": "It is FALSE. "},
        {"type": "response.completed", "response": {"id": "r", "output": [item]}},
    ]

    async def upstream():
        for event in events:
            yield f"data: {json.dumps(event)}\n\n".encode()

    dialect = ResponsesDialect({"input": "Tell me."})
    async with GuardedStream(upstream(), dialect, guard) as stream:
        *_, last = [json.loads(event.data) async for event in stream]
    assert last["type"] == "response.completed"
    assert last["response"]["output"][0]["content"][0]["text"] == "[Stopped.]"

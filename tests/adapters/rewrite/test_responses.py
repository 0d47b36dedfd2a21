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


MESSAGE = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "It is so."}]}


def stopping():
    rules = {(Category.CONTRADICTED, importance): stop("[Stopped.]") for importance in Importance}
    return Guard(stages=ScriptedStages({"FALSE": Category.CONTRADICTED}).stages(), policy=Policy(rules=rules))


async def streamed(events, guard):
    async def upstream():
        for event in events:
            yield f"data: {json.dumps(event)}\n\n".encode()

    async with GuardedStream(upstream(), ResponsesDialect({"input": "Tell me."}), guard) as stream:
        return [json.loads(event.data) async for event in stream]


@pytest.mark.parametrize("name", ["content_part", "reasoning_summary_part"])
async def test_a_part_of_reasoning_passes_whatever_its_type(name):
    part = {"type": "text", "text": "Let me think FALSE."}
    item = {"type": "reasoning", "id": "rs", "content": [part]}
    at = {"item_id": "rs", "output_index": 0, "content_index": 0}
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": f"response.{name}.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item, MESSAGE]}},
    ]
    sent = await streamed(events, stopping())
    assert sent[1]["part"] == part
    output = sent[-1]["response"]["output"]
    assert output[0] == item
    assert output[1]["content"][0]["text"] == "It is so."


@pytest.mark.parametrize(
    "content", ["raw output", ["a"], [3, None], {"value": 1}, [{"type": "image", "text": {"alt": "x"}}]]
)
async def test_an_unknown_item_loses_no_answer(content):
    body = {"id": "r", "output": [{"type": "tool_output", "content": content}, MESSAGE]}
    guard = Guard(stages=ScriptedStages({"FALSE": Category.CONTRADICTED}).stages())
    guarded = await guard_body(deepcopy(body), ResponsesDialect({"input": "Tell me."}), guard)
    assert guarded["output"][1]["content"][0]["text"] == "It is so."
    kept = [{"type": "output_text", "text": "a"}] if content == ["a"] else content
    said = guarded["output"][0]["content"]
    assert said == kept or said[0]["text"] == "a"
    *_, last = await streamed([{"type": "response.completed", "response": body}], guard)
    assert last["response"]["output"][1]["content"][0]["text"] == "It is so."


@pytest.mark.parametrize("content", ["It is FALSE.", ["It is FALSE."], {"text": "It is FALSE."}])
async def test_text_of_an_unknown_item_is_guarded_in_its_place(content):
    body = {"id": "r", "output": [{"type": "answer", "content": content}, MESSAGE]}
    guarded = await guard_body(deepcopy(body), ResponsesDialect({"input": "Tell me."}), stopping())
    *_, last = await streamed([{"type": "response.completed", "response": body}], stopping())
    for output in (guarded["output"], last["response"]["output"]):
        assert len(output) == 1
        assert "FALSE" not in json.dumps(output)
        assert "[Stopped.]" in json.dumps(output)


def test_text_of_the_answer_that_is_no_text_is_refused():
    body = {"output": [{"type": "message", "content": [{"type": "text", "text": {"value": "FALSE"}}]}]}
    with pytest.raises(UpstreamError, match="text must be text"):
        ResponsesDialect({"input": "Tell me."}).slots(body)

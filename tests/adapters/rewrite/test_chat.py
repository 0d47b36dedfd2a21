"""Copies of the text beside the deltas, tool calls without an index, and malformed answers."""

import json

import pytest

from vista_stream import UpstreamError
from vista_stream_adapters.rewrite.chat import ChatDialect
from vista_stream_adapters.rewrite.lane_log import Text
from vista_stream_adapters.rewrite.placement import Placement
from vista_stream_adapters.rewrite.sse import SseEvent

ASK = {"messages": [{"role": "user", "content": "Tell me."}]}


@pytest.mark.parametrize("copy", [{"message": {"content": "It is FALSE."}}, {"text": "It is FALSE."}])
def test_a_chunk_without_choices_says_no_text_once_more(copy):
    event = SseEvent(event=None, data=json.dumps({"id": "1", "choices": [], "usage": {"x": 1}, **copy}))
    (step,) = ChatDialect(ASK).receive(event)
    assert "FALSE" not in step.event.data
    assert json.loads(step.event.data) == {"id": "1", "choices": [], "usage": {"x": 1}}


def call(arguments, **more):
    return {"function": {"arguments": arguments}, **more}


@pytest.mark.parametrize(
    "deltas",
    [
        [[call("[1", id="a")], [call("]")], [call("[2", id="b")], [call("]")]],
        [[call("[1", id="a"), call("[2", id="b")], [call("]", id="b"), call("]", id="a")]],
        [[call("[1]"), call("[2]")]],
        [[call("[1]", id="a"), call("[2]", id="b", index=None)]],
        [[call("[1]", index=0)], [call("[2]", index=1)]],
    ],
)
def test_each_tool_call_is_a_text_of_its_own_whether_it_has_an_index_or_not(deltas):
    dialect, texts = ChatDialect(ASK, arguments=True), {}
    for calls in deltas:
        data = json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]})
        for step in dialect.receive(SseEvent(data=data)):
            if isinstance(step, Text):
                texts[step.lane.part] = texts.get(step.lane.part, "") + step.text
    assert texts == {0: "[1]", 1: "[2]"}


CALLS = {"tool_calls": [{"index": 0, "function": {"arguments": {"n": 1}}}]}


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"choices": [None]}, "choices must be a list of objects"),
        ({"choices": "x"}, "choices must be a list of objects"),
        ({"choices": [{"message": "x", "delta": "x"}]}, "(message|delta) must be an object"),
        ({"choices": [{"message": CALLS, "delta": CALLS}]}, "arguments must be text"),
        ({"choices": [{"message": {"tool_calls": [3]}, "delta": {"tool_calls": [3]}}]}, "tool_calls must be"),
    ],
)
def test_a_malformed_answer_is_refused_by_name(body, wrong):
    with pytest.raises(UpstreamError, match=wrong):
        ChatDialect(ASK, arguments=True).receive(SseEvent(data=json.dumps(body)))
    with pytest.raises(UpstreamError, match=wrong):
        ChatDialect(ASK, arguments=True).slots(body)


@pytest.mark.parametrize(
    "message", [{}, {"message": None}, {"message": {"role": "assistant", "content": None}}]
)
@pytest.mark.parametrize("place", [{"text": "It is so."}, {"delta": {"content": "It is so."}}])
def test_an_answer_without_a_message_is_guarded_where_its_text_stands(message, place):
    body = {"choices": [{"index": 0, "finish_reason": "stop", **message, **place}]}
    (slot,) = ChatDialect(ASK).slots(body)
    assert slot.text == "It is so."
    slot.put("Released.", {}, placement=Placement(), changed=True, stopped=False)
    said = {"role": "assistant", "content": "Released."}
    assert body["choices"] == [{"index": 0, "finish_reason": "stop", "message": said, "vista": {}}]


@pytest.mark.parametrize("place", [{"text": "It is so."}, {"delta": {"content": "It is so."}}])
def test_a_copy_of_a_message_is_dropped(place):
    body = {"choices": [{"index": 0, "message": {"content": "It is so."}, **place}]}
    assert len(ChatDialect(ASK).slots(body)) == 1
    assert body == {"choices": [{"index": 0, "message": {"content": "It is so."}}]}


def test_nulls_of_a_delta_replace_nothing_of_the_message():
    message = {"role": "assistant", "content": None, "reasoning_content": "R"}
    delta = {"role": None, "content": "X", "reasoning_content": None}
    body = {"choices": [{"index": 0, "message": message, "delta": delta}]}
    (slot,) = ChatDialect(ASK).slots(body)
    assert slot.text == "X"
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "X", "reasoning_content": "R"}


def test_a_copy_of_a_refusal_is_no_content():
    message = {"role": "assistant", "content": None, "refusal": "No."}
    body = {"choices": [{"index": 0, "message": dict(message), "text": "No."}]}
    assert ChatDialect(ASK).slots(body) == []
    assert body["choices"] == [{"index": 0, "message": message}]


@pytest.mark.parametrize("messages", [["hi"], [None], "hi", {"role": "user"}, 5, None])
def test_malformed_messages_are_left_to_the_upstream(messages):
    assert list(ChatDialect({"messages": messages}).messages) == []
    said = {"role": "user", "content": "Tell me."}
    assert list(ChatDialect({"messages": [messages, said]}).messages)[-1] == said


def test_nulls_of_a_message_replace_nothing_of_a_delta():
    choice = {
        "index": 0,
        "delta": {"reasoning_content": "R"},
        "message": {"content": "X", "reasoning_content": None},
    }
    steps = ChatDialect(ASK).receive(SseEvent(data=json.dumps({"id": "c", "choices": [choice]})))
    first, text = steps
    assert first.payload["choices"][0]["delta"] == {"reasoning_content": "R"}
    assert text.text == "X"

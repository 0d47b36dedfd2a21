"""Whether a dialect knows that an error of the upstream was sent."""

import json

import pytest

from vista_stream_adapters.rewrite.chat import ChatDialect
from vista_stream_adapters.rewrite.dialect import Pass
from vista_stream_adapters.rewrite.messages import MessagesDialect
from vista_stream_adapters.rewrite.responses import ResponsesDialect
from vista_stream_adapters.rewrite.sse import SseEvent

MESSAGES = {"messages": [{"role": "user", "content": "Tell me."}]}
DIALECTS = {"chat": (ChatDialect, MESSAGES), "responses": (ResponsesDialect, {"input": "Tell me."}),
            "messages": (MessagesDialect, MESSAGES)}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "payload", "failed"),
    [
        ("chat", {"error": {"message": "out of memory"}}, True),
        ("chat", {"error": None, "choices": [], "usage": {"x": 1}}, False),
        ("chat", {"error": {"code": 502}, "choices": [{"index": 0, "delta": {"content": ""}}]}, True),
        ("responses", {"type": "error", "message": "out of memory"}, True),
        ("responses", {"type": "response.failed", "response": {"id": "r", "output": []}}, True),
        ("responses", {"error": {"message": "out of memory"}}, True),
        ("responses", {"error": None}, False),
        ("responses", {}, False),
        ("responses", {"type": "response.completed", "response": {"id": "r", "output": []}}, False),
        ("messages", {"type": "error", "error": {"message": "out of memory"}}, True),
        ("messages", {"type": "message_stop"}, False),
    ],
)
def test_an_error_of_the_upstream_is_known_once_it_was_sent(name, payload, failed):
    dialect_of, request = DIALECTS[name]
    dialect = dialect_of(request)
    assert not dialect.failed
    steps = dialect.receive(SseEvent(event=payload.get("type"), data=json.dumps(payload)))
    for step in steps:
        if isinstance(step, Pass):
            dialect.go_on(step)
    assert dialect.failed is failed


def test_an_event_without_a_type_does_not_end_a_response():
    dialect = ResponsesDialect({"input": "Tell me."})
    (step,) = dialect.receive(SseEvent(event="ping", data="{}"))
    assert dialect.go_on(step) == [step.event]
    assert not dialect.finished


def test_the_mark_of_the_end_after_an_error_does_not_take_it_back():
    dialect = ResponsesDialect({"input": "Tell me."})
    for data in (json.dumps({"error": {"message": "out of memory"}}), "[DONE]"):
        for step in dialect.receive(SseEvent(event=None, data=data)):
            dialect.go_on(step)
    assert dialect.failed

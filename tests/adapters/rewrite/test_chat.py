"""Copies of the text beside the deltas, which nobody guards."""

import json

import pytest

from vista_stream_adapters.rewrite.chat import ChatDialect
from vista_stream_adapters.rewrite.sse import SseEvent

ASK = {"messages": [{"role": "user", "content": "Tell me."}]}


@pytest.mark.parametrize("copy", [{"message": {"content": "It is FALSE."}}, {"text": "It is FALSE."}])
def test_a_chunk_without_choices_says_no_text_once_more(copy):
    event = SseEvent(event=None, data=json.dumps({"id": "1", "choices": [], "usage": {"x": 1}, **copy}))
    (step,) = ChatDialect(ASK).receive(event)
    assert "FALSE" not in step.event.data
    assert json.loads(step.event.data) == {"id": "1", "choices": [], "usage": {"x": 1}}

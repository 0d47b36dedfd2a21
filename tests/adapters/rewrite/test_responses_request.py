"""What a request to the responses API says and returns from tools."""

import pytest

from vista_stream_adapters.course import Asked
from vista_stream_adapters.guard import retrieved_documents
from vista_stream_adapters.rewrite.responses_request import asked_by, messages_of

TEXT = "The mill is red."


@pytest.mark.parametrize(
    "returned",
    [
        {"type": "function_call_output", "call_id": "1", "output": TEXT},
        {"type": "function_call_output", "call_id": "1", "output": [{"type": "input_text", "text": TEXT}]},
        {"type": "custom_tool_call_output", "call_id": "1", "output": TEXT},
        {"type": "mcp_call", "id": "1", "name": "f", "output": TEXT},
        {"type": "file_search_call", "id": "1", "results": [{"text": TEXT, "filename": "a"}]},
    ],
)
def test_what_a_tool_returned_is_a_reference(returned):
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
    asked = {"input": [{"role": "user", "content": "Which?"}, call, returned]}
    assert retrieved_documents(list(messages_of(asked))) == [TEXT]


@pytest.mark.parametrize(
    ("named", "place"),
    [
        ({}, ""),
        ({"previous_response_id": None, "conversation": None}, ""),
        ({"previous_response_id": "resp_1"}, "resp_1"),
        ({"conversation": "conv_1"}, None),
        ({"conversation": {"id": "conv_1"}}, None),
    ],
)
def test_a_request_tells_its_place(named, place):
    asked = asked_by({"input": "Go on.", **named})
    assert (asked, asked.place) == ([{"role": "user", "content": "Go on."}], place)
    assert Asked(asked).place == place

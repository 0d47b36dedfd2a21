"""Reading and writing the JSON of answers."""

import json
import sys

import pytest

from vista_stream_adapters.rewrite.sse import SseEvent
from vista_stream_adapters.rewrite.wire import parse_json, read_payload, write_json


def test_json_is_read_and_written_as_the_standard_library_does():
    document = '{"a": [1, -2.5e3, true, null, {"b": "\\u00fc"}], "a": {"b": 12345678901234567890}, "c": NaN}'
    value = json.loads(document)
    assert write_json(parse_json(document.encode())) == json.dumps(value)
    with pytest.raises(ValueError, match="Expecting"):
        parse_json(b'{"a": }')


def test_a_number_beyond_all_floats_stays_a_number():
    document = '{"a": [1e999, -1e999, 1e-999]}'
    numbers = [sys.float_info.max, -sys.float_info.max, 0.0]
    assert parse_json(document.encode()) == read_payload(SseEvent(data=document)) == {"a": numbers}

"""Reading and writing the JSON of answers."""

import json

import pytest

from vista_stream_adapters.rewrite.wire import parse_json, write_json


def test_json_is_read_and_written_as_the_standard_library_does():
    document = '{"a": [1, -2.5e3, true, null, {"b": "\\u00fc"}], "a": {"b": 12345678901234567890}, "c": NaN}'
    value = json.loads(document)
    assert write_json(parse_json(document.encode())) == json.dumps(value)
    with pytest.raises(ValueError, match="Expecting"):
        parse_json(b'{"a": }')

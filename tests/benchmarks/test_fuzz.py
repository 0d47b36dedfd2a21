"""A short run of the fuzzing, and that it finds what it is for."""

import pytest

from benchmarks import fuzz
from vista_stream_adapters.rewrite.json_fields import FieldText, JsonFields
from vista_stream_adapters.rewrite.sse import SseDecoder


def test_no_input_breaks_a_promise():
    tried = fuzz.run(2000, seed=7)
    assert set(tried) == set(fuzz.TARGETS)
    assert sum(tried.values()) >= 2000


def test_a_decoder_that_depends_on_the_cuts_is_found_and_its_input_named(monkeypatch):
    class Forgetful(SseDecoder):
        def feed(self, chunk):
            self._after_cr = False
            return super().feed(chunk)

    monkeypatch.setattr(fuzz, "SseDecoder", Forgetful)
    with pytest.raises(AssertionError, match=r"sse, seed 7, input \d+"):
        fuzz.run(2000, seed=7)


def test_a_reader_that_loses_numbers_and_booleans_is_found(monkeypatch):
    monkeypatch.setattr(fuzz, "JsonFields", lambda: JsonFields(values=False))
    with pytest.raises(AssertionError, match=r"json, seed 7, input \d+"):
        fuzz.run(2000, seed=7)


def test_a_reader_that_writes_an_escape_otherwise_is_found(monkeypatch):
    class Unescaping(JsonFields):
        def feed(self, delta):
            pieces = super().feed(delta)
            return [FieldText(piece.text) if isinstance(piece, FieldText) else piece for piece in pieces]

    monkeypatch.setattr(fuzz, "JsonFields", Unescaping)
    with pytest.raises(AssertionError, match=r"json, seed 7, input \d+"):
        fuzz.run(2000, seed=7)

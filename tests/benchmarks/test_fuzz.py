"""A short run of the fuzzing, and that it finds what it is for."""

import pytest

from benchmarks import fuzz
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

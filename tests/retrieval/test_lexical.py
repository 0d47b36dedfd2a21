import os
import subprocess
import sys

import numpy as np
import pytest

from vista_stream.retrieval.lexical import Lexicon, words


def test_numbers_stay_whole_and_plurals_meet():
    assert words("Two Bridges cost 1,250.5 euros; the glass held.") == [
        "two", "bridge", "cost", "1,250.5", "euro", "the", "glass", "held",
    ]  # fmt: skip


def test_a_text_that_holds_every_word_is_covered_fully():
    lexicon = Lexicon(["the harbour opened in 1911", "the mayor resigned"])
    assert lexicon.coverage("The harbour opened") == pytest.approx([1.0, 0.14], abs=0.05)


def test_a_rare_word_counts_for_more_than_a_frequent_one():
    lexicon = Lexicon(["the ferry", *["the lake"] * 9])
    coverage = lexicon.coverage("the ferry")
    assert coverage[0] == pytest.approx(1.0)
    assert coverage[1] < 0.1


def test_a_word_that_no_text_holds_lowers_every_coverage():
    lexicon = Lexicon(["the harbour opened", "the mayor resigned"])
    assert lexicon.coverage("the harbour zeppelin").max() < lexicon.coverage("the harbour").max()


@pytest.mark.parametrize("query", ["", "…", "zeppelin"])
def test_a_query_that_nothing_shares_covers_nothing(query):
    assert not np.any(Lexicon(["the harbour", "the mayor"]).coverage(query))


_COVERAGE = """
from vista_stream.retrieval.lexical import Lexicon
texts = [" ".join(f"w{n}" for n in range(40) if n % step) for step in range(2, 9)]
print(Lexicon(texts).coverage(" ".join(f"w{n}" for n in range(40))).tobytes().hex())
"""


def test_a_coverage_has_the_same_bits_in_every_process():
    said = {
        subprocess.run(
            [sys.executable, "-c", _COVERAGE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1

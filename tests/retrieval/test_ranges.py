import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.retrieval.ranges import ranges, rough_tokens


@given(st.lists(st.integers(0, 30)), st.integers(1, 60))
def test_ranges_hold_every_sentence_once_within_the_budget(costs, budget):
    found = list(ranges(costs, budget=budget))
    assert [row for ends in found for row in range(*ends)] == list(range(len(costs)))
    assert all(sum(costs[slice(*ends)]) <= budget or ends.end - ends.start == 1 for ends in found)


def test_an_overlap_repeats_the_last_sentences():
    assert list(ranges([10] * 6, budget=40, overlap=0.25)) == [(0, 4), (3, 6)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("The tide rises.", 4),
        ("Straightforwardly", 3),
        ("It cost 1,234.50.", 9),
        ("https://a.example/x_y", 10),
    ],
)
def test_long_words_and_numbers_are_counted_in_pieces(text, tokens):
    assert rough_tokens(text) == tokens

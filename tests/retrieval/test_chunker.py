from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.retrieval.chunker import chunk
from vista_stream.retrieval.reference import Reference


def count(text):
    return len(text.split())


def document(lengths):
    sentences = [" ".join(["So", *["it"] * (length - 2), "goes."]) for length in lengths]
    return Reference(" ".join(sentences), name="doc")


def test_a_document_within_the_budget_is_one_chunk():
    doc = document([5, 5, 5])
    (only,) = chunk(doc, count, budget=15)
    assert only.text == doc.text
    assert only.span == (0, len(doc.text))


def test_each_chunk_repeats_the_end_of_the_one_before():
    chunks = chunk(document([5] * 8), count, budget=20, overlap=0.25)
    assert [c.sentence for c in chunks] == [0, 3, 6]
    assert [count(c.text) for c in chunks] == [20, 20, 10]


def test_without_overlap_nothing_is_repeated():
    chunks = chunk(document([5] * 8), count, budget=20, overlap=0.0)
    assert [c.sentence for c in chunks] == [0, 4]


def test_what_is_repeated_leaves_room_for_the_next_sentence():
    chunks = chunk(document([5, 5, 18, 5]), count, budget=20, overlap=0.5)
    assert [c.sentence for c in chunks] == [0, 2, 3]


def test_a_sentence_above_the_budget_is_a_chunk_of_its_own():
    chunks = chunk(document([3, 30, 3]), count, budget=10)
    assert [count(c.text) for c in chunks] == [3, 30, 3]


@pytest.mark.parametrize(("name", "value"), [("budget", 0), ("overlap", 1.0), ("overlap", -0.1)])
def test_an_argument_out_of_range_is_named(name, value):
    with pytest.raises(ValueError, match=name):
        chunk(document([3]), count, **{name: value})


@given(
    st.lists(st.integers(2, 30), min_size=1, max_size=40),
    st.integers(1, 60),
    st.floats(0, 0.99),
)
def test_chunks_cover_the_document_in_order_within_the_budget(lengths, budget, overlap):
    doc = document(lengths)
    chunks = chunk(doc, count, budget=budget, overlap=overlap)
    for piece in chunks:
        assert doc.text[piece.span.start : piece.span.end] == piece.text
        single = doc.sentences[piece.sentence].end == piece.span.end
        assert count(piece.text) <= budget or single
    for before, after in pairwise(chunks):
        assert after.span.start <= before.span.end + 1
        assert after.span.start > before.span.start
        assert after.span.end > before.span.end
    assert chunks[0].span.start == 0
    assert chunks[-1].span.end == len(doc.text)

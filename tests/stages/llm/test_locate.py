"""Finding the sentence that a claim comes from."""

import pytest

from vista_stream.claims import Span
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.stages.llm.locate import locate


def sentence(text: str, start: int = 0) -> Segment:
    return Segment(index=0, text=text, span=Span(start, start + len(text)), kind=SegmentKind.SENTENCE)


def test_a_claim_without_shared_words_spans_its_segment() -> None:
    assert locate("Something else", sentence("Tea is hot.", start=5)) == Span(5, 16)


def test_a_claim_is_found_in_the_sentence_that_holds_most_of_it() -> None:
    text = "Ada runs the mill. The mill grinds rye and oats."
    assert locate("The mill grinds oats.", sentence(text, start=2)) == Span(21, 50)
    assert locate("Ada runs a mill.", sentence(text)) == Span(0, 18)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The fee is 3.50 euros per day.", "The fee is 3.50 euros per day."),
        (
            "The adult fee is 3.50 euros. The adult fee is 4.20 euros on Sunday.",
            "The adult fee is 4.20 euros on Sunday.",
        ),
        (
            "It opens at 9 a.m. on Monday. Dr. Smith lives in the U.S. near Rome.",
            "Dr. Smith lives in the U.S. near Rome.",
        ),
        ("See https://example.com/a.html?b=1 for it. Tea is hot.", "Tea is hot."),
        ("- Ada runs the mill.\n- Ben sells rye.", "Ben sells rye."),
    ],
)
def test_a_span_is_a_whole_sentence_whatever_dots_stand_in_it(text: str, claim: str) -> None:
    found = locate(claim, sentence(text))
    assert text[slice(*found)] == claim

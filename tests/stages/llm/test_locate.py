"""Finding the sentence that a claim comes from."""

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

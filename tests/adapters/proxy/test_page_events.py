import pytest

from vista_stream import Evidence, Reference, Span
from vista_stream_adapters.proxy.page_events import marked_part

TEXT = "The canal opened in 1914. Engineers built it in ten years. Ships cross it in ten hours."
REFERENCE = Reference(TEXT, name="canal.txt")
WINDOW = REFERENCE.passage(0, 3)


def marked(claim, window=WINDOW, references=(REFERENCE,)):
    start, end = marked_part(window, claim, references)
    return TEXT[start:end]


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The canal opened in 1941.", "The canal opened in 1914."),
        ("Elephants built it.", "Engineers built it in ten years."),
        ("SHIPS cross the canal in two hours.", "Ships cross it in ten hours."),
    ],
)
def test_the_sentence_that_shares_the_claims_words_is_marked(claim, sentence):
    assert marked(claim) == sentence


@pytest.mark.parametrize("claim", ["Pandas eat bamboo.", "Engineers met ships."])
def test_the_whole_window_is_marked_where_no_sentence_stands_out(claim):
    assert marked(claim) == TEXT


def test_nothing_outside_of_the_window_is_marked():
    assert marked("Ships cross it.", REFERENCE.passage(0, 2)) != "Ships cross it in ten hours."


def test_a_passage_of_no_shown_reference_is_marked_whole():
    said = Evidence(text=TEXT, document="turn 1", span=Span(0, 25), sentence=0, origin="common_ground")
    assert marked_part(said, "The canal opened.", (REFERENCE,)) == Span(0, 25)
    assert marked_part(WINDOW, "The canal opened.", ()) == WINDOW.span

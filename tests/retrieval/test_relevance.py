import numpy as np
import pytest

from vista_stream.retrieval.lexical import Lexicon
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import best, near_sentences, nearest, relevance


def test_words_alone_decide_without_embeddings():
    ranks = relevance("the harbour opened", Lexicon(["the harbour opened", "a mayor resigned"]))
    assert ranks == pytest.approx([1.0, 0.0])


def test_embeddings_count_half_and_never_below_zero():
    lexicon = Lexicon(["the harbour opened", "a mayor resigned", "nothing"])
    embeddings = np.array([[-1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    vector = np.array([1, 0], dtype=np.float32)
    ranks = relevance("the harbour opened", lexicon, embeddings=embeddings, vector=vector)
    assert ranks == pytest.approx([0.5, 0.4, 0.0])


def test_the_nearest_windows_come_from_all_documents_best_first():
    mine = Reference("Coal was mined here until 1968. The pit is a museum now.", name="mine")
    lake = Reference("The lake is 40 metres deep. Trout live in the lake.", name="lake")
    found = nearest("The trout of the museum", [mine, lake], k=2)
    assert [candidate.evidence.document for candidate in found] == ["mine", "lake"]
    assert nearest("Trout live in the lake", [mine, lake], k=1)[0].evidence.document == "lake"


def test_passages_far_below_the_best_are_left_out():
    windows = Reference("One came. Two went. Three sat. Four ran. Five slept.", name="x").windows
    ranks = np.array([0.39, 0.8], dtype=np.float32)
    assert [c.evidence for c in best(windows, ranks, 2)] == [windows[1]]
    ranks[0] = 0.41
    assert [c.evidence for c in best(windows, ranks, 2)] == [windows[1], windows[0]]


def test_no_document_gives_no_candidate():
    assert nearest("anything", [], k=3) == []


def test_equals_keep_their_order():
    windows = Reference("One came. Two went. Three sat. Four ran. Five slept.", name="x").windows
    assert [c.evidence for c in best(windows, np.zeros(2, dtype=np.float32), 2)] == list(windows)


LISTS = Reference(
    "Not covered:\n\n- Boats\n- Carts\n- Mopeds\n\nAlso covered:\n\n- Tents\n- Skis\n- Carts\n", name="lists"
)


@pytest.mark.parametrize(
    ("claim", "text", "sentence"),
    [
        ("Skis are not covered.", "Skis", 6),
        ("Carts are also covered.", "Carts", 7),
        ("Carts are not.", "Carts", 2),
    ],
)
def test_the_nearest_sentence_states_something_and_is_told_apart_by_its_list(claim, text, sentence):
    everything = LISTS.passage(0, len(LISTS.sentences))
    ((_, candidate),) = near_sentences(claim, [(LISTS, everything)], 1)
    assert (candidate.evidence.text, candidate.evidence.sentence) == (text, sentence)


def test_an_introduction_is_the_nearest_sentence_where_there_is_no_other():
    document = Reference("Not covered:", name="short")
    ((_, candidate),) = near_sentences("Skis are not covered.", [(document, document.passage(0, 1))], 1)
    assert candidate.evidence.text == "Not covered:"

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Span
from vista_stream.core.rules.compare import prepare
from vista_stream.retrieval.ranges import rough_tokens
from vista_stream.retrieval.reference import PART_TOKENS, SENTENCE_CHARACTERS, WINDOW_WORDS, Reference

TEXT = (
    "The lighthouse was built in 1862.  It stands on a granite rock.\n\n"
    "Its lamp was electrified in 1931. The last keeper left in 1987. Since then it has run by itself."
)


class CountingEmbedder:
    def __init__(self):
        self.calls = 0

    def embed(self, texts):
        self.calls += 1
        vectors = np.ones((len(texts), 4), dtype=np.float32)
        return vectors / 2


def test_sentences_are_spans_without_the_white_space_between():
    reference = Reference(TEXT, name="lighthouse")
    assert [TEXT[start:end] for start, end in reference.sentences][:2] == [
        "The lighthouse was built in 1862.",
        "It stands on a granite rock.",
    ]
    assert len(reference.sentences) == 5


def test_windows_hold_up_to_three_sentences_and_overlap_by_one():
    windows = Reference(TEXT, name="lighthouse").windows
    assert [window.sentence for window in windows] == [0, 2]
    assert windows[0].text.startswith("The lighthouse was")
    assert windows[0].text.endswith("electrified in 1931.")
    assert windows[1].text.startswith("Its lamp")


def test_a_window_stops_before_it_gets_too_long():
    sentence = "Word " * 60 + "end."
    windows = Reference(f"{sentence} {sentence} {sentence}", name="long").windows
    assert [len(window.text.split()) for window in windows] == [61, 61, 61]
    assert WINDOW_WORDS < 122


def test_an_endless_sentence_is_cut_at_white_space():
    text = "lorem ipsum " * 300
    reference = Reference(text, name="endless")
    pieces = [text[start:end] for start, end in reference.sentences]
    assert max(map(len, pieces)) <= SENTENCE_CHARACTERS
    assert " ".join(pieces).split() == text.split()
    assert {piece.split()[-1] for piece in pieces} <= {"lorem", "ipsum"}


def test_a_sentence_without_white_space_is_cut_all_the_same():
    text = "x" * (2 * SENTENCE_CHARACTERS + 5)
    assert Reference(text, name="x").sentences[-1] == Span(2 * SENTENCE_CHARACTERS, len(text))


@pytest.mark.parametrize("text", ["", " \n\t ", None])
def test_a_text_of_nothing_is_refused(text):
    with pytest.raises(ValueError, match="text must"):
        Reference(text, name="nothing")


def test_a_nameless_reference_is_refused():
    with pytest.raises(ValueError, match="name must"):
        Reference(TEXT, name="")


@given(st.text(alphabet="ab .!?\n\r\t1é—", min_size=1, max_size=300))
def test_every_passage_is_what_stands_at_its_span(text):
    try:
        reference = Reference(text, name="any")
    except ValueError:
        return
    for window in reference.windows:
        assert text[window.span.start : window.span.end] == window.text
        assert window.document == "any"
        assert reference.sentences[window.sentence].start == window.span.start
    covered = {
        row
        for row, span in enumerate(reference.sentences)
        if any(w.span.start <= span.start and span.end <= w.span.end for w in reference.windows)
    }
    assert covered == set(range(len(reference.sentences)))


def test_a_file_is_read_with_its_own_offsets(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes("\ufeffFirst line.\r\nSecond – line.\r\n".encode())
    reference = Reference.from_path(path)
    assert reference.name == "notes.txt"
    assert reference.text == "First line.\r\nSecond – line.\r\n"


@pytest.mark.parametrize("newline", ["\r", "\u2028", "\x85", "\x0b", "\r\n"])
def test_every_kind_of_line_end_ends_a_line(newline):
    text = f"Dogs are allowed{newline}Parking is free{newline}"
    reference = Reference(text, name="lines")
    assert [text[start:end] for start, end in reference.sentences] == ["Dogs are allowed", "Parking is free"]
    assert reference.text == text


def test_what_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("café".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin\.txt is not UTF-8"):
        Reference.from_path(path)


def test_what_is_no_text_is_told_what_would_be(tmp_path):
    (tmp_path / "manual.pdf").write_bytes(b"%PDF-1.7\n\xe2\xe3")
    with pytest.raises(
        ValueError, match=r"manual\.pdf is not UTF-8.* must be plain text, .*PDF, give the text"
    ):
        Reference.from_path(tmp_path / "manual.pdf")


def test_of_a_page_the_visible_text_is_read(tmp_path):
    path = tmp_path / "page.HTML"
    path.write_text("<style>p { color: red }</style><p>Dogs aren&#39;t allowed.</p><p>Cats are.</p>")
    reference = Reference.from_path(path)
    assert reference.text == "Dogs aren't allowed.\n\nCats are."


def test_an_empty_file_is_named(tmp_path):
    (tmp_path / "empty.txt").touch()
    with pytest.raises(ValueError, match=r"empty\.txt: text must"):
        Reference.from_path(tmp_path / "empty.txt")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.txt"):
        Reference.from_path(tmp_path / "absent.txt")


def test_embeddings_are_computed_once_for_all_threads():
    reference, embedder = Reference(TEXT, name="lighthouse"), CountingEmbedder()
    assert reference.embeddings(embedder) is None
    threads = [threading.Thread(target=reference.index, args=(embedder,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert embedder.calls == 1
    embeddings = reference.embeddings(embedder)
    assert embeddings.shape == (len(reference.windows), 4)
    with pytest.raises(ValueError, match="read-only"):
        embeddings[0, 0] = 2


def test_each_embedder_has_embeddings_of_its_own():
    class Wide(CountingEmbedder):
        def embed(self, texts):
            return np.repeat(super().embed(texts), 4, axis=1) / 2

    text = "One two three four five. " * 400
    reference, narrow, wide = Reference(text, name="long"), CountingEmbedder(), Wide()
    while not all([reference.index_more(narrow), reference.index_more(wide)]):  # in turns
        pass
    assert (reference.embeddings(narrow).shape[1], reference.embeddings(wide).shape[1]) == (4, 16)
    assert narrow.calls == wide.calls > 1
    copied = pickle.loads(pickle.dumps(reference))
    assert (copied.embeddings(narrow), copied.indexed(narrow)) == (None, 0)


def test_parts_are_runs_of_sentences_that_a_model_reads_at_once():
    text = Reference(" ".join(f"Fact number {row} holds." for row in range(300)), name="facts")
    assert [row for ends in text.parts for row in range(*ends)] == list(range(300))
    costs = [rough_tokens(text.passage(*ends).text) for ends in text.parts]
    assert max(costs) <= PART_TOKENS < costs[0] + costs[1]
    assert Reference("One fact. And another.", name="short").parts == ((0, 2),)


def test_a_long_reference_is_embedded_some_windows_at_a_time():
    sizes = []

    class Counting:
        def embed(self, texts):
            sizes.append(len(texts))
            return np.ones((len(texts), 2), dtype=np.float32)

    reference = Reference("One two three four five. " * 400, name="long")
    embedder = Counting()
    while not reference.index_more(embedder):
        assert reference.embeddings(embedder) is None
    assert reference.indexed(embedder) == len(reference.windows)
    assert max(sizes) == 64
    assert len(sizes) > 1
    assert reference.embeddings(embedder).shape == (len(reference.windows), 2)
    assert sum(sizes) == len(reference.windows)


def test_its_rules_are_indexed_once():
    reference = Reference(TEXT, name="lighthouse")
    assert reference.rules is None
    reference.index_rules()
    rules = reference.rules
    reference.index_rules()
    assert reference.rules is rules
    assert len(rules) == len(reference.sentences)


@pytest.mark.parametrize("text", ["<p>The garden isn&#39;t lit.</p>", "2.2 The garden isn't lit."])
def test_its_rules_are_those_of_the_text_without_markup(text):
    reference = Reference(text, name="garden")
    reference.index_rules()
    position, ruling = reference.rules.rule(prepare("The garden isn't lit."))
    assert (position, ruling.category) == (0, "verified")


@pytest.mark.parametrize(
    ("text", "ruled"),
    [
        ("# Common myths\n\n- The pool is open.\n- The pool is heated.", False),
        ("Common myths\n===\n- The pool is heated.\n- The pool is open.", False),
        ("The following is wrong:\n\n- The pool is open.", False),
        ("## Winter\n\nThe pool is open.\n\n## Summer\n\nWe are closed.", False),
        ("# The house\n\n## Children under 6:\n\n### Hours\n\nThe pool is open.", False),
        ("# The house\n\n## Opening hours\n\nThe pool is open.", True),
        ("# The house\n\n**Our service:**\n\n- The pool is open.", True),
        ("# The house\n\n## Is the pool open?\n\nThe pool is open.", True),
        ("# The house\n\nThe pool is open.\n\n- It is heated.", True),
    ],
)
def test_no_rule_applies_to_a_sentence_under_a_line_that_narrows_it(text, ruled):
    reference = Reference(text, name="house")
    reference.index_rules()
    assert (reference.rules.rule(prepare("The pool is open.")) is not None) is ruled
    assert ruled or reference.rules.rule(prepare("The pool is not open.")) is None


def test_the_rules_of_a_long_text_are_indexed_step_by_step():
    text = "\n\n".join(f"Barn {number} is red." for number in range(140))
    reference, whole = Reference(text, name="barns"), Reference(text, name="barns")
    assert not reference.index_more_rules()
    assert reference.rules is None
    assert reference.index_more_rules()
    whole.index_rules()
    assert len(reference.rules) == len(whole.rules) == 140


def test_the_context_of_a_passage_is_what_it_stands_under_and_the_opening():
    reference = Reference(
        "# Two phones\n\n## Alder\n\nThe battery\nlasts.\n\nIt has:\n- a camera", name="doc"
    )
    contexts = {each.text: reference.context(each) for each in map(reference.passage, range(5), range(1, 6))}
    assert contexts == {
        "# Two phones": "",
        "## Alder": "# Two phones",
        "The battery\nlasts.": "Alder\n# Two phones",
        "It has:": "Alder\n# Two phones",
        "a camera": "Alder\nIt has:\n# Two phones",
    }


def test_the_opening_is_no_context_of_itself():
    reference = Reference("The mill is old. It was built in 1820.", name="doc")
    assert [reference.context(reference.passage(row, row + 1)) for row in (0, 1)] == ["", "The mill is old."]


def test_a_copy_of_another_process_is_indexed_as_far_as_the_first(monkeypatch):
    monkeypatch.setattr("vista_stream.retrieval.reference._RULED_AT_ONCE", 1)
    first = Reference("The mill was built in 1820. It ground rye.", name="leaflet")
    assert not first.index_more_rules()
    copied = pickle.loads(pickle.dumps(first))
    assert copied.index_more_rules()
    assert (copied.text, copied.windows, len(copied.rules)) == (first.text, first.windows, 2)

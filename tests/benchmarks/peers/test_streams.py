"""How the streams are made of answers."""

from benchmarks.peers.streams import load, pair, sentences
from peer_answers import RIGHT, WRONG, fill


def test_the_false_sentences_are_those_the_right_answer_does_not_have():
    right, wrong = pair("x", RIGHT, WRONG, "How?", "The sea is deep.")
    assert right.false == ()
    assert [wrong.text[start:end] for start, end in wrong.false] == ["The sea is shallow."]
    assert wrong.references == ("The sea is deep.",)


def test_pairs_that_differ_nowhere_or_everywhere_are_left_out():
    assert pair("x", RIGHT, RIGHT, None, "") is None
    assert pair("x", RIGHT, "All is wet. Nothing is dry.", None, "") is None


def test_marks_of_lists_and_headings_are_no_part_of_a_sentence():
    text = "# The sea\n\n1. It is deep.\n2. It is wet.\n- It is wide"
    found = [text[start:end] for start, end in sentences(text)]
    assert found == ["The sea", "It is deep.", "It is wet.", "It is wide"]


def test_every_kind_has_its_pairs_in_the_same_order_each_time(tmp_path):
    fill(tmp_path)
    found = load(tmp_path)
    assert {kind: len(pairs) for kind, pairs in found.items()} == {"vital": 10, "bump": 10, "listed": 10}
    assert found == load(tmp_path)
    listed = found["listed"][0][1]
    assert listed.text.startswith("## ")
    assert "\n2. " in listed.text
    assert not listed.text.endswith(".")
    assert [listed.text[start:end] for start, end in listed.false] == ["The sea is shallow."]

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.training.made.edits import Edit, apart, apply, occurrences, substitute


def test_edits_are_made_together_and_the_sentence_is_tidied() -> None:
    text = "In 1990, the mill closed ."
    assert apply(text, [Edit(0, 8, ""), Edit(25, 25, " in 1990")]) == "The mill closed in 1990."


@given(st.permutations([Edit(0, 1, "x"), Edit(4, 5, "y"), Edit(8, 9, "z")]))
def test_the_order_of_edits_does_not_matter(edits: list[Edit]) -> None:
    assert apply("a b c d e", edits) == "X b y d z"


@pytest.mark.parametrize(
    ("edits", "free"),
    [([Edit(0, 2, ""), Edit(3, 4, "")], True), ([Edit(0, 3, ""), Edit(3, 4, "")], False), ([], True)],
)
def test_edits_that_touch_are_not_apart(edits: list[Edit], free: bool) -> None:
    assert apart(edits) is free


def test_only_whole_words_are_counted_and_replaced() -> None:
    assert occurrences("In 19 days, 1900 came to 19.", "19") == 2
    assert substitute("A cat, catkin and cat.", "cat", "dog") == "A dog, catkin and dog."


@pytest.mark.parametrize(
    ("text", "old", "new", "mended"),
    [
        ("An older man sat.", "older", "younger", "A younger man sat."),
        ("He is a younger man.", "younger", "older", "He is an older man."),
        ("Canada is older.", "older", "younger", "Canada is younger."),
    ],
)
def test_articles_are_mended(text: str, old: str, new: str, mended: str) -> None:
    assert substitute(text, old, new) == mended

import pytest

from benchmarks.evaluation_sets import Row
from benchmarks.slices import overlap, slices_of


def row(premise: str, hypothesis: str) -> Row:
    return Row(premise, hypothesis, "entailment", 0)


def test_overlap_is_the_share_of_the_claims_words() -> None:
    assert overlap(row("the red house", "the red boat house")) == 0.75


@pytest.mark.parametrize(
    ("hypothesis", "title"),
    [
        ("the mill has 12 rooms", "numbers"),
        ("the mill opened on 3 May 1920", "dates"),
        ("the mill was built by Ada Moss", "names"),
        ("the mill has never opened", "negation"),
        ("someone erected a windmill", "paraphrase"),
        ("the mill", "other"),
    ],
)
def test_a_row_is_in_the_slices_of_what_it_holds(hypothesis: str, title: str) -> None:
    premise = "the mill has 12 rooms and was built by Ada Moss and never opened on 3 May 1920"
    assert title in slices_of("nli2/fm2_test", row(premise, hypothesis))


def test_length_and_dialogue() -> None:
    assert slices_of("true/q2", row("the mill " * 100, "the mill")) == ["long premise", "dialogue"]

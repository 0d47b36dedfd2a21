import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.core.text.legible import legible_text
from vista_stream.core.text.typography import plain, said


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Oda -LRB- born 1901 -RRB- , a potter , died .", "Oda (born 1901), a potter, died."),
        ("She sang `` Low Tide '' twice .", 'She sang "Low Tide" twice.'),
        ("The mill 's owner did n't sell .", "The mill's owner didn't sell."),
        ("It closed in the town.Later it burnt.", "It closed in the town. Later it burnt."),
        ("i don ' t know , it ' s big", "i don't know, it's big"),
        ("It had 947 , 890 people and 3 . 5 miles .", "It had 947,890 people and 3.5 miles."),
        ("The **first** mill was *very* `old`.", "The first mill was very old."),
        ("## History\nIt burnt.", "History It burnt."),
        ("It burnt in\n> 1899, and 3 > 2.", "It burnt in 1899, and 3 > 2."),
        ("It’s the “Low Tide” of 1990–1995.", 'It\'s the "Low Tide" of 1990-1995.'),
        ("The U.S. team rested.", "The U.S. team rested."),
        ("2 * 3 * 4 is 24, and a_b_c is a name.", "2 * 3 * 4 is 24, and a_b_c is a name."),
        ("2*3*4 is 24, *so* it is.", "2*3*4 is 24, so it is."),
        ("Already clean, isn't it?", "Already clean, isn't it?"),
    ],
)
def test_markup_and_treebank_tokens_go(text: str, read: str) -> None:
    assert plain(text) == read
    assert plain(read) == read


@pytest.mark.parametrize("prefix", ["Assistant: ", "user: ", "AI : ", "  Bot: "])
def test_a_claim_does_not_depend_on_who_says_it(prefix: str) -> None:
    assert said(prefix + "The mill burnt down.") == "The mill burnt down."


def test_a_name_that_is_part_of_the_claim_stays() -> None:
    assert said("The user: a study in habits was published.") == "The user: a study in habits was published."
    assert said("Model: XPS 13") == "Model: XPS 13"
    assert plain("Assistant: The mill burnt down.") == "Assistant: The mill burnt down."


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1))
def test_letters_and_digits_stay(text: str) -> None:
    assert plain(text) == legible_text(text)


@pytest.mark.parametrize(
    ("claim", "premise", "read"),
    [
        ("Price: €85", "Season ticket: €85", "Price: €85."),
        ("Price: €85", "The season ticket costs €85.", "Price: €85"),
        ("It costs €85.", "Season ticket: €85", "It costs €85."),
        ("It is “free”", "Price: none", 'It is "free".'),
        ("Price: €85", "", "Price: €85"),
    ],
)
def test_a_claim_ends_in_a_stop_where_its_premise_has_none_either(claim, premise, read):
    assert said(claim, beside=premise) == read

"""What the sentences of a reference say together about a claim."""

import pytest

from vista_stream.core.rules.compare import prepare
from vista_stream.core.rules.index import RuleIndex


def index(*sentences: str) -> RuleIndex:
    return RuleIndex([prepare(sentence) for sentence in sentences])


@pytest.mark.parametrize(
    ("reference", "claim"),
    [
        (["Delivery takes 3 days.", "Express: 1 day"], "Delivery takes 1 day."),
        (
            ["The museum is open until 6 p.m.", "In July and August: 9 p.m."],
            "The museum is open until 9 p.m.",
        ),
        (["The fee is €5 per night.", "| Gold | €7 |"], "The fee is €7 per night."),
        (["# Basic", "Support is not included.", "# Pro", "Support: included."], "Support is included."),
    ],
)
def test_a_line_without_a_verb_may_tell_of_an_exception(reference: list[str], claim: str) -> None:
    assert index(*reference).rule(prepare(claim)) is None


def test_a_line_without_a_verb_and_with_another_value_tells_of_none() -> None:
    found = index("Delivery takes 3 days.", "Express: 1 day").rule(prepare("Delivery takes 5 days."))
    assert found is not None
    assert found[1].category == "contradicted"


def test_numbers_are_known_by_what_is_written_and_what_it_comes_to():
    found = index("It is 2 km long and opened in 1914.", "Tickets: 12.90")
    assert found.known_numbers(prepare("It is 2,000 m long.")) == {2000}
    assert found.known_numbers(prepare("A ticket costs €12.90.")) == {12.9}
    assert found.known_numbers(prepare("It opened in 1914, 7 years ago.")) == {1914}
    assert found.known_numbers(prepare("It is 3 km long.")) == set()


def test_a_sentence_that_verifies_outranks_one_that_contradicts() -> None:
    found = index("Karl won the cup in 1990.", "Karl won the cup in 1995.").rule(
        prepare("Karl won the cup in 1995.")
    )
    assert found is not None
    assert (found[0], found[1].category) == (1, "verified")


def test_a_contradiction_counts_only_where_no_other_sentence_is_open() -> None:
    claim = prepare("The bridge opened in 1962.")
    assert index("The bridge opened in 1937.").rule(claim) is not None
    assert (
        index("The bridge opened in 1937.", "In 1962 the second bridge was opened late.").rule(claim) is None
    )
    assert index("The bridge opened in 1937.", "The deck of the bridge dates from 1962.").rule(claim) is None
    assert index("The bridge opened in 1937.", "The mayor was born in 1962.").rule(claim) is not None


@pytest.mark.parametrize(
    "told",
    [
        "Paul Moss was a co-author.",
        "Moss joined in the same year.",
        "Ada Hill was the pen name of Paul Moss.",
        "It was also written by Paul Moss.",
    ],
)
def test_a_swapped_name_that_the_text_speaks_of_elsewhere_is_left_open(told: str) -> None:
    claim = prepare("The play was written by Paul Moss.")
    assert index("The play was written by Ada Hill.", "The mill is old.").rule(claim) is not None
    assert index("The play was written by Ada Hill.", told).rule(claim) is None


def test_candidates_hold_every_word_or_all_but_the_name() -> None:
    found = index("The song was written by John Lennon.", "The song was sung.", "A song by John was written.")
    assert found.candidates(prepare("The song was written by Paul Simon.")) == [0, 2]
    assert found.candidates(prepare("The song was sung.")) == [1]
    assert found.candidates(prepare("The boat sank.")) == []
    assert len(found) == 3


def test_a_claim_is_compared_with_few_of_many_sentences() -> None:
    words = [f"word{k}" for k in range(400)]
    sentences = [f"The {words[k % 400]} of the {words[k % 391]} has {k} parts." for k in range(2000)]
    reference = index(*sentences)
    claims = [prepare(sentence.replace(" parts", "0 parts")) for sentence in sentences[:300]]
    assert 1 <= max(len(reference.candidates(claim)) for claim in claims) < 20


def test_the_colon_of_a_time_makes_no_line_of_a_table():
    found = index("The office opens at 10:00.").rule(prepare("The office opens at 11:00."))
    assert found is not None
    assert found[1].category == "contradicted"

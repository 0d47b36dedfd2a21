import pytest

from vista_stream.core.rule_index import RuleIndex
from vista_stream.core.rules import prepare


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
    assert RuleIndex(list(map(prepare, reference))).rule(prepare(claim)) is None


def test_a_line_without_a_verb_and_with_another_value_tells_of_none() -> None:
    index = RuleIndex(list(map(prepare, ["Delivery takes 3 days.", "Express: 1 day"])))
    found = index.rule(prepare("Delivery takes 5 days."))
    assert found is not None
    assert found[1].category == "contradicted"


def test_numbers_are_known_by_what_is_written_and_what_it_comes_to():
    index = RuleIndex([prepare("It is 2 km long and opened in 1914."), prepare("Tickets: 12.90")])
    assert index.known_numbers(prepare("It is 2,000 m long.")) == {2000}
    assert index.known_numbers(prepare("A ticket costs €12.90.")) == {12.9}
    assert index.known_numbers(prepare("It opened in 1914, 7 years ago.")) == {1914}
    assert index.known_numbers(prepare("It is 3 km long.")) == set()

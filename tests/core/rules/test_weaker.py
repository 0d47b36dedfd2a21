"""Bounds that follow from narrower ones."""

import pytest

from vista_stream.claims import Scores
from vista_stream.core.rules.compare import prepare
from vista_stream.core.rules.near_copy import differs_in_copy
from vista_stream.stages.embedded.value_check import corrected


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The hall seats more than 400 people.", "The hall seats more than 500 people."),
        ("The hall can seat at least 400 people.", "The hall can seat at least 500 people."),
        ("The firm employs over 200 people.", "The firm employs over 300 people."),
        ("The flight takes less than 4 hours.", "The flight takes less than 3 hours."),
        ("The church was built by 1900.", "The church was built by 1890."),
        ("The church was built before 1900.", "The church was built before 1890."),
        ("The church was built after 1800.", "The church was built after 1890."),
        ("The room is below 6 degrees Celsius.", "The room is below 5 degrees Celsius."),
    ],
)
def test_a_weaker_bound_of_what_is_contradicts_nothing(claim: str, sentence: str) -> None:
    assert differs_in_copy(prepare(claim), [prepare(sentence)]) is None
    (scores,) = corrected(prepare(claim), [sentence], [Scores(0.6, 0.3, 0.1)], ())
    assert scores.contradiction <= 0.1


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Guests must be at least 16 years old.", "Guests must be at least 18 years old."),
        ("Guests have to stay at least 2 nights.", "Guests have to stay at least 3 nights."),
        ("The program requires at least 2 GB.", "The program requires at least 4 GB."),
        ("Allow at least 5 minutes to dry.", "Allow at least 10 minutes to dry."),
        ("The hall does not seat more than 400.", "The hall does not seat more than 500."),
        ("A bag can weigh less than 25 kg.", "A bag can weigh less than 20 kg."),
        ("The lift carries up to 10 people.", "The lift carries up to 8 people."),
        ("Orders over 50 euros are free.", "Orders over 60 euros are free."),
        ("Parcels weighing more than 4 kg cost extra.", "Parcels weighing more than 5 kg cost extra."),
        ("The church was built by 1880.", "The church was built by 1890."),
        ("The church was built after 1900.", "The church was built after 1890."),
        ("The works must be completed by 2031.", "The works must be completed by 2030."),
        ("The church was not built by 1900.", "The church was not built by 1890."),
        ("The valve closes below 3 bar.", "The valve closes below 2 bar."),
        (
            "The pump starts when more than 3 litres are left.",
            "The pump starts when more than 4 litres are left.",
        ),
    ],
)
def test_another_bound_of_what_is_granted_demanded_or_meant_contradicts(claim: str, sentence: str) -> None:
    assert differs_in_copy(prepare(claim), [prepare(sentence)]) == "contradicted"

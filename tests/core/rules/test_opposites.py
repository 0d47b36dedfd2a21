"""Words of which at most one holds in one place of a sentence."""

import pytest

from vista_stream.core.rules.opposites import are_opposite


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("before", "after"),
        ("open", "closed"),
        ("paying", "receiving"),
        ("starts", "stops"),
        ("boils", "melts"),
        ("pulled", "pushed"),
        ("discounts", "surcharges"),
        ("banned", "allowed"),
        ("heated", "unheated"),
        ("fit", "unfit"),
        ("leading", "trailing"),
        ("landlords", "tenants"),
    ],
)
def test_opposites_in_their_forms(one: str, other: str) -> None:
    assert are_opposite(one, other)
    assert are_opposite(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("open", "opened"),
        ("melts", "freezes"),  # both at 0 °C
        ("paid", "charged"),  # "a fee is paid" and "a fee is charged"
        ("given", "got"),
        ("less", "unless"),
        ("it", "unit"),
        ("its", "units"),
        ("do", "undo"),
    ],
)
def test_what_may_hold_both(one: str, other: str) -> None:
    assert not are_opposite(one, other)

"""Units: one spelling each, known factors."""

from vista_stream.core.text.units import UNITS


def test_spellings_of_one_unit_are_one() -> None:
    assert UNITS["km"] == UNITS["kilometres"] == UNITS["kilometer"]
    assert UNITS["square miles"].dimension == "area"


def test_factors_lead_to_the_base_unit_of_the_dimension() -> None:
    assert UNITS["km"].factor == 1000 * UNITS["m"].factor
    assert UNITS["weeks"].factor == 7 * UNITS["days"].factor
    freezing = UNITS["degrees celsius"].shift
    assert abs(32 * UNITS["degrees fahrenheit"].factor + UNITS["degrees fahrenheit"].shift - freezing) < 0.01
    assert UNITS["kelvin"].shift == 0

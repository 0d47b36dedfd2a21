"""Numbers among words, with hedges and units."""

import math

import pytest

from quantity_reader import read
from vista_stream.core.rules.quantities import Quantity, opens_quantity, read_quantity


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("three", 3, ""),
        ("twenty one", 21, ""),
        ("two hundred and five", 205, ""),
        ("one million", 1e6, ""),
        ("three thousand two hundred", 3200, ""),
        ("two million three hundred thousand", 2.3e6, ""),
        ("5.1 million", 5.1e6, ""),
        ("half a million", 5e5, ""),
        ("half an hour", 1800, "time"),
        ("a quarter of an hour", 900, "time"),
        ("quarter of an hour", 900, "time"),
        ("three quarters of an hour", 2700, "time"),
        ("one third of a litre", 1 / 3, "volume"),
        ("a dozen", 12, ""),
        ("half a dozen", 6, ""),
        ("two dozen", 24, ""),
        ("a quarter of a million", 250_000, ""),
        ("1 euro 20 cents", 1.2, "eur"),
        ("2 dollars and 50 cents", 2.5, "usd"),
        ("1 h 50 m", 6600, "time"),
        ("1,234,567", 1234567, ""),
        ("12,34,567", 1234567, ""),
        (".5", 0.5, ""),
        ("8.2 billion", 8200000000, ""),
        ("-5", -5, ""),
        ("half a litre", 0.5, "volume"),
        ("minus twenty five", -25, ""),
        ("minus five degrees celsius", 268.15, "temperature"),
        ("5 km", 5000, "length"),
        ("one mile", 1609.344, "length"),
        ("2 years", 24, "months"),
        ("5 percent", 5, "percent"),
        ("5 percentage points", 5, "points"),
        ("$ 2 bn", 2e9, "usd"),
        ("3 square miles", 3 * 2589988.11, "area"),
        ("20 ° C", 293.15, "temperature"),
        ("third", 3, "ordinal"),
        ("21st", 21, "ordinal"),
    ],
)
def test_numbers_are_read(text: str, value: float, dimension: str) -> None:
    quantity = read(text)
    assert (quantity.low, quantity.high) == pytest.approx((value, value), rel=1e-12)
    assert quantity.dimension == dimension
    assert opens_quantity(text.split()[0])


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("at least 3", 3, math.inf),
        ("3 or more", 3, math.inf),
        ("30 +", 30, math.inf),
        ("up to 7", -math.inf, 7),
        ("never fewer than 7", 7, math.inf),
        ("not more than 7", -math.inf, 7),
        ("3 hours at least", 3 * 3600, math.inf),
        ("5 to 10 km", 5000, 10000),
    ],
)
def test_bounds_are_read(text: str, low: float, high: float) -> None:
    quantity = read(text)
    assert (quantity.low, quantity.high) == (low, high)


def test_more_than_leaves_the_number_itself_out() -> None:
    assert read("more than 3").low > 3
    assert read("fewer than 3").high < 3


@pytest.mark.parametrize(
    ("text", "at", "value", "dimension"),
    [
        ("within a week", 1, 7 * 86400, "time"),
        ("lasts a year", 1, 12, "months"),
        ("takes an hour", 1, 3600, "time"),
        ("at 8 p.m.", 1, 1200, "clock"),
        ("at noon", 1, 720, "clock"),
        ("after 20:00", 1, 1200, "clock"),
        ("$ 5 a month", 2, 1, "period"),
        ("5 % per year", 2, 1, "period"),
        ("take one pill", 1, 1, ""),
    ],
)
def test_what_stands_before_tells_spans_times_and_periods(
    text: str, at: int, value: float, dimension: str
) -> None:
    found = read_quantity(text.split(), at)
    assert found is not None
    assert (found[0].low, found[0].high, found[0].dimension) == (value, value, dimension)
    assert opens_quantity(text.split()[at])


@pytest.mark.parametrize(
    ("text", "at"),
    [("spent a week", 1), ("a year later", 0), ("take one of them", 1), ("see one man", 1)],
)
def test_a_span_or_count_stands_only_after_such_words(text: str, at: int) -> None:
    assert read_quantity(text.split(), at) is None


@pytest.mark.parametrize(
    ("text", "low", "high", "dimension"),
    [
        ("12 or older", 12, math.inf, ""),
        ("5 and under", -math.inf, 5, ""),
        ("five or more years", 60, math.inf, "months"),
        ("1990 onwards", 1990, math.inf, ""),
    ],
)
def test_words_behind_a_number_make_a_bound(text: str, low: float, high: float, dimension: str) -> None:
    quantity = read(text)
    assert (quantity.low, quantity.high, quantity.dimension) == (low, high, dimension)


def test_a_word_that_is_counted_may_stand_before_them() -> None:
    found = read_quantity(["7", "nights", "or", "longer"], 0)
    assert found is not None
    assert (found[0].low, found[0].high, found[1]) == (7, math.inf, 1)


def test_a_bound_of_the_next_number_is_none_of_this_one() -> None:
    found = read_quantity(["10", "or", "above", "30"], 0)
    assert found is not None
    assert (found[0].low, found[0].high, found[1]) == (10, 10, 1)


def test_between_makes_a_span_with_and() -> None:
    found = read_quantity(["between", "21", "and", "75", "years"], 1)
    assert found is not None
    assert (found[0].low, found[0].high, found[0].dimension, found[1]) == (252, 900, "months", 4)


@pytest.mark.parametrize("text", ["one", "about", "a", "lane", "at least", "$", "minus", "minus the"])
def test_words_that_are_no_number_here_are_not_read(text: str) -> None:
    assert read_quantity(text.split(), 0) is None


def test_a_change_of_temperature_is_no_temperature() -> None:
    for words in ("by 3.6 ° F", "rise of 3.6 ° F", "is 3.6 ° F warmer"):
        at = words.split().index("3.6")
        found = read_quantity(words.split(), at)
        assert found is not None
        assert found[0].dimension == "temperature change"
        assert found[0].low == pytest.approx(2)
    found = read_quantity(["of", "3.6", "°", "F"], 1)
    assert found is not None
    assert found[0].dimension == "temperature"


@pytest.mark.parametrize(
    ("text", "value", "dimension", "taken"),
    [
        ("a quarter of them", 25, "percent", 2),
        ("two fifths of them", 40, "percent", 2),
        ("half the price", 50, "percent", 1),
        ("twice the price", 200, "percent", 1),
        ("1.5 times the price", 150, "percent", 2),
        ("twice", 2, "times", 1),
        ("three times a day", 3, "times", 2),
        ("once a day", 1, "times", 1),
        ("at least twice a day", 2, "times", 3),
    ],
)
def test_shares_and_how_often_something_is_are_read(
    text: str, value: float, dimension: str, taken: int
) -> None:
    found = read_quantity(text.split(), 0)
    assert found is not None
    assert (found[0].low, found[0].dimension, found[1]) == (value, dimension, taken)


@pytest.mark.parametrize(
    ("text", "at"),
    [("the first half of it", 2), ("once you come", 0), ("a third party", 0), ("a quarter of an apple", 0)],
)
def test_what_only_sounds_like_a_share_or_a_count_is_none(text: str, at: int) -> None:
    assert read_quantity(text.split(), at) is None


def test_what_is_taken_off_a_number_is_not_negative() -> None:
    assert read_quantity(["ten", "minus", "five"], 1) is None


@pytest.mark.parametrize(
    ("text", "low", "high", "first"),
    [
        ("9.8 to 9.1 billion dollars", 9.1e9, 9.8e9, 9.8e9),
        ("9.1 to 9.8 billion dollars", 9.1e9, 9.8e9, 9.1e9),
        ("50 to 2 million dollars", 50, 2e6, 50),
        ("2000 to 3 million dollars", 2000, 3e6, 2000),
    ],
)
def test_both_ends_of_a_span_share_the_scale_that_stands_behind_it(
    text: str, low: float, high: float, first: float
) -> None:
    quantity = read(text)
    assert (quantity.low, quantity.high, quantity.number, quantity.unit) == (low, high, first, "usd")


def test_two_numbers_that_fall_are_no_span() -> None:
    assert read_quantity(["10", "to", "5"], 0) == (Quantity(10, 10, digits=1, number=10), 1)


def test_a_number_longer_than_a_float_is_a_word() -> None:
    assert read_quantity(["9" * 14], 0) is not None
    assert read_quantity(["9" * 15], 0) is None
    assert read_quantity(["9" * 5000], 0) is None
    assert read_quantity(["9" * 5000 + "th"], 0) is None

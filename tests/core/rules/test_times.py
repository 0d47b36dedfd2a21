"""Times of day and periods among words."""

import pytest

from vista_stream.core.rules.times import read_clock, read_period


@pytest.mark.parametrize(
    ("text", "minutes", "sure", "length"),
    [
        ("20:00", 1200, True, 1),
        ("0:15", 15, True, 1),
        ("24:00", 0, True, 1),
        ("9:05", 545, False, 1),
        ("12:30", 30, False, 1),
        ("9:05 a.m.", 545, True, 2),
        ("12:30 PM", 750, True, 2),
        ("12 am", 0, True, 2),
        ("8pm", 1200, True, 1),
        ("8.30 pm", 1230, True, 2),
        ("noon", 720, True, 1),
        ("midnight", 0, True, 1),
        ("nine in the evening", 1260, True, 4),
        ("Nine o’clock in the evening", 1260, True, 5),
        ("9:30 in the morning", 570, True, 4),
        ("twelve in the afternoon", 720, True, 4),
        ("11 at night", 1380, True, 3),
        ("two at night", 120, True, 3),
        ("twelve at night", 0, True, 3),
        ("9 o'clock", 540, False, 2),
        ("half past seven", 450, False, 3),
        ("half past seven in the evening", 1170, True, 6),
        ("a quarter to three", 165, False, 4),
        ("quarter past 12", 15, False, 3),
        ("twenty past six in the morning", 380, True, 6),
        ("ten minutes to eight", 470, False, 4),
        ("five past one o'clock", 65, False, 4),
        ("a quarter to twelve at night", 1425, True, 6),
        ("a quarter to six at night", 1065, True, 6),
        ("half past twelve at night", 30, True, 5),
        ("a quarter to noon", 705, True, 4),
        ("a quarter to midnight", 1425, True, 4),
        ("half past midnight", 30, True, 3),
    ],
)
def test_a_time_of_day_is_read(text: str, minutes: int, sure: bool, length: int) -> None:
    assert read_clock(text.split(), 0) == (minutes, sure, length)


@pytest.mark.parametrize(
    "text",
    [
        *("9", "8.30", "16:9", "9:75", "25:00", "13 pm", "Noon", "10:20:30", "nine in the", "13 o'clock"),
        *("ten to twelve", "half past", "a half past seven", "five to ten people", "a ten past"),
        "a quarter to three quarters",
    ],
)
def test_what_is_no_time_of_day_is_not_read(text: str) -> None:
    assert read_clock(text.split(), 0) is None


@pytest.mark.parametrize(
    ("text", "at", "period"),
    [
        ("$ 20 per month", 2, ("month", 2)),
        ("$ 20 a month", 2, ("month", 2)),
        ("two people a year", 2, ("year", 2)),
        ("12 l per s", 2, ("second", 2)),
        ("80 people per square kilometre", 2, ("square kilometre", 3)),
        ("$ 5 a kilo", 2, ("kilogram", 2)),
        ("spent a year there", 1, ("", 0)),
        ("3 left a year later", 2, ("", 0)),
        ("3 eggs and a kilo of flour", 3, ("", 0)),
        ("one goal and a second", 3, ("", 0)),
        ("5 a head", 1, ("", 0)),
        ("5 per", 1, ("", 0)),
    ],
)
def test_a_period_follows_per_or_an_amount(text: str, at: int, period: tuple[str, int]) -> None:
    assert read_period(text.split(), at) == period

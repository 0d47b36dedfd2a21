"""Dates among words, and what two of them say of each other."""

import pytest

from vista_stream.core.rules.dates import Date, lies_between, read_date, relate_dates


@pytest.mark.parametrize(
    ("words", "date", "taken"),
    [
        ("3 October 1990", Date((1990, 1990), 10, 3), 3),
        ("3rd of October 1990", Date((1990, 1990), 10, 3), 4),
        ("Oct 3 1990", Date((1990, 1990), 10, 3), 3),
        ("October 1990", Date((1990, 1990), 10), 2),
        ("October 3", Date(None, 10, 3), 2),
        ("1990-10-03", Date((1990, 1990), 10, 3), 1),
        ("1990s", Date((1990, 1999)), 1),
        ("1900s", Date((1900, 1999)), 1),
        ("19th century", Date((1800, 1900)), 2),
        ("44 BC", Date((-44, -44)), 2),
        ("1990", Date((1990, 1990)), 1),
    ],
)
def test_dates_are_read(words: str, date: Date, taken: int) -> None:
    assert read_date(words.split(), 0) == (date, taken)


@pytest.mark.parametrize(
    "words",
    [
        "1990 people",
        "1500 m",
        "3",
        "40 October",
        "may",
        "march 3",
        "1990-13-03",
        "99999",
        "May be",
        "19xx century",
    ],
)
def test_what_only_looks_like_a_date_is_not_read(words: str) -> None:
    assert read_date(words.split(), 0) is None


@pytest.mark.parametrize(
    ("text", "at", "month"),
    [
        ("from March on", 1, 3),
        ("from October to May", 3, 5),
        ("April and May", 2, 5),
        ("Mrs May came", 1, None),
    ],
)
def test_the_words_before_tell_a_month_from_a_name(text: str, at: int, month: int | None) -> None:
    found = read_date(text.split(), at)
    assert (found and found[0].month) == month


@pytest.mark.parametrize(
    ("month", "first", "last", "expected"),
    [(4, 3, 5, True), (5, 3, 5, True), (6, 3, 5, False), (12, 10, 3, True), (7, 10, 3, False)],
)
def test_a_month_lies_between_two_others(month: int, first: int, last: int, expected: bool) -> None:
    assert lies_between(Date(month=month), Date(month=first, day=9), Date(month=last)) is expected
    assert lies_between(Date(month=month, day=9), Date(month=first, day=9), Date(month=last)) is expected
    assert not lies_between(Date((1990, 1990), month), Date(month=first), Date(month=last))


def test_a_day_lies_between_two_others() -> None:
    span = Date(month=12, day=24), Date(month=1, day=2)
    days = [(12, 23), (12, 24), (1, 2), (1, 3)]
    assert [lies_between(Date(month=m, day=d), *span) for m, d in days] == [False, True, True, False]


def test_the_word_before_tells_a_year_from_a_count() -> None:
    words = ["in", "1990", "people"]
    assert read_date(words, 1) == (Date((1990, 1990)), 1)
    assert read_date(["with", *words[1:]], 1) is None
    assert read_date(["of", "1800", "ml"], 1) is None


def test_numbers_of_any_length_are_no_error() -> None:
    long = "9" * 5000
    for words in ([long], [long + "th", "century"], [long, "BC"], [long + "s"], [long, "October", long]):
        assert read_date(words, 0) is None


@pytest.mark.parametrize(
    ("claim", "evidence", "relation"),
    [
        (Date((1990, 1990)), Date((1990, 1990), 10, 3), "same"),
        (Date((1990, 1990), 10, 3), Date((1990, 1990)), "unclear"),
        (Date((1990, 1990), 10), Date((1990, 1990), 11), "differs"),
        (Date(None, 10, 3), Date((1990, 1990), 10, 3), "same"),
        (Date((1990, 1990), 10, 3), Date(None, 10, 3), "unclear"),
        (Date(None, 10, 3), Date(None, 10, 4), "differs"),
        (Date((1990, 1999)), Date((1993, 1993)), "same"),
        (Date((1993, 1993)), Date((1990, 1999)), "unclear"),
        (Date((1990, 1999)), Date((2000, 2000)), "differs"),
    ],
)
def test_dates_are_related(claim: Date, evidence: Date, relation: str) -> None:
    assert relate_dates(claim, evidence) == relation

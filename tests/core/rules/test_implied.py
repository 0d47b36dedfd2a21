"""What stands between semicolons, and what brackets after a name imply."""

import pytest

from vista_stream.core.rules.implied import implied_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada Moss (born 3 May 1950) is a painter.", ["Ada Moss was born on 3 May 1950."]),
        (
            "Ada Moss (née Hill; May 3, 1950 – June 1, 2001) was a painter.",
            ["Ada Moss was born on May 3, 1950.", "Ada Moss died on June 1, 2001."],
        ),
        ("Ada Moss ( born Ann Hill ; 3 May 1950 ) is a painter.", ["Ada Moss was born on 3 May 1950."]),
        ("Ada Moss (1950–2001) was a band.", []),
        ("The Red Fort (3 May 1950 – 1 June 1951) was a play.", []),
        ("Moss (born 3 May 1950) is a painter.", []),
        ("Ada Moss was a painter.", []),
    ],
)
def test_only_full_dates_after_a_full_name_imply_a_life(text: str, expected: list[str]) -> None:
    assert implied_sentences(text) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Pope Pius XII (2 March 1939 – 9 October 1958) was head of the Church.",
        "Ada Moss (2 March 1939 – 9 October 1958) was Queen of Kew.",
        "Elizabeth Moss I (17 November 1558 – 24 March 1603) ruled Kew.",
    ],
)
def test_two_dates_of_one_who_reigned_may_be_the_reign(sentence: str) -> None:
    assert implied_sentences(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The coach leaves at 7:15; please be there 20 minutes earlier.",
            ["The coach leaves at 7:15", "please be there 20 minutes earlier."],
        ),
        ("Dogs are welcome; not cats.", ["Dogs are welcome"]),
        ("In winter: it opens at nine; it closes at four.", []),
        ("It opens at nine (in winter; in summer it opens at eight).", []),
        ("It opens at nine.", []),
    ],
)
def test_each_statement_between_semicolons_stands_alone(sentence: str, expected: list[str]) -> None:
    assert implied_sentences(sentence) == expected

"""What brackets after a name imply."""

import pytest

from vista_stream.core.implied import implied_sentences


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

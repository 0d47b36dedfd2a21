import random
import re

import pytest

from vista_stream.training.made.edits_cells import reckoned
from vista_stream.training.made.edits_tables import Table

TABLES = [
    Table("Low Tide", {"Released": "3 May 1974", "Length": "95 minutes", "Label": "Pier Records"}, "MIT"),
    Table("Ada Moss", {"Born": "1901", "Died": "1980", "Genres": "Folk, Jazz, Blues"}, "MIT"),
    Table("Moss Inc", {"Founded": "1888", "Revenue": "$1,200", "Website": "moss.example"}, "MIT"),
]


def claims():
    pairs = [pair for seed in range(40) for pair, _ in reckoned(TABLES, random.Random(seed))]
    return {pair.hypothesis: pair.label for pair in pairs}


def test_what_is_reckoned_with_one_cell_holds_or_not() -> None:
    said = claims()
    kinds = (
        (r"Low Tide was released before (\d+)\.", lambda n: n > 1974),
        (r"Low Tide was released after (\d+)\.", lambda n: n < 1974),
        (r"Low Tide was released in the (\d+)s\.", lambda n: n == 1970),
        (r"Low Tide was released in the (\d+)th century\.", lambda n: n == 20),
        (r"Low Tide runs for more than (\d+) minutes\.", lambda n: n < 95),
        (r"Ada Moss lived for more than (\d+) years\.", lambda n: n < 79),
        (r"Ada Moss died before the age of (\d+)\.", lambda n: n > 79),
        (r"Moss Inc was founded before (\d+)\.", lambda n: n > 1888),
        (r"The revenue of Moss Inc is more than \$([\d,]+)\.", lambda n: n < 1200),
        (r"The revenue of Moss Inc is at least \$([\d,]+)\.", lambda n: n <= 1200),
    )
    for pattern, holds in kinds:
        found = [(re.fullmatch(pattern, claim), label) for claim, label in said.items()]
        values = {int(match[1].replace(",", "")): label for match, label in found if match}
        assert values, pattern
        assert values == {n: "entailment" if holds(n) else "contradiction" for n in values}, pattern


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Ada Moss has three genres.", "entailment"),
        ("Ada Moss has two genres.", "contradiction"),
        ("Ada Moss has more than three genres.", "contradiction"),
        ("Jazz is one of the genres of Ada Moss.", "entailment"),
        ("Ada Moss has only one of the genres: Folk.", "contradiction"),
        ("Low Tide is longer than an hour and a half.", "entailment"),
        ("Low Tide takes less than an hour.", "contradiction"),
    ],
)
def test_lists_are_counted_and_lengths_compared(claim: str, label: str) -> None:
    assert claims()[claim] == label


def test_nothing_is_reckoned_with_other_cells() -> None:
    assert not [claim for claim in claims() if "Pier" in claim or "moss.example" in claim]

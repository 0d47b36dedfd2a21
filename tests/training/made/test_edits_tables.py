import random

import pytest

from vista_stream.training.made.edits_tables import Table, cell_pairs, rewritten, table, written
from vista_stream.training.rows import Row

TEXT = "Low Tide. The Genre of Low Tide is Folk. The Label of Low Tide is Pier Records."
LOW = Table("Low Tide", {"Genre": "Folk", "Label": "Pier Records"}, "MIT")
COLD = Table("Cold Sun", {"Genre": "Jazz", "Label": "Attic"}, "MIT")


def test_a_table_is_read() -> None:
    assert table(TEXT, "MIT") == LOW
    assert table("Low Tide is a record.", "MIT") is None


@pytest.mark.parametrize("seed", range(12))
def test_every_form_holds_every_cell(seed: int) -> None:
    text = written(LOW, random.Random(seed))
    assert all(part in text for part in ("Low Tide", "Genre", "Folk", "Label", "Pier Records"))


def test_cell_claims_are_answered_by_the_cell() -> None:
    made = [pair for seed in range(5) for pair, _ in cell_pairs([LOW, COLD], random.Random(seed))]
    assert {pair.label for pair in made} == {"entailment", "contradiction", "neutral"}
    for pair in made:
        value = next(cell for cell in ("Folk", "Jazz", "Pier Records", "Attic") if cell in pair.hypothesis)
        assert (value in pair.premise) is (pair.label == "entailment")


def test_pairs_of_people_keep_label_and_licence() -> None:
    rows = [
        Row(TEXT, "It is folk.", "entailment", "infotabs", "MIT"),
        Row("A b.", "A.", "neutral", "x", "MIT"),
    ]
    ((made, licence),) = rewritten(rows, random.Random(1))
    assert (made.hypothesis, made.label, licence) == ("It is folk.", "entailment", "MIT")

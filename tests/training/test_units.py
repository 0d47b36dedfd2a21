"""Twins and rows alone: what one written document gives to learn from."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.training.documents import Document, WrittenClaim
from vista_stream.training.rows import Row
from vista_stream.training.units import dressed, twins, units

LINES = (
    "The mill was built in 1874 by Anna Berg.",
    "It ground rye for forty farms until 1931.",
    "Entry costs 6 euros on weekdays.",
)


def document(*claims: tuple[str, str, int], source: str = "written:plain_0") -> Document:
    made = tuple(WrittenClaim(text, label, frozenset({line})) for text, label, line in claims)
    return Document("d", source, LINES, made)


TWO = document(
    ("Anna Berg had the mill built in 1874.", "entailment", 0),
    ("Anna Berg had the mill built in 1884.", "contradiction", 0),
    ("Visitors are shown the cellar on request.", "neutral", 2),
)


def test_twins_are_worded_alike_and_each_claim_has_one_at_most():
    assert twins(TWO) == [(0, 1)]
    many = document(
        ("The mill ground rye until 1931.", "entailment", 1),
        ("The mill ground rye until 1941.", "contradiction", 1),
        ("The mill ground rye and some wheat until late in 1931.", "neutral", 1),
        ("Something else entirely is said here.", "contradiction", 2),
    )
    assert twins(many) == [(0, 1)]
    assert twins(document(("The mill is old.", "contradiction", 0), ("The mill is odd.", "neutral", 0))) == []


@given(seed=st.integers(0, 100_000))
def test_two_twins_have_one_premise_with_the_line_that_decides_both_and_the_entailed_one_is_first(seed):
    for unit in units(TWO, [TWO], random.Random(seed)):
        assert len(unit) in (1, 2)
        if len(unit) == 2:
            true, other = unit
            assert true.label == "entailment"
            assert other.label != "entailment"
            assert true.premise == other.premise
            assert true.hypothesis != other.hypothesis
            if [row.hypothesis for row in unit] == [claim.text for claim in TWO.claims[:2]]:
                assert LINES[0] in true.premise


def test_a_value_is_exchanged_in_the_claim_or_in_both_so_that_one_of_two_is_true():
    alone = document(("Entry costs 6 euros on weekdays.", "entailment", 2))
    seen = set()
    for seed in range(60):
        for unit in units(alone, [alone], random.Random(seed)):
            if len(unit) == 2:
                true, false = unit
                assert false.label == "contradiction"
                assert true.hypothesis in true.premise
                assert false.hypothesis not in true.premise
                seen.add(true.hypothesis == alone.claims[0].text)
    assert seen == {True, False}


def test_every_claim_is_in_an_epoch_and_a_line_taken_away_leaves_it_open():
    lines = {claim.text: LINES[min(claim.deciding)] for claim in TWO.claims}
    labels = {claim.text: claim.label for claim in TWO.claims}
    opened = 0
    for seed in range(300):
        found = [row for unit in units(TWO, [TWO], random.Random(seed)) for row in unit]
        assert set(lines) <= {row.hypothesis for row in found}
        for row in found:
            told = row.premise.replace(LINES[0], "")
            if (
                row.hypothesis in lines and "The mill was built" not in told
            ):  # no value of the premise is another
                shown = lines[row.hypothesis] in row.premise
                assert row.label == (labels[row.hypothesis] if shown else "neutral")
                opened += not shown and labels[row.hypothesis] != "neutral"
    assert opened


def test_no_value_is_exchanged_that_may_also_be_true():
    alone = document(("Entry costs at most 6 euros on weekdays.", "entailment", 2))
    assert all(len(unit) == 1 for seed in range(60) for unit in units(alone, [alone], random.Random(seed)))


def test_twins_are_dressed_alike_and_labels_stay():
    unit = (Row("Ten boats lie there.", "Ten boats are there.", "entailment"),) * 2
    seen = set()
    for seed in range(300):
        first, second = dressed(unit, random.Random(seed))
        assert first == second
        assert first.label == "entailment"
        seen.add(first.hypothesis)
    assert "TEN BOATS ARE THERE." in seen
    assert len(seen) > 8


@pytest.mark.parametrize("said", ["There are 7 boats.", "It costs 7.50 euros.", "It opens at 7:30."])
def test_numbers_become_words_where_they_stand_alone(said):
    unit = (Row("x", said, "entailment"),)
    seen = {dressed(unit, random.Random(seed))[0].hypothesis for seed in range(400)}
    assert ("There are seven boats." in seen) == (said == "There are 7 boats.")
    assert not any("seven.50" in text or "seven:30" in text for text in seen)

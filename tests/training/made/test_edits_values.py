import random
from collections import defaultdict

import pytest

from vista_stream.training.made.edits_values import Change, changes, twins


def kinds(text: str) -> dict[str, str]:
    return {change.old: change.kind for change in changes(text, random.Random(1))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The tower dates from 1871.", {"1871": "date"}),
        ("It sank on 4 May 1990.", {"4": "date", "May": "date", "1990": "date"}),
        ("It may open soon.", {}),
        ("The crew had 1,240 heads.", {"1,240": "number"}),
        ("The walk took five hours.", {"five": "number", "hours": "unit"}),
        ("Prices rose before the war.", {"rose": "antonym", "before": "order", "war": "antonym"}),
        ("The lake is deeper and larger.", {"larger": "comparison"}),
        ("Over 300 people came.", {}),
        ("It has stood since 1950.", {}),
        ("She went to high school.", {}),
        ("The over-used phrase came over the hill.", {}),
    ],
)
def test_values_are_found_by_kind(text: str, expected: dict[str, str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize("seed", range(20))
def test_a_changed_value_differs_and_keeps_its_form(seed: int) -> None:
    rng = random.Random(seed)
    (thousands,) = changes("It has 12,400 seats.", rng)
    (decimal,) = changes("It rose by a factor of 2.50 in all.".replace("rose", "grew"), rng)
    day = next(change for change in changes("They met on 3 June.", rng) if change.old == "3")
    assert thousands.new != "12,400"
    assert "," in thousands.new
    assert decimal.new != "2.50"
    assert len(decimal.new.partition(".")[2]) == 2
    assert 1 <= int(day.new) <= 28
    assert day.new != "3"


def test_each_wording_is_once_entailed_and_once_contradicted() -> None:
    made = list(
        twins("The mill was built in 1871 by Oda.", "It dates from 1871.", Change("date", "1871", "1884"))
    )
    labels = defaultdict(set)
    for pair in made:
        labels[pair.hypothesis].add(pair.label)
    assert labels == {
        "It dates from 1871.": {"entailment", "contradiction"},
        "It dates from 1884.": {"entailment", "contradiction"},
    }
    assert {pair.premise for pair in made if pair.label == "entailment"} == {
        "The mill was built in 1871 by Oda.",
        "The mill was built in 1884 by Oda.",
    }


@pytest.mark.parametrize(
    "premise",
    ["Built in 1871, burnt in 1871.", "Nothing is dated.", "Built in 1871, burnt in 1884."],
)
def test_a_value_that_does_not_stand_once_gives_no_twins(premise: str) -> None:
    assert not list(twins(premise, "It dates from 1871.", Change("date", "1871", "1884")))

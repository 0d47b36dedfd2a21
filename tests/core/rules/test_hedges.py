"""Words that make a bound or an estimate of a number."""

import math

import pytest

from vista_stream.core.rules.hedges import bounds, read_hedge


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["about", "40"], ("about", 1)),
        (["At", "least", "5"], ("from", 2)),
        (["no", "later", "than", "5"], ("to", 3)),
        (["not", "earlier", "than"], ("from", 3)),
        (["older", "than", "65"], ("above", 2)),
        (["over"], ("above", 1)),
        (["older"], ("", 0)),
        ([], ("", 0)),
    ],
)
def test_hedges_are_read(words: list[str], kind: tuple[str, int]) -> None:
    assert read_hedge(words, 0) == kind


def test_a_bound_has_one_end_and_leaves_its_number_out_where_it_says_so() -> None:
    assert bounds(5, 5, "from") == (5, math.inf)
    assert bounds(5, 5, "to") == (-math.inf, 5)
    assert bounds(5, 5, "above")[0] > 5 > bounds(5, 5, "below")[1]
    assert bounds(5, 10, "about") == (5, 10)

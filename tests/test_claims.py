import math

import pytest

from vista_stream.claims import Importance, Pair, Scores


def test_sound_scores_are_returned():
    scores = Scores(0.2, 0.3, 0.5)
    assert scores.check() is scores


@pytest.mark.parametrize(
    "scores", [Scores(math.nan, 0.5, 0.5), Scores(1.2, -0.1, -0.1), Scores(0.5, 0.5, 0.5), Scores(0, 0, 0)]
)
def test_nonsense_is_refused(scores):
    with pytest.raises(ValueError, match="three probabilities that sum to 1"):
        scores.check()


def test_a_pair_is_what_it_compares_and_not_how_urgent_it_is():
    assert Pair("p", "h", importance=Importance.VITAL, deadline=1.0) == Pair("p", "h")
    assert hash(Pair("p", "h", importance=Importance.VITAL)) == hash(Pair("p", "h"))

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Scores
from vista_stream.core.pooling import FEATURES, Pooling, features

# Entailment follows the log odds of the premise with the nearest window, contradiction those of the sentence.
APART = Pooling(entailment=(1, 0, 0, 0, 0, 0, 0), contradiction=(0, 0, 0, 1, 0, 0, 0))
ENTAILED, NEUTRAL, REFUTED = Scores(0.9, 0.06, 0.04), Scores(0.05, 0.9, 0.05), Scores(0.04, 0.06, 0.9)
EVEN = Scores(1 / 3, 1 / 3, 1 / 3)


@st.composite
def triples(draw):
    parts = [draw(st.integers(0, 1_000)) for _ in range(3)]
    total = sum(parts)
    return Scores(*(part / total for part in parts)) if total else EVEN


def test_window_and_sentence_have_weights_of_their_own():
    assert APART.pooled(ENTAILED, NEUTRAL, [ENTAILED, NEUTRAL, REFUTED]).entailment > 0.8
    assert APART.pooled(NEUTRAL, REFUTED, [NEUTRAL, REFUTED, ENTAILED]).contradiction > 0.8
    assert APART.pooled(REFUTED, ENTAILED, [REFUTED, ENTAILED, NEUTRAL]).neutral > 0.4


def test_without_weights_all_labels_are_alike():
    nothing = Pooling(entailment=(0,) * FEATURES, contradiction=(0,) * FEATURES)
    assert nothing.alone(ENTAILED) == pytest.approx(EVEN)


def test_the_highest_scores_of_all_passages_count():
    found = features(NEUTRAL, NEUTRAL, [NEUTRAL, ENTAILED, REFUTED])
    assert found[4] == found[5] > 0 > features(NEUTRAL, NEUTRAL, [NEUTRAL])[4]
    assert len(found) == FEATURES


@given(triples(), triples(), st.lists(st.floats(-50, 50), min_size=14, max_size=14))
def test_a_pooled_triple_is_one_at_any_weights(window, sentence, weights):
    pooling = Pooling(entailment=tuple(weights[:7]), contradiction=tuple(weights[7:]))
    pooling.pooled(window, sentence, [window, sentence]).check()


@pytest.mark.parametrize("weights", [(1.0,) * 9, (1.0,) * 6 + (float("nan"),), ()])
def test_a_pooling_needs_seven_finite_weights(weights):
    with pytest.raises(ValueError, match="entailment must be 7 finite weights"):
        Pooling(entailment=weights, contradiction=(0.0,) * 7)


def test_a_pooling_is_read_from_json():
    table = {"entailment": [1] * 7, "contradiction": [2] * 7}
    assert Pooling.of(table) == Pooling(entailment=(1.0,) * 7, contradiction=(2.0,) * 7)
    assert Pooling.of(None) is None
    with pytest.raises(TypeError):
        Pooling.of({**table, "neutral": [0] * 7})
    with pytest.raises(TypeError, match="must be an object of weights by label, not list"):
        Pooling.of([[1] * 7, [2] * 7])


HEARING = Pooling(
    entailment=(0,) * FEATURES,
    contradiction=(0,) * FEATURES,
    talk_entailment=(0, 0, 1, 0, 0),
    talk_contradiction=(0, 0, 0, 1, 0),
)
"""What was said decides."""


def test_what_was_said_may_refute_and_excuse_a_claim_but_not_verify_it():
    assert HEARING.with_talk(ENTAILED, REFUTED).contradiction > 0.8
    assert HEARING.with_talk(REFUTED, NEUTRAL).contradiction < 0.1
    assert HEARING.with_talk(ENTAILED, ENTAILED).entailment > 0.8
    for found in (NEUTRAL, REFUTED, Scores(0.4, 0.35, 0.25)):
        assert HEARING.with_talk(found, ENTAILED).entailment <= found.entailment


@given(triples(), triples(), st.lists(st.floats(-50, 50), min_size=10, max_size=10))
def test_a_triple_with_talk_is_one_at_any_weights(found, heard, weights):
    nothing = (0.0,) * FEATURES
    pooling = Pooling(
        entailment=nothing,
        contradiction=nothing,
        talk_entailment=tuple(weights[:5]),
        talk_contradiction=tuple(weights[5:]),
    )
    triple = pooling.with_talk(found, heard).check()
    assert triple.entailment <= found.entailment


def test_the_weights_of_talk_are_five_of_each_label_or_none():
    assert HEARING.hears
    assert not APART.hears
    with pytest.raises(ValueError, match="talk_contradiction must be 5 finite weights"):
        Pooling(entailment=(0,) * 7, contradiction=(0,) * 7, talk_entailment=(0,) * 5)
    with pytest.raises(ValueError, match="talk_entailment must be 5 finite weights"):
        Pooling(
            entailment=(0,) * 7, contradiction=(0,) * 7, talk_entailment=(0,) * 4, talk_contradiction=(0,) * 5
        )
    table = {
        "entailment": [1] * 7,
        "contradiction": [2] * 7,
        "talk_entailment": [3] * 5,
        "talk_contradiction": [4] * 5,
    }
    assert Pooling.of(table).talk_contradiction == (4.0,) * 5

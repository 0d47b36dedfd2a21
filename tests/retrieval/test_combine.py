import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Evidence, Scores, Span
from vista_stream.retrieval.combine import Scored, combine, weighed


def passage(name, relevance, entailment, contradiction):
    evidence = Evidence(text=name, document=name, span=Span(0, len(name)), sentence=0)
    return Scored(evidence, relevance, Scores(entailment, 1 - entailment - contradiction, contradiction))


def test_nothing_decides_where_nothing_was_found():
    assert combine([]) is None


def test_one_supporting_passage_beats_contradictions_of_lesser_relevance():
    best = combine([passage("support", 0.9, 0.8, 0.1), passage("aside", 0.5, 0.01, 0.95)])
    assert best.evidence.text == "support"
    assert best.scores.entailment == 0.8


def test_a_contradiction_by_the_most_relevant_passage_counts_in_full():
    best = combine([passage("refutes", 0.9, 0.02, 0.9), passage("aside", 0.5, 0.3, 0.1)])
    assert best.evidence.text == "refutes"
    assert best.scores == pytest.approx((0.02, 0.08, 0.9))


def test_a_contradiction_by_a_passage_about_something_else_goes_to_neutral():
    best = combine([passage("subject", 0.9, 0.05, 0.05), passage("aside", 0.3, 0.02, 0.9)])
    assert best.evidence.text == "aside"
    assert best.scores == pytest.approx((0.02, 0.88, 0.1))


def test_equally_irrelevant_passages_give_the_plain_maximum():
    best = combine([passage("a", 0.0, 0.1, 0.2), passage("b", 0.0, 0.1, 0.7)])
    assert best.scores.contradiction == pytest.approx(0.7)


def test_passages_are_weighed_by_relevance_and_none_is_lost():
    assert weighed([]) == []
    first, second = weighed([passage("near", 0.8, 0.1, 0.8), passage("far", 0.4, 0.1, 0.8)])
    assert first.scores == pytest.approx((0.1, 0.1, 0.8))
    assert second.scores == pytest.approx((0.1, 0.7, 0.2))


triples = st.lists(st.floats(0.001, 1), min_size=3, max_size=3).map(
    lambda raw: Scores(*(part / sum(raw) for part in raw))
)


@given(st.lists(st.tuples(st.floats(0, 1), triples), min_size=1, max_size=10))
def test_what_decides_is_a_distribution_with_the_best_entailment_or_more_contradiction(found):
    passages = [
        Scored(Evidence(text=str(i), document="d", span=Span(0, 1), sentence=i), relevance, scores)
        for i, (relevance, scores) in enumerate(found)
    ]
    best = combine(passages)
    best.scores.check()
    most = max(scores.entailment for _, scores in found)
    assert best.scores.entailment == most or best.scores.contradiction > most

"""Two references that disagree: which counts, and that one reference never opposes itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Evidence, Scores, Span
from vista_stream.core.disagreement import OPPOSED, Told, disagreement, same_subject
from vista_stream.core.judge import Thresholds

VERIFIES, CONTRADICTS, OPEN = Scores(0.9, 0.1, 0.0), Scores(0.0, 0.1, 0.9), Scores(0.2, 0.6, 0.2)
WHICH = ("later", "earlier", "contradicted")


def told(place: int, scores: Scores, text: str = "All is so.") -> Told:
    evidence = Evidence(text=text, document="leaflet", span=Span(0, len(text)), sentence=0)
    return Told(place, evidence, scores)


@pytest.mark.parametrize(
    ("first", "second", "which", "counts"),
    [
        (VERIFIES, CONTRADICTS, "later", 1),
        (VERIFIES, CONTRADICTS, "earlier", 0),
        (VERIFIES, CONTRADICTS, "contradicted", 1),
        (CONTRADICTS, VERIFIES, "later", 1),
        (CONTRADICTS, VERIFIES, "earlier", 0),
        (CONTRADICTS, VERIFIES, "contradicted", 0),
    ],
)
def test_the_order_of_the_references_or_the_contradiction_decides(first, second, which, counts) -> None:
    passages = [told(0, first), told(1, second)]
    for given_in in (passages, passages[::-1]):
        split = disagreement(given_in, which)
        assert split == (passages[counts], passages[1 - counts])


@pytest.mark.parametrize(
    "passages",
    [
        [],
        [told(0, VERIFIES)],
        [told(0, VERIFIES), told(1, VERIFIES), told(2, OPEN)],
        [told(0, CONTRADICTS), told(1, OPEN)],
        [told(0, VERIFIES), told(0, CONTRADICTS)],
        [told(0, VERIFIES), told(1, Scores(0.0, 1 - OPPOSED + 0.01, OPPOSED - 0.01))],
        [told(0, VERIFIES), told(1, CONTRADICTS), told(1, VERIFIES)],
    ],
)
def test_references_of_one_opinion_and_doubtful_ones_do_not_disagree(passages) -> None:
    assert disagreement(passages, "later") is None


def test_a_score_below_the_threshold_is_no_opinion() -> None:
    passages = [told(0, VERIFIES), told(1, CONTRADICTS)]
    assert disagreement(passages, "later", thresholds=Thresholds(contradiction=0.9)) is not None
    assert disagreement(passages, "later", thresholds=Thresholds(contradiction=0.95)) is None
    assert disagreement(passages, "later", thresholds=Thresholds(entailment=0.95)) is None


@pytest.mark.parametrize(
    ("which", "places"), [("later", (3, 2)), ("earlier", (0, 1)), ("contradicted", (3, 2))]
)
def test_of_several_on_one_side_the_latest_or_earliest_stands_for_it(which, places) -> None:
    passages = [told(0, VERIFIES), told(1, CONTRADICTS), told(2, VERIFIES), told(3, CONTRADICTS)]
    split = disagreement(passages, which)
    assert (split.counting.place, split.opposing.place) == places


def test_the_surest_passage_stands_for_its_reference() -> None:
    passages = [
        told(0, Scores(0.85, 0.15, 0.0), "Perhaps."),
        told(0, Scores(0.95, 0.05, 0.0), "Surely."),
        told(1, Scores(0.0, 0.05, 0.95), "Surely not."),
        told(1, Scores(0.0, 0.15, 0.85), "Perhaps not."),
    ]
    split = disagreement(passages, "earlier")
    assert (split.counting.evidence.text, split.opposing.evidence.text) == ("Surely.", "Surely not.")


def about(context: str, text: str = "The battery lasts 18 hours.") -> Told:
    return told(0, VERIFIES, text)._replace(context=context)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("", "", True),
        ("Alder phone", "Alder phone", True),
        ("Alder phone", "Birch phone", False),
        ("Alder phone", "", False),
        ("Report 2021", "Report 2022", False),
        ("The shop opens at 9 am.", "The shop opens at 10 am.", True),
        ("Line 4 is the night bus.", "Line 9 is the night bus.", False),
        ("We sell phones made of steel.", "We sell phones made of wood.", False),
        ("The phone has a battery.", "The battery is in the phone.", True),
    ],
)
def test_contexts_in_other_words_speak_of_other_things(one, other, same) -> None:
    assert same_subject(about(one), about(other)) is same
    assert same_subject(about(other), about(one)) is same


def test_a_word_of_the_context_may_stand_in_the_other_passage_itself() -> None:
    assert same_subject(about("Alder"), about("", "The battery of the Alder lasts 11 hours."))


@pytest.mark.parametrize(
    "text", ["She was born in 1951.", "Its battery lasts 18 hours.", "This costs 3 euros."]
)
def test_a_passage_that_points_back_names_no_subject(text) -> None:
    assert not same_subject(about("", text), about("", text))


@pytest.mark.parametrize("which", WHICH)
def test_what_speaks_of_another_thing_counts_only_where_every_contradiction_does(which) -> None:
    old, other = told(0, VERIFIES), told(2, CONTRADICTS)._replace(context="Birch phone")
    split = disagreement([old, other], which)
    assert split == ((other, old) if which == "contradicted" else (old, other))
    newer = told(1, CONTRADICTS)
    split = disagreement([old, newer, other], which)
    assert split == {"later": (newer, old), "earlier": (old, newer), "contradicted": (other, old)}[which]


triples = st.lists(st.floats(0.001, 1), min_size=3, max_size=3).map(
    lambda raw: Scores(*(part / sum(raw) for part in raw))
)
any_scores = st.sampled_from([VERIFIES, CONTRADICTS, OPEN]) | triples


@given(st.lists(any_scores), st.sampled_from(WHICH))
def test_one_reference_never_opposes_itself(scores, which) -> None:
    assert disagreement([told(0, triple) for triple in scores], which) is None


@given(st.lists(st.tuples(st.integers(0, 4), any_scores)), st.sampled_from(WHICH))
def test_who_disagrees_are_two_that_say_the_opposite_in_the_order_asked_for(rows, which) -> None:
    split = disagreement([told(place, scores) for place, scores in rows], which)
    if split is None:
        return
    counting, opposing = split
    assert counting.place != opposing.place
    assert {counting.scores.entailment >= OPPOSED, opposing.scores.entailment >= OPPOSED} == {True, False}
    assert {counting.scores.contradiction >= OPPOSED, opposing.scores.contradiction >= OPPOSED} == {
        True,
        False,
    }
    if which == "contradicted":
        assert counting.scores.contradiction >= OPPOSED
    else:
        assert (counting.place > opposing.place) == (which == "later")

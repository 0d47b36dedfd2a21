"""Importance for a query, and without one."""

import pytest

from vista_stream.claims import Importance
from vista_stream.core.importance import WITH_SIMILARITY, Features, Wanted, Weights, answer_type, rank, score

VITAL, OKAY, LESS = Importance.VITAL, Importance.OKAY, Importance.LESS_IMPORTANT


def test_without_a_query_the_first_three_sentences_are_vital_and_the_next_two_okay() -> None:
    assert rank(["A.", "B."], None, None, position=0) == [VITAL, VITAL]
    assert rank(["A.", "B."], " ", None, position=2) == [VITAL, VITAL]
    assert [rank(["A."], None, None, position=place) for place in (3, 4, 5)] == [[OKAY], [OKAY], [LESS]]
    assert rank([], None, None, position=0) == []


QUERY = "Who designed the bridge in Porto?"
ANSWER = "The bridge in Porto was designed by Ada Moss."
ASIDE = "Painters like the colour of its paint."


@pytest.mark.parametrize("cosines", [None, [0.8, 0.1]])
def test_the_answer_matters_more_than_an_aside(cosines: list[float] | None) -> None:
    ranks = rank([ANSWER, ASIDE], QUERY, cosines, position=3)
    assert ranks[0] is VITAL
    assert ranks[1] is LESS


def test_a_later_sentence_needs_more() -> None:
    text, cosine = ["It crosses a river in Porto."], [0.35]
    early = rank(text, QUERY, cosine, position=0)
    late = rank(text, QUERY, cosine, position=4)
    assert early == [VITAL]
    assert late == [LESS]
    assert late == rank(text, QUERY, cosine, position=4)


def test_weights_of_ones_own_take_the_place_of_those_that_ship() -> None:
    nothing = Weights(Features(0, 0, 0, 0), position=0, vital=1, okay=0)
    assert rank([ANSWER], QUERY, [0.9], position=0, weights=nothing) == [OKAY]


def test_beyond_the_fifth_sentence_nothing_more_is_taken_off() -> None:
    some = Features(0.5, 0.5, 1.0, 0.5)
    assert score(some, 5, WITH_SIMILARITY) == score(some, 50, WITH_SIMILARITY)
    assert score(some, 4, WITH_SIMILARITY) > score(some, 5, WITH_SIMILARITY)


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("how many lanes has it", "number"),
        ("Who built it?", "who"),
        ("in which year was it built", "when"),
        ("when was it built", "when"),
        ("what city is it in", "where"),
        ("Is it old?", "polar"),
        ("what is a lane", "definition"),
        ("bridges of porto", "other"),
    ],
)
def test_the_sort_of_answer_is_told_by_the_query(query: str, asked: str) -> None:
    assert answer_type(query) == asked


@pytest.mark.parametrize(
    ("query", "fitting", "other"),
    [
        ("who built it", "It was built by Ada Moss.", "It was built well."),
        ("when was it built", "It was built in 1990.", "It was built well."),
        ("how many lanes has it", "It has three lanes.", "It has lanes."),
        ("where is it", "It is located in Porto.", "It is old."),
    ],
)
def test_what_the_query_asks_for_must_be_added(query: str, fitting: str, other: str) -> None:
    wanted = Wanted(query)
    assert wanted.features(fitting, 0.0).fits == 1.0
    assert wanted.features(other, 0.0).fits == 0.0


def test_a_name_that_the_query_has_is_not_added() -> None:
    assert Wanted("who is Ada Moss").features("It was Ada Moss.", 0.0).fits == 0.0


def test_an_instruction_before_the_question_is_left_out() -> None:
    plain, wrapped = Wanted("where is the bridge"), Wanted("Please answer this: where is the bridge")
    assert plain.features(ANSWER, 0.0) == wrapped.features(ANSWER, 0.0)


def test_similarities_must_be_one_a_text() -> None:
    with pytest.raises(ValueError, match="similarities"):
        rank(["A."], QUERY, [0.1, 0.2], position=0)

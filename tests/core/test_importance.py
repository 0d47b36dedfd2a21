"""Importance for a query, and without one, by given weights."""

import pytest

from vista_stream.claims import Importance
from vista_stream.core.importance import LAST_POSITION, Features, Line, features_of, rank, score
from vista_stream.core.query import QUERY_KINDS

VITAL, OKAY, LESS = Importance.VITAL, Importance.OKAY, Importance.LESS_IMPORTANT
NOTHING = Features(*[0.0] * len(Features._fields))
ANSWER = "The bridge in Porto was designed by Ada Moss."


def only(text: str, query: str | None = None, *, cosine: float | None = None, position: int = 0) -> Features:
    (found,) = features_of([text], query, None if cosine is None else [cosine], position=position)
    return found


def test_each_kind_of_query_has_weights_of_its_own() -> None:
    never = Line(NOTHING, vital=1.0, okay=1.0)
    weights = dict.fromkeys(QUERY_KINDS, never)
    weights["precise"] = Line(NOTHING, vital=0.0, okay=0.0)
    weights["none"] = Line(NOTHING, vital=1.0, okay=0.0)
    assert rank([ANSWER], "Who designed it?", None, position=0, weights=weights) == [VITAL]
    assert rank([ANSWER], "Is it old?", None, position=0, weights=weights) == [LESS]
    assert rank([ANSWER, ANSWER], None, None, position=0, weights=weights) == [OKAY, OKAY]
    assert rank([ANSWER], " ", None, position=0, weights=weights) == [OKAY]
    assert rank([], None, None, position=0, weights=weights) == []


def test_the_score_is_the_weighted_sum_and_a_threshold_belongs_to_its_class() -> None:
    line = Line(NOTHING._replace(similarity=2.0, place=-1.0), vital=1.0, okay=0.5)
    assert score(NOTHING._replace(similarity=0.5, place=0.4), line) == pytest.approx(0.6)
    weights = dict.fromkeys(QUERY_KINDS, line)
    cosines = [0.5, 0.25, 0.2]
    assert rank(["A.", "B.", "C."], "Is it old?", cosines, position=0, weights=weights) == [VITAL, OKAY, LESS]


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
    assert only(fitting, query).fits == 1.0
    assert only(other, query).fits == 0.0


def test_a_name_that_the_query_has_is_not_added() -> None:
    assert only("It was Ada Moss.", "who is Ada Moss").fits == 0.0


def test_features_of_the_wording() -> None:
    found = only("Ada Moss was an engineer from Porto in 1990.")
    assert (found.name, found.date, found.defines) == (1.0, 1.0, 1.0)
    plain = only("Bridges need paint.")
    assert (plain.name, plain.date, plain.defines) == (0.0, 0.0, 0.0)
    assert found.length > plain.length
    assert only("word " * 90).length == 1.0


def test_features_of_the_place() -> None:
    places = [only(ANSWER, position=place) for place in (0, 1, LAST_POSITION, 50)]
    assert [found.opens for found in places] == [1.0, 0.0, 0.0, 0.0]
    assert [found.place for found in places] == [0.0, 1 / LAST_POSITION, 1.0, 1.0]


def test_the_sentence_is_as_near_to_the_query_as_its_claims_on_average() -> None:
    first, second = features_of(["It is old.", ANSWER], "Is it old?", [0.2, 0.6], position=0)
    assert (first.similarity, second.similarity) == (0.2, 0.6)
    assert first.sentence == second.sentence == pytest.approx(0.4)


def test_without_a_query_nothing_is_compared_with_it() -> None:
    found = only(ANSWER, cosine=0.9)
    assert (found.fits, found.similarity, found.sentence, found.cover, found.asked) == (0.0,) * 5


def test_an_instruction_before_the_question_changes_nothing() -> None:
    assert only(ANSWER, "where is the bridge") == only(ANSWER, "Please answer this: where is the bridge")
    assert only(ANSWER, "where is the bridge").cover == 1.0


def test_similarities_must_be_one_a_text() -> None:
    with pytest.raises(ValueError, match="similarities"):
        features_of(["A."], "Is it old?", [0.1, 0.2], position=0)

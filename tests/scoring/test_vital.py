"""VITAL's measures against values worked out by hand."""

import pytest

from vista_stream.claims import Category, Claim, Importance, Span, UnresolvedReason, Verdict
from vista_stream.report import Unresolved
from vista_stream.scoring import vital
from vista_stream.stages.nuggets import MatchedNugget, Nugget, Support

V, K, L = Importance.VITAL, Importance.OKAY, Importance.LESS_IMPORTANT


def verdict(importance: Importance, category: Category = Category.VERIFIED, number: int = 0) -> Verdict:
    claim = Claim(id=number, sentence=0, text="Tea has caffeine.", span=Span(0, 17), importance=importance)
    return Verdict(claim=claim, category=category)


def nugget(importance: Importance, support: Support) -> MatchedNugget:
    return MatchedNugget(nugget=Nugget(text="Tea has caffeine.", importance=importance), support=support)


YES, PARTLY, NO = Support.SUPPORTED, Support.PARTLY_SUPPORTED, Support.NOT_SUPPORTED
# Five claims: two vital, one of them false; two okay; one less important that lacks evidence.
ANSWER = [
    verdict(K),
    verdict(V),
    verdict(L, Category.LACKING_EVIDENCE),
    verdict(V, Category.CONTRADICTED),
    verdict(K),
]
# Five nuggets: three vital, of which one is carried, one partly, one missing; two okay, one carried.
NUGGETS = [nugget(V, YES), nugget(V, PARTLY), nugget(V, NO), nugget(K, YES), nugget(K, NO)]


def test_precision_counts_all_claims_and_vital_precision_the_vital_ones() -> None:
    assert vital.precision(ANSWER) == 3 / 5
    assert vital.vital_precision(ANSWER) == 1 / 2


def test_recall_is_strict() -> None:
    assert vital.vital_recall(NUGGETS) == 1 / 3
    assert vital.nugget_recall(NUGGETS) == 2 / 5


def test_response_level_flags() -> None:
    assert vital.response_level_precision(ANSWER) is True
    assert vital.response_level_precision([verdict(V), verdict(K, Category.CONTRADICTED)]) is False
    assert vital.response_level_recall(NUGGETS) is True
    assert vital.response_level_recall([nugget(V, YES), nugget(K, NO)]) is False
    assert vital.response_level_recall([nugget(V, PARTLY)]) is True


def test_no_error_is_said_only_where_all_vital_claims_are_resolved() -> None:
    def unresolved(importance: Importance) -> Unresolved:
        return Unresolved(claim=verdict(importance).claim, reason=UnresolvedReason.STAGE_ERROR)

    assert vital.response_level_precision([verdict(K)], [unresolved(V)]) is None
    assert vital.response_level_precision([verdict(V)], [unresolved(V)]) is None
    assert vital.response_level_precision([verdict(V)], [unresolved(K)]) is False
    assert vital.response_level_precision([verdict(V, Category.CONTRADICTED)], [unresolved(V)]) is True


@pytest.mark.parametrize("category", [c for c in Category if c is not Category.VERIFIED])
def test_only_verified_supports(category: Category) -> None:
    assert vital.precision([verdict(V, category)]) == 0
    assert vital.response_level_precision([verdict(V, category)])


def test_nothing_to_measure() -> None:
    assert vital.precision([]) is None
    assert vital.vital_precision([verdict(K)]) is None
    assert vital.vital_recall([nugget(K, YES)]) is None
    assert vital.decayed_precision([]) is None
    assert vital.decayed_recall([]) is None
    assert vital.response_level_precision([]) is False
    assert vital.response_level_recall([nugget(K, NO)]) is False


def test_cumulative_precision_by_position() -> None:
    wrong_first = [verdict(V, Category.CONTRADICTED), verdict(V), verdict(K), verdict(K)]
    assert vital.cumulative_precision(wrong_first) == [0, 1 / 2, 2 / 3, 3 / 4]
    assert vital.cumulative_precision([]) == []


def test_linear_decay_weighs_the_first_most() -> None:
    # Weights 4, 3, 2, 1; the one false claim takes 4 of 10 in front and 1 of 10 at the end.
    false, true = verdict(V, Category.CONTRADICTED), verdict(V)
    assert vital.decayed_precision([false, true, true, true]) == 6 / 10
    assert vital.decayed_precision([true, true, true, false]) == 9 / 10
    # Weights 5, 4, 3, 2, 1: carried are the first and the fourth.
    assert vital.decayed_recall(NUGGETS) == 7 / 15


def test_order_is_by_importance_and_stable() -> None:
    claims = [verdict(L, number=0), verdict(V, number=1), verdict(K, number=2), verdict(V, number=3)]
    assert [v.claim.id for v in vital.by_importance(claims)] == [1, 3, 2, 0]
    nuggets = [nugget(L, YES), nugget(V, NO), nugget(K, YES), nugget(V, YES)]
    assert vital.nuggets_by_importance(nuggets) == [nuggets[1], nuggets[3], nuggets[2], nuggets[0]]

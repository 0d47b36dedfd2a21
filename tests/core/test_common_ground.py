from dataclasses import replace

import pytest

from vista_stream.claims import Category, Claim, Scores, Span, Verdict
from vista_stream.core.common_ground import CommonGround, Statement


def verdict(text: str, category: Category) -> Verdict:
    claim = Claim(id=0, sentence=0, text=text, span=Span(0, len(text)))
    return Verdict(claim=claim, category=category)


def test_only_verified_and_out_of_scope_claims_are_appended():
    ground = CommonGround()
    new = ground.add_verdicts([verdict(category.value, category) for category in Category], turn=2)
    assert [(s.text, s.category, s.turn) for s in new] == [
        ("verified", Category.VERIFIED, 2),
        ("out_of_scope", Category.OUT_OF_SCOPE, 2),
    ]
    assert list(ground) == new


def test_what_the_grounds_rather_contradict_is_not_appended():
    doubted = replace(verdict("It may weigh 10 kg.", Category.OUT_OF_SCOPE), scores=Scores(0.2, 0.2, 0.6))
    open_ = replace(verdict("It is nice.", Category.OUT_OF_SCOPE), scores=Scores(0.1, 0.6, 0.3))
    assert [s.text for s in CommonGround().add_verdicts([doubted, open_], turn=0)] == ["It is nice."]


def test_the_same_wording_is_merged_whatever_its_case_stops_and_spaces():
    ground = CommonGround([Statement(text="Paris is big.", origin="background", turn=-1)])
    assert not ground.add(Statement(text="  PARIS is  big", origin="claim", turn=0))
    assert ground.add(Statement(text="Paris is not big.", origin="claim", turn=0))
    assert len(ground) == 2


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("It melts at -5 degrees.", "It melts at 5 degrees.", False),
        ("C++ is typed.", "C# is typed.", False),
        ("It costs $5.", "It costs 5%.", False),
        ("It is 3.5 m high.", "It is 35 m high.", False),
        ("A well-known, old place.", "a well known old place", True),
        ("It was _built_ in **1990**.", "It was built in 1990", True),
    ],
)
def test_marks_count_where_they_mean_something(first, second, same):
    ground = CommonGround([Statement(text=first, origin="background", turn=-1)])
    assert ground.add(Statement(text=second, origin="claim", turn=0)) is not same


def test_text_without_a_word_is_not_kept():
    assert not CommonGround().add(Statement(text=" ...", origin="claim", turn=0))


def test_a_statement_is_cited_by_its_turn():
    assert Statement(text="x", origin="background", turn=-1).id == "background"
    assert Statement(text="x", origin="claim", turn=0).id == "turn 1"


def test_what_is_verified_later_counts_as_verified_from_then_on():
    ground = CommonGround()
    ground.add_verdicts([verdict("It is old.", Category.OUT_OF_SCOPE)], turn=0)
    (new,) = ground.add_verdicts([verdict("It is old.", Category.VERIFIED)], turn=1)
    assert (new.category, new.turn) == (Category.VERIFIED, 1)
    assert ground.add_verdicts([verdict("It is old.", Category.OUT_OF_SCOPE)], turn=2) == []
    assert list(ground) == [new]

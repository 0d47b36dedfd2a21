from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Category, Claim, Evidence, Scores, Span, Verdict
from vista_stream.core.common_ground import CommonGround, Statement, cite, only_consistency


def verdict(text: str, category: Category) -> Verdict:
    claim = Claim(id=0, sentence=0, text=text, span=Span(0, len(text)))
    return Verdict(claim=claim, category=category)


def test_only_verified_and_out_of_scope_claims_are_appended():
    ground = CommonGround()
    said = [verdict(f"The mill is {category.value}.", category) for category in Category]
    new = ground.add_verdicts(said, turn=2)
    assert [(s.text, s.category, s.turn) for s in new] == [
        ("The mill is verified.", Category.VERIFIED, 2),
        ("The mill is out_of_scope.", Category.OUT_OF_SCOPE, 2),
    ]
    assert list(ground) == new


def test_what_the_grounds_rather_contradict_is_not_appended():
    doubted = replace(
        verdict("The bag may weigh 10 kg.", Category.OUT_OF_SCOPE), scores=Scores(0.2, 0.2, 0.6)
    )
    open_ = replace(verdict("Bern is nice.", Category.OUT_OF_SCOPE), scores=Scores(0.1, 0.6, 0.3))
    assert [s.text for s in CommonGround().add_verdicts([doubted, open_], turn=0)] == ["Bern is nice."]


@pytest.mark.parametrize("text", ["For 30 days.", "She works on Mondays.", "What does that cost? 92 euros."])
def test_a_claim_that_leaves_open_what_it_speaks_of_is_not_appended_unless_it_supersedes(text):
    open_ = verdict(text, Category.VERIFIED)
    assert CommonGround().add_verdicts([open_], turn=0) == []
    (new,) = CommonGround([RED]).add_verdicts([replace(open_, supersedes=(cite(RED),))], turn=1)
    assert new.supersedes == (RED.text,)


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
        ("The delay is < 5 ms.", "The delay is > 5 ms.", False),
        ("x = 5", "x ≠ 5", False),
        ("It costs 5 €.", "It costs 5 $.", False),
        ("It costs 500€.", "It costs 500£.", False),
        ("There are 10⁶ cells.", "There are 106 cells.", False),
        ("There are 10⁶ cells.", "There are 10⁻⁶ cells.", False),
        ("There are 10⁶ cells.", "There are 10^6 cells.", True),
        ("Is it `5 ms`?", "is it 5 ms", True),
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


def test_evidence_from_the_common_ground_is_the_whole_statement():
    assert cite(Statement(text="It is old.", origin="claim", turn=1)) == Evidence(
        text="It is old.", document="turn 2", span=Span(0, 10), sentence=0, origin="common_ground"
    )


def test_a_claim_that_supersedes_nothing_keeps_its_now():
    now = verdict("The mill is now blue.", Category.VERIFIED)
    assert [s.text for s in CommonGround().add_verdicts([now], turn=0)] == ["The mill is now blue."]


def test_what_is_verified_later_counts_as_verified_from_then_on():
    ground = CommonGround()
    ground.add_verdicts([verdict("Bern is old.", Category.OUT_OF_SCOPE)], turn=0)
    (new,) = ground.add_verdicts([verdict("Bern is old.", Category.VERIFIED)], turn=1)
    assert (new.category, new.turn) == (Category.VERIFIED, 1)
    assert ground.add_verdicts([verdict("Bern is old.", Category.OUT_OF_SCOPE)], turn=2) == []
    assert list(ground) == [new]


RED, BLUE = (Statement(text=f"The mill is {colour}.", origin="claim", turn=0) for colour in ("red", "blue"))


def retraction(text: str, turn: int = 0) -> Statement:
    return Statement(text=text, origin="retraction", turn=turn)


def test_a_newer_statement_takes_the_place_of_what_it_supersedes():
    newer = replace(BLUE, turn=1, supersedes=("the mill is RED",))
    ground = CommonGround([RED, newer])
    assert list(ground) == [newer]
    (record,) = ground.superseded
    assert (record.old, record.new, record.turn, record.reason) == (RED, newer, 1, "superseded")
    assert (ground.get(RED.text), ground.get(BLUE.text)) == (None, newer)


def test_what_was_superseded_may_come_back():
    back = replace(RED, turn=2, supersedes=(BLUE.text,))
    ground = CommonGround([RED, replace(BLUE, turn=1, supersedes=(RED.text,)), back])
    assert list(ground) == [back]
    assert [record.old.text for record in ground.superseded] == [RED.text, BLUE.text]


def test_what_a_doubted_claim_supersedes_holds_no_longer():
    told = verdict("The mill is blue.", Category.LACKING_EVIDENCE)
    doubted = replace(told, scores=Scores(0.2, 0.2, 0.6), supersedes=(cite(RED),))
    ground = CommonGround([RED])
    assert ground.add_verdicts([doubted], turn=1) == list(ground)
    assert [(s.text, s.category) for s in ground] == [("The mill is blue.", Category.LACKING_EVIDENCE)]


def test_a_statement_that_is_there_already_may_supersede_another():
    ground = CommonGround([RED, BLUE])
    assert ground.add(replace(BLUE, supersedes=(RED.text,)))
    assert list(ground) == [BLUE]
    assert not ground.add(replace(BLUE, supersedes=(RED.text,)))


def test_nothing_supersedes_its_own_wording():
    own = replace(RED, supersedes=(RED.text,))
    ground = CommonGround([own])
    assert not ground.add(own)
    assert (list(ground), ground.superseded) == ([own], ())


def test_a_retraction_takes_out_and_is_no_statement():
    ground = CommonGround([RED, BLUE])
    assert ground.add(retraction(RED.text, 3))
    assert not ground.add(retraction(RED.text, 3))
    assert list(ground) == [BLUE]
    (record,) = ground.superseded
    assert (record.old, record.new, record.turn, record.reason) == (RED, None, 3, "retracted")


def test_an_unverified_claim_joins_where_it_supersedes_and_without_its_now():
    ground = CommonGround([RED])
    plain = verdict("The mill is now blue.", Category.LACKING_EVIDENCE)
    assert ground.add_verdicts([plain], turn=1) == []
    (new,) = ground.add_verdicts([replace(plain, supersedes=(cite(RED),))], turn=1)
    assert (new.text, new.category, new.supersedes) == (
        "The mill is blue.",
        Category.LACKING_EVIDENCE,
        (RED.text,),
    )
    assert only_consistency(new)
    assert list(ground) == [new]


texts = st.sampled_from(["The mill is red.", "The mill is blue.", "It is old.", "Ada runs it."])
statements = st.builds(
    Statement,
    text=texts,
    origin=st.sampled_from(["background", "claim", "retraction"]),
    turn=st.integers(-1, 3),
    category=st.sampled_from([Category.VERIFIED, Category.OUT_OF_SCOPE, Category.LACKING_EVIDENCE]),
    supersedes=st.lists(texts, max_size=2).map(tuple),
)


@given(st.lists(statements, max_size=12))
def test_what_was_taken_out_last_is_not_held_until_it_is_said_again(said):
    ground = CommonGround(said[:-1])
    for statement in said[-1:]:
        taken = len(ground.superseded)
        ground.add(statement)
        gone = [record.old.text for record in ground.superseded[taken:]]
        assert not [text for text in gone if ground.get(text)]
        assert all(statement.text not in gone or statement.origin == "retraction" for _ in gone)
    assert not [each for each in ground if each.origin == "retraction"]


@given(st.lists(statements, max_size=12), texts)
def test_what_is_retracted_and_added_again_is_there_again(said, text):
    ground = CommonGround(said)
    statement = Statement(text=text, origin="claim", turn=4)
    ground.add(statement)
    ground.add(retraction(text))
    assert ground.get(text) is None
    assert ground.add(statement)
    assert ground.get(text) == statement


def test_what_the_user_asked_for_joins_and_verifies_nothing():
    ground = CommonGround()
    plain = verdict("The mill is now blue.", Category.LACKING_EVIDENCE)
    (new,) = ground.add_verdicts([replace(plain, granted=True)], turn=0)
    assert (new.text, new.supersedes) == ("The mill is blue.", ())
    assert only_consistency(new)

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Category
from vista_stream.core.common_ground import Statement
from vista_stream.errors import StoreError
from vista_stream.stores.coding import decode, encode
from vista_stream.stores.conversation import Bounds, Conversation, EndedTurn, after


def said(*texts):
    return [Statement(text=text, origin="claim", turn=99) for text in texts]


def ended(*turns, bounds=None, conversation=None):
    conversation = conversation or Conversation()
    for turn in turns:
        conversation = after(conversation, turn, bounds or Bounds())
    return conversation


def test_turns_are_numbered_in_the_order_they_are_added():
    kept = ended(
        EndedTurn(statements=said("One.", "Two.")), EndedTurn(), EndedTurn(statements=said("Three."))
    )
    assert [(entry.place, entry.statement.text, entry.statement.turn) for entry in kept.kept] == [
        (0, "One.", 0),
        (1, "Two.", 0),
        (2, "Three.", 2),
    ]
    assert (kept.turns, kept.places) == (3, 3)


def test_a_turn_that_says_its_number_keeps_it():
    kept = ended(EndedTurn(statements=said("One."), turn=4), EndedTurn(statements=said("Two."), turn=1))
    assert [statement.turn for statement in kept.statements] == [4, 1]
    assert kept.turns == 5


def test_a_turn_that_is_written_twice_counts_once():
    one = EndedTurn(statements=said("One."))
    kept = ended(one)
    assert after(kept, one, Bounds()) is kept
    later = ended(*[EndedTurn() for _ in range(500)], conversation=kept)
    assert after(later, one, Bounds()) is later


def superseding(text, *old):
    return replace(said(text)[0], supersedes=old)


def retracted(text):
    return Statement(text=text, origin="retraction", turn=0)


def test_what_is_superseded_is_kept_and_holds_no_longer():
    first = ended(EndedTurn(statements=said("The mill is red.", "Ada runs it.")))
    newer = superseding("The mill is blue.", "The mill is red.")
    kept = ended(EndedTurn(statements=[newer]), conversation=first)
    assert [entry.statement.text for entry in kept.kept] == ["The mill is red.", "Ada runs it.", newer.text]
    assert [statement.text for statement in kept.statements] == ["Ada runs it.", "The mill is blue."]
    (record,) = kept.superseded
    assert (record.old.text, record.new.text, record.turn) == ("The mill is red.", "The mill is blue.", 1)
    assert decode(encode(kept)) == kept


def test_a_newer_statement_that_is_withdrawn_supersedes_nothing():
    kept = ended(
        EndedTurn(statements=said("Red."), question="q", since=0),
        EndedTurn(statements=[superseding("Blue.", "Red.")], question="r", since=1),
    )
    assert [statement.text for statement in kept.asking("r", 2).statements] == ["Red."]
    assert kept.asking("r", 2).superseded == ()


def test_a_retraction_outlives_the_same_question():
    kept = ended(
        EndedTurn(statements=said("Zero.")),
        EndedTurn(statements=said("One."), question="q", since=1),
        EndedTurn(statements=[retracted("Zero.")], turn=1),
    )
    assert (kept.turns, [statement.text for statement in kept.statements]) == (2, ["One."])
    assert kept.asking("q", 3).statements == ()
    assert decode(encode(kept)) == kept


def test_the_same_question_again_withdraws_the_first_answer_and_all_after_it():
    first = ended(
        EndedTurn(statements=said("Zero.")),
        EndedTurn(statements=said("One."), question="q", since=1),
        EndedTurn(statements=said("Two."), question="r", since=2),
    )
    assert [statement.text for statement in first.asking("q", 3).statements] == ["Zero."]
    assert first.asking("r", 3).statements == first.statements[:2]
    assert first.asking("s", 3).statements == first.statements
    again = ended(EndedTurn(statements=said("New."), question="q", since=3), conversation=first)
    assert [statement.text for statement in again.statements] == ["Zero.", "New."]
    assert again.asking("q", 3) == again


def test_an_answer_to_the_same_question_has_the_number_of_the_earlier_one():
    first = ended(
        EndedTurn(question="q", since=0),
        EndedTurn(statements=said("One."), question="r", since=0),
        EndedTurn(question="s", since=1),
    )
    assert [first.number(question) for question in ("r", "s", "t", None)] == [1, 2, 3, 3]


def test_what_another_replica_added_meanwhile_is_not_withdrawn():
    first = ended(
        EndedTurn(statements=said("One."), question="q", since=0),
        EndedTurn(statements=said("Other."), question="r", since=1),
        EndedTurn(statements=said("New."), question="q", since=1),
    )
    assert [statement.text for statement in first.statements] == ["Other.", "New."]


def answered(answer, *texts, question="q", since=0):
    return EndedTurn(statements=said(*texts), question=question, since=since, answer=answer)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([answered("a", "One."), answered("b", "Two.")], ["Two."]),
        ([answered("a", "One."), answered("a", "More.")], ["One.", "More."]),
        ([answered("a", "One."), answered("b", "Two."), answered("a", "More.")], ["Two."]),
        ([answered("a", "One."), answered("b", "Two.", since=1), answered("c", "Three.")], ["Two."]),
        (
            [answered("a", "One."), answered("b", "Two.", question="r"), answered("c", "New.")],
            ["Two.", "New."],
        ),
    ],
    ids=["another answer", "its further text", "a replaced one's", "an earlier one's", "another question"],
)
def test_of_answers_under_way_at_once_one_holds(turns, expected):
    kept = ended(*turns)
    assert [statement.text for statement in kept.statements] == expected
    assert decode(encode(kept)) == kept
    assert len(kept.kept) == len(turns)


def test_what_a_replaced_answer_retracted_stays_retracted():
    turn = EndedTurn(statements=[retracted("Zero.")], question="q", answer="a")
    kept = ended(EndedTurn(statements=said("Zero.")), answered("a", "One."), answered("b", "Two."), turn)
    assert [statement.text for statement in kept.statements] == ["Two."]


def test_beyond_the_bounds_the_earliest_are_forgotten():
    turns = [EndedTurn(statements=said(f"{number:03}")) for number in range(20)]
    kept = ended(*turns, bounds=Bounds(statements=5))
    assert [statement.text for statement in kept.statements] == ["015", "016", "017", "018", "019"]
    assert kept.kept[0].place == 15
    assert len(ended(*turns, bounds=Bounds(characters=10)).kept) == 3
    assert ended(*turns, bounds=Bounds(characters=2)).kept == []


def test_references_are_kept_once_the_latest_last():
    turns = [EndedTurn(references=["a", "b"]), EndedTurn(references=["a", "c"])]
    assert ended(*turns).references == ("b", "a", "c")


def test_all_that_is_kept_of_the_past_is_bounded():
    turns = [EndedTurn(references=[str(n)], question=str(n), since=0) for n in range(1100)]
    kept = ended(*turns)
    assert (len(kept.references), len(kept.asked), len(kept.ended)) == (256, 1000, 512)


@given(
    st.lists(
        st.builds(
            Statement,
            text=st.text(st.characters(), min_size=1),
            origin=st.sampled_from(["background", "claim", "retraction"]),
            turn=st.integers(-1, 9),
            category=st.sampled_from([Category.VERIFIED, Category.OUT_OF_SCOPE, Category.LACKING_EVIDENCE]),
            supersedes=st.lists(st.text(), max_size=2).map(tuple),
        )
    )
)
def test_what_is_encoded_is_decoded(statements):
    kept = ended(EndedTurn(statements=statements, references=["d"], question="q"))
    kept = kept.asking("q", kept.places + 1)
    assert decode(encode(kept).encode()) == kept


def test_nothing_is_an_empty_conversation():
    assert decode(None) == Conversation()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 1}', "[" * 100_000, b"\xff"])
def test_what_is_no_conversation_is_said(text):
    with pytest.raises(StoreError, match="no conversation of vista_stream"):
        decode(text)


def test_a_later_format_is_named():
    with pytest.raises(StoreError, match=r"format 2.* reads format 1"):
        decode(encode(Conversation()).replace('"format":1', '"format":2'))


@pytest.mark.parametrize("name", ["ttl", "conversations", "statements", "characters"])
@pytest.mark.parametrize("value", [0, -1, True, "1", float("nan")])
def test_bounds_that_cannot_be_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a (whole )?number above 0"):
        replace(Bounds(), **{name: value})

"""Answers made of questions: what is vital in them, what is okay, and in which order it stands."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from vista_stream.claims import Importance
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.training.made.answers import Question, made, overview, questions, sentences, state
from vista_stream.training.rows import Row as Pair

VITAL, OKAY, LESS = Importance.VITAL, Importance.OKAY, Importance.LESS_IMPORTANT


class Letters:
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        table = np.array(
            [[text.lower().count(c) + 1e-3 for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        )
        unit: NDArray[np.float32] = (table / np.linalg.norm(table, axis=1, keepdims=True)).astype(np.float32)
        return unit


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Who designed the bridge?", "Ada Moss", "Ada Moss designed the bridge."),
        ("Which Welsh river is the longest?", "Towy", "Towy is the longest."),
        ("When was the bridge opened?", "1950", "the bridge opened was in 1950."),
        ("Why is it old?", "Age", None),
    ],
)
def test_questions_turn_into_statements(question: str, answer: str, statement: str | None) -> None:
    assert state(question, answer) == statement


def pair(hypothesis: str, premise: str = "The mill is old.", source: str = "halueval_qa") -> Pair:
    return Pair(premise, hypothesis, "entailment", source, "MIT")


def test_only_questions_with_an_answer_of_their_own_are_taken_each_passage_once() -> None:
    pairs = [
        pair("Who owns the mill? Ada Moss."),
        pair("What is the mill? Old"),
        pair("Is the mill old? yes", "Another."),
        pair("The mill is old.", "Third."),
        pair("Who owns it? Ada", "Fourth.", source="hans"),
    ]
    assert list(questions(pairs)) == [Question("Who owns the mill?", "Ada Moss", "The mill is old.")]


ASKED = [
    Question(
        "Who designed the bridge?",
        "Ada Moss",
        "The bridge was designed by Ada Moss. The bridge design won a prize. Painters sit on zigzag walls.",
    ),
    Question("Who owns the mill?", "Ben Lake", "Ben Lake owns the mill. The mill grinds corn."),
]


def test_the_claim_that_carries_the_answer_is_vital_and_what_is_beside_it_less_important() -> None:
    rows = made(ASKED, embedder=Letters(), parse=load_parse())
    assert rows == made(ASKED, embedder=Letters(), parse=load_parse())
    of = {row.text: row.importance for row in rows if row.query == ASKED[0].query}
    assert of["The bridge was designed by Ada Moss."] is VITAL
    assert of["Ada Moss designed the bridge."] is VITAL
    assert of["The bridge design won a prize."] is OKAY
    assert of["Painters sit on zigzag walls."] is LESS
    assert of["Ben Lake owns the mill."] is LESS
    places = sorted({row.position for row in rows if row.query == ASKED[0].query})
    assert places == list(range(len(places)))
    assert made([], embedder=Letters(), parse=None) == []


def test_the_items_of_a_list_are_claims() -> None:
    if load_parse() is None:
        pytest.skip("no parser is installed")
    told = sentences("The members are:\n\n- Ada Moss\n- Ben Lake\n", load_parse())
    assert told == [["The members include Ada Moss."], ["The members include Ben Lake."]]


def test_an_open_question_goes_by_what_is_central() -> None:
    passage = "Lund Mill is a mill in Lund. The mill in Lund is old. Zz yy xx quiz."
    rows = overview(passage, sentences(passage, None), Letters())
    assert {row.query for row in rows} == {"Tell me about Lund Mill."}
    assert {row.importance for row in rows} == {VITAL, OKAY, LESS}
    assert overview("It is old. So it is.", [["It is old."]], Letters()) == []

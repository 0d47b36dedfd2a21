"""The importance recipe: rows from questions, weights from rows."""

from collections.abc import Sequence

import pytest

from vista_stream.core.importance import WITH_SIMILARITY, WITHOUT_SIMILARITY
from vista_stream.training.importance import Row, fit, make_rows, state


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Who designed the bridge?", "Ada Moss", "Ada Moss designed the bridge."),
        ("Which Welsh river is the longest?", "Towy", "Towy is the longest."),
        ("When was Ada Moss born?", "1950", "Ada Moss born was in 1950."),
        ("Why is it old?", "Age", None),
    ],
)
def test_questions_turn_into_statements(question: str, answer: str, statement: str | None) -> None:
    assert state(question, answer) == statement


def test_texts_that_hold_the_answer_or_the_question_matter() -> None:
    texts = ["Ada Moss is a painter.", "The bridge was designed late.", "Boats pass at noon."]
    rows = make_rows("Who designed the bridge?", "Ada Moss", texts)
    assert [row.matters for row in rows] == [True, True, True, False]
    assert make_rows("Who designed the bridge?", "yes", texts) == []


def rows() -> list[Row]:
    made = []
    for place in ("bridge", "tower", "harbour", "museum", "station"):
        made += make_rows(
            f"Who designed the {place}?", "Ada Moss", [f"Boats pass the {place} at noon.", "It rains."]
        )
    return made


def overlap(queries: Sequence[str], texts: Sequence[str]) -> list[float]:
    return [len(set(q.split()) & set(t.split())) / 10 for q, t in zip(queries, texts, strict=True)]


def test_the_fit_learns_that_the_questions_words_count() -> None:
    weights = fit(rows())
    assert weights.features.relation > 0
    assert weights.features.similarity == 0
    assert weights._replace(features=WITHOUT_SIMILARITY.features) == WITHOUT_SIMILARITY


def test_with_similarities_their_weight_is_fitted_too() -> None:
    weights = fit(rows(), overlap)
    assert weights.features.similarity > 0
    assert weights.features.share == 0
    assert weights.vital == WITH_SIMILARITY.vital


def test_rows_of_one_kind_are_refused() -> None:
    with pytest.raises(ValueError, match="rows"):
        fit([Row(query="who", text="It rains.", matters=True)])

"""What a query asks for."""

import pytest

from vista_stream.core.query import answer_type, query_kind, question_of


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
    ("query", "kind"),
    [
        (None, "none"),
        (" ", "none"),
        ("Who built it?", "precise"),
        ("how long is it", "precise"),
        ("Is it old?", "polar"),
        ("what is a lane", "which"),
        ("bridges of porto", "which"),
        ("Why is it closed?", "explain"),
        ("how do I get there", "explain"),
        ("What causes rust?", "explain"),
        ("who are you, and how do bridges stay up", "explain"),
        ("Tell me about Porto.", "about"),
        ("Tell me a bio of Ada Moss.", "about"),
        ("Please answer briefly: Is it old?", "polar"),
    ],
)
def test_the_kind_of_a_query(query: str | None, kind: str) -> None:
    assert query_kind(query) == kind


def test_an_instruction_before_the_question_is_left_out() -> None:
    assert question_of("Please answer this: where is the bridge") == "where is the bridge"
    assert question_of("Bridges: where") == "Bridges: where"

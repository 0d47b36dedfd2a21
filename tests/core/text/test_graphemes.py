import pytest

from vista_stream.core.text.graphemes import best_cut, divides_cluster


@pytest.mark.parametrize(
    ("before", "after", "divides"),
    [
        ("a", "b", False),
        ("\r", "\n", True),
        ("\n", "\r", False),
        ("e", "\u0301", True),
        ("👨", "\u200d", True),
        ("\u200d", "👩", True),
        ("👍", "🏽", True),
        ("👍", "👍", False),
        ("🇫", "🇷", True),
        ("🇫🇷", "🇩", False),
        ("x🇫🇷🇩", "🇪", True),
        ("\u1100", "\u1161", True),
        ("क\u094d", "ष", True),
        ("\ud83d", "\ude00", True),
        ("\ude00", "\ud83d", False),
        ("❤", "\ufe0f", True),
    ],
)
def test_clusters_are_not_divided(before: str, after: str, divides: bool) -> None:
    assert divides_cluster(before + after, len(before), start=0) is divides


def test_flags_are_counted_from_the_start() -> None:
    assert not divides_cluster("🇫🇷🇩", 2, start=0)
    assert divides_cluster("🇫🇷🇩", 2, start=1)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("one two, three (four) five six", "one two, three (four)"),
        ("one two, three four five six", "one two, three four"),
        ("onetwothree" + "e\u0301" * 20, "onetwothree" + "e\u0301" * 5),
        ("他来了他来，了他来了他来了他来了他来，了他来了", "他来了他来，了他来了他来了他来了他来，"),
        ("e" + "\u0301" * 40, "e" + "\u0301" * 21),
    ],
)
def test_the_best_cut_is_a_clause_then_a_space_then_a_cluster(text: str, kept: str) -> None:
    assert text[: best_cut(text, 0, 22)] == kept

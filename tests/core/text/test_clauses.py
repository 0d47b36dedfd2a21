import pytest

from vista_stream.core.text.clauses import finished_clauses


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("The tower was built in 1889, and it ", "The tower was built in 1889"),
        ("The tower was built in 1889, and it wa", "The tower was built in 1889"),
        ("The tower was built in 1889 but the ", "The tower was built in 1889"),
        ("The tower was built in 1889; ", "The tower was built in 1889"),
        ("The tower was built in 1889, which ", "The tower was built in 1889"),
        ("The tower was built in 1889, and it was ", "The tower was built in 1889"),
        ("The tower was built in 1889, and it was sold", ""),
        ("The tower was built in 1889, and it", ""),
        ("The tower was built in 1889 and was ", "The tower was built in 1889"),
        ("The tower was built in 1889 and later moved to ", "The tower was built in 1889"),
        ("The tower was built in 1889 and later moved ", ""),
        ("The tower stood for 54 years until ", "The tower stood for 54 years"),
        ("The ferry takes six hours and replaces the ", "The ferry takes six hours"),
        ("The ferry takes six hours and replaces the mai", "The ferry takes six hours"),
        ("The hotel has bright rooms and apartments ", ""),
        ("It was popular in the 1970s and 1980s in ", ""),
        ("It flies every day between London and Paris in ", ""),
        ("The tower was planned and constructed by ", ""),
        ("The tower was built of steel and glass ", ""),
        ("The tower was built in steel and iron ", ""),
        ("Old and the ", ""),
        ("", ""),
    ],
)
def test_clauses_are_over_when_the_next_one_has_a_subject_or_a_verb(text: str, clauses: str) -> None:
    assert finished_clauses(text) == clauses


def test_a_long_text_is_searched_at_its_end_alone() -> None:
    assert finished_clauses("The tower was old, and it " + "x" * 100) == ""

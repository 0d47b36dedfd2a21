import pytest

from vista_stream.core.text.enclosures import MARKS, REACH, Enclosures


def after(text: str) -> Enclosures:
    enclosures = Enclosures()
    for position, mark in enumerate(text):
        if mark == "`":
            enclosures.meet_code(mark, position)
        elif mark in MARKS:
            enclosures.meet(mark, position, before=text[position - 1] if position else "")
    return enclosures


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("(a", True),
        ("(a)", False),
        ("(a]", True),
        ("([a)", False),
        ("a)", False),
        ('"a', True),
        ('"a"', False),
        ('6"', False),
        ('a "b', True),
        ("“a", True),
        ("„a“", False),
        (":(", False),
        ("`(`", False),
        ("`a", True),
        ("「a」", False),
    ],
)
def test_what_is_open(text: str, is_open: bool) -> None:
    assert after(text).is_open(len(text)) is is_open


def test_an_unclosed_mark_is_forgotten_after_its_reach() -> None:
    assert after("(").is_open(REACH - 1)
    assert not after("(").is_open(REACH)


def test_inline_code_hides_marks_and_closes_on_the_same_run() -> None:
    enclosures = Enclosures()
    enclosures.meet_code("``", 0)
    enclosures.meet_code("`", 2)
    enclosures.meet("(", 3, before="`")
    assert enclosures.is_code(4)
    enclosures.meet_code("``", 4)
    assert not enclosures.is_open(5)


def test_looking_past_closing_marks_closes_nothing() -> None:
    enclosures = after('("a')
    assert not enclosures.open_after('")', 5)
    assert enclosures.open_after('"', 5)
    assert enclosures.is_open(5)
    enclosures.clear()
    assert not enclosures.is_open(5)


def test_nesting_is_bounded() -> None:
    enclosures = after("(" * 50)
    for _ in range(8):
        assert enclosures.close(")")
    assert not enclosures.close(")")

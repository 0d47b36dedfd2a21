import pytest

from vista_stream.core.text.boundaries import Rules, Ruling
from vista_stream.core.text.enclosures import Enclosures
from vista_stream.core.text.lookahead import Starved, View


def rule(text: str, at: int, *, final: bool = False) -> Ruling:
    return Rules(View(text, final=final), 0, Enclosures(), "en").on_stop(at)


@pytest.mark.parametrize(
    ("text", "ruling"),
    [
        ("It is. S", Ruling(True, 6)),
        ("It is.) S", Ruling(True, 7)),
        ("It is. s ", Ruling(False, 6)),
        ("it is. s ", Ruling(True, 6)),
        ("is it? s ", Ruling(True, 6)),
        ("an vs. s ", Ruling(False, 6)),
        ("it is... s ", Ruling(False, 8)),
        ('it is." s ', Ruling(False, 6)),
        ("It is.5", Ruling(False, 6)),
        ("It is...s", Ruling(False, 8)),
        ("It is. , s", Ruling(False, 6)),
        ("It is. iP ", Ruling(True, 6)),
        ("It is. – s", Ruling(False, 6)),
        ("It is. – S", Ruling(True, 6)),
        ("8 a.m. – S", Ruling(False, 6)),
        ("4 B.C. – S", Ruling(False, 6)),
        ('It is?"\n', Ruling(True, 7)),
    ],
)
def test_the_first_character_after_the_space_settles_it(text: str, ruling: Ruling) -> None:
    assert rule(text, 5) == ruling


@pytest.mark.parametrize("text", ["It is.", "It is. ", "It is.[1", "Acme Inc. L", "It is 5. M", "It is. i"])
def test_what_is_not_settled_waits(text: str) -> None:
    with pytest.raises(Starved):
        rule(text, text.index("."))


def test_white_space_is_read_to_a_bound() -> None:
    assert rule("It is." + " " * 15 + "s ", 5) == Ruling(False, 6)
    assert rule("It is." + " " * 17, 5) == Ruling(True, 6)


@pytest.mark.parametrize(
    ("text", "cut"),
    [("one\ntwo", False), ("one\nTwo", True), ("one\na) b", True), ("one\n, b", False), ("a\n\nb", True)],
)
def test_a_newline_without_a_stop_asks_the_next_line(text: str, cut: bool) -> None:
    newline = text.index("\n")
    expected = Ruling(True, newline) if cut else Ruling(False, newline + 1)
    assert Rules(View(text), 0, Enclosures(), "en").on_newline(newline) == expected


def test_a_final_text_ends_its_sentence() -> None:
    assert rule("Dr.", 2, final=True) == Ruling(True, 3)
    assert rule('Go."', 2, final=True) == Ruling(True, 4)

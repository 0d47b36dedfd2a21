"""Words, boundaries and signs of a sentence."""

import pytest

from vista_stream.core.rules.tokens import read_tokens


def test_a_boundary_stands_before_the_word_it_precedes():
    words, boundaries, _ = read_tokens("It is (at last) open, too.")
    assert words == ["It", "is", "at", "last", "open", "too"]
    assert boundaries == ["", "", "(", "", ")", ","]


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("costs ₩5,000 a day", ["₩", "₩", "", ""]),
        ("is 5‰, which", ["", "‰", "‰"]),
        ("is free, ☕ included", ["", "", "☕"]),
        ("it is ★★★", ["", "★★★"]),
        ("if x < y", ["", "<", "<"]),
        ("↑ 5 %", ["↑", ""]),
        ("➤ Parking: “free”… €5 © ✓", ["", "", "", "", ""]),
    ],
)
def test_a_sign_that_is_not_read_is_kept_beside_its_words(text, signs):
    assert read_tokens(text)[2] == signs

"""Words, boundaries and signs of a sentence."""

import pytest

from vista_stream.core.rules.tokens import read_tokens, same_signs


def test_a_boundary_stands_before_the_word_it_precedes():
    words, boundaries, _ = read_tokens("It is (at last) open, too.")
    assert words == ["It", "is", "at", "last", "open", "too"]
    assert boundaries == ["", "", "(", "", ")", ","]


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("costs ₩5,000 a day", ["", "₩", "", ""]),
        ("is 5‰, which", ["", "‰", ""]),
        ("is free, ☕ included", ["", "", "☕"]),
        ("it is ★★★", ["", "★★★"]),
        ("if x < y", ["", "<", ""]),
        ("↑ 5 %", ["↑", ""]),
        ("falls ↓ 5", ["", "↓"]),
        ("5,000 ₩ a day", ["₩", "", ""]),
        ("5,000 ₩ 3 times", ["₩", "", ""]),
        ("room 3 ₩5,000", ["", "", "₩"]),
        ("➤ Parking: “free”… €5 © ✓", ["", "", "", "", ""]),
    ],
)
def test_a_sign_that_is_not_read_is_kept_with_the_word_it_belongs_to(text, signs):
    assert read_tokens(text)[2] == signs


@pytest.mark.parametrize("picture", ["🏊", "☎", "→", "😊"])
def test_a_picture_says_nothing_that_its_absence_does_not(picture):
    assert same_signs(picture, "")
    assert same_signs("", picture)
    assert not same_signs(picture, "☕")


@pytest.mark.parametrize("sign", ["₩", "‰", "↑", "▲", "★★★", "♭", "♀", "🚫", "🚭", "❌", "👎", "<"])
def test_a_sign_says_something(sign):
    assert same_signs(sign, sign)
    assert not same_signs(sign, "")

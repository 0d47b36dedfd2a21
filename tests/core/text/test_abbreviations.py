import pytest

from vista_stream.core.text.abbreviations import ends_before_number, is_plain, library_ends, needs_more


@pytest.mark.parametrize(("token", "expected"), [("Dr", True), ("e.g", True), ("Inc", False), ("mat", False)])
def test_titles_need_a_name(token: str, expected: bool) -> None:
    assert needs_more(token) is expected


@pytest.mark.parametrize(
    ("token", "expected"), [("No", False), ("vol", False), ("Jan", False), ("mat", True)]
)
def test_labels_need_a_number(token: str, expected: bool) -> None:
    assert ends_before_number(token, "5", language="en") is expected


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("me", True),
        ("Me", False),
        ("DC", True),
        ("D.C", False),
        ("x@y.org", True),
        ("a.org/b", True),
        ("Inc", False),
    ],
)
def test_what_only_looks_like_an_abbreviation(token: str, expected: bool) -> None:
    assert is_plain(token) is expected


@pytest.mark.parametrize(
    ("token", "following", "expected"),
    [("Inc.", "The", True), ("Inc.", "Limited", False), ("mat.", "X", True), ("\ud83d.", "\ude00", True)],
)
def test_the_library_is_asked_about_two_words(token: str, following: str, expected: bool) -> None:
    assert library_ends(token, following, language="en") is expected


def test_an_unknown_language_is_judged_by_what_all_have() -> None:
    assert library_ends("mat.", "The", language="zz")

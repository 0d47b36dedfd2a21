"""Stems: forms of one word meet, other words do not."""

import re

import pytest

from vista_stream.core.text.stems import is_past, may_be_past, stem, stems_in, word_set


@pytest.mark.parametrize(
    "forms",
    [
        "win wins won winning",
        "city cities",
        "release released releases releasing",
        "stop stopped",
        "carry carried",
    ],
)
def test_forms_of_one_word_meet(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("bus", "bu"), ("glass", "glas"), ("sing", "s"), ("1990s", "1990")]
)
def test_other_words_do_not_meet(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("word", "past", "maybe"),
    [
        ("was", True, True),
        ("won", True, True),
        ("paved", True, True),
        ("cut", False, True),
        ("broadcast", False, True),
        ("has", False, False),
        ("bed", False, False),
        ("come", False, False),
        ("wins", False, False),
    ],
)
def test_past_forms_are_told_from_present_ones_and_from_those_that_are_both(word, past, maybe):
    assert (is_past(word), may_be_past(word)) == (past, maybe)


def test_a_word_set_splits_at_white_space() -> None:
    assert word_set(" a b\n a ") == {"a", "b"}


def test_the_stems_of_a_text_are_those_of_the_words_that_a_pattern_finds():
    assert stems_in("Cities won. A city") == {"city", "win", "a"}
    assert stems_in("Cities won. A city", re.compile(r"\w{4,}")) == {"city"}

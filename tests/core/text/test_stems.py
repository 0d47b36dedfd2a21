"""Stems: forms of one word meet, other words do not."""

import re

import pytest

from vista_stream.core.text.stems import stem, stems_in, word_set


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


def test_a_word_set_splits_at_white_space() -> None:
    assert word_set(" a b\n a ") == {"a", "b"}


def test_the_stems_of_a_text_are_those_of_the_words_that_a_pattern_finds():
    assert stems_in("Cities won. A city") == {"city", "win", "a"}
    assert stems_in("Cities won. A city", re.compile(r"\w{4,}")) == {"city"}

"""What is said of a work in passing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.core.extraction.credits import credits_in

CREDITS: Sequence[tuple[str, Sequence[str]]] = [
    ("The user might like Ravel Moor by Anna Berg.", ["Ravel Moor is by Anna Berg."]),
    ('The assistant recommends "a long way" by A. B. Moe.', ['"a long way" is by A. B. Moe.']),
    ("The user should read The Tale of the Fox series by Dr. Lund.",
     ["The Tale of the Fox series is by Dr. Lund."]),
    ("The assistant liked Ravel Moor written by Anna Berg.", ["Ravel Moor was written by Anna Berg."]),
    ("The user will love Ravel Moor, which was directed by Anna Berg.",
     ["Ravel Moor was directed by Anna Berg."]),
    ("The user should watch Ravel Moor starring Carl de Lund.", ["Ravel Moor stars Carl de Lund."]),
    ("The user will love Ravel Moor which stars Carl Lund.", ["Ravel Moor stars Carl Lund."]),
    ("The user should watch Ravel Moor featuring Carl Lund's band.", ["Ravel Moor features Carl Lund."]),
    ("The assistant loved Fox and Hound by Anna Berg and The Moor by Carl Lund.",
     ["Fox and Hound is by Anna Berg.", "The Moor is by Carl Lund."]),
    ("The user should finish Chapter One by Friday.", []),
    ("The assistant was in New York by Christmas.", []),
    ("The user should go from Paris to Rome by train.", []),
    ("The user should read the book by Anna Berg.", []),
    ("Emma by Jane Austen is what the user should read.", []),
    ("The assistant goes by Bob.", []),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "expected"), CREDITS)
def test_a_work_beside_a_name_is_credited(claim: str, expected: Sequence[str]) -> None:
    assert list(credits_in(claim)) == expected


WORDS = [
    "The Moor",
    "of",
    "by",
    "and",
    "Anna",
    '"Berg"',
    "starring",
    "which stars",
    "written",
    "Dr.",
    ",",
    "A",
]


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_what_is_credited_is_made_of_the_claims_words(words: list[str]) -> None:
    claim = " ".join(words)
    added = {"is", "was", "stars", "features"}
    for credit in credits_in(claim):
        assert set(credit.replace(".", "").split()) - added <= set(claim.replace(".", "").split())


def test_a_long_run_of_capitals_takes_no_long_time() -> None:
    assert credits_in("like " + "Moor of the " * 20_000) == []

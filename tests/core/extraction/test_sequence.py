"""Clauses whose order is told stay in one claim."""

from __future__ import annotations

import pytest

from decomposing import told
from vista_stream.core.extraction.parsing import Parse


@pytest.mark.parametrize(
    "sentence",
    [
        "The doctor sees Ann, and then a nurse takes her pulse.",
        "The doctor sees Ann, then a nurse takes her pulse.",
        "The doctor sees Ann; afterwards a nurse comes.",
        "The doctor sees Ann, and once that's done a nurse comes.",
        "The doctor sees Ann, but before that a nurse comes.",
        "Ann worked at a mill and then ran a shop.",
        "Ann studied law and finally became a judge.",
    ],
)
def test_an_order_is_not_cut(parse: Parse, sentence: str) -> None:
    assert len(told(parse, sentence)) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "The pool opens at 9 and the sauna opens at 10.",
        "The house was built in 1902, and although it was small, Ann liked it.",
        "Spain was then a kingdom, and Ann lived in Bern.",
        "The pool is open, and once you have paid the sauna is free.",
    ],
)
def test_clauses_without_an_order_are_cut(parse: Parse, sentence: str) -> None:
    assert len(told(parse, sentence)) > 1

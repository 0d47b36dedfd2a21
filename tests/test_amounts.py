"""Numbers that are given."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from vista_stream.amounts import check_count, check_probability, check_seconds, is_number, is_whole


@pytest.mark.parametrize("value", [3, np.int64(3)])
def test_whole_numbers(value: object) -> None:
    assert is_whole(value)
    assert is_number(value)


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), Fraction(1, 2), math.inf])
def test_numbers_that_are_not_whole(value: object) -> None:
    assert is_number(value)
    assert not is_whole(value)


@pytest.mark.parametrize("value", [True, "3", None, 3j])
def test_what_is_no_number(value: object) -> None:
    assert not is_number(value)
    assert not is_whole(value)
    with pytest.raises(ValueError, match=r"^k must be a number of windows, 1 or more, not "):
        check_count("k", value, of="windows", least=1)
    with pytest.raises(ValueError, match=r"^p must be a probability above 0 and at most 1, not "):
        check_probability("p", value)
    with pytest.raises(ValueError, match=r"^pause must be a number of seconds above 0, not "):
        check_seconds("pause", value)


def test_the_least_and_the_most_count() -> None:
    check_count("k", 1, of="windows", least=1)
    check_probability("p", 1)
    check_seconds("pause", math.inf)
    check_seconds("pause", 0, zero=True)
    with pytest.raises(ValueError, match="not 0"):
        check_count("k", 0, of="windows", least=1)
    with pytest.raises(ValueError, match="not 0"):
        check_probability("p", 0)
    with pytest.raises(ValueError, match=r"^pause must be a number of seconds above 0, not 0"):
        check_seconds("pause", 0)
    for value in (-1, math.nan):
        with pytest.raises(ValueError, match=r"^pause must be a number of seconds, 0 or more, not "):
            check_seconds("pause", value, zero=True)

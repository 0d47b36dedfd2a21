from functools import partial
from math import inf

import anyio
import pytest

from vista_stream.errors import InferenceError, Overload
from vista_stream.verifiers.pool.race import Refused, Unanswered, first_answer

pytestmark = pytest.mark.anyio


class Calls:
    """Calls that begin in order; each waits, then gives its number or raises."""

    def __init__(self):
        self.begun = []
        self.cancelled = []

    async def _call(self, number, wait, error):
        self.begun.append(number)
        try:
            await anyio.sleep(wait)
        except BaseException:
            self.cancelled.append(number)
            raise
        if error is not None:
            raise error
        return number

    def make(self, *behaviours):
        return [partial(self._call, number, *each) for number, each in enumerate(behaviours)]


@pytest.mark.parametrize("hedge", [inf, 5.0])
async def test_one_answer_asks_nobody_else(hedge):
    calls = Calls()
    assert await first_answer(calls.make((0.01, None), (0, None)), hedge=hedge) == 0
    assert calls.begun == [0]


async def test_the_next_is_asked_where_one_does_not_answer_or_sheds():
    calls = Calls()
    failing = ((0, Unanswered("gone")), (0, Overload("late")), (0, None), (0, None))
    assert await first_answer(calls.make(*failing)) == 2
    assert calls.begun == [0, 1, 2]


async def test_any_other_failure_is_raised_at_once():
    calls = Calls()
    with pytest.raises(InferenceError, match="poison"):
        await first_answer(calls.make((0, InferenceError("poison")), (0, None)))
    assert calls.begun == [0]


async def test_overload_is_raised_before_a_refusal_that_before_silence_and_the_last_silence_otherwise():
    with pytest.raises(Refused, match="token"):
        await first_answer(Calls().make((0, Refused("token")), (0, Unanswered("gone"))))
    with pytest.raises(Overload, match="late"):
        await first_answer(Calls().make((0, Refused("token")), (0, Overload("late"))))
    with pytest.raises(Overload, match="late"):
        await first_answer(Calls().make((0, Overload("late")), (0, Unanswered("gone"))))
    with pytest.raises(Unanswered, match="two"):
        await first_answer(Calls().make((0, Unanswered("one")), (0, Unanswered("two"))))


async def test_a_slow_call_is_hedged_once_and_the_first_answer_counts():
    calls = Calls()
    assert await first_answer(calls.make((30, None), (0.05, None), (0, None)), hedge=0.02) == 1
    assert calls.begun == [0, 1]
    assert calls.cancelled == [0]


async def test_the_first_may_still_win_against_the_hedge():
    calls = Calls()
    assert await first_answer(calls.make((0.1, None), (30, None)), hedge=0.02) == 0
    assert calls.cancelled == [1]


async def test_a_hedge_that_fails_does_not_end_the_first():
    calls = Calls()
    assert await first_answer(calls.make((0.1, None), (0, Unanswered("gone"))), hedge=0.02) == 0
    assert calls.begun == [0, 1]


async def test_of_two_under_way_one_failure_asks_the_third():
    calls = Calls()
    failing = ((0.05, Unanswered("gone")), (30, None), (0, None))
    assert await first_answer(calls.make(*failing), hedge=0.02) == 2
    assert calls.cancelled == [1]


async def test_cancelling_ends_all_calls():
    calls = Calls()
    with anyio.move_on_after(0.1):
        await first_answer(calls.make((30, None), (30, None)), hedge=0.01)
    assert sorted(calls.cancelled) == [0, 1]

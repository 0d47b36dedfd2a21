"""Times of stages: added up, kept apart where one runs in another, kept also where one fails."""

import anyio
import pytest

from vista_stream.report import StageTime, TurnReport
from vista_stream.stages.ledger import (
    Ledger,
    counting_tokens,
    inner_stage,
    note_prompt,
    note_tokens,
    running_ledger,
)

pytestmark = pytest.mark.anyio


def entered(ledger: Ledger) -> TurnReport:
    return ledger.entered_in(TurnReport(received=3))


async def test_calls_are_counted_and_their_seconds_added_up() -> None:
    ledger = Ledger()
    for seconds in (0.02, 0.03):
        with ledger.stage("verify"):
            await anyio.sleep(seconds)
    report = entered(ledger)
    assert report.received == 3
    assert report.stage_times["verify"].calls == 2
    assert 0.045 < report.stage_times["verify"].seconds < 5  # timers may fire a little early


async def test_calls_side_by_side_each_count() -> None:
    ledger = Ledger()

    async def call() -> None:
        with ledger.stage("verify"):
            await anyio.sleep(0.05)

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(call)
    took = entered(ledger).stage_times["verify"]
    assert took.calls == 4
    assert took.seconds > 0.19


async def test_a_stage_inside_another_is_taken_out_of_it() -> None:
    ledger = Ledger()
    with ledger.stage("categorise"), inner_stage("judge"):
        await anyio.sleep(0.05)
    times = entered(ledger).stage_times
    assert times["judge"].seconds > 0.045
    assert times["categorise"].seconds < times["judge"].seconds
    assert (times["judge"].calls, times["categorise"].calls) == (1, 1)


async def test_a_cancelled_call_counts_until_then() -> None:
    ledger = Ledger()
    with anyio.move_on_after(0.03), ledger.stage("decompose"):
        await anyio.sleep(9)
    assert 0.025 < entered(ledger).stage_times["decompose"].seconds < 5


async def test_a_failed_call_counts_and_ends_the_stage() -> None:
    ledger = Ledger()
    with pytest.raises(KeyError), ledger.stage("rank"):
        raise KeyError
    note_prompt("rank", "rank-9")
    assert entered(ledger).prompts == {}
    assert entered(ledger).stage_times["rank"].calls == 1


async def test_prompts_of_the_running_stage_are_noted() -> None:
    ledger = Ledger()
    with ledger.stage("categorise"), inner_stage("judge"):
        note_prompt("judge", "judge-1")
    assert entered(ledger).prompts == {"judge": "judge-1"}


async def test_outside_a_stage_nothing_is_timed() -> None:
    ledger = Ledger()
    with inner_stage("judge"):
        note_prompt("judge", "judge-1")
    assert entered(ledger).stage_times == {}
    assert entered(ledger).prompts == {}


def test_times_add_up() -> None:
    assert StageTime(1, 0.5) + StageTime(2, 0.25) == StageTime(3, 0.75)


def test_tokens_count_for_the_innermost_block_and_nowhere_outside() -> None:
    note_tokens(5, 5)
    with counting_tokens() as outer:
        note_tokens(10, 1)
        with counting_tokens() as inner:
            note_tokens(20, 2)
        note_tokens(1, 1)
    assert (outer.prompt, outer.completion) == (11, 2)
    assert (inner.prompt, inner.completion) == (20, 2)


def test_the_running_ledger_is_that_of_the_stage() -> None:
    ledger = Ledger()
    assert running_ledger() is None
    with ledger.stage("verify"), inner_stage("second"):
        assert running_ledger() is ledger

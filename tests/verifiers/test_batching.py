import math
import random
from contextlib import suppress
from functools import partial

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from vista_stream.claims import Foresight, Importance, Pair, Scores
from vista_stream.errors import InferenceError, Overload
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.lane import estimate_tokens


def pair(number, **options):
    return Pair(f"premise {number}", "claim", **options)


def triple(scored):
    share = int(scored.premise.split()[1]) / 1000
    return Scores(share, 1 - share, 0.0)


class Inner:
    """Scores by the number in the premise; each batch waits for `gate` where there is one."""

    def __init__(self, gate=None):
        self.batches = []
        self.gate = gate
        self.running = 0

    async def score(self, pairs):
        self.batches.append([int(each.premise.split()[1]) for each in pairs])
        assert self.running == 0, "one batch at a time"
        self.running += 1
        try:
            if self.gate:
                await self.gate.wait()
            await anyio.lowlevel.checkpoint()
            if any(each.premise == "premise 666" for each in pairs):
                raise RuntimeError("poison")
            return [triple(each) for each in pairs]
        finally:
            self.running -= 1


async def gather(verifier, *calls):
    """What each call got, or raised."""
    got = {}

    async def ask(index, pairs):
        try:
            got[index] = await verifier.score(pairs)
        except Exception as error:
            got[index] = error

    async with anyio.create_task_group() as tasks:
        for index, pairs in enumerate(calls):
            tasks.start_soon(ask, index, pairs)
    return [got[index] for index in range(len(calls))]


@pytest.mark.anyio
async def test_calls_under_way_share_a_batch_and_get_their_own_scores():
    inner = Inner()
    verifier = BatchingVerifier(inner, max_wait=0.05)
    calls = [[pair(1), pair(2)], [pair(3)], [pair(4), pair(5)]]
    assert await gather(verifier, *calls) == [[triple(each) for each in call] for call in calls]
    assert [sorted(batch) for batch in inner.batches] == [[1, 2, 3, 4, 5]]
    stats = verifier.stats
    assert (stats.depth, stats.batches, stats.pairs, stats.shed) == (0, 1, 5, 0)
    assert stats.batch_sizes == (5,)
    assert 0.03 < stats.waits[0] < 1
    assert 0 <= stats.runs[0] < 1


@pytest.mark.anyio
async def test_a_full_batch_does_not_wait():
    inner = Inner()
    verifier = BatchingVerifier(inner, max_tokens=12, max_wait=60)
    with anyio.fail_after(5):
        await gather(verifier, [pair(1)], [pair(2)])
    assert len(inner.batches) == 1


@pytest.mark.anyio
async def test_no_pairs_ask_nobody():
    inner = Inner()
    assert await BatchingVerifier(inner).score([]) == []
    assert inner.batches == []


@pytest.mark.anyio
async def test_what_arrives_during_a_batch_is_served_by_importance():
    inner = Inner(anyio.Event())
    verifier = BatchingVerifier(inner, max_tokens=6, max_wait=0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(verifier.score, [pair(1)])
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(verifier.score, [pair(2, importance=Importance.LESS_IMPORTANT)])
        tasks.start_soon(verifier.score, [pair(3)])
        tasks.start_soon(verifier.score, [pair(4, importance=Importance.VITAL)])
        await anyio.wait_all_tasks_blocked()
        assert verifier.stats.depth == 3
        inner.gate.set()
    assert inner.batches == [[1], [4], [3], [2]]


@pytest.mark.anyio
@pytest.mark.parametrize("leaver", [0, 1, 2])
async def test_a_cancelled_call_hurts_no_other(leaver):
    inner = Inner(anyio.Event())
    verifier = BatchingVerifier(inner, max_wait=0)
    scopes = [anyio.CancelScope() for _ in range(3)]
    got = {}

    async def ask(index):
        with scopes[index]:
            got[index] = await verifier.score([pair(index), pair(index + 10)])

    async with anyio.create_task_group() as tasks:
        for index in range(3):
            tasks.start_soon(ask, index)
        await anyio.wait_all_tasks_blocked()
        scopes[leaver].cancel()
        await anyio.wait_all_tasks_blocked()
        inner.gate.set()
    assert got == {
        index: [triple(pair(index)), triple(pair(index + 10))] for index in range(3) if index != leaver
    }
    assert verifier.stats.depth == 0


@pytest.mark.anyio
async def test_pairs_of_a_cancelled_call_are_not_scored():
    inner = Inner(anyio.Event())
    verifier = BatchingVerifier(inner, max_wait=0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(verifier.score, [pair(1)])
        await anyio.wait_all_tasks_blocked()
        with anyio.move_on_after(0.01):
            await verifier.score([pair(2)])
        inner.gate.set()
    assert inner.batches == [[1]]


@pytest.mark.anyio
async def test_what_breaks_one_call_breaks_no_other():
    inner = Inner()
    verifier = BatchingVerifier(inner, max_wait=0.05)
    good, bad, fine = await gather(verifier, [pair(1)], [pair(666), pair(2)], [pair(3)])
    assert good == [triple(pair(1))]
    assert fine == [triple(pair(3))]
    assert isinstance(bad, RuntimeError)


@pytest.mark.anyio
async def test_a_wrong_number_of_scores_is_an_inference_error():
    class Short:
        async def score(self, pairs):
            return []

    with pytest.raises(InferenceError, match="0 scores for 1 pairs"):
        await BatchingVerifier(Short()).score([pair(1)])


@pytest.mark.anyio
async def test_a_full_queue_sheds_the_least_important():
    inner = Inner(anyio.Event())
    verifier = BatchingVerifier(inner, max_wait=0, max_queue=1)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(verifier.score, [pair(1)])
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(self_check_overload, verifier, pair(2, importance=Importance.LESS_IMPORTANT))
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(verifier.score, [pair(3, importance=Importance.VITAL)])
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(Overload, match="1 pairs wait already"):
            await verifier.score([pair(4)])
        inner.gate.set()
    assert inner.batches == [[1], [3]]
    assert verifier.stats.shed == 2


async def self_check_overload(verifier, asked):
    with pytest.raises(Overload, match="made way"):
        await verifier.score([asked])


def test_the_same_verifier_serves_several_event_loops():
    verifier = BatchingVerifier(Inner())
    expected = [triple(pair(1))]
    assert anyio.run(verifier.score, [pair(1)]) == expected
    assert anyio.run(verifier.score, [pair(1)], backend="trio") == expected
    assert verifier.stats.pairs == 2


@pytest.mark.parametrize(
    "limits",
    [
        *({"max_tokens": 0}, {"max_tokens": "9"}, {"max_queue": 0}, {"max_queue": 1.5}),
        *({"max_wait": -1}, {"max_wait": math.nan}, {"max_wait": "1"}),
    ],
)
def test_limits_that_cannot_be_are_refused(limits):
    with pytest.raises(ValueError, match=f"{next(iter(limits))} must be a number of"):
        BatchingVerifier(Inner(), **limits)


@pytest.mark.parametrize("inner", [None, Inner])
def test_what_is_no_verifier_is_refused(inner):
    with pytest.raises(ValueError, match="inner must be an object with an async method score"):
        BatchingVerifier(inner)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(1, 600), min_size=1, max_size=4), st.integers(0, 6), st.booleans()),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 40),
)
def test_every_call_that_stays_gets_its_scores_whoever_leaves(calls, max_tokens):
    verifier = BatchingVerifier(Inner(), max_tokens=max_tokens, max_wait=0)

    async def ask(numbers, steps, leaves):
        for _ in range(steps):
            await anyio.lowlevel.checkpoint()
        if not leaves:
            pairs = [pair(number) for number in numbers]
            assert await verifier.score(pairs) == [triple(each) for each in pairs]
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(verifier.score, [pair(number) for number in numbers])
            for _ in range(steps):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()

    async def main():
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                for call in calls:
                    tasks.start_soon(ask, *call)
        assert verifier.stats.depth == 0

    anyio.run(main)


class Slow:
    """Takes a millisecond a token, more or less, of a clock that nothing else moves."""

    def __init__(self, *, spread=0.0, seed=0):
        self.busy = 0.0
        self._spread = spread
        self._chance = random.Random(seed)

    async def score(self, pairs):
        took = 0.001 * sum(estimate_tokens(each) for each in pairs)
        took *= self._chance.uniform(1 - self._spread, 1 + self._spread)
        await anyio.sleep(took)
        self.busy += took
        return [Scores(1, 0, 0)] * len(pairs)


def overload(times, *, vital_share=0.2, deadline=5.0, seconds=40.0):
    """`times` as many claims as can be scored; seconds of work and what became of them, by importance."""
    inner = Slow()
    verifier = BatchingVerifier(inner)
    told = {
        rank: dict.fromkeys(("in time", "shed", "late"), 0) for rank in (Importance.VITAL, Importance.OKAY)
    }
    chance = random.Random(7)

    async def ask(number):
        rank = Importance.VITAL if chance.random() < vital_share else Importance.OKAY
        until = anyio.current_time() + deadline
        pairs = [Pair("p" * chance.randint(40, 400), f"claim {number} {n}", importance=rank, deadline=until)
                 for n in range(chance.randint(1, 4))]  # fmt: skip
        with anyio.move_on_at(until) as scope:
            try:
                await verifier.score(pairs)
                told[rank]["in time"] += 1
            except Overload:
                told[rank]["shed"] += 1
        told[rank]["late"] += scope.cancelled_caught

    async def main():
        async with anyio.create_task_group() as tasks:
            # A claim's pairs take about 150 ms in the mean.
            for number in range(int(times * seconds / 0.15)):
                tasks.start_soon(ask, number)
                await anyio.sleep(chance.expovariate(times / 0.15))

    anyio.run(main, backend="trio", backend_options={"clock": MockClock(autojump_threshold=0)})
    return inner.busy / seconds, told[Importance.VITAL], told[Importance.OKAY]


def burst(seed, *, seconds=2.0, deadline=5.0):
    """Seconds of work, where ten seconds of it came at once, and batches take more or less than expected."""
    inner = Slow(spread=0.4, seed=seed)
    verifier = BatchingVerifier(inner)
    chance = random.Random(seed)

    async def ask(number):
        until = anyio.current_time() + deadline
        pairs = [Pair("p" * chance.randint(40, 400), f"claim {number} {n}", deadline=until) for n in range(2)]
        with anyio.move_on_at(until), suppress(Overload):
            await verifier.score(pairs)

    async def main():
        async with anyio.create_task_group() as tasks:
            for number in range(80):
                tasks.start_soon(ask, number)
                await anyio.sleep(seconds / 80)

    anyio.run(main, backend="trio", backend_options={"clock": MockClock(autojump_threshold=0)})
    return inner.busy


def test_a_call_that_is_shed_while_it_leads_hears_so_before_the_batch_is_over():
    verifier = BatchingVerifier(Slow(), max_tokens=5000, max_wait=0.01)
    ended = {}

    async def ask(name, *, rank, deadline):
        pairs = [Pair("p" * 4000, name, importance=rank, deadline=anyio.current_time() + deadline)]
        with suppress(Overload):
            await verifier.score(pairs)
        ended[name] = anyio.current_time()

    async def main():
        await ask("pace", rank=Importance.OKAY, deadline=9.0)
        begun = anyio.current_time()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(ask, "okay", rank=Importance.OKAY, deadline=0.9))
            await anyio.sleep(0.005)
            tasks.start_soon(partial(ask, "vital", rank=Importance.VITAL, deadline=1.5))
        assert ended["okay"] - begun < 0.1
        assert 0.9 < ended["vital"] - begun < 1.1

    anyio.run(main, backend="trio", backend_options={"clock": MockClock(autojump_threshold=0)})


def test_below_capacity_all_are_scored_in_time():
    _, vital, okay = overload(0.6)
    assert vital["shed"] + vital["late"] + okay["shed"] + okay["late"] == 0


@pytest.mark.parametrize("times", [2.0, 10.0])
def test_under_overload_what_is_served_is_in_time_and_no_time_is_lost(times):
    busy, vital, okay = overload(times)
    served = vital["in time"] + okay["in time"]
    # The queue may move faster than of late, so a few are kept that then have waited in vain.
    assert vital["late"] == 0
    assert okay["late"] <= 0.05 * served
    assert busy > 0.95
    assert served > 0.8 * 40 / 0.15


def test_under_overload_the_vital_are_served_as_far_as_they_can_be():
    _, vital, okay = overload(3.0)
    assert vital["in time"] > 0.98 * sum(vital.values())
    assert 0 < okay["in time"] < 0.5 * sum(okay.values())


def test_a_burst_is_served_until_its_last_deadline():
    busy = [burst(seed) for seed in range(6)]
    assert sum(busy) / len(busy) > 0.9 * 7.0  # the last claims come after 2 seconds, and have 5


@pytest.mark.anyio
async def test_a_call_that_may_be_cancelled_runs_no_batch_of_certain_pairs():
    gate = anyio.Event()
    inner = Inner(gate)
    verifier = BatchingVerifier(inner, max_wait=0.1)
    scores = []

    async def ask_certain():
        scores.extend(await verifier.score([pair(2)]))

    async with anyio.create_task_group() as tasks:
        foreseen = anyio.CancelScope()

        async def ask_foreseen():
            with foreseen:
                await verifier.score([pair(1, foresight=Foresight())])

        tasks.start_soon(ask_foreseen)
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(ask_certain)
        await anyio.sleep(0.2)  # `max_wait` has passed
        foreseen.cancel()
        await anyio.wait_all_tasks_blocked()
        gate.set()
    assert inner.batches == [[2]]
    assert scores == [triple(pair(2))]

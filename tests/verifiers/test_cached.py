from dataclasses import replace
from math import inf

import anyio
import pytest

from vista_stream.caching import cache_scope
from vista_stream.claims import Foresight, Importance, Pair, Scores
from vista_stream.errors import InferenceError
from vista_stream.verifiers.cached import CachedVerifier

A, B, C = (Pair(f"premise {name}", "claim") for name in "abc")
TRIPLE = {A: Scores(1, 0, 0), B: Scores(0, 1, 0), C: Scores(0, 0, 1)}


class Recorder:
    """Scores from TRIPLE; each call waits for `gate` where there is one."""

    def __init__(self, gate=None, failures=0):
        self.calls = []
        self.gate = gate
        self.failures = failures

    async def score(self, pairs):
        self.calls.append(list(pairs))
        if self.gate:
            await self.gate.wait()
        await anyio.lowlevel.checkpoint()
        if self.failures:
            self.failures -= 1
            raise RuntimeError("broken")
        return [TRIPLE[pair] for pair in pairs]


@pytest.mark.anyio
async def test_identical_pairs_are_scored_once_and_in_order():
    inner = Recorder()
    verifier = CachedVerifier(inner)
    twin = Pair(A.premise, A.hypothesis, importance=Importance.VITAL, deadline=3.0)
    assert await verifier.score([A, B, twin, A]) == [TRIPLE[A], TRIPLE[B], TRIPLE[A], TRIPLE[A]]
    assert await verifier.score([B, C, A]) == [TRIPLE[B], TRIPLE[C], TRIPLE[A]]
    assert inner.calls == [[A, B], [C]]


@pytest.mark.anyio
async def test_no_more_than_size_pairs_are_remembered():
    inner = Recorder()
    verifier = CachedVerifier(inner, size=1)
    assert await verifier.score([A, B, C]) == [TRIPLE[A], TRIPLE[B], TRIPLE[C]]
    await verifier.score([C])
    await verifier.score([A])
    assert inner.calls == [[A, B, C], [A]]


@pytest.mark.anyio
async def test_concurrent_calls_share_what_is_under_way():
    inner = Recorder(anyio.Event())
    verifier = CachedVerifier(inner)
    got = {}

    async def ask(name, pairs):
        got[name] = await verifier.score(pairs)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, "first", [A, B])
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(ask, "second", [B, C])
        await anyio.wait_all_tasks_blocked()
        inner.gate.set()
    assert inner.calls == [[A, B], [C]]
    assert got == {"first": [TRIPLE[A], TRIPLE[B]], "second": [TRIPLE[B], TRIPLE[C]]}


@pytest.mark.anyio
async def test_one_callers_cancelling_leaves_the_others_their_scores():
    inner = Recorder(anyio.Event())
    verifier = CachedVerifier(inner)
    got = []
    scope = anyio.CancelScope()

    async def leave():
        with scope:
            await verifier.score([A])

    async def stay():
        got.append(await verifier.score([A]))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(leave)
        await anyio.wait_all_tasks_blocked()
        for _ in range(3):
            tasks.start_soon(stay)
        await anyio.wait_all_tasks_blocked()
        scope.cancel()
        await anyio.wait_all_tasks_blocked()
        inner.gate.set()
    assert got == [[TRIPLE[A]]] * 3
    assert inner.calls == [[A], [A]]


@pytest.mark.anyio
async def test_a_failure_is_not_remembered():
    verifier = CachedVerifier(Recorder(failures=1))
    with pytest.raises(RuntimeError, match="broken"):
        await verifier.score([A])
    assert await verifier.score([A]) == [TRIPLE[A]]


@pytest.mark.anyio
async def test_a_wrong_number_of_scores_is_an_inference_error():
    class Short:
        async def score(self, pairs):
            return [TRIPLE[A]]

    with pytest.raises(InferenceError, match="1 scores for 2 pairs"):
        await CachedVerifier(Short()).score([A, B])


def test_the_same_cache_serves_several_event_loops():
    inner = Recorder()
    verifier = CachedVerifier(inner)
    assert anyio.run(verifier.score, [A]) == anyio.run(verifier.score, [A], backend="trio")
    assert inner.calls == [[A]]


@pytest.mark.parametrize("size", [0, float("nan"), "64", None])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(ValueError, match="size must"):
        CachedVerifier(Recorder(), size=size)


@pytest.mark.anyio
async def test_scopes_share_neither_scores_nor_a_call_that_runs():
    inner = Recorder(gate=anyio.Event())
    verifier = CachedVerifier(inner)

    async def ask(scope):
        with cache_scope(scope):
            assert await verifier.score([A]) == [TRIPLE[A]]

    async with anyio.create_task_group() as tasks:
        for scope in ("one", "one", "two"):
            tasks.start_soon(ask, scope)
        await anyio.wait_all_tasks_blocked()
        inner.gate.set()
    assert inner.calls == [[A], [A]]
    await ask("two")
    assert len(inner.calls) == 2
    await ask("three")
    assert len(inner.calls) == 3


@pytest.mark.anyio
async def test_what_is_no_score_triple_is_an_error_and_not_kept():
    class Odd(Recorder):
        async def score(self, pairs):
            good = await super().score(pairs)
            return good if len(self.calls) > 1 else [(0.9, 0.9, 0.9)]

    verifier = CachedVerifier(Odd())
    with pytest.raises(InferenceError, match="must give score triples"):
        await verifier.score([A])
    assert await verifier.score([A]) == [TRIPLE[A]]


async def asked_twice(first, second):
    """The calls of the inner verifier where the second pair is asked while the first is being scored."""
    inner = Recorder(gate=anyio.Event())
    verifier = CachedVerifier(inner)
    async with anyio.create_task_group() as tasks:
        for pair in (first, second):
            tasks.start_soon(verifier.score, [pair])
            await anyio.wait_all_tasks_blocked()
        inner.gate.set()
    assert not verifier._flying
    return len(inner.calls)


@pytest.mark.anyio
async def test_a_call_that_a_queue_may_serve_later_is_not_waited_for():
    vital = replace(A, importance=Importance.VITAL)
    assert await asked_twice(A, vital) == 2
    assert await asked_twice(vital, A) == 1
    assert await asked_twice(replace(A, deadline=inf), replace(A, deadline=anyio.current_time() + 1)) == 2
    assert await asked_twice(replace(A, deadline=anyio.current_time() + 1), A) == 1


@pytest.mark.anyio
async def test_a_call_for_what_may_not_come_is_waited_for_by_its_own_sentence_alone():
    one, other = (replace(A, foresight=Foresight()) for _ in range(2))
    assert await asked_twice(one, A) == 2
    assert await asked_twice(one, other) == 2
    assert await asked_twice(one, one) == 1
    one.foresight.certain = True
    assert await asked_twice(one, A) == 1

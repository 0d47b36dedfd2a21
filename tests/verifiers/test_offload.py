import subprocess
import sys
import threading

import anyio
import pytest

from vista_stream.verifiers.offload import CLAIM, DRAFTS, SENTENCE, _Line, offload, offload_brief


class Work:
    """Blocking calls that note how many run at once, and end when told."""

    def __init__(self):
        self.finish = threading.Event()
        self.started = threading.Semaphore(0)
        self.running = self.most = 0

    def run(self, value):
        self.running += 1
        self.most = max(self.most, self.running)
        self.started.release()
        self.finish.wait(5)
        self.running -= 1
        return value


@pytest.mark.anyio
async def test_batches_wait_for_each_other_but_brief_calls_for_none_of_them():
    work = Work()
    got = []

    async def ask(value):
        got.append(await offload(work.run, value))

    async with anyio.create_task_group() as tasks:
        for value in range(3):
            tasks.start_soon(ask, value)
        await anyio.to_thread.run_sync(work.started.acquire)
        assert await offload_brief(len, "four") == 4
        assert got == []
        work.finish.set()
    assert sorted(got) == [0, 1, 2]
    assert work.most == 1


@pytest.mark.anyio
async def test_of_brief_calls_that_wait_the_most_urgent_goes_first():
    work, order = Work(), []

    async def ask(name, urgency):
        await offload_brief(order.append, name, urgency=urgency)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(offload_brief, work.run, "first")
        await anyio.to_thread.run_sync(work.started.acquire)
        with anyio.CancelScope() as given_up:
            asked = {"a sentence": SENTENCE, "drafts": DRAFTS, "a claim": CLAIM, "another claim": CLAIM}
            for name, urgency in asked.items():
                tasks.start_soon(ask, name, urgency)
                await anyio.wait_all_tasks_blocked()
            async with anyio.create_task_group() as others:
                others.start_soon(ask, "nobody's claim", CLAIM)
                await anyio.wait_all_tasks_blocked()
                given_up.cancel()
        work.finish.set()
    assert order == ["a claim", "another claim", "drafts", "a sentence"]


@pytest.mark.anyio
async def test_a_turn_that_comes_to_a_cancelled_call_is_passed_on():
    line, served = _Line(), []

    async def wait(name):
        await line.take(CLAIM)
        served.append(name)
        line.pass_on()

    await line.take(CLAIM)
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks, anyio.create_task_group() as given_up:
            given_up.start_soon(wait, "cancelled")
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(wait, "next")
            await anyio.wait_all_tasks_blocked()
            line.pass_on()  # the turn of the first has come, and it has not run yet
            given_up.cancel_scope.cancel()
    assert served[-1:] == ["next"]


@pytest.mark.anyio
async def test_cancelling_returns_while_the_call_still_runs():
    work = Work()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(offload, work.run, 1)
        await anyio.to_thread.run_sync(work.started.acquire)
        tasks.cancel_scope.cancel()
    assert work.running == 1
    work.finish.set()


@pytest.mark.anyio
async def test_the_next_batch_waits_for_one_that_was_abandoned():
    work = Work()
    for _ in range(3):
        with anyio.move_on_after(0.05):
            await offload(work.run, "late")
    assert (work.running, work.most) == (1, 1)
    work.finish.set()
    assert await offload(work.run, "next") == "next"
    assert work.most == 1


@pytest.mark.anyio
@pytest.mark.parametrize("way", [offload, offload_brief])
async def test_what_a_call_raises_arrives(way):
    with pytest.raises(ValueError, match="invalid literal"):
        await way(int, "x")


def test_a_process_ends_after_the_calls_that_it_abandoned():
    ended = subprocess.run([sys.executable, "-c", ABANDONING], capture_output=True, text=True, check=True)
    assert ended.stdout == "left\nthe call has ended\n"


ABANDONING = """
import time
import anyio
from vista_stream.verifiers.offload import offload

def work():
    time.sleep(0.4)
    print("the call has ended", flush=True)

async def main():
    with anyio.move_on_after(0.1):
        await offload(work)
    print("left", flush=True)

anyio.run(main)
"""

"""A long reference that is new to a turn: its indexing is told, and costs no claim its deadline."""

import time

import anyio
import numpy as np
import pytest

from vista_stream.events import ClaimSettled, IndexingProgress
from vista_stream.policy import Policy
from vista_stream.session import Session
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.progress import following, report_indexed
from vista_stream.testing import ScriptedStages, ScriptedVerifier

pytestmark = pytest.mark.anyio
LONG = "\n\n".join(
    f"Barn number {number} was built of stone and wood by its owners." for number in range(700)
)
STEP = 0.4


class Embedder:
    """The same vector for each text; a batch of many texts takes a while."""

    def embed(self, texts):
        if len(texts) > 1:
            time.sleep(STEP)
        return np.ones((len(texts), 1), dtype=np.float32)


async def events_of(reference, *, deadline):
    stages = ScriptedStages().stages()
    verify = EmbeddedVerify(ScriptedVerifier(), embedder=Embedder(), rules=False)
    parts = type(stages)(
        decompose=stages.decompose, rank=stages.rank, verify=verify, categorise=stages.categorise
    )
    session = Session(stages=parts, policy=Policy(deadline=deadline))
    session.add_reference(reference)
    async with session.turn(["It is true."]) as turn:
        return [event async for event in turn]


async def test_indexing_is_told_step_by_step_and_deadlines_wait_for_it():
    await events_of(
        "Barn number 1 was built of stone.", deadline=60
    )  # the rules load when they are first used
    events = await events_of(LONG, deadline=5 * STEP)
    steps = [event for event in events if isinstance(event, IndexingProgress)]
    assert len(steps) * STEP > 5 * STEP  # else the deadline would not have passed
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].done == steps[-1].total
    assert len({step.total for step in steps}) == 1
    assert any(isinstance(event, ClaimSettled) for event in events)


async def test_the_first_of_two_steps_is_told():
    class Indexing(ScriptedStages):
        async def prepare(self, grounds):
            report_indexed(1, 2)
            report_indexed(2, 2)

    async with Session(stages=Indexing().stages()).turn(["It is true."]) as turn:
        steps = [event async for event in turn if isinstance(event, IndexingProgress)]
    assert steps == [IndexingProgress(done=1, total=2), IndexingProgress(done=2, total=2)]


async def test_a_short_reference_is_indexed_without_a_word():
    events = await events_of("Barn number 1 was built of stone.", deadline=30)
    assert not any(isinstance(event, IndexingProgress) for event in events)


async def test_a_step_that_hangs_costs_the_claim_its_deadline():
    class Hanging(ScriptedStages):
        async def prepare(self, grounds):
            report_indexed(1, 10)
            await anyio.sleep_forever()

    session = Session(stages=Hanging().stages(), policy=Policy(deadline=0.05))
    with anyio.fail_after(30):
        async with session.turn(["It is true."]) as turn:
            report = await turn.drain()
    assert [each.reason.value for each in report.unresolved] == ["deadline"]


async def test_nobody_need_follow():
    report_indexed(1, 2)
    told = []
    with following(lambda done, total: told.append((done, total))):
        report_indexed(1, 2)
    report_indexed(2, 2)
    assert told == [(1, 2)]

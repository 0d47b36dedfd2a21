"""Loading the models beside a running event loop."""

import subprocess
import sys

import pytest

from vista_stream import Policy, Session, preload
from vista_stream.testing import ScriptedStages, ScriptedVerifier

LOADS = """
import time
import anyio
from vista_stream import Session

async def main():
    gaps, loaded = [], anyio.Event()

    async def tick():
        while not loaded.is_set():
            began = time.perf_counter()
            await anyio.sleep(0.001)
            gaps.append(time.perf_counter() - began)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tick)
        await anyio.sleep(0)
        began = time.perf_counter()
        session = await Session.create()
        took = time.perf_counter() - began
        loaded.set()
    began = time.perf_counter()
    Session()
    print(took, max(gaps), time.perf_counter() - began)

anyio.run(main)
"""


def test_the_loop_goes_on_while_the_models_load_and_later_sessions_are_instant():
    ran = subprocess.run([sys.executable, "-c", LOADS], capture_output=True, text=True, check=True)
    took, gap, later = map(float, ran.stdout.split())
    assert gap < took / 2
    assert later < took / 10


@pytest.mark.anyio
async def test_a_session_with_stages_of_its_own_loads_nothing():
    session = await Session.create(stages=ScriptedStages().stages(), policy=Policy.strict())
    assert session.policy == Policy.strict()


@pytest.mark.anyio
async def test_what_a_session_refuses_create_refuses_too():
    with pytest.raises(ValueError, match="verifier or stages"):
        await Session.create(ScriptedVerifier(), stages=ScriptedStages().stages())


@pytest.mark.anyio
async def test_preload_takes_a_verifier_of_ones_own():
    verifier = ScriptedVerifier()
    await preload(verifier)
    session = await Session.create(verifier)
    assert session.policy == Policy()

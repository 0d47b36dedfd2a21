"""An iterator whose items a task of its own sends."""

import asyncio

import anyio
import pytest

from vista_stream import VistaError
from vista_stream_adapters.shell.detached import Detached

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancelled_task_that_the_producer_awaits_does_not_end_it_in_silence():
    async def run(send):
        await send(1)
        task = asyncio.ensure_future(asyncio.sleep(60))
        task.cancel()
        await task

    items = Detached(run)
    assert await anext(items) == 1
    with pytest.raises(VistaError, match="cancelled elsewhere"):
        await anext(items)


@pytest.mark.parametrize("error", [SystemExit, ValueError])
async def test_what_the_producer_raises_reaches_the_reader(error):
    async def run(send):
        await send(1)
        raise error("mine")

    items = Detached(run)
    assert await anext(items) == 1
    with pytest.raises(error, match="mine"):
        await anext(items)


async def test_a_producer_that_is_closed_has_not_failed():
    async def run(send):
        await send(1)
        await anyio.sleep_forever()

    items = Detached(run)
    assert await anext(items) == 1
    await items.aclose()
    assert await anext(items, None) is None


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("steps", [0, 1, 2])
async def test_a_reader_that_is_cancelled_as_an_item_comes_gets_it_when_it_asks_again(steps):
    def cancel(steps):
        if steps:
            asyncio.get_running_loop().call_soon(cancel, steps - 1)
        else:
            reading.cancel()

    async def run(send):
        await anyio.wait_all_tasks_blocked()
        cancel(steps + 1)
        for item in (1, 2):
            await send(item)

    items = Detached(run)
    reading = asyncio.ensure_future(anext(items))
    await asyncio.wait([reading])
    read = [] if reading.cancelled() else [reading.result()]
    with anyio.fail_after(5):
        assert read + [item async for item in items] == [1, 2]

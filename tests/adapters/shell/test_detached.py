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

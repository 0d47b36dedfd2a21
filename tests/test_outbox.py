import asyncio

import anyio
import pytest

from vista_stream.outbox import Outbox

pytestmark = pytest.mark.anyio


async def read_into(outbox, taken) -> None:
    async for item in outbox:
        taken.append(item)


async def test_items_are_read_in_order_also_those_that_were_there_when_it_was_closed():
    outbox, taken = Outbox(8), []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read_into, outbox, taken)
        await anyio.wait_all_tasks_blocked()
        await outbox.put(1)
        await anyio.wait_all_tasks_blocked()
        assert taken == [1]
        await outbox.put(2)
        await outbox.put(3)
        outbox.close()
    assert taken == [1, 2, 3]


async def test_what_was_not_read_can_be_dropped():
    outbox = Outbox(8)
    await outbox.put(1)
    outbox.close(drop=True)
    assert await anext(outbox, None) is None


@pytest.mark.parametrize("limit", [0, 2])
async def test_the_writer_waits_while_more_than_the_limit_are_unread(limit):
    async def write():
        for item in range(10):
            await outbox.put(item)
            written.append(item)

    outbox, written = Outbox(limit), []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        for taken in range(5):
            await anyio.wait_all_tasks_blocked()
            assert written == list(range(limit + taken))
            assert await anext(outbox) == taken
        tasks.cancel_scope.cancel()


async def test_all_is_taken_when_the_reader_asks_for_more():
    outbox, taken = Outbox(8), []

    async def write():
        await outbox.put(1)
        await outbox.all_taken()
        taken.append("all")
        outbox.close()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            await anyio.wait_all_tasks_blocked()
            taken.append(await anext(outbox))
            await anyio.wait_all_tasks_blocked()
            assert taken == [1]
            await read_into(outbox, taken)
    assert taken == [1, "all"]


async def test_a_reader_that_is_cancelled_as_an_item_comes_gets_it_when_it_asks_again():
    outbox, taken = Outbox(8), []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read_into, outbox, taken)
        await anyio.wait_all_tasks_blocked()
        await outbox.put(1)
        tasks.cancel_scope.cancel()
    outbox.close()
    await read_into(outbox, taken)
    assert taken == [1]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_read_that_ends_after_the_next_began_does_not_hide_that_the_reader_asks():
    outbox = Outbox(8)
    first = asyncio.ensure_future(anext(outbox, None))
    await asyncio.sleep(0)
    first.cancel()
    second = asyncio.ensure_future(anext(outbox, None))
    await asyncio.wait([first])
    await asyncio.wait_for(outbox.all_taken(), 5)
    outbox.close()
    assert await second is None

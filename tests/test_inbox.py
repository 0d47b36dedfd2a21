import anyio
import pytest

from vista_stream.inbox import Inbox

pytestmark = pytest.mark.anyio


async def test_posts_are_taken_in_order_all_at_once():
    inbox, seen = Inbox(8), []
    inbox.post(seen.append, 1)
    inbox.post(seen.append, 2)
    for verb, args in await inbox.take():
        verb(*args)
    assert seen == [1, 2]


async def test_taking_waits_for_a_post():
    inbox = Inbox(1)
    async with anyio.create_task_group() as tasks:

        async def post() -> None:
            await anyio.sleep(0.01)
            inbox.post(print)

        tasks.start_soon(post)
        assert len(await inbox.take()) == 1


async def test_it_is_full_while_the_limit_is_unread_and_takes_posts_all_the_same():
    inbox = Inbox(2)
    inbox.post(print)
    assert not inbox.full
    for _ in range(4):
        inbox.post(print)
    assert inbox.full
    assert len(await inbox.take()) == 5
    assert not inbox.full


async def test_the_source_may_wait_until_what_it_posted_is_taken():
    inbox, order = Inbox(8), []
    with anyio.fail_after(5):
        await inbox.taken()
        async with anyio.create_task_group() as tasks:

            async def source():
                inbox.post(order.append, 1)
                await inbox.taken()
                order.append("taken")

            tasks.start_soon(source)
            await anyio.wait_all_tasks_blocked()
            assert order == []
            await inbox.take()
    assert order == ["taken"]

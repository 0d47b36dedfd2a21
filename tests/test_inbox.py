import anyio
import pytest

from vista_stream.inbox import Inbox

pytestmark = pytest.mark.anyio


async def test_posts_are_taken_in_order_all_at_once():
    inbox, seen = Inbox(8), []
    inbox.post(seen.append, 1)
    await inbox.post_text(seen.append, 2)
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


async def test_the_source_waits_while_the_limit_is_unread_and_workers_do_not():
    inbox = Inbox(2)
    for _ in range(5):
        inbox.post(print)
    with anyio.move_on_after(0.02) as scope:
        await inbox.post_text(print)
    assert scope.cancelled_caught
    assert len(await inbox.take()) == 5
    await inbox.post_text(print)


async def test_the_source_may_wait_until_what_it_posted_is_taken():
    inbox, order = Inbox(8), []
    with anyio.fail_after(5):
        await inbox.taken()
        async with anyio.create_task_group() as tasks:

            async def source():
                await inbox.post_text(order.append, 1)
                await inbox.taken()
                order.append("taken")

            tasks.start_soon(source)
            await anyio.wait_all_tasks_blocked()
            assert order == []
            await inbox.take()
    assert order == ["taken"]

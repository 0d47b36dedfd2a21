import asyncio

import pytest

from vista_stream_adapters.proxy.errors import ApiError
from vista_stream_adapters.proxy.traffic import Conversations, Traffic


@pytest.mark.asyncio
async def test_an_answer_that_fails_frees_its_place():
    traffic = Traffic(1, each=1)
    with pytest.raises(RuntimeError), traffic.admit("me"):
        raise RuntimeError
    with traffic.admit("me"), pytest.raises(ApiError), traffic.admit("me"):
        pass
    assert traffic.running == 0
    assert await traffic.drain(within=1)
    with pytest.raises(ApiError, match="shutting down"), traffic.admit("me"):
        pass


def conversations_for(limit, *, each=1, idle=60.0, busy=5.0):
    return Conversations(limit, each=each, idle=idle, busy=busy)


async def refused(conversations, key, client):
    with pytest.raises(ApiError) as caught:
        async with conversations.enter(key, client):
            pass
    return caught.value.status, caught.value.code


@pytest.mark.asyncio
async def test_a_conversation_is_forgotten_only_when_it_was_idle_and_there_is_no_room():
    patient, hasty = conversations_for(1), conversations_for(1, idle=1e-9)
    for conversations in (patient, hasty):
        async with conversations.enter("a", "me"):
            pass
    assert await refused(patient, "b", "me") == (429, "too_many_sessions")
    async with hasty.enter("b", "me"):
        assert await refused(hasty, "c", "me") == (429, "too_many_sessions"), "a busy one is never forgotten"
    async with hasty.enter(None, "me"):
        assert len(hasty) == 1


@pytest.mark.asyncio
async def test_the_next_answer_of_a_conversation_waits_for_the_last_one_for_a_while():
    conversations, order = conversations_for(2, each=2), []

    async def answer(name, *, fails=False):
        async with conversations.enter("a", "me"):
            order.append(name)
            await asyncio.sleep(0.01)
            order.append(name)
            if fails:
                raise RuntimeError

    first, second, third = (asyncio.create_task(answer(n, fails=n == 1)) for n in (1, 2, 3))
    await asyncio.wait([first, second, third])
    assert order == [1, 1, 2, 2, 3, 3]
    assert isinstance(first.exception(), RuntimeError), "a failed answer frees its conversation"
    assert second.exception() is None
    assert third.exception() is None
    hasty = conversations_for(2, busy=0.01)
    async with hasty.enter("a", "me"):
        assert await refused(hasty, "a", "me") == (409, "conversation_busy")
    async with hasty.enter("a", "me"):
        assert len(hasty) == 1


@pytest.mark.asyncio
async def test_a_client_has_its_share_and_no_more():
    traffic, conversations = Traffic(2, each=1), conversations_for(2)
    with traffic.admit("greedy"), traffic.admit("modest"):
        assert traffic.running == 2
    with traffic.admit("greedy"), pytest.raises(ApiError) as caught, traffic.admit("greedy"):
        pass
    assert (caught.value.status, caught.value.code) == (429, "too_many_streams")
    async with conversations.enter("a", "greedy"), conversations.enter("b", "modest"):
        pass
    conversations = conversations_for(2)
    async with conversations.enter("a", "greedy"):
        assert await refused(conversations, "b", "greedy") == (429, "too_many_sessions")

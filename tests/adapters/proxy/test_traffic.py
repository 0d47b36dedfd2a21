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


def test_a_conversation_is_forgotten_only_when_it_was_idle_and_there_is_no_room():
    patient, hasty = Conversations(1, each=1, idle=60), Conversations(1, each=1, idle=1e-9)
    for conversations in (patient, hasty):
        with conversations.enter("a", "me"):
            pass
    with pytest.raises(ApiError) as caught, patient.enter("b", "me"):
        pass
    assert (caught.value.status, caught.value.code) == (429, "too_many_sessions")
    with hasty.enter("b", "me"), pytest.raises(ApiError) as caught, hasty.enter("c", "me"):
        pass
    assert caught.value.status == 429, "a busy one is never forgotten"
    with hasty.enter(None, "me"):
        assert len(hasty) == 1


def test_a_client_has_its_share_and_no_more():
    traffic, conversations = Traffic(2, each=1), Conversations(2, each=1, idle=60)
    with traffic.admit("greedy"), traffic.admit("modest"):
        assert traffic.running == 2
    with traffic.admit("greedy"), pytest.raises(ApiError) as caught, traffic.admit("greedy"):
        pass
    assert (caught.value.status, caught.value.code) == (429, "too_many_streams")
    with conversations.enter("a", "greedy"), conversations.enter("b", "modest"):
        pass
    conversations = Conversations(2, each=1, idle=60)
    with (
        conversations.enter("a", "greedy"),
        pytest.raises(ApiError) as caught,
        conversations.enter("b", "greedy"),
    ):
        pass
    assert (caught.value.status, caught.value.code) == (429, "too_many_sessions")

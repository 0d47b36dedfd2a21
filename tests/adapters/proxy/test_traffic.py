import pytest

from vista_stream_adapters.proxy.errors import ApiError
from vista_stream_adapters.proxy.traffic import Conversations, Traffic


@pytest.mark.asyncio
async def test_an_answer_that_fails_frees_its_place():
    traffic = Traffic(1)
    with pytest.raises(RuntimeError), traffic.admit():
        raise RuntimeError
    with traffic.admit(), pytest.raises(ApiError), traffic.admit():
        pass
    assert traffic.running == 0
    assert await traffic.drain(within=1)
    with pytest.raises(ApiError, match="shutting down"), traffic.admit():
        pass


def test_a_conversation_is_forgotten_only_when_it_was_idle_and_there_is_no_room():
    patient, hasty = Conversations(1, idle=60), Conversations(1, idle=1e-9)
    for conversations in (patient, hasty):
        with conversations.enter("a"):
            pass
    with pytest.raises(ApiError) as caught, patient.enter("b"):
        pass
    assert (caught.value.status, caught.value.code) == (429, "too_many_sessions")
    with hasty.enter("b"), pytest.raises(ApiError) as caught, hasty.enter("c"):
        pass
    assert caught.value.status == 429, "a busy one is never forgotten"
    with hasty.enter(None):
        assert len(hasty) == 1

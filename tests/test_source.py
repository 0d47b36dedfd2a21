import pytest

from vista_stream.source import BadDelta, pump

pytestmark = pytest.mark.anyio


async def received(deltas, *, most: int = 100) -> list[str]:
    seen: list[str] = []

    async def receive(delta: str) -> bool:
        seen.append(delta)
        return len(seen) < most

    await pump(deltas, receive)
    return seen


async def agenerate(deltas, closed):
    try:
        for delta in deltas:
            yield delta
    finally:
        closed.append(True)


def generate(deltas, closed):
    try:
        yield from deltas
    finally:
        closed.append(True)


@pytest.mark.parametrize("make", [agenerate, generate])
@pytest.mark.parametrize("most", [2, 100])
async def test_a_source_is_read_and_closed_whether_it_ends_or_is_left(make, most):
    closed: list[bool] = []
    assert await received(make(["a", "b", "c"], closed), most=most) == ["a", "b", "c"][:most]
    assert closed == [True]


@pytest.mark.parametrize("deltas", [["a", "b"], ("a", "b"), "ab"])
async def test_any_iterable_of_text_will_do(deltas):
    assert await received(deltas) == ["a", "b"]


async def test_an_async_iterator_with_a_sync_close_is_closed():
    class Stream:
        closed = False

        def __aiter__(self):
            return self

        async def __anext__(self):
            raise StopAsyncIteration

        def close(self):
            self.closed = True

    stream = Stream()
    assert await received(stream) == []
    assert stream.closed


@pytest.mark.parametrize("make", [agenerate, generate])
async def test_a_delta_that_is_not_text_closes_the_source_too(make):
    closed: list[bool] = []
    with pytest.raises(BadDelta, match="not int"):
        await received(make([1], closed))
    assert closed == [True]

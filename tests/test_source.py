import sys
import threading
import time

import anyio
import pytest

import vista_stream
from vista_stream.errors import BadDelta
from vista_stream.source import LONGEST_PIECE, pieces, pump

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


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_source_whose_iterator_is_another_object_is_closed_itself(kind):
    class Sync:
        closed = False

        def __iter__(self):
            yield "a"

        def close(self):
            self.closed = True

    class Async:
        closed = False

        async def __aiter__(self):
            yield "a"

        async def aclose(self):
            self.closed = True

    source = Sync() if kind == "sync" else Async()
    assert await received(source) == ["a"]
    assert source.closed


class Stuck:
    """A source whose iterator cannot be closed; `closed` lists what was closed."""

    def __init__(self, iterator=None):
        self.iterator = iterator
        self.closed = [] if iterator is None else iterator.closed

    def __iter__(self):
        return self.iterator or self

    def __next__(self):
        raise StopIteration

    def close(self):
        self.closed.append(self)
        if self.iterator is None:
            raise OSError("stuck")


class AsyncStuck(Stuck):
    def __aiter__(self):
        return self.iterator or self

    async def __anext__(self):
        raise StopAsyncIteration


@pytest.mark.parametrize("kind", [Stuck, AsyncStuck])
async def test_a_source_is_closed_though_its_iterator_cannot_be(kind):
    source = kind(kind())
    with pytest.raises(OSError, match="stuck"):
        await received(source)
    assert source.closed == [source.iterator, source]


async def test_a_source_that_does_not_close_is_left(monkeypatch, caplog):
    monkeypatch.setattr("vista_stream.source._CLOSING", 0.05)

    class Stuck:
        def __aiter__(self):
            return self

        async def __anext__(self):
            raise StopAsyncIteration

        async def aclose(self):
            await anyio.sleep_forever()

    with anyio.fail_after(5):
        assert await received(Stuck()) == []
    assert "took longer than 0.05 seconds to close" in caplog.text


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


@pytest.mark.parametrize("make", [agenerate, generate])
async def test_a_delta_that_is_none_is_told_with_the_way_out(make):
    with pytest.raises(vista_stream.BadDelta, match=r"not NoneType: leave out .* `delta.content or ''`"):
        await received(make(["One.", None], []))


def pumping() -> bool:
    """Whether a thread reads a source."""
    frames = list(sys._current_frames().values())
    while frames:
        frame = frames.pop()
        if frame.f_code.co_filename.endswith("vista_stream/source.py"):
            return True
        if frame.f_back is not None:
            frames.append(frame.f_back)
    return False


@pytest.mark.parametrize("after", [0.05, 0.13])
async def test_a_blocking_source_that_is_left_is_closed_and_its_thread_ends(after):
    closed: list[bool] = []

    def slow():
        while True:
            time.sleep(0.1)
            yield "a"

    def closing():
        try:
            yield from slow()
        finally:
            closed.append(True)

    taken = 0

    async def receive(delta: str) -> bool:
        nonlocal taken
        taken += 1
        await anyio.sleep(3600)
        return True

    with anyio.move_on_after(after):
        await pump(closing(), receive)
    was = taken
    with anyio.fail_after(5):
        while not closed or pumping():  # noqa: ASYNC110 - a thread tells nobody that it has ended
            await anyio.sleep(0.01)
    assert taken == was


@pytest.mark.parametrize("length", [0, 1, LONGEST_PIECE, LONGEST_PIECE + 1, 5 * LONGEST_PIECE])
async def test_a_delta_is_cut_into_short_pieces(length):
    delta = "abcdefg" * length
    cut = list(pieces(delta[:length]))
    assert "".join(cut) == delta[:length]
    assert len(cut) == max(1, -(-length // LONGEST_PIECE))
    assert max(map(len, cut)) <= LONGEST_PIECE


async def test_text_of_a_class_of_its_own_is_taken_as_plain_text():
    class Loud(str):
        def __add__(self, other):
            return Loud(str.__add__(self, other).upper())

    assert [type(delta) for delta in await received([Loud("One is "), "true."])] == [str, str]


async def test_many_blocking_sources_leave_threads_for_others():
    go = threading.Event()

    def blocking():
        go.wait(30)
        yield "It is true."

    async def receive(delta):
        return True

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for _ in range(45):  # anyio lends 40 threads to all who ask
                tasks.start_soon(pump, blocking(), receive)
            await anyio.to_thread.run_sync(go.set)

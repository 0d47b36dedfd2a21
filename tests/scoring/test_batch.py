"""Many at a time, in order."""

import anyio
import pytest

from vista_stream.scoring.batch import run_ordered

pytestmark = pytest.mark.anyio


async def test_the_order_is_the_inputs_and_the_limit_holds() -> None:
    now, most, written = 0, 0, []

    async def work(item: int) -> int:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await anyio.sleep(0.002 * (5 - item % 5))
        now -= 1
        return item * 10

    await run_ordered(range(12), work, written.append, concurrency=4)
    assert written == [item * 10 for item in range(12)]
    assert most == 4


async def test_what_stands_before_an_error_is_written() -> None:
    written: list[int] = []

    async def work(item: int) -> int:
        if item == 3:
            await anyio.sleep(0.01)
            raise RuntimeError("three")
        return item

    with pytest.raises(RuntimeError, match="three"):
        await run_ordered(range(6), work, written.append, concurrency=2)
    assert written == [0, 1, 2]


async def test_bad_concurrency() -> None:
    with pytest.raises(ValueError, match="concurrency"):
        await run_ordered([1], anyio.sleep, print, concurrency=0)

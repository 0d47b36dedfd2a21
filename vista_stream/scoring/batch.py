"""Runs work on many items at a time, and writes the outcomes in the order of the input."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

from vista_stream.failures import one_error

ItemT = TypeVar("ItemT")
OutT = TypeVar("OutT")


async def run_ordered(
    items: Sequence[ItemT],
    work: Callable[[ItemT], Awaitable[OutT]],
    write: Callable[[OutT], None],
    *,
    concurrency: int,
) -> None:
    """Await `work` for each item, at most `concurrency` at a time, and write the outcomes in order.

    An error of `work` or `write` cancels the rest and is raised; outcomes that were due before it may already
    be written. Raises ValueError for a concurrency below 1.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, not {concurrency}")
    done: dict[int, OutT] = {}
    waiting = iter(enumerate(items))
    written = 0

    async def worker() -> None:
        nonlocal written
        for place, item in waiting:
            done[place] = await work(item)
            while written in done:
                write(done.pop(written))
                written += 1

    try:
        async with anyio.create_task_group() as tasks:
            for _ in range(min(concurrency, len(items))):
                tasks.start_soon(worker)
    except ExceptionGroup as group:
        raise one_error(group) from None

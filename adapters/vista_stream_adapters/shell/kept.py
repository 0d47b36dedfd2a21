"""Keeps an error of one task for the task that reads from it."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import anyio

from vista_stream.failures import apart


class Kept:
    """`with Kept() as kept`: an error that ends the block is in `kept.error` and goes no further.

    So does what is no Exception, such as a callback's `sys.exit()`: raised in a task of its own, it would end
    the event loop, which others share, and never reach the reader. A cancellation goes on. Use it in the
    event loop.
    """

    error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or isinstance(error, GeneratorExit):
            return False
        if isinstance(error, BaseExceptionGroup) and not isinstance(error, Exception):
            self.error, cancelled = apart(error)
            if cancelled is not None:
                raise cancelled from None
            return True
        if isinstance(error, anyio.get_cancelled_exc_class()):
            return False
        self.error = error
        return True

"""Asks one replica after the other, or two at once where an answer is slow (hedging)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import TypeVar

import anyio

from vista_stream.errors import Overload, VerifierError

T = TypeVar("T")


class Unanswered(VerifierError):
    """A replica gave no answer that can be used: refused, reset, silent, ending, or not of this pool."""


class Refused(Unanswered):
    """A replica lives and refuses this client, such as one with another token."""


async def first_answer(calls: Sequence[Callable[[], Awaitable[T]]], *, hedge: float = inf) -> T:
    """The first answer of `calls`, each to another replica; what else still runs is then cancelled.

    The next call begins when one failed with Unanswered or Overload. The second also begins `hedge` seconds
    after the first, where that is still unanswered. Raises any other exception of a call at once. Where no
    call gave an answer, raises the Overload of one, else a Refused, else the last Unanswered.
    """
    answers: list[T] = []
    failures: list[Exception] = []
    passing: list[VerifierError] = []
    moved = anyio.Event()

    async def ask(call: Callable[[], Awaitable[T]]) -> None:
        try:
            answers.append(await call())
        except (Unanswered, Overload) as error:
            passing.append(error)
            moved.set()
            return
        except Exception as error:
            failures.append(error)
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        for number, call in enumerate(calls):
            tasks.start_soon(ask, call)
            with anyio.move_on_after(inf if number else hedge):
                await moved.wait()
            moved = anyio.Event()
    if answers:
        return answers[0]
    raise failures[0] if failures else _telling(passing)


def _telling(passing: Sequence[VerifierError]) -> VerifierError:
    """The failure that tells most of why nobody answered."""
    ranked = [error for kind in (Overload, Refused) for error in passing if isinstance(error, kind)]
    return ranked[0] if ranked else passing[-1]

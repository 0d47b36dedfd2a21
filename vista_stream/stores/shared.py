"""What the stores that replicas share have in common: attempts, retries, giving up."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import ClassVar, Self, TypeAlias, TypeVar

import anyio

from vista_stream.core.common_ground import Statement
from vista_stream.errors import StoreError
from vista_stream.stores.coding import decode, encode
from vista_stream.stores.conversation import Bounds, Conversation, EndedTurn, after

T = TypeVar("T")
Change: TypeAlias = Callable[[str | bytes | None], str | None]
"""Makes the new text of a conversation of the old one; None leaves it as it is. May be called again."""

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
_CONTENDED = 0.01
_CONTENTION = 30.0
"""Seconds that a write goes on while others come before it: each time, one of them was added."""


class Conflict(Exception):
    """Another replica wrote the conversation meanwhile: it is read and written again."""


class SharedStore(ABC):
    """A ConversationStore over texts by name, which a subclass reads and swaps.

    An attempt that fails in passing is made again, after a pause that doubles, for `patience` seconds; then
    StoreError is raised. Until it answers again, each call makes one attempt: turns need not wait for a
    store that is known to be down.
    """

    errors: ClassVar[tuple[type[Exception], ...]] = ()
    """What its attempts raise, beside TimeoutError."""

    def __init__(self, *, bounds: Bounds | None, attempt: float, patience: float) -> None:
        if not attempt > 0 or not patience >= 0:
            raise ValueError(
                f"attempt must be seconds above 0 and patience from 0, not {attempt!r}, {patience!r}"
            )
        self.bounds = Bounds() if bounds is None else bounds
        self._attempt = attempt
        self._patience = patience
        self._down = False
        self._caught: tuple[type[Exception], ...] = (*self.errors, TimeoutError)

    # -- the protocol

    async def read(self, conversation: str) -> Conversation:
        """What is kept of a conversation; an empty one for an unknown or forgotten one."""
        return decode(await self._tried(lambda: self._fetch(conversation)))

    async def end_turn(self, conversation: str, turn: EndedTurn) -> Conversation:
        """Add a turn, once by its id, after all that ended before it; what is kept then."""
        kept = Conversation()

        def change(text: str | bytes | None) -> str | None:
            nonlocal kept
            before = decode(text)
            kept = after(before, turn, self.bounds)
            return None if kept is before else encode(kept)

        await self._tried(lambda: self._swap(conversation, change))
        return kept

    async def load(self, conversation: str) -> Sequence[Statement]:
        """The statements of a conversation that hold."""
        return (await self.read(conversation)).statements

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements to a conversation, as those of one more turn."""
        await self.end_turn(conversation, EndedTurn(statements=statements))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    # -- what a subclass gives

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the conversations are, for messages: no secret."""

    @abstractmethod
    async def aclose(self) -> None:
        """Let go of connections; a later call opens them again."""

    @abstractmethod
    async def _fetch(self, conversation: str) -> str | bytes | None:
        """The text of a conversation; None where there is none."""

    @abstractmethod
    async def _swap(self, conversation: str, change: Change) -> None:
        """Put the changed text in the old one's place, at once or not at all; may raise Conflict."""

    @abstractmethod
    def _passes(self, error: Exception) -> bool:
        """Whether an error may pass by itself, as one of a store that is down, slow or restarting."""

    # -- attempts

    async def _tried(self, call: Callable[[], Awaitable[T]]) -> T:
        begun = anyio.current_time()
        pause = _FIRST_PAUSE
        while True:
            try:
                with anyio.fail_after(self._attempt):
                    found = await call()
            except Conflict as conflict:
                if anyio.current_time() - begun > _CONTENTION:
                    raise StoreError(f"{self.place}: others kept writing this conversation") from conflict
                await anyio.sleep(random.uniform(0, _CONTENDED))
            except self._caught as error:
                left = begun + (0 if self._down else self._patience) - anyio.current_time()
                if left < pause or not (isinstance(error, TimeoutError) or self._passes(error)):
                    self._down = True
                    raise StoreError(self._told(error)) from error
                await anyio.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self._down = False
                return found

    def _told(self, error: Exception) -> str:
        if isinstance(error, TimeoutError) and not str(error):
            return f"{self.place} did not answer within {self._attempt:g} seconds"
        return f"{self.place} cannot be used: {error}"

"""Base class of the stores that replicas share: attempts, retries and time-outs."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import ClassVar, Self, TypeAlias, TypeVar

import anyio

from vista_stream.amounts import check_seconds
from vista_stream.core.common_ground import Statement
from vista_stream.errors import StoreError
from vista_stream.stores.coding import decode, encode
from vista_stream.stores.conversation import Bounds, Conversation, EndedTurn, after

T = TypeVar("T")
Change: TypeAlias = Callable[[str | bytes | None], str | None]
"""Takes a conversation's old text and returns the new one, or None for no change. Retries call it again."""

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
_CONTENDED = 0.01
_CONTENTION = 30.0
"""Seconds for which a write is retried while other replicas' writes come first; each conflict means that one
of those was added."""


class Conflict(Exception):
    """Another replica wrote the conversation meanwhile; the write is retried from a new read."""


class SharedStore(ABC):
    """A ConversationStore that keeps each conversation as one text; a subclass reads and replaces the texts.

    An attempt that fails with a temporary error is repeated, after a pause that doubles, for `patience`
    seconds; then StoreError is raised. After that each call makes a single attempt until one succeeds, so
    that turns do not wait for a store that is known to be down.
    """

    errors: ClassVar[tuple[type[Exception], ...]] = ()
    """The exceptions that its attempts raise, other than TimeoutError."""

    def __init__(self, *, bounds: Bounds | None, attempt: float, patience: float) -> None:
        check_seconds("attempt", attempt)
        check_seconds("patience", patience, zero=True)
        self.bounds = Bounds() if bounds is None else bounds
        self._attempt = attempt
        self._patience = patience
        self._down = False
        self._caught: tuple[type[Exception], ...] = (*self.errors, TimeoutError)

    # -- the protocol

    async def read(self, conversation: str) -> Conversation:
        """The kept conversation; an empty one for an unknown or forgotten key."""
        return decode(await self._tried(lambda: self._fetch(conversation)))

    async def end_turn(self, conversation: str, turn: EndedTurn) -> Conversation:
        """Add a turn, once by its id, after all that ended before it; returns the conversation with it."""
        kept = Conversation()

        def change(text: str | bytes | None) -> str | None:
            nonlocal kept
            before = decode(text)
            kept = after(before, turn, self.bounds)
            return None if kept is before else encode(kept)

        await self._tried(lambda: self._swap(conversation, change))
        return kept

    async def load(self, conversation: str) -> Sequence[Statement]:
        """The statements of a conversation that hold, each wording once."""
        return (await self.read(conversation)).statements

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements to a conversation, as one more turn."""
        await self.end_turn(conversation, EndedTurn(statements=statements))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with anyio.CancelScope(shield=True):
            await self.aclose()

    # -- methods that a subclass implements

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the conversations are, for error messages; without secrets."""

    @abstractmethod
    async def aclose(self) -> None:
        """Close the connections; a later call opens them again."""

    @abstractmethod
    async def _fetch(self, conversation: str) -> str | bytes | None:
        """The text of a conversation; None where there is none."""

    @abstractmethod
    async def _swap(self, conversation: str, change: Change) -> None:
        """Replace the text by the changed one, atomically; may raise Conflict."""

    @abstractmethod
    def _passes(self, error: Exception) -> bool:
        """Whether an error may be temporary, as of a store that is down, slow or restarting."""

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

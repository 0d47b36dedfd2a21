"""The protocols of a store of common ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from vista_stream.core.common_ground import Statement
from vista_stream.stores.conversation import Conversation, EndedTurn


class CommonGroundStore(Protocol):
    """Keeps the statements of each conversation in the order they were added."""

    async def load(self, conversation: str) -> Sequence[Statement]:
        """All statements of a conversation; empty for an unknown one. Raises StoreError."""
        ...

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements to a conversation. Raises StoreError."""
        ...


@runtime_checkable
class ConversationStore(CommonGroundStore, Protocol):
    """A store that several replicas share: it is read before each turn, and adds each turn as a whole."""

    async def read(self, conversation: str) -> Conversation:
        """What is kept of a conversation; an empty Conversation for an unknown one. Raises StoreError."""
        ...

    async def end_turn(self, conversation: str, turn: EndedTurn) -> Conversation:
        """Add a turn, once by its id, after all that ended before it; what is kept then.

        Turns that end at the same time are added one after the other. Raises StoreError, where the turn
        may or may not have been added: writing the same one again is safe.
        """
        ...

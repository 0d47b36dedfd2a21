"""The protocols of stores of common ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from vista_stream.core.common_ground import Statement
from vista_stream.stores.conversation import Conversation, EndedTurn


class CommonGroundStore(Protocol):
    """Keeps the statements of each conversation in the order they were added, retractions among them.

    A CommonGround of them leaves out what newer ones supersede or retract.
    """

    async def load(self, conversation: str) -> Sequence[Statement]:
        """The statements of a conversation; empty for an unknown one. Raises StoreError."""
        ...

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements to a conversation. Raises StoreError; they come again with later ones."""
        ...


@runtime_checkable
class ConversationStore(CommonGroundStore, Protocol):
    """A store that several replicas share: a session reads it before each turn, and adds whole turns."""

    async def read(self, conversation: str) -> Conversation:
        """The kept conversation; an empty one for an unknown key. Raises StoreError."""
        ...

    async def end_turn(self, conversation: str, turn: EndedTurn) -> Conversation:
        """Add a turn after all turns that ended before it; returns the conversation with the turn.

        Turns that end at the same time are added one after the other. A turn with the same id is added once.
        Raises StoreError; the turn may then have been added or not, and writing it again is safe.
        """
        ...

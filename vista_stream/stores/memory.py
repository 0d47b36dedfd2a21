"""Common ground in the memory of this process."""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.core.common_ground import Statement


class MemoryStore:
    """Keeps statements in memory, for all sessions that it is given to; they are lost with the process."""

    def __init__(self) -> None:
        self._conversations: dict[str, list[Statement]] = {}

    async def load(self, conversation: str) -> Sequence[Statement]:
        """All statements of a conversation; empty for an unknown one."""
        return tuple(self._conversations.get(conversation, ()))

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements to a conversation."""
        self._conversations.setdefault(conversation, []).extend(statements)

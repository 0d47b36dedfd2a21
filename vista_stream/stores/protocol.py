"""What a store of common ground is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from vista_stream.core.common_ground import Statement


class CommonGroundStore(Protocol):
    """Keeps the statements of each conversation in the order they were added."""

    async def load(self, conversation: str) -> Sequence[Statement]:
        """All statements of a conversation; empty for an unknown one. Raises StoreError."""
        ...

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements to a conversation. Raises StoreError."""
        ...

"""`BoundedStore`: the store of a `Guard` that is given none."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from vista_stream import Statement
from vista_stream.stores import Bounds, Conversation, EndedTurn, after


class BoundedStore:
    """Common ground in memory for the `limit` most recently used conversations.

    Of one conversation it keeps the latest statements, as many as `Bounds` allows by default.
    """

    def __init__(self, limit: int = 1000) -> None:
        if limit < 1:
            raise ValueError(f"limit must be a number of conversations above 0, not {limit}")
        self._limit = limit
        self._bounds = Bounds()
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._lock = Lock()  # synchronous clients in threads have an event loop each

    async def read(self, conversation: str) -> Conversation:
        """The kept conversation; an empty one for an unknown or forgotten key."""
        with self._lock:
            if conversation in self._conversations:
                self._conversations.move_to_end(conversation)
            return self._conversations.get(conversation, Conversation())

    async def end_turn(self, conversation: str, turn: EndedTurn) -> Conversation:
        """Add a turn, once by its id; over the limit, forget the least recently used conversation."""
        with self._lock:
            kept = after(self._conversations.get(conversation, Conversation()), turn, self._bounds)
            self._conversations[conversation] = kept
            self._conversations.move_to_end(conversation)
            if len(self._conversations) > self._limit:
                self._conversations.popitem(last=False)
            return kept

    async def load(self, conversation: str) -> Sequence[Statement]:
        """The statements of a conversation that hold, each wording once."""
        return (await self.read(conversation)).statements

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements to a conversation, as one more turn."""
        await self.end_turn(conversation, EndedTurn(statements=statements))

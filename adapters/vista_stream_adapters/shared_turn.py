"""A store that replicas share, as the session of a single turn sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream import Conversation, ConversationStore, EndedTurn, KeptStatement, Statement
from vista_stream_adapters.course import Asked


class SharedTurn:
    """A ConversationStore that numbers the turn by the history, and knows what was asked.

    An answer to what was asked before withdraws what the first answer and all after it had added: for its
    own session at once, in the store when its turn ends, for whichever replica goes on.
    """

    def __init__(
        self,
        store: ConversationStore,
        *,
        asked: Asked | None,
        question: str | None,
        turn: int,
        keeps: bool,
    ) -> None:
        self._store = store
        self._asked = Asked(()) if asked is None else asked
        self._question = question
        self._turn = turn
        self._keeps = keeps
        self._read = Conversation()

    async def read(self, conversation: str) -> Conversation:
        """What holds for the answer."""
        kept = await self._store.read(conversation)
        if self._asked.since is None:
            self._asked.since = kept.places  # of the first text: what all others are held to as well
        self._read = kept.asking(self._question, self._asked.since)
        return self._read

    async def end_turn(self, conversation: str, turn: EndedTurn) -> Conversation:
        """Add the turn where it is one that counts."""
        if not self._keeps:
            return self._with(turn.statements)
        asking = None if self._asked.since is None else self._question  # it was never read: nothing is known
        since = self._asked.since or 0
        numbered = replace(turn, turn=self._turn, question=asking, since=since)
        return await self._store.end_turn(conversation, numbered)

    def _with(self, statements: Sequence[Statement]) -> Conversation:
        """What the session alone goes on with."""
        own = [
            KeptStatement(statement=statement, place=place)
            for place, statement in enumerate(statements, self._read.places)
        ]
        return replace(self._read, kept=[*self._read.kept, *own], places=self._read.places + len(own))

    async def load(self, conversation: str) -> Sequence[Statement]:
        """The statements that hold for the answer."""
        return (await self.read(conversation)).statements

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements where the turn is one that counts."""
        await self.end_turn(conversation, EndedTurn(statements=statements))

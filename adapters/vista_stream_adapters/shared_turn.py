"""A store that replicas share, wrapped for the session of a single turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream import Statement
from vista_stream.stores import Conversation, ConversationStore, EndedTurn, KeptStatement
from vista_stream_adapters.course import Asked


class SharedTurn:
    """A ConversationStore for one turn: it numbers the turn and knows the question.

    `turn` is the number by the history; None for a request that holds none, whose turn is the store's next.

    An answer to a repeated question withdraws the statements of the first answer and of all later ones. They
    are withdrawn for its own session at once, and in the store, for all replicas, when its turn ends.
    """

    def __init__(
        self,
        store: ConversationStore,
        *,
        asked: Asked | None,
        question: str | None,
        turn: int | None,
        keeps: bool,
    ) -> None:
        self._store = store
        self._asked = Asked(()) if asked is None else asked
        self._question = question
        self._turn = turn
        self._keeps = keeps
        self._read = Conversation()

    async def read(self, conversation: str) -> Conversation:
        """The conversation as it holds for this answer."""
        kept = await self._store.read(conversation)
        if self._asked.since is None:
            # set by the answer's first text, and valid for all its texts
            self._asked.since, self._asked.turn = kept.places, kept.number(self._question)
        self._read = kept.asking(self._question, self._asked.since, self._asked.answer)
        return self._read

    async def end_turn(self, conversation: str, turn: EndedTurn) -> Conversation:
        """Add the turn to the store; with `keeps=False` only to the returned conversation."""
        if not self._keeps:
            return self._with(turn.statements)
        asking = None if self._asked.since is None else self._question  # None: the store was never read
        since = self._asked.since or 0
        number = self._asked.turn if self._turn is None else self._turn
        numbered = replace(turn, turn=number, question=asking, since=since, answer=self._asked.answer)
        return await self._store.end_turn(conversation, numbered)

    def _with(self, statements: Sequence[Statement]) -> Conversation:
        """The conversation with statements that only this session sees."""
        own = [
            KeptStatement(statement=statement, place=place)
            for place, statement in enumerate(statements, self._read.places)
        ]
        return replace(self._read, kept=[*self._read.kept, *own], places=self._read.places + len(own))

    async def load(self, conversation: str) -> Sequence[Statement]:
        """The statements that hold for the answer."""
        return (await self.read(conversation)).statements

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        """Add statements as one turn, as `end_turn` does."""
        await self.end_turn(conversation, EndedTurn(statements=statements))

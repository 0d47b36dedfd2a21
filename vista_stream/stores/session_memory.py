"""One session's copy of its conversation's common ground, read from and written to the store."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeVar

import anyio

from vista_stream.claims import Verdict
from vista_stream.core.common_ground import CommonGround, Statement
from vista_stream.errors import StoreError, VistaError
from vista_stream.report import TurnReport
from vista_stream.stores.conversation import Conversation, EndedTurn
from vista_stream.stores.protocol import CommonGroundStore, ConversationStore

logger = logging.getLogger("vista_stream")
_AnswerT = TypeVar("_AnswerT")

_STORING = 10.0
"""Most seconds that writing a turn may take; a turn that is left or cancelled waits for the write too."""
_UNSAVED = 100
"""Most turns that are kept while a store is down; earlier ones are lost."""


class SessionMemory:
    """Reads the store before a turn and writes to it after the turn.

    A store that fails either ends the turn or is noted in `error`, by `on_error`.
    """

    def __init__(
        self,
        store: CommonGroundStore,
        conversation: str,
        *,
        background: Iterable[Statement],
        on_error: Literal["continue", "raise"],
    ) -> None:
        self._store = store
        self._conversation = conversation
        self._background = tuple(background)
        self.on_error = on_error
        self._loaded = self._reading = False
        self._unsaved: list[EndedTurn] = []
        self._own: list[Statement] = []
        """What this session added while it could not load what was there before."""
        self._ended = self._written = 0
        self.ground = CommonGround(self._background)
        """Background knowledge and settled claims."""
        self.before = 0
        """Turns of the conversation before those of this session."""
        self.error = ""
        """Why the turn could not read the store, or could not write to it; empty where both worked."""

    async def recall(self) -> None:
        """Read the store: a shared store before each turn, any other once. May raise StoreError."""
        self.error, self._reading = "", True
        with self._tolerated():
            if isinstance(self._store, ConversationStore):
                self._take(await self._latest(self._store.read))
            elif not self._loaded:
                said = await self._latest(self._store.load)
                earlier = (each.turn + 1 for each in said if each not in self._own)
                self._rebuild(said)
                self.before = max(earlier, default=0)
            self._loaded = True
        self._reading = False

    async def keep(self, report: TurnReport, *, shown: Sequence[Verdict], references: Sequence[str]) -> None:
        """Add what a turn settled to the common ground and to the store. May raise StoreError.

        `shown` are the report's verdicts on sentences that the reader saw; what the reader did not see does
        not join the common ground.
        """
        if self._reading and report.unresolved:  # a turn without claims does not wait for the store
            self.error = "the store had not answered when the turn ended"
        new = self.ground.add_verdicts(shown, turn=self.before + self._ended)
        self._ended += 1
        await self._add(EndedTurn(statements=new, references=references))

    async def retract(self, text: str) -> bool:
        """Take a statement out of the common ground and the store's; False where there is none.

        May raise StoreError: before it is taken out where the store cannot be read, after where it cannot
        be written. A store that is tolerated is written to with the next turn; where it cannot be read, a
        statement that this session does not know is a StoreError.
        """
        await self.recall()
        if self.ground.get(text) is None:
            if self.error:  # it may be in the store
                raise StoreError(self.error)
            return False
        latest = self.before + self._ended - 1
        retraction = Statement(text=text, origin="retraction", turn=latest)
        self.ground.add(retraction)
        # As a part of the latest turn: it is none of its own, and the next one's number stays.
        await self._add(EndedTurn(statements=[retraction], turn=latest))
        return True

    async def _add(self, turn: EndedTurn) -> None:
        self._unsaved.append(turn)
        del self._unsaved[:-_UNSAVED]
        if not self._loaded:
            self._own += turn.statements
        with self._tolerated():
            with anyio.move_on_after(_STORING, shield=True) as storing:
                await self._write()
            if storing.cancelled_caught:
                raise StoreError(
                    f"the store took longer than {_STORING:g} seconds to take in a turn's claims"
                )

    async def _latest(self, read: Callable[[str], Awaitable[_AnswerT]]) -> _AnswerT:
        """The store's answer. It is asked again where a turn was written meanwhile, which it may lack."""
        while True:
            written = self._written
            answer = await read(self._conversation)
            if written == self._written:
                return answer

    async def _write(self) -> None:
        if not isinstance(self._store, ConversationStore):
            if new := self._not_written():
                await self._store.append(self._conversation, new)
            self._unsaved.clear()
            self._written += 1
            return
        while self._unsaved:
            kept = await self._store.end_turn(self._conversation, self._unsaved[0])
            del self._unsaved[0]
            self._written += 1
            if not self._unsaved:
                self._take(kept)

    def _take(self, conversation: Conversation) -> None:
        if not self._loaded:
            self.before, self._loaded = max(0, conversation.turns - self._ended), True
        self._rebuild(conversation.said)

    def _rebuild(self, said: Iterable[Statement]) -> None:
        """Rebuild the common ground: what the store keeps, then what could not be written yet."""
        self.ground = CommonGround([*self._background, *said, *self._not_written()])

    def _not_written(self) -> list[Statement]:
        return [statement for turn in self._unsaved for statement in turn.statements]

    @contextmanager
    def _tolerated(self) -> Iterator[None]:
        try:
            with store_errors():
                yield
        except StoreError as error:
            if self.on_error == "raise":
                raise
            self.error = str(error)
            logger.warning("a turn goes on without the store of conversations: %s", error)


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn an exception of a store into StoreError; the package's own exceptions stay."""
    try:
        yield
    except VistaError:
        raise
    except Exception as error:
        raise StoreError(f"the store raised {type(error).__name__}: {error}") from error

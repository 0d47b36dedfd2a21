"""One session's copy of its conversation's common ground, read from and written to the store."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

import anyio

from vista_stream.claims import Verdict
from vista_stream.core.common_ground import CommonGround, Statement
from vista_stream.errors import StoreError, VistaError
from vista_stream.report import TurnReport
from vista_stream.stores.conversation import Conversation, EndedTurn
from vista_stream.stores.protocol import CommonGroundStore, ConversationStore

logger = logging.getLogger("vista_stream")

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
        self._on_error = on_error
        self._loaded = self._reading = False
        self._unsaved: list[EndedTurn] = []
        self._ended = 0
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
                self._take(await self._store.read(self._conversation))
            elif not self._loaded:
                for statement in await self._store.load(self._conversation):
                    self.ground.add(statement)
                    self.before = max(self.before, statement.turn + 1)
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
        await self._add(new, EndedTurn(statements=new, references=references))

    async def retract(self, text: str) -> bool:
        """Take a statement out of the common ground and the store's; False where there is none.

        May raise StoreError: before it is taken out where the store cannot be read, after where it cannot
        be written.
        """
        await self.recall()
        if self.ground.get(text) is None:
            return False
        latest = self.before + self._ended - 1
        retraction = Statement(text=text, origin="retraction", turn=latest)
        self.ground.add(retraction)
        # As a part of the latest turn: it is none of its own, and the next one's number stays.
        await self._add([retraction], EndedTurn(statements=[retraction], turn=latest))
        return True

    async def _add(self, new: Sequence[Statement], turn: EndedTurn) -> None:
        shared = isinstance(self._store, ConversationStore)
        if shared:
            self._unsaved.append(turn)
            del self._unsaved[:-_UNSAVED]
        if not new and not shared:
            return
        with self._tolerated():
            with anyio.move_on_after(_STORING, shield=True) as storing:
                await self._write(new)
            if storing.cancelled_caught:
                raise StoreError(
                    f"the store took longer than {_STORING:g} seconds to take in a turn's claims"
                )

    async def _write(self, new: Sequence[Statement]) -> None:
        if not isinstance(self._store, ConversationStore):
            await self._store.append(self._conversation, new)
            return
        while self._unsaved:
            kept = await self._store.end_turn(self._conversation, self._unsaved[0])
            del self._unsaved[0]
            if not self._unsaved:
                self._take(kept)

    def _take(self, conversation: Conversation) -> None:
        """Rebuild the common ground: what the store keeps, then what could not be written yet."""
        if not self._loaded:
            self.before, self._loaded = max(0, conversation.turns - self._ended), True
        unsaved = [statement for turn in self._unsaved for statement in turn.statements]
        self.ground = CommonGround([*self._background, *conversation.said, *unsaved])

    @contextmanager
    def _tolerated(self) -> Iterator[None]:
        try:
            with _store_errors():
                yield
        except StoreError as error:
            if self._on_error == "raise":
                raise
            self.error = str(error)
            logger.warning("a turn goes on without the store of conversations: %s", error)


@contextmanager
def _store_errors() -> Iterator[None]:
    """Turn an exception of a store into StoreError; the package's own exceptions stay."""
    try:
        yield
    except VistaError:
        raise
    except Exception as error:
        raise StoreError(f"the store raised {type(error).__name__}: {error}") from error

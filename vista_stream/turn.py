"""The async shell of one turn: reads the source, verifies claims, drives the protocol."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from math import inf
from types import TracebackType
from typing import Self

import anyio
from anyio.abc import TaskGroup

from vista_stream.claims import Claim, Draft, UnresolvedReason, Verdict
from vista_stream.clock import TurnClock
from vista_stream.core.text.segmenter import Segment
from vista_stream.core.turn import TurnProtocol
from vista_stream.detached import spawn
from vista_stream.errors import BadDelta, SessionStateError, StoreError, UpstreamError
from vista_stream.events import Event, IndexingProgress, TurnEnded
from vista_stream.failures import apart, cancelled_within, one_error, reason_of, withheld_by
from vista_stream.inbox import Inbox
from vista_stream.outbox import Outbox
from vista_stream.report import TurnReport
from vista_stream.shown import Seen, ShownText
from vista_stream.source import LONGEST_PIECE, Deltas, pieces, pump
from vista_stream.stages.progress import following
from vista_stream.story import Story
from vista_stream.turn_stages import TurnParts, TurnStages

logger = logging.getLogger("vista_stream")

_UNREAD_DELTAS = 64
_UNREAD_EVENTS = 256
_TICK = 0.01
_STRAGGLING = 1.0
"""Seconds that leaving a turn waits for stage work that cannot be cancelled."""
_BACKLOG = 64
"""Segments held back from which on the source has to wait (backpressure)."""
_BACKLOG_AT_ONCE = 32
"""The same for a delta longer than LONGEST_PIECE. It is lower because the deadlines of all its sentences
start when they are received."""


class Turn:
    """One guarded assistant turn: enter it with `async with`, then iterate its events or its `text()`.

    Leaving the block early cancels the turn and closes the source. What was read until then counts as shown,
    and the report tells of it (`TurnReport.left`), but for `discard`. An error of the source is raised as
    UpstreamError, after all text received before it was decided. An error of a callback is raised unchanged.
    """

    def __init__(self, deltas: Deltas, *, query: str | None, parts: TurnParts) -> None:
        self._deltas = deltas
        self._parts = parts
        self._protocol = TurnProtocol(parts.policy)
        self._inbox = Inbox(_UNREAD_DELTAS)
        self._outbox: Outbox[Event] = Outbox(_UNREAD_EVENTS)
        self._room = anyio.Event()
        self._prepared = anyio.Event()
        self._clock = TurnClock()
        self._indexed_at = -inf
        """When indexing last went on, by the clock."""
        self._progress: list[Event] = []
        self._stages = TurnStages(parts, query=query)
        self._story = Story(with_text=parts.log_text)
        self._query = query
        self._scope: anyio.CancelScope | None = None
        """Encloses all the turn's tasks; None until the turn is entered."""
        self._source_left, self._driven, self._over = anyio.Event(), anyio.Event(), anyio.Event()
        self._told_end = self._many_steps = self._inside = False
        self._failure: BaseException | None = None
        self._broken_source: Exception | None = None
        self._report: TurnReport | None = None
        self._seen = Seen()

    # -- for the user

    @property
    def report(self) -> TurnReport:
        """The report of the turn; raises SessionStateError before its end."""
        if self._report is not None:
            return self._report
        raise SessionStateError("the turn has not ended: read its events to the end first")

    async def __aenter__(self) -> Self:
        if self._scope is not None:
            raise SessionStateError("a turn can be entered once")
        self._parts.on_enter()
        self._inside = True
        self._sentences_in, self._sentences = anyio.create_memory_object_stream[Segment](inf)
        self._due_in, self._due = anyio.create_memory_object_stream[Segment](inf)
        try:
            self._story.begin(self._parts.policy, self._query)
            self._scope = anyio.CancelScope()
            # Not in a task group, which must be left in the task that entered it: a generator around the turn
            # may be closed in another task.
            spawn(self._live)
        except BaseException:
            self._leave()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._scope is not None
        self._scope.cancel()
        try:
            with anyio.CancelScope(shield=True):
                await self._source_left.wait()
                await self._driven.wait()
                with anyio.move_on_after(_STRAGGLING):
                    await self._over.wait()
                if self._report is None:
                    self._report = self._stages.entered_in(self._seen.cut(self._protocol.report()))
                    failing = error is not None or self._failure is not None
                    self._report = await self._stages.remembered(
                        self._report, shown=self._seen.has, failing=failing
                    )
        finally:
            self._leave()
        if error is None and self._failure is not None:
            raise self._take_failure()

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        if self._scope is None:
            raise SessionStateError("enter the turn first: async with session.turn(...) as turn")
        event = await anext(self._outbox, None)
        if event is not None:
            self._seen.take(event)
            return event
        if self._failure is not None:
            raise self._take_failure()
        raise StopAsyncIteration

    def text(self) -> AsyncIterator[str]:
        """The text that the user may see, as soon as it is decided: released text, marks and replacements.

        Raises SessionStateError in optimistic mode, where text may be retracted: iterate the events there.
        """
        if self._parts.policy.mode == "optimistic":
            raise SessionStateError("text() cannot take text back: in optimistic mode iterate the events")
        return ShownText(self)

    def discard(self) -> None:
        """Nothing of what was read has been shown: if the turn is left early, nothing of it counts."""
        self._seen.discard()

    async def drain(self) -> TurnReport:
        """Read the turn to its end, so that its callbacks run, and return its report."""
        async for _ in self:
            pass
        return self.report

    # -- tasks

    async def _live(self) -> None:
        assert self._scope is not None
        try:
            with self._scope:
                await self._run()
        finally:
            if not (self._told_end or self._left):
                self._failure = self._failure or cancelled_within()
            self._outbox.close()
            for done in (self._source_left, self._driven, self._over):
                done.set()

    async def _run(self) -> None:
        """Run the turn's tasks; keep the error that ended them for the reader."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read)
                tasks.start_soon(self._prepare)
                tasks.start_soon(self._decompose)
                tasks.start_soon(self._watch)
                try:
                    await self._drive(tasks)
                finally:
                    self._driven.set()
                self._failure = withheld_by(self._protocol.raises) or self._broken_source
                self._outbox.close()  # the reader need not wait for work that cannot be cancelled
                tasks.cancel_scope.cancel()
        except Exception as error:
            self._failure = one_error(error)
        except BaseExceptionGroup as error:
            failure, cancelled = apart(error)
            self._failure = failure or self._failure
            if cancelled is not None:
                raise cancelled from None

    async def _read(self) -> None:
        try:
            await pump(self._deltas, self._receive_delta)
        except BadDelta:
            raise
        except Exception as error:
            if self._left or not self._protocol.wants_text:
                logger.warning("the source of deltas raised %s when it was left", type(error).__name__)
                return
            broken = UpstreamError(f"the source of deltas raised {type(error).__name__}: {error}")
            broken.__cause__ = error
            self._broken_source = broken
        finally:
            self._source_left.set()
        self._inbox.post(self._end_of_source)

    async def _receive_delta(self, delta: str) -> bool:
        at_once = len(delta) > LONGEST_PIECE
        for piece in pieces(delta) if at_once else (delta,):
            if self._inbox.full:
                await self._inbox.taken()
            self._inbox.post(self._feed, piece, self._clock.now())
            if at_once:
                await self._inbox.taken()
            while self._protocol.backlog >= (_BACKLOG_AT_ONCE if at_once else _BACKLOG):
                if not self._protocol.wants_text:
                    return False
                self._room = anyio.Event()
                await self._room.wait()
        return self._protocol.wants_text

    async def _drive(self, tasks: TaskGroup) -> None:
        """The only task that touches the protocol's state and emits events."""
        while not self._protocol.ended:
            for verb, args in await self._inbox.take():
                verb(*args)
                if self._protocol.ended:
                    break
            for sentence in self._protocol.sentences_to_decompose():
                self._stages.expect(sentence)
                self._sentences_in.send_nowait(sentence)
                self._due_in.send_nowait(sentence)
            if self._stages.foresees:
                self._stages.look_ahead(*self._protocol.foreseeable, tasks)
            for claim in self._protocol.claims_to_verify():
                tasks.start_soon(self._verify, claim)
            progress, self._progress = self._progress, []
            for event in (*progress, *self._protocol.events()):
                with self._clock.still:
                    await self._emit(event)
            self._room.set()

    async def _emit(self, event: Event) -> None:
        if isinstance(event, TurnEnded):
            await self._outbox.all_taken()  # what nobody read was not shown
            self._report = self._stages.entered_in(event.report)
            self._report = await self._stages.ended(self._report, shown=self._seen.has)
            event = replace(event, report=self._report)
        self._story.tell(event)
        await self._parts.call_back(event)
        await self._outbox.put(event)
        self._told_end = isinstance(event, TurnEnded)

    async def _prepare(self) -> None:
        try:
            with following(self._follow):
                await self._stages.prepare()
        except (StoreError, SessionStateError):
            raise
        except Exception as failure:
            self._stages.excused(failure)  # where it matters, each claim meets the error again
        self._inbox.post(self._prepared.set)  # the driver may have waited for it to look ahead

    async def _decompose(self) -> None:
        async for sentence in self._sentences:
            if not self._protocol.awaits_claims(sentence):
                continue
            drafts: Sequence[Draft] | None = None
            error: Exception | None = None
            while not self._prepared.is_set() and (left := self._remaining(sentence.index)):
                with anyio.move_on_after(left):  # more may be left then: indexing goes on
                    await self._prepared.wait()
            with anyio.move_on_after(self._remaining(sentence.index)):
                await self._prepared.wait()
                try:
                    drafts = await self._stages.drafts(sentence)
                except Exception as failure:
                    error = self._stages.excused(failure)
            if drafts is not None:
                self._inbox.post(self._receive_claims, sentence, drafts)
            else:
                reason = UnresolvedReason.DEADLINE if error is None else reason_of(error)
                self._inbox.post(self._receive_undecomposed, sentence, reason, error)

    async def _verify(self, claim: Claim) -> None:
        if not self._protocol.awaits(claim):
            return
        verdict: Verdict | None = None
        error: Exception | None = None
        with anyio.move_on_after(self._remaining(claim.sentence)):
            try:
                verdict = await self._stages.verdict(claim)
            except Exception as failure:
                error = self._stages.excused(failure)
        self._inbox.post(self._receive_outcome, claim, verdict, error)

    async def _watch(self) -> None:
        """Expire sentences whose deadline passed while a stage works in a thread that cannot be cancelled."""
        async for sentence in self._due:
            while self._protocol.awaits_claims(sentence):
                if not (left := self._remaining(sentence.index)):
                    self._inbox.post(self._expire, sentence)
                    break
                await anyio.sleep(max(left, _TICK))  # time may still be left then: the clock can be stopped

    def _follow(self, done: int, total: int) -> None:
        """Note that indexing goes on; what takes one step alone is not worth an event."""
        self._indexed_at = self._clock.now()
        if 0 < done < total or self._many_steps:
            self._many_steps = True
            self._inbox.post(self._progress.append, IndexingProgress(done=done, total=total))

    # -- what the other tasks post to the inbox for the driver to run

    def _feed(self, delta: str, at: float) -> None:
        if self._protocol.wants_text:
            self._protocol.receive_text(delta, at=at)

    def _end_of_source(self) -> None:
        if not self._protocol.ended:
            self._protocol.receive_end(at=self._clock.now())

    def _receive_claims(self, sentence: Segment, drafts: Sequence[Draft]) -> None:
        if self._protocol.awaits_claims(sentence):
            self._protocol.receive_claims(sentence, drafts, at=self._clock.now())

    def _receive_undecomposed(
        self, sentence: Segment, reason: UnresolvedReason, error: Exception | None
    ) -> None:
        if self._protocol.awaits_claims(sentence):
            self._protocol.receive_undecomposed(sentence, reason, error=error, at=self._clock.now())

    def _receive_outcome(self, claim: Claim, verdict: Verdict | None, error: Exception | None) -> None:
        if not self._protocol.awaits(claim):
            return
        if verdict is not None:
            self._protocol.receive_verdict(verdict, at=self._clock.now())
        elif error is not None:
            self._protocol.receive_unresolved(claim, reason_of(error), error=error, at=self._clock.now())
        else:
            self._protocol.receive_timeout(claim, at=self._clock.now())

    def _expire(self, sentence: Segment) -> None:
        if self._protocol.awaits_claims(sentence):
            self._protocol.receive_expiry(sentence, at=self._clock.now())

    # -- small parts

    @property
    def _left(self) -> bool:
        return self._scope is not None and self._scope.cancel_called

    def _remaining(self, index: int) -> float:
        """Seconds until the deadline of a sentence's claims; it stands still while indexing goes on."""
        if (certain := self._protocol.certain(index)) is None:  # it expired while the caller waited
            return 0.0
        passed = self._clock.now() - max(certain, self._indexed_at)
        return max(0.0, self._parts.policy.deadline - passed)

    def _take_failure(self) -> BaseException:
        failure, self._failure = self._failure, None
        assert failure is not None
        self._story.fail(failure)
        return failure

    def _leave(self) -> None:
        if self._inside:  # once: the session may be another turn's by now
            self._inside = False
            self._parts.on_leave()
        self._outbox.close(drop=True)
        for stream in (self._sentences_in, self._sentences, self._due_in, self._due):
            stream.close()

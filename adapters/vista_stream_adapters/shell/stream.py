"""Runs a guarded answer: reads the upstream, guards each lane in a turn, and yields the events to send."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Generic, Self

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from vista_stream import Event, TextReleased, TextReplaced, TextWithheld, UpstreamError
from vista_stream.failures import cancelled_within, one_error
from vista_stream_adapters.course import Asked
from vista_stream_adapters.guard import Guard, Message, Outcome
from vista_stream_adapters.rewrite.dialect import Dialect, Done, E, Sequencer, Slot, StreamDialect
from vista_stream_adapters.rewrite.lane_log import Lane, LaneLog, Payload, Text
from vista_stream_adapters.rewrite.placement import Placement
from vista_stream_adapters.rewrite.sse import SseDecoder, SseEvent
from vista_stream_adapters.rewrite.vista_field import outcome_field
from vista_stream_adapters.rewrite.wire import objects_in
from vista_stream_adapters.shell.kept import Kept
from vista_stream_adapters.shell.text import guard_text

_UNREAD = 16
_PIECE = 1024
"""Largest piece of a delta, in characters, that a turn gets at a time."""
_TAIL = 0.2
"""Seconds in which an upstream may end its stream by itself after the last event."""
_END = object()


class GuardedEvents(Generic[E]):
    """One streamed answer under guard: enter it with `async with`, then iterate over the events to send.

    Args:
        upstream: the answer's events.
        dialect: the dialect of their protocol, made for the request.
        guard: makes a session for each guarded text.
        conversation: key under which the common ground is kept.
        close: closes the upstream; called once, as soon as nothing more of it is needed.

    Errors are raised after everything received before them. An error of the upstream is raised unchanged.
    Upstream data that cannot be read raises UpstreamError, and a policy that raises gives TurnWithheld. A
    cancellation that comes from elsewhere, as of a task inside an SDK, raises VistaError.
    Leaving the block closes the upstream. Backpressure bounds the memory: a slow reader slows the upstream.
    """

    def __init__(
        self,
        upstream: AsyncIterator[E],
        dialect: StreamDialect[E],
        guard: Guard,
        *,
        conversation: str | None = None,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._upstream = upstream
        self._close = close
        self._dialect = dialect
        self._messages = Asked(dialect.messages)
        self._guard = guard
        self._conversation = conversation
        self._sequencer = Sequencer(
            dialect, show_withheld=guard.show_withheld, values=guard.json_values == "guard"
        )
        self._sources: dict[Lane, MemoryObjectSendStream[str]] = {}
        self._receivers: list[MemoryObjectReceiveStream[str]] = []
        self._ended: set[Lane] = set()
        self._broken: BaseException | None = None
        self._failure: BaseException | None = None
        self._tasks: TaskGroup | None = None
        self._posts_in, self._posts = anyio.create_memory_object_stream[object](_UNREAD)
        self._send, self._receive = anyio.create_memory_object_stream[E](_UNREAD)

    async def __aenter__(self) -> Self:
        self._reading = anyio.CancelScope()
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._run)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._tasks is not None
        self._tasks.cancel_scope.cancel()
        try:
            await self._tasks.__aexit__(None, None, None)
        finally:
            self._posts_in.close()
            self._posts.close()
            self._send.close()
            self._receive.close()
            for source in self._sources.values():
                source.close()
            for receiver in self._receivers:
                receiver.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> E:
        try:
            return await self._receive.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            failure, self._failure = self._failure, None
            if failure is not None:
                raise failure from failure.__cause__
            raise StopAsyncIteration from None

    # -- tasks: the reader and the lanes post to the driver's inbox; only the driver sends events

    async def _run(self) -> None:
        driven = False
        try:
            with Kept() as kept:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._read, tasks)
                    await self._drive()
                    driven = True
                    tasks.cancel_scope.cancel()
            self._failure = self._broken if kept.error is None else one_error(kept.error)
            if not driven:  # the block was not left, but the task group cancelled its own tasks
                self._failure = self._failure or cancelled_within()
        finally:
            self._send.close()

    async def _read(self, tasks: TaskGroup) -> None:
        """Read the upstream and dispatch its steps until it ends or nothing more is needed."""
        try:
            with Kept() as kept, self._reading:
                await self._read_events(tasks)
            self._broken = kept.error
        finally:
            if self._close is not None:
                with anyio.CancelScope(shield=True):
                    await self._close()
        for lane in list(self._sources):
            await self._end_lane(lane)
        await self._tell(_END)

    async def _read_events(self, tasks: TaskGroup) -> None:
        async for event in self._upstream:
            if await self._receive_event(event, tasks):
                await self._read_tail()
                return

    async def _read_tail(self) -> None:
        """Drop what comes after the last event: a connection that was read to its end can be used again."""
        with anyio.move_on_after(_TAIL), suppress(Exception):
            async for _ in self._upstream:
                pass

    async def _receive_event(self, event: E, tasks: TaskGroup) -> bool:
        """Dispatch the steps of an event; returns whether it ends the answer."""
        last = False
        for step in self._dialect.receive(event):
            if isinstance(step, Text):
                await self._receive_text(step, tasks)
            elif isinstance(step, Done):
                await self._end_lane(step.lane)
            else:
                last = last or step.last
                self._sequencer.receive(step)
                await self._tell(None)
        return last

    async def _receive_text(self, step: Text, tasks: TaskGroup) -> None:
        if step.lane in self._ended:
            # The lane's turn has ended: a new turn would begin in the middle of a sentence.
            raise UpstreamError("the upstream sent text after its end: it cannot be guarded")
        read = self._sequencer.receive(step)
        if step.lane not in self._sources:
            self._sources[step.lane], source = anyio.create_memory_object_stream[str](_UNREAD)
            self._receivers.append(source)
            tasks.start_soon(self._guard_lane, step.lane, source)
        # Short pieces, since the queue's bound counts items, not characters. A stopped turn reads no more
        # (BrokenResourceError), while other lanes may continue.
        with suppress(anyio.BrokenResourceError):
            for start in range(0, len(read), _PIECE):
                await self._sources[step.lane].send(read[start : start + _PIECE])
        if not read:
            await self._tell(None)

    async def _end_lane(self, lane: Lane) -> None:
        if (source := self._sources.pop(lane, None)) is not None:
            self._ended.add(lane)
            async with source:
                if rest := self._sequencer.receive(Done(lane=lane)):
                    with suppress(anyio.BrokenResourceError):  # the turn was stopped
                        await source.send(rest)

    async def _guard_lane(self, lane: Lane, source: MemoryObjectReceiveStream[str]) -> None:
        with Kept() as kept:
            outcome = await guard_text(
                source,
                partial(self._take, lane),
                guard=self._guard,
                messages=self._messages,
                conversation=self._conversation,
                keeps=lane.keeps,
            )
            self._sequencer.end(lane, outcome)
        await self._tell(kept.error)

    async def _take(self, lane: Lane, event: Event) -> None:
        self._sequencer.take(lane, event)
        if isinstance(event, TextReleased | TextReplaced | TextWithheld):
            await self._tell(None)

    async def _tell(self, what: object) -> None:
        await self._posts_in.send(what)

    async def _drive(self) -> None:
        over = False
        while not (over and self._sequencer.drained):
            post = await self._posts.receive()
            over = over or post is _END
            for event in self._sequencer.ready():
                await self._send.send(event)
            if isinstance(post, BaseException):
                raise post
            if self._sequencer.over:
                self._reading.cancel()
        if self._sequencer.over:
            for event in self._dialect.close():
                await self._send.send(event)


class GuardedStream(GuardedEvents[SseEvent]):
    """As `GuardedEvents`, for an `upstream` that yields the bytes of server-sent events."""

    def __init__(
        self,
        upstream: AsyncIterator[bytes],
        dialect: Dialect,
        guard: Guard,
        *,
        conversation: str | None = None,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        events = decoded(upstream)

        async def close_both() -> None:
            await events.aclose()
            if close is not None:
                await close()

        super().__init__(events, dialect, guard, conversation=conversation, close=close_both)


async def decoded(upstream: AsyncIterator[bytes]) -> AsyncGenerator[SseEvent]:
    """The events of a stream's bytes, with a last one that no line end follows.

    Raises UpstreamError for an event that is too long.
    """
    decoder = SseDecoder()
    async for chunk in upstream:
        try:
            events = decoder.feed(chunk)
        except ValueError as error:
            raise UpstreamError(f"the upstream's stream cannot be read: {error}") from error
        for event in events:
            yield event
    for event in decoder.finish():
        yield event


async def guard_body(
    body: Payload, dialect: Dialect, guard: Guard, *, conversation: str | None = None
) -> Payload:
    """Guard an answer that was not streamed; `body` is changed in place and returned.

    Each text's verdicts are in a `vista` field beside it. A list of answers is guarded one by one. Raises
    TurnWithheld where the policy raises.
    """
    if body.get("object") == "list":
        for answer in objects_in(body, "data"):
            await guard_body(answer, dialect, guard, conversation=conversation)
        return body
    await guard_slots(dialect.slots(body), guard, messages=dialect.messages, conversation=conversation)
    return body


async def guard_slots(
    slots: Iterable[Slot], guard: Guard, *, messages: Sequence[Message], conversation: str | None = None
) -> None:
    """Guard the text of each slot and put the released text in its place.

    After a stop the later slots of the same track become empty. Raises TurnWithheld where the policy raises.
    """
    stopped: set[int] = set()
    messages = Asked(messages)
    for slot in slots:
        if slot.lane.track in stopped:
            slot.put("", {}, placement=Placement(), changed=True, stopped=False)
            continue
        values = guard.json_values == "guard"
        log = LaneLog(slot.lane, show_withheld=guard.show_withheld, values=values)
        read = log.feed(Text(lane=slot.lane, text=slot.text)) + log.feed_end()

        outcome = await guard_text(
            [read],
            log,
            guard=guard,
            messages=messages,
            conversation=conversation,
            keeps=slot.lane.keeps,
        )
        _put(slot, log, outcome)
        if outcome.report.stopped:
            stopped.add(slot.lane.track)


def _put(slot: Slot, log: LaneLog, outcome: Outcome) -> None:
    sent = list(iter(lambda: log.next(log.received), None))
    placement = Placement()
    for piece in sent:
        placement.add(piece)
    text = "".join(piece.text for piece in sent) + log.text.finish(stopped=outcome.report.stopped)
    vista = {
        "verdicts": [verdict for piece in sent for verdict in piece.vista.get("verdicts", ())],
        "unresolved": [claim for piece in sent for claim in piece.vista.get("unresolved", ())],
        **outcome_field(outcome),
    }
    slot.put(text, vista, placement=placement, changed=text != slot.text, stopped=outcome.report.stopped)

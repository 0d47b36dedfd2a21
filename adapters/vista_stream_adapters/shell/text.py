"""Guards one text that is given as deltas."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress

from vista_stream import Event, SessionStateError, TurnEnded
from vista_stream_adapters.guard import Guard, Message, Outcome
from vista_stream_adapters.rewrite.lane_log import Lane, LaneLog, Sent
from vista_stream_adapters.rewrite.vista_field import outcome_field
from vista_stream_adapters.shell.detached import Detached


async def guard_text(
    deltas: AsyncIterable[str] | Iterable[str],
    take: Callable[[Event], Awaitable[None]] | LaneLog,
    *,
    guard: Guard,
    messages: Sequence[Message],
    conversation: str | None = None,
    keeps: bool = True,
) -> Outcome:
    """Run one turn that answers `messages`; `take`, or the log, gets all its events except TurnEnded.

    Of a turn that is left or fails, what `take` was given counts as shown. What a log was given does not:
    nothing of it is sent before the end.
    """
    session, query = await guard.open_session(messages, conversation, keeps=keeps)
    turn = session.turn(deltas, query=query)
    try:
        async with turn:
            try:
                async for event in turn:
                    if isinstance(event, TurnEnded):
                        continue
                    if isinstance(take, LaneLog):
                        take.take(event)
                    else:
                        await take(event)
            except BaseException:
                if isinstance(take, LaneLog):
                    turn.discard()
                raise
    except BaseException:
        with suppress(SessionStateError):  # it was never entered, or was cancelled again while it was left
            guard.settle(turn.report, conversation, whole=False)
        raise
    return guard.settle(turn.report, conversation)


def guarded_pieces(
    deltas: AsyncIterable[str] | Iterable[str],
    *,
    guard: Guard,
    messages: Sequence[Message],
    conversation: str | None = None,
) -> Detached[Sent]:
    """The released pieces of an answer to `messages`, each with its verdicts.

    The last piece has no text; its `vista` is the outcome. Close the iterator (`aclosing`) if it is not read
    to its end: that closes the deltas.
    """

    async def run(send: Callable[[Sent], Awaitable[None]]) -> None:
        log = LaneLog(Lane(track=0, part="text"), show_withheld=guard.show_withheld)

        async def take(event: Event) -> None:
            log.take(event)
            for sent in log.ready():
                await send(sent)

        outcome = await guard_text(deltas, take, guard=guard, messages=messages, conversation=conversation)
        await send(Sent(text="", vista=outcome_field(outcome)))

    return Detached(run)

"""Guards one text that is given as deltas."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Sequence

from vista_stream import Event, TurnEnded
from vista_stream_adapters.guard import Guard, Message, Outcome
from vista_stream_adapters.rewrite.lane_log import Lane, LaneLog, Sent
from vista_stream_adapters.rewrite.vista_field import outcome_field
from vista_stream_adapters.shell.detached import Detached


async def guard_text(
    deltas: AsyncIterable[str] | Iterable[str],
    take: Callable[[Event], Awaitable[None]],
    *,
    guard: Guard,
    messages: Sequence[Message],
    conversation: str | None = None,
    keeps: bool = True,
) -> Outcome:
    """Run one turn that answers `messages`; `take` gets all its events except TurnEnded.

    A turn that is left or fails is settled with what `take` had got until then.
    """
    session, query = await guard.open_session(messages, conversation, keeps=keeps)
    turn = session.turn(deltas, query=query)
    try:
        async with turn:
            async for event in turn:
                if not isinstance(event, TurnEnded):
                    await take(event)
    finally:
        outcome = guard.settle(turn.report, conversation)
    return outcome


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

"""Keeps a guarded stream in the upstream's order: an event that passes waits for the text before it. No I/O.

A `Dialect` knows one protocol. It turns the upstream's events into steps: text of a lane, the end of a lane,
or an event that passes unguarded. A lane is one guarded text, which gets its own turn. The lanes of one
track are sent one after another; tracks are independent of each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from vista_stream import Event
from vista_stream_adapters.guard import Message, Outcome
from vista_stream_adapters.rewrite.lane_log import Lane, LaneLog, Payload, Sent, Text
from vista_stream_adapters.rewrite.placement import Placement
from vista_stream_adapters.rewrite.sse import SseEvent
from vista_stream_adapters.rewrite.vista_field import outcome_field

E = TypeVar("E")
"""Type of the events of the answer's protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The end of a lane: it gets no more text."""

    lane: Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass(Generic[E]):
    """An event that passes after everything before it on its track; with track None, on all tracks."""

    track: int | None
    event: E
    payload: Payload | None = None
    """The JSON object in the event's data; None where the data is not JSON."""
    last: bool = False
    """Whether it ends the answer: nothing that the upstream sends after it is read."""


Step: TypeAlias = Text | Done | Pass[SseEvent]


class StreamDialect(Protocol[E]):
    """Translates one streamed answer from and to the events of its protocol; no I/O."""

    messages: Sequence[Message]
    """The request's messages, as chat messages."""

    def receive(self, event: E) -> list[Text | Done | Pass[E]]:
        """The steps of the upstream's next event; raises UpstreamError where it cannot be read."""
        ...

    def say(self, lane: Lane, sent: Sent) -> list[E]:
        """Events that carry text of a lane."""
        ...

    def end(self, lane: Lane, vista: Payload, *, stopped: bool) -> list[E]:
        """Events at a lane's end; after a stop, all events that finish the track for its reader."""
        ...

    def go_on(self, step: Pass[E]) -> list[E]:
        """The events to send for an event that passes; they must hold no text that was not released."""
        ...

    def close(self) -> list[E]:
        """Events that end a stopped answer, in place of the upstream's last events."""
        ...

    def over(self, stopped: set[int], ended: set[int]) -> bool:
        """Whether nothing more is needed from the upstream, given the tracks that were stopped or ended."""
        ...


class Dialect(StreamDialect[SseEvent], Protocol):
    """The dialect of one HTTP API, for one response; no I/O."""

    @property
    def finished(self) -> bool:
        """Whether the sent events form a complete stream of the protocol; it may end with an error."""
        ...

    @property
    def failed(self) -> bool:
        """Whether an error of the upstream was sent."""
        ...

    def slots(self, body: Payload) -> list[Slot]:
        """The guarded texts of an answer that was not streamed."""
        ...


class Slot(Protocol):
    """A guarded text in the body of an answer that was not streamed."""

    lane: Lane
    text: str

    def put(self, sent: str, vista: Payload, *, placement: Placement, changed: bool, stopped: bool) -> None:
        """Replace the text by what was released, `sent`, and add the `vista` field.

        `placement` maps positions in the text to positions in `sent`. `changed` says whether the two
        differ, `stopped` whether the policy stopped the answer here.
        """
        ...


@dataclass(slots=True)
class _Run:
    """A stretch of a lane's text in the order of its track, up to `end`; None stands for the lane's end."""

    log: LaneLog
    end: int | None


class Sequencer(Generic[E]):
    """Merges the turns' events and the events that pass into the upstream's order."""

    def __init__(
        self, dialect: StreamDialect[E], *, show_withheld: bool = False, values: bool = True
    ) -> None:
        self._dialect = dialect
        self._values = values
        self._show_withheld = show_withheld
        self._logs: dict[Lane, LaneLog] = {}
        self._tracks: dict[int, deque[_Run | Pass[E]]] = {}
        self._last: deque[Pass[E]] = deque()
        self._stopped: set[int] = set()

    def receive(self, step: Text | Done | Pass[E]) -> str:
        """Take in the upstream's next step; returns the text for the lane's turn to read."""
        if isinstance(step, Pass):
            track = self._last if step.track is None else self._track(step.track)
            track.append(step)
            return ""
        log, track = self.log(step.lane), self._track(step.lane.track)
        if isinstance(step, Done):
            track.append(_Run(log, None))
            return log.feed_end()
        read = log.feed(step)
        head = track[-1] if track else None
        if isinstance(head, _Run) and head.log is log and head.end is not None:
            head.end = log.received
        else:
            track.append(_Run(log, log.received))
        return read

    def log(self, lane: Lane) -> LaneLog:
        """The log of a lane, made at the first call."""
        if lane not in self._logs:
            self._logs[lane] = LaneLog(lane, show_withheld=self._show_withheld, values=self._values)
        return self._logs[lane]

    def take(self, lane: Lane, event: Event) -> None:
        """Take in an event of a lane's turn, except TurnEnded."""
        self.log(lane).take(event)

    def end(self, lane: Lane, outcome: Outcome) -> None:
        """Take in the end of a lane's turn; after a stop its track ends without the upstream's end."""
        log, track = self.log(lane), self._track(lane.track)
        log.ended = outcome
        if outcome.report.stopped and not any(isinstance(e, _Run) and e.log is log for e in track):
            track.appendleft(_Run(log, None))

    def ready(self) -> list[E]:
        """The events that can be sent now; each is returned once."""
        out: list[E] = []
        for number, track in self._tracks.items():
            while track and number not in self._stopped and self._advance(track, out):
                pass
            if number in self._stopped:
                track.clear()
        while self._last and not any(self._tracks.values()):
            out.extend(self._dialect.go_on(self._last.popleft()))
        return out

    @property
    def drained(self) -> bool:
        """Whether nothing waits to be sent."""
        return not self._last and not any(self._tracks.values())

    @property
    def stopped(self) -> bool:
        """Whether the policy stopped some track."""
        return bool(self._stopped)

    @property
    def over(self) -> bool:
        """Whether nothing more is needed from the upstream, because of a stop."""
        ended = {lane.track for lane, log in self._logs.items() if log.ended is not None}
        return self.stopped and self._dialect.over(self._stopped, ended)

    def _track(self, number: int) -> deque[_Run | Pass[E]]:
        return self._tracks.setdefault(number, deque())

    def _advance(self, track: deque[_Run | Pass[E]], out: list[E]) -> bool:
        """Send the decided part of the track's next entry; False where the rest of it must wait."""
        entry = track[0]
        if isinstance(entry, Pass):
            out.extend(self._dialect.go_on(entry))
        else:
            self._say(entry, out)
            log, outcome = entry.log, entry.log.ended
            if outcome is None and (log.stops or entry.end is None or log.decided < entry.end):
                return False
            if outcome is not None and (entry.end is None or (outcome.report.stopped and log.all_out)):
                self._end(log, outcome, out)
        track.popleft()
        return True

    def _say(self, run: _Run, out: list[E]) -> None:
        end = run.log.received if run.end is None else run.end
        while (sent := run.log.next(end)) is not None:
            if not sent.empty:
                out.extend(self._dialect.say(run.log.lane, sent))

    def _end(self, log: LaneLog, outcome: Outcome, out: list[E]) -> None:
        stopped = outcome.report.stopped
        if not (rest := log.finish(stopped=stopped)).empty:
            out.extend(self._dialect.say(log.lane, rest))
        out.extend(self._dialect.end(log.lane, outcome_field(outcome), stopped=stopped))
        if stopped:
            self._stopped.add(log.lane.track)

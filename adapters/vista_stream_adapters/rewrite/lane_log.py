"""The state of one guarded text: what was received, decided and sent. No I/O."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from vista_stream import (
    ClaimSettled,
    ClaimUnresolved,
    Event,
    Span,
    TextReleased,
    TextReplaced,
    TextWithheld,
)
from vista_stream_adapters.guard import Outcome
from vista_stream_adapters.rewrite.answer_text import AnswerText, Decision, JsonText, PlainText
from vista_stream_adapters.rewrite.vista_field import verdicts_field

Payload: TypeAlias = dict[str, Any]
"""A JSON object of the protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One guarded text of an answer."""

    track: int
    """The sequence that it is sent in: the index of the choice, or 0 where there is only one sequence."""
    part: Any
    """Identifies the text within its track; hashable."""
    json: bool = False
    """Whether it is a JSON document, of which only the values are guarded."""
    keeps: bool = True
    """Whether its claims join the common ground."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A delta of a lane's text, for the guard to read."""

    lane: Lane
    text: str
    logprobs: Sequence[Any] = ()
    """The delta's log-probabilities, as the upstream sent them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What is sent for one decision about a lane's text, or for text that needs no decision."""

    text: str
    logprobs: Sequence[Any] = ()
    """Log-probabilities of the upstream's deltas that were released whole."""
    vista: Payload = field(default_factory=dict)
    """The verdicts of the decision, see `vista_field`; empty where there were none."""
    span: tuple[int, int] = (0, 0)
    """Start and end of the decided text, in code points of the text that the guard read."""
    exact: bool = False
    """Whether `text` is the decided text, followed at most by the policy's mark."""
    changed: bool = False
    """Whether `text` differs from the decided text."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to send."""
        return not (self.text or self.logprobs or self.vista)


class LaneLog:
    """The state of one lane's text: its decisions in order, and what is sent for them."""

    def __init__(self, lane: Lane, *, show_withheld: bool, values: bool = True) -> None:
        self.lane = lane
        self.text: AnswerText = JsonText(values=values) if lane.json else PlainText()
        self.received = 0
        """Code points that the guard was given."""
        self.decided = 0
        """Code points of these that are decided."""
        self.stops = False
        """Whether the policy stops the answer; nothing after this text is sent until `ended` is set."""
        self.ended: Outcome | None = None
        """The outcome of the lane's turn; None while it runs."""
        self._show_withheld = show_withheld
        self._decisions: deque[tuple[Decision, list[ClaimSettled | ClaimUnresolved]]] = deque()
        self._outcomes: list[ClaimSettled | ClaimUnresolved] = []
        self._logprobs: deque[tuple[int, int, Sequence[Any]]] = deque()
        """Of each delta: start and end of the text that the guard read of it, and its log-probabilities."""
        self._unread: list[tuple[int, Sequence[Any]]] = []
        """The same of the last deltas, whose text the guard has yet to read, so that their end is open."""
        self._lost = 0

    def feed(self, step: Text) -> str:
        """Take in text of the upstream; returns the part that the lane's turn reads."""
        read = self.text.feed(step.text)
        if step.logprobs:
            self._unread.append((self.received, step.logprobs))
        self.received += len(read)
        if read and not self.text.waits:
            self._read_logprobs()
        return read

    def feed_end(self) -> str:
        """The upstream's text has ended; returns what the lane's turn reads before its own end."""
        read = self.text.end()
        self.received += len(read)
        self._read_logprobs()
        return read

    def take(self, event: Event) -> None:
        """Take in an event of the lane's turn."""
        match event:
            case ClaimSettled() | ClaimUnresolved():
                self._outcomes.append(event)
            case TextReleased(span=span) | TextReplaced(span=span) | TextWithheld(span=span):
                decided = [o for o in self._outcomes if _start(o) < span.end]
                self._outcomes = [o for o in self._outcomes if _start(o) >= span.end]
                self._decisions.append((event, decided))
                self.decided = span.end
                self.stops = self.stops or (isinstance(event, TextReplaced) and event.stops)

    @property
    def all_out(self) -> bool:
        """Whether no decision waits to be sent."""
        return not self._decisions

    def next(self, end: int) -> Sent | None:
        """What is sent next: text without a decision, or a decision about text before `end`; else None."""
        if passing := self.text.passing():
            return Sent(text=passing)
        if not self._decisions or self._decisions[0][0].span.start >= end:
            return None
        decision, outcomes = self._decisions.popleft()
        released = isinstance(decision, TextReleased)
        if isinstance(decision, TextReleased) and decision.span.end > end and not self.lane.json:
            # Cut at `end`, where a passing event follows; the mark and the verdicts go with the second part.
            decision, rest = _cut(decision, end)
            self._decisions.appendleft((rest, outcomes))
            outcomes = []
        if not released:
            self._lost = decision.span.end
        return Sent(
            text=self.text.receive(decision),
            logprobs=self._released_logprobs(decision.span.end) if released else (),
            vista=verdicts_field(outcomes, decision, show=released or self._show_withheld),
            span=(decision.span.start, decision.span.end),
            exact=released and not self.lane.json,
            changed=not released or bool(getattr(decision, "mark", "")),
        )

    def ready(self) -> Iterator[Sent]:
        """Everything that can be sent now, for a text without passing events in between."""
        while (sent := self.next(self.decided)) is not None:
            if not sent.empty:
                yield sent

    def finish(self, *, stopped: bool) -> Sent:
        """What is sent after the last decision."""
        rest = self.text.finish(stopped=stopped)
        return Sent(text=rest, logprobs=() if stopped else self._released_logprobs(self.decided))

    def _read_logprobs(self) -> None:
        """The guard has read the last deltas to their end."""
        self._logprobs.extend((start, self.received, logprobs) for start, logprobs in self._unread)
        self._unread.clear()

    def _released_logprobs(self, end: int) -> list[Any]:
        """Log-probabilities of deltas before `end`, without deltas that held text that was not released."""
        kept: list[Any] = []
        while self._logprobs and self._logprobs[0][1] <= end:
            start, _, logprobs = self._logprobs.popleft()
            if start >= self._lost:
                kept.extend(logprobs)
        return kept


def _cut(decision: TextReleased, end: int) -> tuple[TextReleased, TextReleased]:
    start, text = decision.span.start, decision.text
    return (
        TextReleased(text=text[: end - start], span=Span(start, end)),
        TextReleased(text=text[end - start :], span=Span(end, decision.span.end), mark=decision.mark),
    )


def _start(outcome: ClaimSettled | ClaimUnresolved) -> int:
    claim = outcome.verdict.claim if isinstance(outcome, ClaimSettled) else outcome.claim
    return claim.span.start

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
    """Which order it belongs to: the choice's index, or 0 where there is one order only."""
    part: Any
    """Which text of the track; hashable."""
    json: bool = False
    """Whether it is a JSON document, of which only the string fields are guarded."""
    keeps: bool = True
    """Whether its claims join the common ground."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Text for a guard to read."""

    lane: Lane
    text: str
    logprobs: Sequence[Any] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What goes out for a decision about a lane's text."""

    text: str
    logprobs: Sequence[Any] = ()
    """Of the upstream's deltas that were released whole."""
    vista: Payload = field(default_factory=dict)
    """The verdicts that decided; empty where there were none."""
    span: tuple[int, int] = (0, 0)
    """Where in the text that the guard read that stood which was decided."""
    exact: bool = False
    """Whether `text` begins with what stood there, and has nothing else but a policy's mark."""
    changed: bool = False
    """Whether `text` is other than what stood there."""


class LaneLog:
    """What is known of one lane's text: its decisions in order, and what goes out for them."""

    def __init__(self, lane: Lane, *, show_withheld: bool) -> None:
        self.lane = lane
        self.text: AnswerText = JsonText() if lane.json else PlainText()
        self.received = 0
        """Code points that the guard was given."""
        self.decided = 0
        """Code points of them that are decided."""
        self.stops = False
        """Whether the policy stops the answer: nothing may go out before `ended` says how."""
        self.ended: Outcome | None = None
        self._show_withheld = show_withheld
        self._decisions: deque[tuple[Decision, list[ClaimSettled | ClaimUnresolved]]] = deque()
        self._outcomes: list[ClaimSettled | ClaimUnresolved] = []
        self._logprobs: deque[tuple[int, int, Sequence[Any]]] = deque()
        self._lost = 0

    def feed(self, step: Text) -> str:
        """What the lane's turn reads of the upstream's text."""
        read = self.text.feed(step.text)
        if step.logprobs:
            self._logprobs.append((self.received, self.received + len(read), step.logprobs))
        self.received += len(read)
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
        """Whether no decision waits to go out."""
        return not self._decisions

    def next(self, end: int) -> Sent | None:
        """What goes out next, for a decision about text before `end` or for none; None where it must wait."""
        if passing := self.text.passing():
            return Sent(text=passing)
        if not self._decisions or self._decisions[0][0].span.start >= end:
            return None
        decision, outcomes = self._decisions.popleft()
        released = isinstance(decision, TextReleased)
        if isinstance(decision, TextReleased) and decision.span.end > end and not self.lane.json:
            # Released text keeps its place among what passes; its mark and its verdicts come with its end.
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
        """All that goes out now, of a text that waits for nothing else."""
        while (sent := self.next(self.decided)) is not None:
            if sent.text or sent.vista:
                yield sent

    def _released_logprobs(self, end: int) -> list[Any]:
        """Those of deltas before `end`, less the ones that held text which was not released."""
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

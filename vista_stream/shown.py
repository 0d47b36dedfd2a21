"""The text of a turn that the user may see, and how much of it a reader has got."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Self

from vista_stream.claims import Claim, Span
from vista_stream.events import Event, TextReleased, TextReplaced, TextRetracted, TextWithheld
from vista_stream.report import TurnReport


class ShownText:
    """The text of a turn's events. It is not a generator, which would stay open when a loop is left early."""

    def __init__(self, events: AsyncIterator[Event]) -> None:
        self._events = events

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        while True:
            match await anext(self._events):
                case TextReleased(text=text, mark=mark):
                    return text + mark
                case TextReplaced(replacement=replacement) if replacement:
                    return replacement
                case _:
                    pass


class Seen:
    """How much of a turn its reader has got, by the events it took. Lengths and places are in code points."""

    def __init__(self) -> None:
        self._begin = self._end = self._withheld = 0
        self._shown: list[Span] = []
        """What was released and not taken back."""

    def discard(self) -> None:
        """What was taken so far was not shown, and does not count; what is taken later does."""
        self._begin, self._withheld = self._end, 0
        self._shown.clear()

    def take(self, event: Event) -> None:
        """The reader took an event."""
        match event:
            case TextReleased(span=span):
                adjoins = bool(self._shown) and self._shown[-1].end == span.start
                start = self._shown.pop().start if adjoins else span.start
                self._shown.append(Span(start, span.end))
            case TextReplaced(text=text, span=span) | TextWithheld(text=text, span=span):
                self._withheld += len(text)
            case TextRetracted(span=span):
                released = self._released
                self._shown = [part for each in self._shown for part in _outside(each, span)]
                self._withheld += released - self._released
            case _:
                return
        self._end = max(self._end, span.end)

    def has(self, span: Span) -> bool:
        """Whether the reader has got all of a span, and nothing of it was taken back."""
        return any(each.start <= span.start and span.end <= each.end for each in self._shown)

    @property
    def _released(self) -> int:
        return sum(each.end - each.start for each in self._shown)

    def cut(self, report: TurnReport) -> TurnReport:
        """The report of a turn that was left here, of the report of all that has an outcome.

        In optimistic mode claims that have no outcome yet are in neither list.
        """
        return replace(
            report,
            verdicts=tuple(each for each in report.verdicts if self._counts(each.claim)),
            unresolved=tuple(each for each in report.unresolved if self._counts(each.claim)),
            released=self._released,
            withheld=self._withheld,
            left=True,
        )

    def _counts(self, claim: Claim) -> bool:
        return self._begin <= claim.span.start and claim.span.end <= self._end


def _outside(span: Span, gone: Span) -> Iterator[Span]:
    """The parts of a span before and behind another one."""
    for start, end in ((span.start, min(span.end, gone.start)), (max(span.start, gone.end), span.end)):
        if start < end:
            yield Span(start, end)

"""The text of a turn that the user may see, and how much of it a reader has got."""

from __future__ import annotations

from collections.abc import AsyncIterator
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


class Shown:
    """Which part of a turn's text was released and not taken back, by its events."""

    def __init__(self) -> None:
        self._spans: list[Span] = []

    def take(self, event: Event) -> None:
        """An event was emitted."""
        match event:
            case TextReleased(span=span):
                if self._spans and self._spans[-1].end == span.start:
                    span = Span(self._spans.pop().start, span.end)
                self._spans.append(span)
            case TextRetracted(span=gone):
                parts = (
                    part
                    for each in self._spans
                    for part in (
                        (each.start, min(each.end, gone.start)),
                        (max(each.start, gone.end), each.end),
                    )
                )
                self._spans = [Span(*part) for part in parts if part[0] < part[1]]
            case _:
                pass

    def has(self, span: Span) -> bool:
        """Whether all of a span was."""
        return any(each.start <= span.start and span.end <= each.end for each in self._spans)


class Seen:
    """How much of a turn its reader has got, by the events it took. Lengths and places are in code points."""

    def __init__(self) -> None:
        self._begin = self._end = self._released = self._withheld = 0
        self._retracted: list[Span] = []

    def discard(self) -> None:
        """What was taken so far was not shown, and does not count; what is taken later does."""
        self._begin, self._released, self._withheld = self._end, 0, 0
        self._retracted.clear()

    def take(self, event: Event) -> None:
        """The reader took an event."""
        match event:
            case TextReleased(text=text, span=span):
                self._released += len(text)
            case TextReplaced(text=text, span=span) | TextWithheld(text=text, span=span):
                self._withheld += len(text)
            case TextRetracted(span=span):
                start, end = max(span.start, self._begin), max(span.end, self._begin)
                within = (each for each in self._retracted if start <= each.start and each.end <= end)
                new = end - start - sum(each.end - each.start for each in within)
                self._retracted.append(Span(start, end))
                self._released -= new
                self._withheld += new
            case _:
                return
        self._end = max(self._end, span.end)

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

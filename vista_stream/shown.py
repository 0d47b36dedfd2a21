"""The text of a turn that the user may see, and how much of it a reader has got."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Self

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


class Got:
    """How much of a turn its reader has got, by the events it took. Lengths and places are in code points."""

    def __init__(self) -> None:
        self._end = self._released = self._withheld = 0

    def take(self, event: Event) -> None:
        """The reader took an event."""
        match event:
            case TextReleased(text=text, span=span):
                self._released += len(text)
            case TextReplaced(text=text, span=span) | TextWithheld(text=text, span=span):
                self._withheld += len(text)
            case TextRetracted(text=text, span=span):
                self._released -= len(text)
                self._withheld += len(text)
            case _:
                return
        self._end = max(self._end, span.end)

    def cut(self, report: TurnReport) -> TurnReport:
        """The report of a turn that was left here, of the report of all that has an outcome."""
        return replace(
            report,
            verdicts=tuple(each for each in report.verdicts if each.claim.span.end <= self._end),
            unresolved=tuple(each for each in report.unresolved if each.claim.span.end <= self._end),
            released=self._released,
            withheld=self._withheld,
            left=True,
        )

"""The guard's events as the page reads them: plain JSON, each with the time it was held back."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from time import monotonic
from typing import Any

from vista_stream import (
    Event,
    Statement,
    TextReleased,
    TextReplaced,
    TextWithheld,
    TurnEnded,
    TurnReport,
)


class Arrivals:
    """When each character of a turn's text arrived."""

    def __init__(self) -> None:
        self._lengths = [0]
        self._times = [monotonic()]

    def add(self, delta: str) -> None:
        """A delta arrived now."""
        self._lengths.append(self._lengths[-1] + len(delta))
        self._times.append(monotonic())

    def held_back(self, end: int) -> float:
        """Seconds since the character before position `end` arrived."""
        return monotonic() - self._times[min(bisect_left(self._lengths, end), len(self._times) - 1)]


def page_event(event: Event, arrivals: Arrivals) -> dict[str, Any]:
    """An event as a JSON object; decisions about text say for how long it was held back."""
    match event:
        case TurnEnded(report=report):
            return {"type": event.type, "report": _report(report)}
        case TextReleased() | TextReplaced() | TextWithheld():
            return {"type": event.type, **_plain(event), "held_back": arrivals.held_back(event.span.end)}
        case _:
            return {"type": event.type, **_plain(event)}


def common_ground_event(statements: Sequence[Statement]) -> dict[str, Any]:
    """The common ground as it stands."""
    rows = [{"text": s.text, "id": s.id, "category": s.category.value} for s in statements]
    return {"type": "common_ground", "statements": rows}


def _report(report: TurnReport) -> dict[str, Any]:
    return {
        "claims": len(report.verdicts) + len(report.unresolved),
        "unresolved": len(report.unresolved),
        "received": report.received,
        "released": report.released,
        "withheld": report.withheld,
        "stopped": report.stopped,
        **({"store": "unavailable"} if report.store_error else {}),
    }


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case Exception():
            # The message may hold what a user wrote, or a path of this machine.
            return type(value).__name__
        case _ if is_dataclass(value):
            return {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
        case _ if hasattr(value, "_asdict"):
            return {name: _plain(part) for name, part in value._asdict().items()}
        case _:
            return value

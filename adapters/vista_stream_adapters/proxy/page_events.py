"""The guard's events as the page reads them: plain JSON, each with the time it was held back."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from time import monotonic
from typing import Any

from vista_stream import (
    ClaimSettled,
    Event,
    Evidence,
    Reference,
    Span,
    Statement,
    TextReleased,
    TextReplaced,
    TextWithheld,
    TurnEnded,
    TurnReport,
    Verdict,
    VitalContradiction,
)

_WORD = re.compile(r"\w+")


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


def page_event(event: Event, arrivals: Arrivals, references: Sequence[Reference] = ()) -> dict[str, Any]:
    """An event as a JSON object; decisions about text say for how long it was held back.

    A verdict's evidence says, under `marked`, which part of its passage the claim is about.
    """
    match event:
        case ClaimSettled(verdict=verdict) | VitalContradiction(verdict=verdict):
            return {"type": event.type, "verdict": _verdict(verdict, references)}
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


def marked_part(evidence: Evidence, claim: str, references: Sequence[Reference]) -> Span:
    """Of a window, the sentence that shares most words with the claim; the whole where none stands out.

    A word counts the less, the more sentences of the window hold it.
    """
    document = next((each for each in references if each.name == evidence.document), None)
    if document is None or evidence.origin != "reference":
        return evidence.span
    start, end = evidence.span
    sentences = [span for span in document.sentences if start <= span.start and span.end <= end]
    held = [set(_words(document.text[span.start : span.end])) for span in sentences]
    holders = Counter(word for words in held for word in words)
    asked = set(_words(claim))
    shares = [sum(1 / holders[word] for word in sorted(words & asked)) for words in held]
    best = max(shares, default=0.0)
    if best == 0 or shares.count(best) > 1:
        return evidence.span
    return sentences[shares.index(best)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _verdict(verdict: Verdict, references: Sequence[Reference]) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(verdict)
    if verdict.evidence is not None:
        plain["evidence"]["marked"] = _plain(marked_part(verdict.evidence, verdict.claim.text, references))
    return plain


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

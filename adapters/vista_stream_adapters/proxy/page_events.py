"""The guard's events as JSON for the page; decisions about text say how long it was held back."""

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
    """Records when each character of a turn's text arrived."""

    def __init__(self) -> None:
        self._lengths = [0]
        self._times = [monotonic()]

    def add(self, delta: str) -> None:
        """Record a delta that arrived now."""
        self._lengths.append(self._lengths[-1] + len(delta))
        self._times.append(monotonic())

    def held_back(self, end: int) -> float:
        """Seconds since the character before position `end` arrived."""
        return monotonic() - self._times[min(bisect_left(self._lengths, end), len(self._times) - 1)]


def page_event(event: Event, arrivals: Arrivals, references: Sequence[Reference] = ()) -> dict[str, Any]:
    """An event as a JSON object.

    Decisions about text have `held_back`, in seconds. A verdict's evidence has `marked`: the span of the
    part of its passage that the claim is about.
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
    """The current common ground, as an event for the page."""
    rows = [{"text": s.text, "id": s.id, "category": s.category.value} for s in statements]
    return {"type": "common_ground", "statements": rows}


def marked_part(evidence: Evidence, claim: str, references: Sequence[Reference]) -> Span:
    """The sentence of the evidence that shares most words with the claim, as a span of the document.

    A word counts less the more sentences of the passage hold it. On a tie, or without shared words, it is
    the span of the whole passage.
    """
    document = next((each for each in references if each.name == evidence.document), None)
    if document is None or evidence.origin != "reference":
        return evidence.span
    sentences = document.sentences_in(evidence)
    held = [set(_words(sentence.text)) for sentence in sentences]
    holders = Counter(word for words in held for word in words)
    asked = set(_words(claim))
    shares = [sum(1 / holders[word] for word in sorted(words & asked)) for words in held]
    best = max(shares, default=0.0)
    if best == 0 or shares.count(best) > 1:
        return evidence.span
    return sentences[shares.index(best)].span


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
            # The message may hold a user's text or a path of this machine.
            return type(value).__name__
        case _ if is_dataclass(value):
            return {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
        case _ if hasattr(value, "_asdict"):
            return {name: _plain(part) for name, part in value._asdict().items()}
        case _:
            return value

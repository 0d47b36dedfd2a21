"""Tells a turn's story to the logger `vista_stream` at DEBUG: claims, verdicts, what became of the text."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import count

from vista_stream.claims import Claim, Evidence, Verdict
from vista_stream.events import (
    ClaimFound,
    ClaimSettled,
    ClaimUnresolved,
    Event,
    IndexingProgress,
    TextReleased,
    TextReplaced,
    TextRetracted,
    TextWithheld,
    TurnEnded,
    VitalContradiction,
)
from vista_stream.policy import Policy

logger = logging.getLogger("vista_stream")

_numbers: Iterator[int] = count(1)


class Story:
    """Logs one turn. Without `with_text`, no line has a word of the query, the answer or a reference."""

    def __init__(self, *, with_text: bool) -> None:
        self._with_text = with_text
        self._number = next(_numbers)

    def begin(self, policy: Policy, query: str | None) -> None:
        """The turn begins."""
        asked = "no query" if query is None else self._quoted("a query", query)
        self._log(f"begins: {policy.mode}, deadline {policy.deadline:g} s, {asked}")

    def tell(self, event: Event) -> None:
        """An event of the turn."""
        if not logger.isEnabledFor(logging.DEBUG):
            return
        match event:
            case IndexingProgress(done=done, total=total):
                self._log(f"indexes references: {done} of {total} windows")
            case ClaimFound(claim=claim):
                kind = f"{claim.importance.value} {claim.kind.value}"
                self._log(f"claim {claim.id}: {kind} in sentence {claim.sentence}, {self._claimed(claim)}")
            case ClaimSettled(verdict=verdict):
                self._log(self._settled(verdict))
            case VitalContradiction():
                pass  # ClaimSettled told it
            case ClaimUnresolved(claim=claim, reason=reason, error=error):
                why = f": {error}" if error is not None and self._with_text else ""
                self._log(f"claim {claim.id}: unresolved, {reason.value}{why}")
            case TurnEnded(report=report):
                self._log(
                    f"ends: {len(report.verdicts)} verdicts, {len(report.unresolved)} unresolved; of "
                    f"{report.received} characters {report.withheld} withheld"
                    + (", stopped" if report.stopped else "")
                )
            case TextReleased() | TextReplaced() | TextWithheld() | TextRetracted():
                self._log(self._decided(event))

    def fail(self, failure: BaseException) -> None:
        """The turn ends with an error."""
        self._log(f"fails: {type(failure).__name__}" + (f": {failure}" if self._with_text else ""))

    def _settled(self, verdict: Verdict) -> str:
        scores = verdict.scores
        told = (
            ""
            if scores is None
            else f", entailment {scores.entailment:.2f}, contradiction {scores.contradiction:.2f}"
        )
        found = "" if verdict.evidence is None else f", {self._cited(verdict.evidence)}"
        by = {"none": "", "deterministic": " by rule"}.get(verdict.tier, f" by {verdict.tier}")
        took = f"after {verdict.elapsed * 1000:.0f} ms"
        return f"claim {verdict.claim.id}: {verdict.category.value}{by} {took}{told}{found}"

    def _decided(self, event: TextReleased | TextReplaced | TextWithheld | TextRetracted) -> str:
        verdict = None if isinstance(event, TextReleased) else event.verdict
        because = "" if verdict is None else f" because of claim {verdict.claim.id}"
        what = event.type.removeprefix("text.")
        return f"{what} {event.span.start}-{event.span.end}{because}, {self._quoted('text', event.text)}"

    def _claimed(self, claim: Claim) -> str:
        return self._quoted("wording", claim.text)

    def _cited(self, evidence: Evidence) -> str:
        words = self._quoted("passage", evidence.text)
        return f"evidence in the {evidence.origin.replace('_', ' ')}, {words}"

    def _quoted(self, name: str, text: str) -> str:
        return f"{name} {text!r}" if self._with_text else f"{name} of {len(text)} characters"

    def _log(self, what: str) -> None:
        logger.debug("turn %d %s", self._number, what)

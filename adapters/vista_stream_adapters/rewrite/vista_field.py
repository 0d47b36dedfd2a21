"""The `vista` field of chunks and answers: the verdicts on the text beside it, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vista_stream import (
    Claim,
    ClaimSettled,
    ClaimUnresolved,
    Event,
    Evidence,
    SecondOpinion,
    TextReleased,
    TextReplaced,
    Verdict,
)
from vista_stream_adapters.guard import Outcome


def verdicts_field(
    outcomes: Sequence[ClaimSettled | ClaimUnresolved], decision: Event | None = None, *, show: bool
) -> dict[str, Any]:
    """The claims of a stretch of text, and the action taken; empty where the text makes no claims.

    `{"action": "released"|"replaced"|"withheld", "verdicts": […], "unresolved": […]}`. With `show=False` the
    claims have no wording.
    """
    if not outcomes:
        return {}
    verdicts = [_verdict(o.verdict, show) for o in outcomes if isinstance(o, ClaimSettled)]
    unresolved = [
        {**_claim(o.claim, show), "reason": o.reason.value}
        for o in outcomes
        if isinstance(o, ClaimUnresolved)
    ]
    return {"action": _action(decision), "verdicts": verdicts, "unresolved": unresolved}


def outcome_field(outcome: Outcome) -> dict[str, Any]:
    """The totals of a text that ended: lengths in code points, tokens as estimated in `Outcome`."""
    report = outcome.report
    return {
        "received": report.received,
        "released": report.released,
        "withheld": report.withheld,
        "stopped": report.stopped,
        "verifiable": report.verifiable,
        "tokens_received": outcome.tokens_received,
        "tokens_saved": outcome.tokens_saved,
        # The error's message is left out: it may hold the store's address.
        **({"store": "unavailable"} if report.store_error else {}),
    }


def _action(decision: Event | None) -> str:
    if isinstance(decision, TextReleased):
        return "released"
    return "replaced" if isinstance(decision, TextReplaced) else "withheld"


def _verdict(verdict: Verdict, show: bool) -> dict[str, Any]:
    scores = verdict.scores
    return {
        **_claim(verdict.claim, show),
        "category": verdict.category.value,
        "tier": verdict.tier,
        "scores": None if scores is None else scores._asdict(),
        "evidence": _evidence(verdict.evidence),
        "opposing": _evidence(verdict.opposing),
        "elapsed": round(verdict.elapsed, 4),
        **({"second": _second(verdict.second)} if verdict.second else {}),
        **({"supersedes": [old.text for old in verdict.supersedes]} if verdict.supersedes else {}),
    }


def _second(second: SecondOpinion) -> dict[str, Any]:
    # Why it failed is left out: the message may hold the server's address.
    cost = {"prompt_tokens": second.prompt_tokens, "completion_tokens": second.completion_tokens}
    return {"by": second.by, "decided": not second.failed, "seconds": round(second.seconds, 4), **cost}


def _evidence(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    return {"text": evidence.text, "document": evidence.document, "span": list(evidence.span)}


def _claim(claim: Claim, show: bool) -> dict[str, Any]:
    wording = {"claim": claim.text} if show else {}
    return {
        "id": claim.id,
        **wording,
        "span": list(claim.span),
        "kind": claim.kind.value,
        "importance": claim.importance.value,
    }

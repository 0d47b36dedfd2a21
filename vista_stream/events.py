"""What a turn reports while it runs: one dataclass for each event, and their union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from vista_stream.claims import Claim, Span, UnresolvedReason, Verdict
from vista_stream.report import TurnReport


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingProgress:
    """A step of indexing new references ended; deadlines count from here. Short ones have no such event."""

    done: int
    """Windows that are indexed."""
    total: int
    """Windows of the references that were new at the turn's beginning."""
    type: Literal["references.indexing"] = "references.indexing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFound:
    """A claim was extracted and is being verified."""

    claim: Claim
    type: Literal["claim.found"] = "claim.found"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSettled:
    """A claim has its verdict."""

    verdict: Verdict
    type: Literal["claim.settled"] = "claim.settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class VitalContradiction:
    """A vital claim is contradicted; in verify_first no character of its sentence is out yet."""

    verdict: Verdict
    type: Literal["claim.vital_contradiction"] = "claim.vital_contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimUnresolved:
    """A claim got no verdict; the policy's `unresolved` decides about its sentence."""

    claim: Claim
    reason: UnresolvedReason
    error: Exception | None = None
    """The exception that was raised; None for a claim that met none, such as one past its deadline."""
    type: Literal["claim.unresolved"] = "claim.unresolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReleased:
    """Text of the source was sent on unchanged."""

    text: str
    span: Span
    """Where in the source's text."""
    mark: str = ""
    """What an annotating policy adds after the text; not part of the source."""
    type: Literal["text.released"] = "text.released"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWithheld:
    """Text of the source will not be sent."""

    text: str
    span: Span
    """Where in the source's text."""
    verdict: Verdict | None
    """The verdict that decided; None for an unresolved claim or text after a stop."""
    type: Literal["text.withheld"] = "text.withheld"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReplaced:
    """Other text is sent in place of the source's text."""

    text: str
    """The source's text."""
    replacement: str
    """What is sent instead."""
    span: Span
    """Where in the source's text."""
    verdict: Verdict | None
    """The verdict that decided; None for an unresolved claim."""
    stops: bool = False
    """Whether the policy ends the turn here: nothing after it is sent."""
    type: Literal["text.replaced"] = "text.replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRetracted:
    """Text that was released before must be taken back (optimistic mode only)."""

    text: str
    replacement: str
    """What to show instead; empty for nothing."""
    span: Span
    """Where in the source's text."""
    verdict: Verdict | None
    """The verdict that decided; None for an unresolved claim."""
    type: Literal["text.retracted"] = "text.retracted"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """The turn is over; nothing follows."""

    report: TurnReport
    type: Literal["turn.ended"] = "turn.ended"


Event: TypeAlias = (
    IndexingProgress
    | ClaimFound
    | ClaimSettled
    | VitalContradiction
    | ClaimUnresolved
    | TextReleased
    | TextWithheld
    | TextReplaced
    | TextRetracted
    | TurnEnded
)

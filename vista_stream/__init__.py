"""A streaming factuality guardrail: claims are verified while the model talks.

Start with `Session`. `async with session.turn(deltas, query=…) as turn` guards one answer. `check` judges a
finished answer.

Here are the names for guarding a stream. What you need to write a part of your own is in
`vista_stream.stages`, `vista_stream.verifiers` and `vista_stream.stores`; every error in
`vista_stream.errors`.
"""

from vista_stream.checking import check, check_sync
from vista_stream.claims import (
    Category,
    Claim,
    ClaimKind,
    Evidence,
    Importance,
    Scores,
    SecondOpinion,
    Span,
    UnresolvedReason,
    Utterance,
    Verdict,
)
from vista_stream.core.common_ground import Statement, Superseded
from vista_stream.errors import (
    BadDelta,
    ModelLoadError,
    SessionStateError,
    StageError,
    StoreError,
    TurnWithheld,
    UpstreamError,
    VerifierError,
    VistaError,
)
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
from vista_stream.policy import Action, Policy, Severity, annotate, raise_, release, replace, stop, withhold
from vista_stream.report import SessionReport, TurnReport, Unresolved
from vista_stream.retrieval.reference import Reference
from vista_stream.session import Session, preload
from vista_stream.turn import Turn

__all__ = [
    "Action",
    "BadDelta",
    "Category",
    "Claim",
    "ClaimFound",
    "ClaimKind",
    "ClaimSettled",
    "ClaimUnresolved",
    "Event",
    "Evidence",
    "Importance",
    "IndexingProgress",
    "ModelLoadError",
    "Policy",
    "Reference",
    "Scores",
    "SecondOpinion",
    "Session",
    "SessionReport",
    "SessionStateError",
    "Severity",
    "Span",
    "StageError",
    "Statement",
    "StoreError",
    "Superseded",
    "TextReleased",
    "TextReplaced",
    "TextRetracted",
    "TextWithheld",
    "Turn",
    "TurnEnded",
    "TurnReport",
    "TurnWithheld",
    "Unresolved",
    "UnresolvedReason",
    "UpstreamError",
    "Utterance",
    "Verdict",
    "VerifierError",
    "VistaError",
    "VitalContradiction",
    "annotate",
    "check",
    "check_sync",
    "preload",
    "raise_",
    "release",
    "replace",
    "stop",
    "withhold",
]

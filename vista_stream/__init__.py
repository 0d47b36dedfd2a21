"""A streaming factuality guardrail: claims are verified while the model talks.

Start with `Session`. `async with session.turn(deltas, query=…) as turn` guards one answer. `check` judges a
finished answer.
"""

from vista_stream.caching import cache_scope, current_scope
from vista_stream.checking import check, check_sync
from vista_stream.claims import (
    Category,
    Claim,
    ClaimKind,
    Draft,
    Evidence,
    Finding,
    Importance,
    Pair,
    Scores,
    SecondOpinion,
    Span,
    UnresolvedReason,
    Utterance,
    Verdict,
)
from vista_stream.core.common_ground import CommonGround, Statement, Superseded
from vista_stream.errors import (
    BadDelta,
    InferenceError,
    LanguageUnsupported,
    ModelLoadError,
    Overload,
    SessionStateError,
    StageError,
    StoreError,
    TurnWithheld,
    UpstreamError,
    VerifierError,
    VerifierUnreachable,
    VistaError,
)
from vista_stream.events import (
    ClaimFound,
    ClaimSettled,
    ClaimUnresolved,
    Event,
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
from vista_stream.stages.protocols import Grounds
from vista_stream.stages.stages import Stages
from vista_stream.stores import (
    Bounds,
    CommonGroundStore,
    Conversation,
    ConversationStore,
    EndedTurn,
    KeptStatement,
    MemoryStore,
    open_store,
)
from vista_stream.turn import Turn
from vista_stream.verifiers import Verifier

__all__ = [
    "Action",
    "BadDelta",
    "Bounds",
    "Category",
    "Claim",
    "ClaimFound",
    "ClaimKind",
    "ClaimSettled",
    "ClaimUnresolved",
    "CommonGround",
    "CommonGroundStore",
    "Conversation",
    "ConversationStore",
    "Draft",
    "EndedTurn",
    "Event",
    "Evidence",
    "Finding",
    "Grounds",
    "Importance",
    "InferenceError",
    "KeptStatement",
    "LanguageUnsupported",
    "MemoryStore",
    "ModelLoadError",
    "Overload",
    "Pair",
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
    "Stages",
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
    "Verifier",
    "VerifierError",
    "VerifierUnreachable",
    "VistaError",
    "VitalContradiction",
    "annotate",
    "cache_scope",
    "check",
    "check_sync",
    "current_scope",
    "open_store",
    "preload",
    "raise_",
    "release",
    "replace",
    "stop",
    "withhold",
]

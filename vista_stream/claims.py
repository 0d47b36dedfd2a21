"""Claims, evidence and verdicts: the values that every other module speaks in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple


class Category(StrEnum):
    """What verification says of a claim (VISTA, step 3)."""

    VERIFIED = "verified"
    CONTRADICTED = "contradicted"
    LACKING_EVIDENCE = "lacking_evidence"
    OUT_OF_SCOPE = "out_of_scope"
    ABSTENTION = "abstention"


class Importance(StrEnum):
    """How much a claim matters to the user's query (VITAL); says nothing of its correctness."""

    VITAL = "vital"
    OKAY = "okay"
    LESS_IMPORTANT = "less_important"


class ClaimKind(StrEnum):
    """What sort of statement the wording is; decides what an unverified claim becomes."""

    FACT = "fact"
    """About the world: to be verified."""
    ASSISTANT = "assistant"
    """The assistant about itself or the user: verified, and out of scope where nothing decides it."""
    OPINION = "opinion"
    """A judgement, a feeling, chit-chat: out of scope."""
    RECOMMENDATION = "recommendation"
    """Advice: out of scope."""
    REFUSAL = "refusal"
    """The assistant declines or does not know: an abstention."""


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


class Scores(NamedTuple):
    """Three probabilities that sum to one."""

    entailment: float
    neutral: float
    contradiction: float

    def check(self) -> Scores:
        """Return self; raise ValueError unless each lies in 0..1 and they sum to 1 (±0.01)."""
        sound = all(math.isfinite(p) and -1e-6 <= p <= 1 + 1e-6 for p in self)
        if not sound or abs(sum(self) - 1.0) > 0.01:
            raise ValueError(f"scores must be three probabilities that sum to 1, not {tuple(self)}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One finished contribution to the conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A claim as decomposition writes it, before the turn numbers it."""

    text: str
    """Standalone wording: references resolved."""
    span: Span
    """Where in the turn's text it came from."""
    kind: ClaimKind = ClaimKind.FACT
    importance: Importance = Importance.OKAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One atomic factual statement, the NLI hypothesis."""

    id: int
    """Unique in its turn and rising in the order of the text; not consecutive."""
    sentence: int
    """Position of its sentence among the turn's segments, from 0."""
    text: str
    """Standalone wording: references resolved."""
    span: Span
    """Where in the turn's text it came from."""
    sentence_text: str = ""
    """The whole sentence as it stands in the turn."""
    kind: ClaimKind = ClaimKind.FACT
    importance: Importance = Importance.OKAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The passage that decided a verdict, the NLI premise."""

    text: str
    document: str
    """Name of the reference text, or the id of the common-ground statement."""
    span: Span
    """Where in that document."""
    sentence: int
    """Position of its first sentence in that document, from 0."""
    origin: Literal["reference", "common_ground"] = "reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What verification found out about one claim, before it is given a category."""

    scores: Scores | None = None
    """Of the deciding pair; None where there was nothing to compare with."""
    evidence: Evidence | None = None
    tier: Literal["deterministic", "model", "llm", "none"] = "none"
    """Which part decided: a rule, a model, an LLM, or nothing to compare with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim and what was made of it."""

    claim: Claim
    category: Category
    scores: Scores | None = None
    evidence: Evidence | None = None
    tier: Literal["deterministic", "model", "llm", "none"] = "none"
    elapsed: float = 0.0
    """Seconds from the claim's completion to this verdict."""


class UnresolvedReason(StrEnum):
    """Why a claim has no verdict."""

    DEADLINE = "deadline"
    """The policy's deadline passed."""
    VERIFIER_ERROR = "verifier_error"
    """The verifier raised or returned nonsense."""
    STAGE_ERROR = "stage_error"
    """An LLM stage gave no answer that can be used."""
    LANGUAGE = "language"
    """The claim is not in a language that the verifier judges."""
    OVERLOAD = "overload"
    """There was more to check than could be checked in time."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What a verifier scores: does the premise entail, contradict or leave open the hypothesis?"""

    premise: str
    hypothesis: str
    windows: tuple[str, ...] = field(default=(), kw_only=True)
    """The premise in the windows that it consists of, for a verifier that reads each once; empty for one."""
    importance: Importance = field(default=Importance.OKAY, compare=False, kw_only=True)
    """Lets a shared verifier serve VITAL claims first."""
    deadline: float = field(default=math.inf, compare=False, kw_only=True)
    """Event-loop time after which nobody waits for the scores."""

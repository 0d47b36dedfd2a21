"""Claims, evidence and verdicts: the values that every other module uses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal["user", "assistant"]
"""Who says an utterance."""


class Category(StrEnum):
    """What verification says of a claim (VISTA, step 3)."""

    VERIFIED = "verified"
    CONTRADICTED = "contradicted"
    LACKING_EVIDENCE = "lacking_evidence"
    OUT_OF_SCOPE = "out_of_scope"
    ABSTENTION = "abstention"


class Importance(StrEnum):
    """How much a claim matters to the user's query (VITAL); it is independent of the claim's correctness."""

    VITAL = "vital"
    OKAY = "okay"
    LESS_IMPORTANT = "less_important"


class ClaimKind(StrEnum):
    """What sort of statement a claim is; decides the category of a claim that is not verified."""

    FACT = "fact"
    """A statement about the world; LACKING_EVIDENCE where nothing decides it."""
    ASSISTANT = "assistant"
    """A statement of the assistant about itself or the user; OUT_OF_SCOPE where nothing decides it."""
    OPINION = "opinion"
    """A judgement, a feeling or chit-chat; never CONTRADICTED, OUT_OF_SCOPE where it is not VERIFIED."""
    RECOMMENDATION = "recommendation"
    """Advice; CONTRADICTED by references alone, OUT_OF_SCOPE where nothing decides it."""
    REFUSAL = "refusal"
    """The assistant declines or does not know; always ABSTENTION."""


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
    """One finished message of the user or the assistant."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A claim as decomposition writes it, before the turn gives it an id."""

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
    """Unique in its turn; ids increase in the order of the text and are not consecutive."""
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
    origin: Literal["reference", "common_ground", "talk"] = "reference"
    """`talk` is a line that was said; it may contradict, and verifies nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinion:
    """A stronger verifier was due for an unsure claim: whether it decided, and what it cost."""

    by: str
    """Name of the second verifier's class."""
    first: Scores | None = None
    """What the first verifier found."""
    seconds: float = 0.0
    """What asking took; 0 where it was not asked."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failed: str = ""
    """Why the first verifier's finding stands; empty where the second decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What verification found about one claim, before it is given a category."""

    scores: Scores | None = None
    """Scores of the pair that decided; None where there was nothing to compare with."""
    evidence: Evidence | None = None
    tier: Literal["deterministic", "model", "llm", "none"] = "none"
    """Which part decided: a rule, a model, an LLM, or nothing to compare with."""
    opposing: Evidence | None = None
    """Evidence in another reference that says the opposite of what decided; None where none was found."""
    second: SecondOpinion | None = None
    """The second verifier that was due for it; None where the first was sure, or there is no second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim, its category, and what decided it."""

    claim: Claim
    category: Category
    scores: Scores | None = None
    evidence: Evidence | None = None
    tier: Literal["deterministic", "model", "llm", "none"] = "none"
    elapsed: float = 0.0
    """Seconds from the last character of the claim's sentence to this verdict."""
    supersedes: Sequence[Evidence] = ()
    """Statements of earlier turns that it corrects or changes; they no longer hold once it is shown."""
    granted: bool = False
    """Whether nothing decides it and it says that what the user asked for is so; it may contradict later
    claims once it is shown. It is OUT_OF_SCOPE where it tells what was done for the user."""
    opposing: Evidence | None = None
    """Evidence in another reference that says the opposite of what decided; None where none was found."""
    second: SecondOpinion | None = None
    """The second verifier that was due for it; None where the first was sure, or there is no second."""


class UnresolvedReason(StrEnum):
    """Why a claim has no verdict."""

    DEADLINE = "deadline"
    """The policy's deadline passed."""
    VERIFIER_ERROR = "verifier_error"
    """The verifier raised, or returned something that is not a score triple for each pair."""
    STAGE_ERROR = "stage_error"
    """A stage gave something that cannot be used, such as an LLM's answer that does not parse."""
    LANGUAGE = "language"
    """The claim is not in a language that the verifier judges."""
    OVERLOAD = "overload"
    """Too many pairs were waiting to be scored before their deadlines."""


@dataclass(eq=False, slots=True)
class Foresight:
    """Tells whether the claims of a sentence that was foreseen are certain; shared by their pairs."""

    certain: bool = False
    """Set to True when the sentence has come."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What a verifier scores: does the premise entail, contradict or leave open the hypothesis?"""

    premise: str
    hypothesis: str
    windows: tuple[str, ...] = field(default=(), kw_only=True)
    """The windows that the premise consists of, for a verifier that reads each window once. Empty where the
    premise is one window."""
    importance: Importance = field(default=Importance.OKAY, compare=False, kw_only=True)
    """Lets a shared verifier serve VITAL claims first."""
    deadline: float = field(default=math.inf, compare=False, kw_only=True)
    """Event-loop time, in seconds, after which nobody waits for the scores."""
    foresight: Foresight | None = field(default=None, compare=False, kw_only=True)
    """Set where the claim may not come: a shared verifier serves such a pair last until it is certain."""

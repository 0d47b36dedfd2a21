"""The protocols of the stages; embedded and LLM stages implement the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from vista_stream.claims import Category, Claim, ClaimKind, Draft, Finding, Foresight, Importance, Utterance
from vista_stream.core.change import Sign
from vista_stream.core.common_ground import Statement
from vista_stream.core.talk import Line
from vista_stream.core.text.segmenter import Segment
from vista_stream.policy import OnDisagreement

if TYPE_CHECKING:
    from vista_stream.retrieval.reference import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a claim may be compared with."""

    references: Sequence[Reference] = ()
    """In the order in which they were added to the session."""
    common_ground: Sequence[Statement] = ()
    on_disagreement: OnDisagreement = "later"
    """Which reference counts where two of them disagree, as in `Policy.on_disagreement`."""
    before: Sequence[str] = ()
    """The turn's text before the claim's sentence, and the query; they tell the language of a claim that is
    too short to tell its own."""
    talk: Sequence[Line] = ()
    """What was said, oldest first: what earlier turns showed, and the message that this one answers."""


class Discourse(Protocol):
    """The state of decomposition for one conversation; its methods are called one at a time, in order."""

    async def hear(self, utterance: Utterance) -> None:
        """Take in a finished utterance, so that later references to it resolve."""
        ...

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        """The atomic claims of the assistant's next sentence; empty where it makes none.

        Raises StageError where an LLM gives no usable answer.
        """
        ...


@runtime_checkable
class Foreseeing(Protocol):
    """An optional second protocol of a discourse: it reads a sentence that may not have ended yet."""

    async def foresee(self, sentence: Segment) -> Sequence[Draft] | None:
        """The claims that `decompose` would give if this were the next sentence; None where they are unknown.

        It changes nothing: what `decompose` gives never depends on this call. It may be cancelled.
        """
        ...


class Decompose(Protocol):
    """The stage that turns sentences into claims."""

    def begin(self) -> Discourse:
        """New, empty state for one conversation."""
        ...


class Kinds(Protocol):
    """Tells the kind (fact, opinion, ...) of claims that did not come from the Decompose stage."""

    async def kinds(self, claims: Sequence[str], words: Sequence[str]) -> Sequence[ClaimKind]:
        """One kind for each claim; `words` holds the source text of each claim, or the claim itself."""
        ...


class Signs(Protocol):
    """Tells which sentences correct or change something, and which of a user ask for a change."""

    async def signs(self, told: Sequence[str], asked: Sequence[str]) -> Mapping[str, Sign]:
        """The signs of the sentences that have one: `told` are the assistant's, `asked` the user's."""
        ...


class Rank(Protocol):
    """The stage that rates the importance of claims (VITAL)."""

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        """One importance for each draft of one sentence.

        `position` is the sentence's place among the turn's sentences with claims, from 0.
        """
        ...


@runtime_checkable
class RankAhead(Protocol):
    """An optional second protocol of a Rank stage; one whose calls cost money is better without it."""

    async def rank_ahead(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance] | None:
        """As `rank`, for a sentence that may not come; None where that must wait. It may be cancelled."""
        ...


class Verify(Protocol):
    """The stage that compares a claim with its grounds and gives scores and evidence."""

    async def prepare(self, grounds: Grounds) -> None:
        """Do the work that all claims against these grounds share, such as indexing new references."""
        ...

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """The deciding scores and evidence; raises VerifierError or StageError."""
        ...


@runtime_checkable
class VerifyAhead(Protocol):
    """An optional second protocol of a Verify stage; one whose calls cost money is better without it."""

    async def verify_ahead(self, claim: Claim, grounds: Grounds, foresight: Foresight) -> Finding | None:
        """What `verify` would find for a claim that may not come; None where that must wait.

        `foresight` tells when the claim is certain: work that is asked for goes before work that may not be.
        It is called for the claims of first clauses too, while their sentence goes on; there the finding is
        dropped, and what the stage keeps is of use. It may be cancelled.
        """
        ...


class Categorise(Protocol):
    """The stage that turns a finding into a category."""

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """The category; raises StageError where an LLM gives no usable answer."""
        ...


@runtime_checkable
class Thresholded(Protocol):
    """What a Verify or Categorise stage may do besides: go by other thresholds than its own."""

    def at(self, thresholds: Mapping[str, float]) -> Self:
        """The same stage at these thresholds, by the names of `Policy.thresholds`; it keeps the others.

        This one stays as it is: other sessions may share it.
        """
        ...

"""The protocols of the stages; embedded and LLM stages fulfil the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from vista_stream.claims import Category, Claim, ClaimKind, Draft, Finding, Importance, Utterance
from vista_stream.core.common_ground import Statement
from vista_stream.core.text.segmenter import Segment

if TYPE_CHECKING:
    from vista_stream.retrieval.reference import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a claim may be compared with."""

    references: Sequence[Reference] = ()
    common_ground: Sequence[Statement] = ()


class Discourse(Protocol):
    """What decomposition remembers of one conversation; its calls come one at a time, in order."""

    async def hear(self, utterance: Utterance) -> None:
        """Take in a finished utterance, so that later references to it resolve."""
        ...

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        """The atomic claims of the assistant's next sentence; empty where it makes none.

        Raises StageError where an LLM gave no answer that can be used.
        """
        ...


@runtime_checkable
class Foreseeing(Protocol):
    """What a discourse may do besides: begin while it is not yet certain that a sentence has ended."""

    async def foresee(self, text: str) -> None:
        """Prepare for a sentence that probably has this text. What is decomposed never depends on it."""
        ...


class Decompose(Protocol):
    """Sentences to claims."""

    def begin(self) -> Discourse:
        """A fresh memory for one conversation."""
        ...


class Kinds(Protocol):
    """Claims that nobody decomposed here to their kinds."""

    async def kinds(self, claims: Sequence[str], words: Sequence[str]) -> Sequence[ClaimKind]:
        """One kind a claim; `words` are those of the text that each came from, or the claim again."""
        ...


class Rank(Protocol):
    """Claims to importance (VITAL)."""

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        """One importance a draft of one sentence.

        `position` is the sentence's place among the turn's sentences with claims, from 0.
        """
        ...


class Verify(Protocol):
    """A claim and its grounds to scores and evidence."""

    async def prepare(self, grounds: Grounds) -> None:
        """Do once what all claims against these grounds need, such as indexing new references."""
        ...

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """The deciding scores and evidence; raises VerifierError or StageError."""
        ...


class Categorise(Protocol):
    """A finding to a category."""

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """The category; raises StageError where an LLM gave no answer that can be used."""
        ...


@runtime_checkable
class Thresholded(Protocol):
    """What a Verify or Categorise stage may do besides: go by other thresholds than its own."""

    def at(self, thresholds: Mapping[str, float]) -> Self:
        """The same stage at these thresholds, by the names of `Policy.thresholds`; it keeps the others.

        This one stays as it is: other sessions may share it.
        """
        ...

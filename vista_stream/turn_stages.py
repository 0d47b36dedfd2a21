"""The stages of one turn: what its session lends, and each call of a stage, measured and checked."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from vista_stream.claims import Category, Claim, Draft, Importance, Verdict
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import LanguageUnsupported, Overload, StageError, VerifierError
from vista_stream.policy import Policy
from vista_stream.report import TurnReport
from vista_stream.stages.ledger import Ledger
from vista_stream.stages.protocols import Discourse, Foreseeing, Grounds
from vista_stream.stages.stages import Stages

logger = logging.getLogger("vista_stream")

Callback: TypeAlias = Callable[[Any], Awaitable[None] | None]
"""Takes one event; awaited before the event goes on; what it raises cancels the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnParts:
    """What a session lends to each of its turns."""

    policy: Policy
    stages: Stages
    discourse: Discourse
    grounds: Callable[[], Grounds]
    callbacks: Sequence[tuple[type, Callback]]
    prepare: Callable[[str | None], Awaitable[None]]
    """Run with the query before the first claim is extracted, while the source is read already."""
    on_end: Callable[[TurnReport], Awaitable[TurnReport]]
    on_enter: Callable[[], None]
    """Run before anything of the turn begins; raises SessionStateError where another turn runs."""
    on_leave: Callable[[], None]
    """Run when the turn's block is left, however it is left."""


class TurnStages:
    """Calls the stages for a turn, one sentence or claim at a time, and keeps what each call took.

    What a stage gives is checked before anything is decided by it: StageError says what was wrong with it.
    """

    def __init__(self, parts: TurnParts, *, query: str | None) -> None:
        self._parts = parts
        self._query = query
        self._ledger = Ledger()
        self._ranked = 0

    async def prepare(self) -> None:
        """What must be done before the first sentence is decomposed."""
        with self._ledger.stage("prepare"):
            await self._parts.prepare(self._query)

    async def foresee(self, text: str) -> None:
        """Let the discourse begin with a sentence that will probably end as `text`; nothing hangs on it."""
        discourse = self._parts.discourse
        if not isinstance(discourse, Foreseeing):
            return
        try:
            await discourse.foresee(text)
        except Exception as failure:
            # What is wrong will be met again when the sentence is decomposed.
            logger.warning("a sentence could not be foreseen: %s", type(failure).__name__)

    async def drafts(self, sentence: Segment) -> Sequence[Draft]:
        """The claims of a sentence with their importance."""
        with self._ledger.stage("decompose"):
            drafts = await self._parts.discourse.decompose(sentence)
        _check_members("decompose", drafts, Draft)
        if not drafts:
            return drafts
        with self._ledger.stage("rank"):
            ranks = await self._parts.stages.rank.rank(drafts, self._query, position=self._ranked)
        _check_members("rank", ranks, Importance)
        if len(ranks) != len(drafts):
            raise StageError(
                f"rank must give one Importance for each of {len(drafts)} claims, not {len(ranks)}"
            )
        self._ranked += 1
        return [replace(draft, importance=rank) for draft, rank in zip(drafts, ranks, strict=True)]

    async def verdict(self, claim: Claim) -> Verdict:
        """What a claim is found to be against the turn's grounds."""
        stages = self._parts.stages
        with self._ledger.stage("verify"):
            finding = await stages.verify.verify(claim, self._parts.grounds())
        with self._ledger.stage("categorise"):
            category = await stages.categorise.categorise(claim, finding)
        _check_members("categorise", [category], Category)
        return Verdict(
            claim=claim,
            category=category,
            scores=finding.scores,
            evidence=finding.evidence,
            tier=finding.tier,
        )

    def excused(self, error: Exception) -> Exception:
        """The error, where the policy leaves its claims unresolved; else raises it as VerifierError."""
        if self._parts.policy.on_verifier_error == "raise":
            if isinstance(error, StageError | VerifierError):
                raise error
            raise VerifierError(f"a stage raised {type(error).__name__}: {error}") from error
        if not isinstance(error, LanguageUnsupported | Overload):
            logger.error("a claim stays unresolved: %s", type(error).__name__, exc_info=error)
        return error

    def entered_in(self, report: TurnReport) -> TurnReport:
        """The report with what the stages took."""
        return self._ledger.entered_in(report)


def _check_members(stage: str, given: object, kind: type) -> None:
    """What a stage gave, before anything is decided by it: a str equals no member of an enum by identity."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise StageError(f"{stage} must give a sequence of {kind.__name__}, not {type(given).__name__}")
    for member in given:
        if not isinstance(member, kind):
            raise StageError(f"{stage} must give {kind.__name__}, not {member!r}")

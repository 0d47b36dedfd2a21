"""The stages over finished dialogues, turn after turn (VISTA, steps 1 to 5), and its two baselines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import anyio

from vista_stream.claims import (
    Category,
    Claim,
    ClaimKind,
    Draft,
    Finding,
    Importance,
    Span,
    UnresolvedReason,
    Utterance,
    Verdict,
)
from vista_stream.core.common_ground import CommonGround, Statement
from vista_stream.core.extraction.kinds import kind_of
from vista_stream.core.text.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.core.turn import DECOMPOSED
from vista_stream.errors import StageError, VerifierError
from vista_stream.report import SessionReport, TurnReport, Unresolved
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn, reference_of
from vista_stream.stages.ledger import Ledger
from vista_stream.stages.llm.locate import locate
from vista_stream.stages.nuggets import MatchedNugget, Nugget
from vista_stream.stages.protocols import Discourse, Grounds
from vista_stream.stages.stages import Stages


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What the stages are given; the paper's ablations take something away."""

    whole_turns: bool = False
    """Decompose a turn at once, as VISTA does with an LLM, in the place of sentence by sentence."""
    whole_ranking: bool = False
    """Rank a turn's claims at once, as VITAL does with an LLM."""
    history: bool = True
    """Whether decomposition sees the earlier turns."""
    common_ground: bool = True
    """Whether verification sees background knowledge and earlier claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScore:
    """One assistant turn, scored."""

    position: int
    """Among the dialogue's turns, from 0."""
    report: TurnReport
    verifiable: bool | None
    """VISTA's turn-level rule, or the one-pass judge's word; None where that gave none."""
    explanation: str = ""
    """The one-pass judge's."""
    nuggets: Sequence[MatchedNugget] | None = None
    """None where there are none to match."""
    errors: Sequence[str] = ()
    """What kept the nuggets or the judge from an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueScore:
    """One dialogue, scored; `report` holds its assistant turns."""

    turns: Sequence[TurnScore]

    @property
    def report(self) -> SessionReport:
        """The turns' reports, for the dialogue's shares and its VISTA score."""
        return SessionReport(turns=[turn.report for turn in self.turns])


class Scorer(Protocol):
    """Scores one dialogue; may be called for many at a time."""

    async def score(self, dialogue: Dialogue) -> DialogueScore:
        """What a dialogue amounts to; claims that fail stay unresolved."""
        ...


class NuggetMatcher(Protocol):
    """Says how far an answer carries nuggets."""

    async def match(self, query: str, answer: str, nuggets: Sequence[Nugget]) -> list[MatchedNugget]:
        """One grade a nugget, in order; raises StageError or VerifierError."""
        ...


class NuggetMaker(Protocol):
    """Makes nuggets where a dialogue brings none."""

    async def make(self, query: str, reference: str) -> list[Nugget]:
        """What an answer to the query should hold; raises StageError."""
        ...


@dataclass
class _Conversation:
    """What has happened so far in one dialogue."""

    discourse: Discourse
    common_ground: CommonGround
    query: str = ""
    ledger: Ledger = field(default_factory=Ledger)
    """Of the turn that comes next or is being scored."""
    reports: list[TurnReport] = field(default_factory=list)


CLAIMS_AT_ONCE = 64
"""Claims of all dialogues that a scorer has checked at one time.

A live turn's verifier sheds what its queue has no place for; here nothing is due, so the rest waits. A claim
asks for six pairs at a time at most where the stages are the shipped ones, whose queue takes 512.
"""


class VistaScorer:
    """VISTA by any stages; with VITAL's nuggets where a matcher is given."""

    def __init__(
        self,
        stages: Stages,
        *,
        conditions: Conditions | None = None,
        matcher: NuggetMatcher | None = None,
        maker: NuggetMaker | None = None,
    ) -> None:
        self._stages = stages
        self._conditions = conditions or Conditions()
        self._matcher = matcher
        self._maker = maker
        self._places = anyio.Semaphore(CLAIMS_AT_ONCE)

    async def score(self, dialogue: Dialogue) -> DialogueScore:
        """Score the assistant's turns in order; each one's claims are verified side by side."""
        background = [Statement(text=text, origin="background", turn=-1) for text in dialogue.background]
        so_far = _Conversation(self._stages.decompose.begin(), CommonGround(background))
        scores = []
        for position, turn in enumerate(dialogue.turns):
            if turn.role == "user":
                await self._hear(so_far, turn)
                so_far.query = turn.text
            else:
                scores.append(await self._turn(so_far, position, turn))
        return DialogueScore(turns=scores)

    async def _hear(self, so_far: _Conversation, turn: DialogueTurn) -> None:
        if self._conditions.history:
            with so_far.ledger.stage("prepare"):
                await so_far.discourse.hear(Utterance(role=turn.role, text=turn.text))

    async def _turn(self, so_far: _Conversation, position: int, turn: DialogueTurn) -> TurnScore:
        query = turn.query or so_far.query
        report = await self._report(so_far, turn, query)
        so_far.common_ground.add_verdicts(report.verdicts, turn=len(so_far.reports))
        try:
            nuggets, errors = await self._nuggets(turn, query, so_far.ledger), []
        except (StageError, VerifierError) as error:
            nuggets, errors = None, [f"nuggets: {error}"]
        report = so_far.ledger.entered_in(report)
        so_far.reports.append(report)
        so_far.ledger = Ledger()
        return TurnScore(
            position=position, report=report, verifiable=report.verifiable, nuggets=nuggets, errors=errors
        )

    async def _report(self, so_far: _Conversation, turn: DialogueTurn, query: str) -> TurnReport:
        try:
            claims = await self._claims(so_far, turn, query)
        except (StageError, VerifierError) as error:
            whole = Claim(id=0, sentence=0, text=turn.text, span=Span(0, len(turn.text)))
            return TurnReport(unresolved=[_unresolved(whole, error)])
        grounds = Grounds(
            references=[reference_of(text, n) for n, text in enumerate(turn.references, start=1)],
            common_ground=tuple(so_far.common_ground) if self._conditions.common_ground else (),
        )
        outcomes: dict[int, Verdict | Unresolved] = {}
        if claims:
            with so_far.ledger.stage("prepare"):
                await self._stages.verify.prepare(grounds)

        async def settle(claim: Claim) -> None:
            async with self._places:
                outcomes[claim.id] = await self._outcome(claim, grounds, so_far.ledger)

        async with anyio.create_task_group() as tasks:
            for claim in claims:
                tasks.start_soon(settle, claim)
        ordered = [outcomes[claim.id] for claim in claims]
        return TurnReport(
            verdicts=[outcome for outcome in ordered if isinstance(outcome, Verdict)],
            unresolved=[outcome for outcome in ordered if isinstance(outcome, Unresolved)],
        )

    async def _claims(self, so_far: _Conversation, turn: DialogueTurn, query: str) -> list[Claim]:
        drafts = await self._drafts(so_far, turn)
        sentences = [_sentence_of(draft, turn.text) for draft in drafts]
        given = [claim.importance for claim in turn.claims or ()] or [None] * len(drafts)
        importances = [importance or Importance.OKAY for importance in given]
        if None in given:
            with so_far.ledger.stage("rank"):
                ranked = await self._rank(drafts, sentences, query)
            importances = [own or other for own, other in zip(given, ranked, strict=True)]
        return [
            Claim(id=n, sentence=sentence, text=d.text, span=d.span, kind=d.kind, importance=importance)
            for n, (d, sentence, importance) in enumerate(zip(drafts, sentences, importances, strict=True))
        ]

    async def _drafts(self, so_far: _Conversation, turn: DialogueTurn) -> list[Draft]:
        whole = _whole(turn.text)
        if turn.claims is not None:
            await self._hear(so_far, turn)
            return await self._given([claim.text for claim in turn.claims], whole)
        if not self._conditions.history:
            so_far.discourse = self._stages.decompose.begin()
        segments = [whole] if self._conditions.whole_turns else _segments(turn.text)
        drafts: list[Draft] = []
        try:
            for segment in segments:
                with so_far.ledger.stage("decompose"):
                    drafts += await so_far.discourse.decompose(segment)
        except (StageError, VerifierError):
            await self._hear(so_far, turn)  # later turns speak of what was said, claims or none
            raise
        return drafts

    async def _given(self, texts: Sequence[str], whole: Segment) -> list[Draft]:
        spans = [locate(text, whole) for text in texts]
        kinds: Sequence[ClaimKind] = [kind_of(text) for text in texts]
        if self._stages.kinds is not None:
            words = [
                whole.text[span.start : span.end].strip() or t for t, span in zip(texts, spans, strict=True)
            ]
            kinds = await self._stages.kinds.kinds(texts, words)
        return [Draft(text=t, span=s, kind=k) for t, s, k in zip(texts, spans, kinds, strict=True)]

    async def _rank(
        self, drafts: Sequence[Draft], sentences: Sequence[int], query: str
    ) -> Sequence[Importance]:
        rank = self._stages.rank.rank
        if self._conditions.whole_ranking:
            return await rank(drafts, query or None, position=0)
        ranked = [Importance.OKAY] * len(drafts)
        for number, sentence in enumerate(sorted(set(sentences))):
            places = [n for n, of in enumerate(sentences) if of == sentence]
            part = await rank([drafts[n] for n in places], query or None, position=number)
            for n, importance in zip(places, part, strict=True):
                ranked[n] = importance
        return ranked

    async def _outcome(self, claim: Claim, grounds: Grounds, ledger: Ledger) -> Verdict | Unresolved:
        try:
            with ledger.stage("verify"):
                finding = await self._stages.verify.verify(claim, grounds)
            with ledger.stage("categorise"):
                category = await self._stages.categorise.categorise(claim, finding)
        except (StageError, VerifierError) as error:
            return _unresolved(claim, error)
        return Verdict(
            claim=claim,
            category=category,
            scores=finding.scores,
            evidence=finding.evidence,
            tier=finding.tier,
        )

    async def _nuggets(self, turn: DialogueTurn, query: str, ledger: Ledger) -> list[MatchedNugget] | None:
        nuggets = turn.nuggets
        if nuggets is None and self._maker is not None and turn.references and query:
            with ledger.stage("nuggets"):
                nuggets = await self._maker.make(query, "\n\n".join(turn.references))
        if nuggets is None or self._matcher is None:
            return None
        async with self._places:
            with ledger.stage("nuggets"):
                return await self._matcher.match(query, turn.text, nuggets)


def _whole(text: str) -> Segment:
    return Segment(index=0, text=text, span=Span(0, len(text)), kind=SegmentKind.SENTENCE)


@lru_cache(maxsize=64)
def _segments(text: str) -> Sequence[Segment]:
    segmenter = Segmenter()
    found: Iterable[Segment] = [*segmenter.feed(text), *segmenter.finish()]
    return tuple(segment for segment in found if segment.kind in DECOMPOSED)


def _sentence_of(draft: Draft, text: str) -> int:
    return max((s.index for s in _segments(text) if s.span.start <= draft.span.start), default=0)


def _unresolved(claim: Claim, error: Exception) -> Unresolved:
    staged = isinstance(error, StageError)
    reason = UnresolvedReason.STAGE_ERROR if staged else UnresolvedReason.VERIFIER_ERROR
    return Unresolved(claim=claim, reason=reason, error=str(error))


class TwoWayCategorise:
    """FActScore's decision: VERIFIED, or LACKING_EVIDENCE for all else; fulfils the Categorise stage.

    With `Conditions(history=False, common_ground=False)` it makes a VistaScorer the baseline that VISTA
    compares with: FActScore without sentence splitting, each claim against the reference alone.
    """

    def __init__(self, entailment: float = 0.5) -> None:
        self._entailment = entailment

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """By the entailment score alone."""
        supported = finding.scores is not None and finding.scores.entailment >= self._entailment
        return Category.VERIFIED if supported else Category.LACKING_EVIDENCE

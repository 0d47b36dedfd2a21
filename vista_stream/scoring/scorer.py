"""Runs the stages over finished dialogues, turn after turn (VISTA, steps 1 to 5), also as FActScore does."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Literal, Protocol

import anyio

from vista_stream.claims import (
    Category,
    Claim,
    ClaimKind,
    Draft,
    Finding,
    Importance,
    Span,
    Utterance,
    Verdict,
)
from vista_stream.core.common_ground import CommonGround, Statement
from vista_stream.core.extraction.kinds import kind_of
from vista_stream.core.talk import KEPT, Line, lines_of_turn
from vista_stream.core.text.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.core.turn import DECOMPOSED
from vista_stream.errors import StageError, VerifierError
from vista_stream.failures import reason_of
from vista_stream.report import SessionReport, TurnReport, Unresolved
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn, reference_of
from vista_stream.stages.checked import decomposed, judged, ranked
from vista_stream.stages.ledger import Ledger
from vista_stream.stages.llm.locate import locate
from vista_stream.stages.nuggets import MatchedNugget, Nugget
from vista_stream.stages.protocols import Discourse, Grounds
from vista_stream.stages.stages import Stages
from vista_stream.turn_stages import SO_FAR, told_before

logger = logging.getLogger("vista_stream")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What the stages are given; the ablations of the VISTA paper leave something out."""

    whole_turns: bool = False
    """Decompose a turn as a whole, as VISTA does with an LLM, instead of sentence by sentence."""
    whole_ranking: bool = False
    """Rank all claims of a turn together, as VITAL does with an LLM, instead of sentence by sentence."""
    history: bool = True
    """Whether decomposition sees the earlier turns."""
    common_ground: bool = True
    """Whether verification sees background knowledge, earlier claims and what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScore:
    """One assistant turn, scored."""

    position: int
    """Index among the dialogue's turns, from 0."""
    report: TurnReport
    verifiable: bool | None
    """By VISTA's turn-level rule, or the answer of LLM-as-Judge; None if that gave no usable answer."""
    explanation: str = ""
    """The explanation of LLM-as-Judge; empty for the other methods."""
    nuggets: Sequence[MatchedNugget] | None = None
    """None if there are no nuggets or no matcher, or if matching failed."""
    errors: Sequence[str] = ()
    """Messages of errors that occurred in matching nuggets or asking the judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueScore:
    """One dialogue, scored; `report` holds its assistant turns."""

    turns: Sequence[TurnScore]

    @property
    def report(self) -> SessionReport:
        """The reports of the turns together, which give the dialogue's shares and VISTA score."""
        return SessionReport(turns=[turn.report for turn in self.turns])


class Scorer(Protocol):
    """Scores one dialogue; may be called for many dialogues at a time."""

    async def score(self, dialogue: Dialogue) -> DialogueScore:
        """Score a dialogue; claims whose stages fail are unresolved."""
        ...


class NuggetMatcher(Protocol):
    """Grades how far an answer supports each nugget (a fact that a good answer should hold)."""

    async def match(self, query: str, answer: str, nuggets: Sequence[Nugget]) -> list[MatchedNugget]:
        """One grade for each nugget, in order; raises StageError or VerifierError."""
        ...


class NuggetMaker(Protocol):
    """Makes nuggets for turns that have none."""

    async def make(self, query: str, reference: str) -> list[Nugget]:
        """The facts that an answer to the query should hold; raises StageError."""
        ...


@dataclass
class _Conversation:
    """The state of one dialogue so far."""

    discourse: Discourse
    common_ground: CommonGround
    query: str = ""
    talk: deque[Line] = field(default_factory=lambda: deque(maxlen=KEPT))
    ledger: Ledger = field(default_factory=Ledger)
    """Stage times of the turn that is being scored, or comes next."""
    reports: list[TurnReport] = field(default_factory=list)


CLAIMS_AT_ONCE = 64
"""How many claims, of all dialogues together, a scorer verifies at the same time.

In a live turn a verifier turns claims away when its queue is full. Here there is no deadline, so the other
claims wait instead. With the shipped stages a claim asks for at most six pairs at a time, and the queue
takes 512.
"""


class VistaScorer:
    """VISTA's measures with any stages; with a matcher, VITAL's nuggets too."""

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
        """Score the assistant's turns in order; the claims of one turn are verified concurrently."""
        background = [Statement(text=text, origin="background", turn=-1) for text in dialogue.background]
        so_far = _Conversation(self._stages.decompose.begin(), CommonGround(background))
        scores = []
        for position, turn in enumerate(dialogue.turns):
            if turn.role == "user":
                await self._hear(so_far, "user", turn.text)
                so_far.query = turn.text
            else:
                scores.append(await self._turn(so_far, position, turn))
        return DialogueScore(turns=scores)

    async def _hear(self, so_far: _Conversation, role: Literal["user", "assistant"], text: str) -> None:
        if not self._conditions.history:
            return
        if role == "user":
            so_far.talk += lines_of_turn(text, (), turn=len(so_far.reports))
        with so_far.ledger.stage("prepare"), _going_on("an utterance could not be heard"):
            await so_far.discourse.hear(Utterance(role=role, text=text))

    async def _turn(self, so_far: _Conversation, position: int, turn: DialogueTurn) -> TurnScore:
        query = turn.query or so_far.query
        if query != so_far.query:
            await self._hear(so_far, "user", query)
        report = await self._report(so_far, turn, query)
        so_far.common_ground.add_verdicts(report.verdicts, turn=len(so_far.reports))
        try:
            nuggets, errors = await self._nuggets(turn, query, so_far.ledger), []
        except Exception as error:
            nuggets, errors = None, [f"nuggets: {_told(error)}"]
        report = so_far.ledger.entered_in(report)
        if self._conditions.history:
            false = {
                each.claim.sentence for each in report.verdicts if each.category is Category.CONTRADICTED
            }
            said = [each.text for each in _segments(turn.text)[-KEPT:] if each.index not in false]
            so_far.talk += lines_of_turn("", said, turn=len(so_far.reports))
        so_far.reports.append(report)
        so_far.ledger = Ledger()
        return TurnScore(
            position=position, report=report, verifiable=report.verifiable, nuggets=nuggets, errors=errors
        )

    async def _report(self, so_far: _Conversation, turn: DialogueTurn, query: str) -> TurnReport:
        try:
            claims = await self._claims(so_far, turn, query)
        except Exception as error:
            whole = Claim(id=0, sentence=0, text=turn.text, span=Span(0, len(turn.text)))
            return TurnReport(unresolved=[_unresolved(whole, error)])
        grounds = Grounds(
            references=[reference_of(text, n) for n, text in enumerate(turn.references, start=1)],
            common_ground=tuple(so_far.common_ground) if self._conditions.common_ground else (),
            talk=tuple(so_far.talk) if self._conditions.common_ground else (),
        )
        outcomes: dict[int, Verdict | Unresolved] = {}
        if claims:
            with so_far.ledger.stage("prepare"), _going_on("verification could not be prepared"):
                await self._stages.verify.prepare(grounds)

        async def settle(claim: Claim) -> None:
            backwards = [*islice(_backwards(turn.text, claim.sentence), SO_FAR)]
            async with self._places:
                own = replace(grounds, before=told_before(backwards, query))
                outcomes[claim.id] = await self._outcome(claim, own, so_far.ledger)

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
                ranks = await self._rank(drafts, sentences, query)
            importances = [own or other for own, other in zip(given, ranks, strict=True)]
        # The sentence of a claim that was not taken from one sentence is only a guess.
        split = turn.claims is None and not self._conditions.whole_turns
        texts = {each.index: each.text for each in _segments(turn.text)} if split else {}
        return [
            Claim(
                id=n,
                sentence=sentence,
                sentence_text=texts.get(sentence, ""),
                text=draft.text,
                span=draft.span,
                kind=draft.kind,
                importance=importance,
            )
            for n, (draft, sentence, importance) in enumerate(
                zip(drafts, sentences, importances, strict=True)
            )
        ]

    async def _drafts(self, so_far: _Conversation, turn: DialogueTurn) -> list[Draft]:
        whole = _whole(turn.text)
        if turn.claims is not None:
            await self._hear(so_far, turn.role, turn.text)
            return await self._given([claim.text for claim in turn.claims], whole)
        if not self._conditions.history:
            so_far.discourse = self._stages.decompose.begin()
        segments = [whole] if self._conditions.whole_turns else _segments(turn.text)
        drafts: list[Draft] = []
        try:
            for segment in segments:
                with so_far.ledger.stage("decompose"):
                    drafts += await decomposed(so_far.discourse, segment)
        except Exception:
            # Later turns refer to this text, even without its claims.
            await self._hear(so_far, turn.role, turn.text)
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
        stage = self._stages.rank
        if self._conditions.whole_ranking:
            return await ranked(stage, drafts, query or None, position=0)
        ranks = [Importance.OKAY] * len(drafts)
        for number, sentence in enumerate(sorted(set(sentences))):
            places = [n for n, of in enumerate(sentences) if of == sentence]
            part = await ranked(stage, [drafts[n] for n in places], query or None, position=number)
            for n, importance in zip(places, part, strict=True):
                ranks[n] = importance
        return ranks

    async def _outcome(self, claim: Claim, grounds: Grounds, ledger: Ledger) -> Verdict | Unresolved:
        try:
            finding = self._stages.verify.verify(claim, grounds)
            return await judged(claim, finding, self._stages.categorise, ledger)
        except Exception as error:
            return _unresolved(claim, error)

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


def _backwards(text: str, index: int) -> Iterator[str]:
    """The sentences before one, the last first, without lists' markers."""
    earlier = (each.text for each in reversed(_segments(text)) if each.index < index)
    return (each for each in earlier if any(map(str.isalpha, each)))


@contextmanager
def _going_on(failed: str) -> Iterator[None]:
    """Log an error instead of raising it: where it matters, each claim meets it again."""
    try:
        yield
    except Exception as error:
        logger.error("%s: %s", failed, type(error).__name__, exc_info=error)


def _unresolved(claim: Claim, error: Exception) -> Unresolved:
    return Unresolved(claim=claim, reason=reason_of(error), error=_told(error))


def _told(error: Exception) -> str:
    """The error's message; one that no stage should raise is logged too."""
    if not isinstance(error, StageError | VerifierError):
        logger.error("a stage raised %s", type(error).__name__, exc_info=error)
    return str(error)


class TwoWayCategorise:
    """A Categorise stage that decides as FActScore does: VERIFIED, or LACKING_EVIDENCE for all else.

    A VistaScorer with this stage and `Conditions(history=False, common_ground=False)` is the baseline that
    VISTA compares with: FActScore without sentence splitting, each claim against the reference alone.
    """

    def __init__(self, entailment: float = 0.5) -> None:
        self._entailment = entailment

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """VERIFIED if the entailment score reaches the threshold, else LACKING_EVIDENCE."""
        supported = finding.scores is not None and finding.scores.entailment >= self._entailment
        return Category.VERIFIED if supported else Category.LACKING_EVIDENCE

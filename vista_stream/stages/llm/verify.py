"""Verification, categories and a final judgement by an LLM (VISTA, steps 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol, Self

from vista_stream.claims import Category, Claim, Finding, Scores
from vista_stream.core.judge import Thresholds, checked_thresholds
from vista_stream.stages.ledger import inner_stage
from vista_stream.stages.llm.client import LlmClient, Question
from vista_stream.stages.llm.form import Form
from vista_stream.stages.llm.grounds import GroundedFinding, cited_passage, shown_references, shown_statements
from vista_stream.stages.protocols import Categorise, Grounds
from vista_stream.stages.stages import categorise_at

_VERIFIED, _CONTRADICTED, _UNVERIFIABLE = "VERIFIED", "CONTRADICTED", "UNVERIFIABLE"
_SCORES = {
    _VERIFIED: Scores(1.0, 0.0, 0.0),
    _UNVERIFIABLE: Scores(0.0, 1.0, 0.0),
    _CONTRADICTED: Scores(0.0, 0.0, 1.0),
}
_NAMES = {category.name: category for category in Category}
_REASONS = tuple(name for name in _NAMES if name != _VERIFIED)


class LlmVerify:
    """Implements the Verify stage; scores are 0 or 1, and the evidence is the passage nearest in words.

    With `contradictions=False` the model is asked VISTA's own question: VERIFIED or UNVERIFIABLE. Then the
    Categorise stage must find the contradictions. `LlmCategorise` can; `EmbeddedCategorise` cannot, since it
    uses these scores only.
    """

    def __init__(self, client: LlmClient, *, contradictions: bool = True) -> None:
        self._client = client
        choices = (_VERIFIED, _CONTRADICTED, _UNVERIFIABLE) if contradictions else (_VERIFIED, _UNVERIFIABLE)
        self._form = Form(choices=choices, count=1)
        self._prompt = "verify" if contradictions else "verify_two_way"

    async def prepare(self, grounds: Grounds) -> None:
        """Do nothing: no preparation is needed."""

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """The LLM's decision about a claim; raises StageError where it gives no usable answer."""
        background = shown_statements(claim.text, grounds.common_ground)
        reference = shown_references(claim.text, grounds.references)
        fields = {"background": background, "reference": reference, "claim": claim.text}
        answer = await self._client.ask(Question(self._prompt, fields, self._form), _only)
        return GroundedFinding(
            scores=_SCORES[answer],
            evidence=cited_passage(claim.text, grounds),
            tier="llm",
            background=background,
            reference=reference,
        )


class LlmCategorise:
    """Implements the Categorise stage: says why a claim is not verified.

    A claim whose entailment score reaches the threshold is VERIFIED without asking the LLM. For findings of
    a stage other than LlmVerify, the LLM is shown their evidence only.
    """

    def __init__(self, client: LlmClient, *, thresholds: Thresholds | None = None) -> None:
        self._client = client
        self._thresholds = checked_thresholds(thresholds)

    def at(self, thresholds: Mapping[str, float]) -> Self:
        """The same stage at another entailment to count as verified; contradictions are the LLM's to find."""
        return type(self)(self._client, thresholds=replace(self._thresholds, **thresholds))

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """The category; raises StageError where the LLM gives no usable answer."""
        if finding.scores is not None and finding.scores.entailment >= self._thresholds.entailment:
            return Category.VERIFIED
        fields = {**_grounds(finding), "claim": claim.text}
        question = Question("categorise", fields, Form(choices=_REASONS, count=1))
        return _NAMES[await self._client.ask(question, _only)]


class Judge(Protocol):
    """Reviews one decision about a claim."""

    async def judge(self, claim: Claim, finding: Finding, proposed: Category) -> Category:
        """The final category; raises StageError where there is no usable answer."""
        ...


class LlmJudge:
    """A Judge that asks an LLM."""

    def __init__(self, client: LlmClient) -> None:
        self._client = client

    async def judge(self, claim: Claim, finding: Finding, proposed: Category) -> Category:
        """The LLM's decision; it is shown the proposed category. Raises StageError for an unusable answer."""
        fields = {**_grounds(finding), "claim": claim.text, "proposed": proposed.name}
        question = Question("judge", fields, Form(choices=tuple(_NAMES), count=1))
        return _NAMES[await self._client.ask(question, _only)]


class JudgedCategorise:
    """Implements the Categorise stage: another one decides, and a judge reviews doubtful decisions.

    A decision is doubtful if it is a contradiction, or if its two largest scores differ by less than
    `margin`.
    """

    def __init__(self, inner: Categorise, judge: Judge, *, margin: float = 0.2) -> None:
        if not 0 <= margin <= 1:
            raise ValueError(f"margin must lie in 0..1, not {margin!r}")
        self._inner = inner
        self._judge = judge
        self._margin = margin

    def at(self, thresholds: Mapping[str, float]) -> Self:
        """The same judge over the other stage at these thresholds; ValueError where that one takes none."""
        return type(self)(categorise_at(self._inner, thresholds), self._judge, margin=self._margin)

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """The inner stage's category; the judge's, where the inner one is doubtful."""
        category = await self._inner.categorise(claim, finding)
        if category is Category.CONTRADICTED or self._close(finding.scores):
            with inner_stage("judge"):
                return await self._judge.judge(claim, finding, category)
        return category

    def _close(self, scores: Scores | None) -> bool:
        if scores is None:
            return False
        _, second, first = sorted(scores)
        return first - second < self._margin


def _grounds(finding: Finding) -> Mapping[str, str]:
    if isinstance(finding, GroundedFinding):
        return {"background": finding.background, "reference": finding.reference}
    evidence = finding.evidence
    shown = {"background": "", "reference": ""}
    if evidence is not None:
        shown["background" if evidence.origin == "common_ground" else "reference"] = evidence.text
    return MappingProxyType(shown)


def _only(answers: Sequence[str]) -> str:
    return answers[0]

"""Turns scores into a category (VISTA, step 3), and chooses which of two findings counts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vista_stream.amounts import check_probability
from vista_stream.claims import Category, Claim, ClaimKind, Finding, Scores
from vista_stream.errors import kind_of

_OUT_OF_SCOPE = (ClaimKind.OPINION, ClaimKind.RECOMMENDATION, ClaimKind.ASSISTANT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """The probabilities from which on a score decides about a claim.

    A shipped model brings its own thresholds in its manifest; these defaults are for verifiers that bring
    none. Raises ValueError unless each is above 0 and at most 1.
    """

    entailment: float = 0.5
    """A claim is VERIFIED from this entailment on, unless it is CONTRADICTED."""
    contradiction: float = 0.5
    """A claim is CONTRADICTED from this contradiction on, where it also exceeds the entailment."""

    def __post_init__(self) -> None:
        for name in ("entailment", "contradiction"):
            check_probability(name, getattr(self, name))


def checked_thresholds(given: object) -> Thresholds:
    """The thresholds, or the default ones for None; raises ValueError for what is neither."""
    if given is None:
        return Thresholds()
    if not isinstance(given, Thresholds):
        raise ValueError(f"thresholds must be Thresholds or None, not {kind_of(given)}")
    return given


def judge(claim: Claim, finding: Finding, thresholds: Thresholds) -> Category:
    """The category of a claim, by the first of these rules that applies.

    A refusal is ABSTENTION. A claim is CONTRADICTED or VERIFIED by the thresholds; an opinion is never
    CONTRADICTED, and advice only by a reference: what was said earlier does not make advice false. Where
    neither threshold is reached, an opinion, a recommendation or a statement of the assistant about itself
    is OUT_OF_SCOPE. Any other claim is LACKING_EVIDENCE.
    """
    if claim.kind is ClaimKind.REFUSAL:
        return Category.ABSTENTION
    category = _by_scores(finding.scores, thresholds)
    if category is Category.CONTRADICTED and not _can_be_false(claim, finding):
        category = None
    if category is not None:
        return category
    return Category.OUT_OF_SCOPE if claim.kind in _OUT_OF_SCOPE else Category.LACKING_EVIDENCE


def category_of(scores: Scores, thresholds: Thresholds) -> Category:
    """The category of a fact with these scores: VERIFIED, CONTRADICTED or LACKING_EVIDENCE."""
    return _by_scores(scores, thresholds) or Category.LACKING_EVIDENCE


def decide(
    reference: Finding, common_ground: Finding, thresholds: Thresholds, *, verified: bool = False
) -> Finding:
    """The finding that counts: the reference's where it decides, else the common ground's if it decides.

    A finding decides where its scores reach a threshold. If neither decides, the reference's counts, so the
    common ground never makes a claim LACKING_EVIDENCE (VISTA, step 3). If both contradict the claim, the one
    with the higher contradiction counts; a reference that opposes it is kept. `verified` says that references
    verified the statement of the common ground. Then a model's contradiction by it does not count against
    what the reference rather entails: "He works on Fridays" is part of "He works on Tuesdays and Fridays".
    """
    by_reference = _by_scores(reference.scores, thresholds)
    by_common_ground = _by_scores(common_ground.scores, thresholds)
    if by_reference is None and by_common_ground:
        part = verified and common_ground.tier == "model" and by_common_ground is Category.CONTRADICTED
        return reference if part and _rather_entailed(reference) else common_ground
    if by_reference is by_common_ground is Category.CONTRADICTED:
        return replace(max(reference, common_ground, key=_contradiction), opposing=reference.opposing)
    return reference


def _can_be_false(claim: Claim, finding: Finding) -> bool:
    if claim.kind is ClaimKind.RECOMMENDATION:
        return finding.evidence is not None and finding.evidence.origin == "reference"
    return claim.kind is not ClaimKind.OPINION


def _rather_entailed(finding: Finding) -> bool:
    return finding.scores is not None and finding.scores.entailment == max(finding.scores)


def _contradiction(finding: Finding) -> float:
    return finding.scores.contradiction if finding.scores else 0.0


def _by_scores(scores: Scores | None, thresholds: Thresholds) -> Category | None:
    if scores is None:
        return None
    if scores.contradiction >= thresholds.contradiction and scores.contradiction > scores.entailment:
        return Category.CONTRADICTED
    return Category.VERIFIED if scores.entailment >= thresholds.entailment else None

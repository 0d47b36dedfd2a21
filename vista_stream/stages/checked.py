"""Calls of the stages that check what they give: StageError says what is wrong with it."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from vista_stream.claims import Category, Claim, ClaimKind, Draft, Finding, Importance, Span, Verdict
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import StageError
from vista_stream.stages.ledger import Ledger
from vista_stream.stages.protocols import Categorise, Discourse, Rank
from vista_stream.stages.stages import check_members, checked_finding


async def decomposed(discourse: Discourse, sentence: Segment) -> Sequence[Draft]:
    """The claims of a sentence; raises what the stage raises, and StageError for what is no claim."""
    drafts = await discourse.decompose(sentence)
    check_members("decompose", drafts, Draft)
    for draft in drafts:
        _check_fields(draft)
    return drafts


async def ranked(
    stage: Rank, drafts: Sequence[Draft], query: str | None, *, position: int
) -> Sequence[Importance]:
    """One importance for each claim; raises what the stage raises, and StageError for another number."""
    ranks = await stage.rank(drafts, query, position=position)
    check_members("rank", ranks, Importance)
    if len(ranks) != len(drafts):
        raise StageError(f"rank must give one Importance for each of {len(drafts)} claims, not {len(ranks)}")
    return ranks


async def judged(
    claim: Claim, finding: Awaitable[Finding], categorise: Categorise, ledger: Ledger
) -> Verdict:
    """The verdict on a claim, from a verify stage's call that is not awaited yet; it times both stages.

    Raises what the stages raise, and StageError for what is no Finding or no Category.
    """
    with ledger.stage("verify"):
        found = checked_finding(await finding)
    with ledger.stage("categorise"):
        category = await categorise.categorise(claim, found)
    check_members("categorise", [category], Category)
    return Verdict(
        claim=claim,
        category=category,
        scores=found.scores,
        evidence=found.evidence,
        tier=found.tier,
        opposing=found.opposing,
        second=found.second,
    )


def _check_fields(draft: Draft) -> None:
    """Raise StageError for a claim that has a field of the wrong type, such as a tuple for its Span."""
    for name, kind in (("text", str), ("span", Span), ("kind", ClaimKind)):
        if not isinstance(given := getattr(draft, name), kind):
            raise StageError(f"decompose must give a {kind.__name__} as a Draft's {name}, not {given!r}")

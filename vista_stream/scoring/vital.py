"""VITAL's measures: precision and recall of what the query needs (VITAL, section 3.1, appendix B).

A measure over an empty set is None. For example, an answer without vital claims has no vital precision. The
two response-level flags are False there: no vital claim is wrong, no vital nugget missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vista_stream.claims import Category, Importance, Verdict
from vista_stream.report import Unresolved
from vista_stream.stages.nuggets import MatchedNugget, Support

_ORDER = tuple(Importance)


def by_importance(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Verdicts in VITAL's order: vital first; those of equal importance keep their order."""
    return sorted(verdicts, key=lambda verdict: _ORDER.index(verdict.claim.importance))


def nuggets_by_importance(nuggets: Iterable[MatchedNugget]) -> list[MatchedNugget]:
    """Nuggets in the same order."""
    return sorted(nuggets, key=lambda matched: _ORDER.index(matched.nugget.importance))


def precision(verdicts: Sequence[Verdict]) -> float | None:
    """FActScore precision: share of the claims that are VERIFIED."""
    return _share([_supported(verdict) for verdict in verdicts])


def vital_precision(verdicts: Sequence[Verdict]) -> float | None:
    """VITAL_prec: share of the vital claims that are VERIFIED."""
    return precision(_vital(verdicts))


def vital_recall(nuggets: Sequence[MatchedNugget]) -> float | None:
    """VITAL_rec: share of the vital nuggets that the answer supports in full."""
    return nugget_recall([n for n in nuggets if n.nugget.importance is Importance.VITAL])


def nugget_recall(nuggets: Sequence[MatchedNugget]) -> float | None:
    """AutoNuggetizer's "All Strict": share of all nuggets supported in full; partly counts as not."""
    return _share([n.support is Support.SUPPORTED for n in nuggets])


def response_level_precision(
    verdicts: Sequence[Verdict], unresolved: Iterable[Unresolved] = ()
) -> bool | None:
    """Response-level precision (RLP), an error flag: whether any vital claim is not VERIFIED.

    None if this is unknown: all vital claims with a verdict are VERIFIED, but a vital claim is unresolved.
    """
    if not all(_supported(verdict) for verdict in _vital(verdicts)):
        return True
    return None if any(each.claim.importance is Importance.VITAL for each in unresolved) else False


def response_level_recall(nuggets: Sequence[MatchedNugget]) -> bool:
    """Response-level recall (RLR), an error flag: whether any vital nugget is not supported in full."""
    recall = vital_recall(nuggets)
    return recall is not None and recall < 1


def cumulative_precision(verdicts: Sequence[Verdict]) -> list[float]:
    """FActScore precision of the first n claims, for n = 1 … len(verdicts) (VITAL, figure 3)."""
    supported, curve = 0, []
    for count, verdict in enumerate(verdicts, start=1):
        supported += _supported(verdict)
        curve.append(supported / count)
    return curve


def decayed_precision(verdicts: Sequence[Verdict]) -> float | None:
    """Precision of ranked verdicts with linear decay: of n verdicts the first has weight n, …, the last 1.

    The paper (appendix B.2) names linear decay but prints no formula; this formula is ours.
    """
    return _decayed([_supported(verdict) for verdict in verdicts])


def decayed_recall(nuggets: Sequence[MatchedNugget]) -> float | None:
    """Strict recall of ranked nuggets under the same linear decay as `decayed_precision`."""
    return _decayed([n.support is Support.SUPPORTED for n in nuggets])


def _vital(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.claim.importance is Importance.VITAL]


def _supported(verdict: Verdict) -> bool:
    return verdict.category is Category.VERIFIED


def _share(hits: Sequence[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None


def _decayed(hits: Sequence[bool]) -> float | None:
    weights = range(len(hits), 0, -1)
    return sum(w for w, hit in zip(weights, hits, strict=True) if hit) / sum(weights) if hits else None

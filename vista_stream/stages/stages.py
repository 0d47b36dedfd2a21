"""The set of stages that a session runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vista_stream.claims import Claim, Draft, Finding, Foresight, Importance
from vista_stream.errors import StageError, kind_of
from vista_stream.stages.protocols import (
    Categorise,
    Decompose,
    Grounds,
    Kinds,
    Rank,
    RankAhead,
    Signs,
    Thresholded,
    Verify,
    VerifyAhead,
)

_METHODS = {
    "decompose": ("begin",),
    "rank": ("rank",),
    "verify": ("prepare", "verify"),
    "categorise": ("categorise",),
    "kinds": ("kinds",),
    "signs": ("signs",),
}
_OPTIONAL = ("kinds", "signs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """One object for each stage; embedded and LLM stages can be mixed.

    Raises ValueError, which names the stage, for one that has not the methods of its protocol.
    """

    decompose: Decompose
    rank: Rank
    verify: Verify
    categorise: Categorise
    kinds: Kinds | None = None
    """Tells the kind of claims that the caller gives ready-made; None leaves that to the certain rules."""
    signs: Signs | None = None
    """Tells corrections, changes and requests by more than their certain words; None goes by those alone."""

    def __post_init__(self) -> None:
        for stage, methods in _METHODS.items():
            part = getattr(self, stage)
            left_out = part is None and stage in _OPTIONAL
            if not left_out and not all(does(part, method) for method in methods):
                told = f"an object with {' and '.join(methods)}, not {kind_of(part)}"
                raise ValueError(f"{stage} must be {told}")

    def at(self, thresholds: Mapping[str, float]) -> Stages:
        """These stages at a policy's thresholds; a verify stage that has none stays as it is.

        Raises ValueError where there are thresholds and the categorise stage takes none.
        """
        if not thresholds:
            return self
        verify = verify_at(self.verify, thresholds)
        return replace(self, verify=verify, categorise=categorise_at(self.categorise, thresholds))


def does(part: object, method: str) -> bool:
    """Whether an object has this method; a class does not count."""
    return not isinstance(part, type) and callable(getattr(part, method, None))


def checked_finding(given: object) -> Finding:
    """What a verify stage gave; raises StageError unless it is a Finding."""
    if not isinstance(given, Finding):
        raise StageError(f"verify must give a Finding, not {type(given).__name__}")
    return given


def check_members(stage: str, given: object, kind: type) -> None:
    """Raise StageError unless a stage returned a sequence of `kind`.

    A str is refused where an enum is due: it equals the member of that value and is not identical to it.
    """
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise StageError(f"{stage} must give a sequence of {kind.__name__}, not {type(given).__name__}")
    for member in given:
        if not isinstance(member, kind):
            raise StageError(f"{stage} must give {kind.__name__}, not {member!r}")


def verify_at(stage: Verify, thresholds: Mapping[str, float]) -> Verify:
    """The verify stage at these thresholds; the same one where it takes none."""
    return stage.at(thresholds) if isinstance(stage, Thresholded) else stage


async def rank_ahead(
    stage: Rank, drafts: Sequence[Draft], query: str | None, *, position: int
) -> Sequence[Importance] | None:
    """What the rank stage ranks ahead of time; None where it does not."""
    if not isinstance(stage, RankAhead):
        return None
    return await stage.rank_ahead(drafts, query, position=position)


async def verify_ahead(stage: Verify, claim: Claim, grounds: Grounds, foresight: Foresight) -> Finding | None:
    """What the verify stage finds ahead of time; None where it does not."""
    if not isinstance(stage, VerifyAhead):
        return None
    return await stage.verify_ahead(claim, grounds, foresight)


def categorise_at(stage: Categorise, thresholds: Mapping[str, float]) -> Categorise:
    """The categorise stage at these thresholds; raises ValueError for one that takes none."""
    if not isinstance(stage, Thresholded):
        name = type(stage).__name__
        raise ValueError(f"thresholds must be empty: the categorise stage, {name}, has no method at")
    return stage.at(thresholds)

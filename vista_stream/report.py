"""What a turn and a session amount to: counts and times, computed from what was settled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vista_stream.claims import Category, Claim, UnresolvedReason, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """A claim that got no verdict, and why."""

    claim: Claim
    reason: UnresolvedReason
    error: str = ""
    """The message of what was raised, where something was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """One turn: what was claimed, what became of it, what was sent. Lengths are in code points."""

    verdicts: Sequence[Verdict] = ()
    """In the order of the claims in the text."""
    unresolved: Sequence[Unresolved] = ()
    """In the order of the claims in the text."""
    received: int = 0
    """Length of the source's text."""
    released: int = 0
    """Length of the source's text that was sent on and not retracted."""
    withheld: int = 0
    """Length of the source's text that was not sent, replaced or retracted."""
    stopped: bool = False
    """Whether the policy ended the turn before the source did."""
    hold_backs: Sequence[float] = ()
    """Seconds from each sentence's last character to the decision about it, in order."""

    @property
    def shares(self) -> dict[Category, float]:
        """Share of each category among the settled claims; all 0 where there are none."""
        counts = Counter(verdict.category for verdict in self.verdicts)
        total = len(self.verdicts) or 1
        return {category: counts[category] / total for category in Category}

    @property
    def verifiable(self) -> bool:
        """VISTA's turn-level rule: every claim is VERIFIED. An unresolved claim is not."""
        return not self.unresolved and all(v.category is Category.VERIFIED for v in self.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReport:
    """One conversation: its turns, oldest first."""

    turns: Sequence[TurnReport] = ()

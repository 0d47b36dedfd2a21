"""A second opinion: claims that leave a verifier unsure go to a stronger one, within deadline and budget."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal, Self, TypeAlias, get_args
from weakref import WeakKeyDictionary

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

from vista_stream.amounts import check_count, is_number
from vista_stream.claims import Category, Claim, Finding, Foresight, Importance, SecondOpinion
from vista_stream.errors import Overload, StageError, VerifierError
from vista_stream.stages.defaults import default_stages
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.ledger import Ledger, counting_tokens, inner_stage, running_ledger
from vista_stream.stages.protocols import Categorise, Grounds, Verify
from vista_stream.stages.stages import Stages, categorise_at, checked_finding, verify_ahead, verify_at
from vista_stream.verifiers.protocol import Verifier, thresholds_of

logger = logging.getLogger("vista_stream")

When: TypeAlias = Callable[[Claim, Finding], bool]
"""Whether the second verifier is asked about a claim, by what the first found."""
Otherwise: TypeAlias = Literal["first", "unresolved"]

_RESERVE = 0.1
"""Seconds before the deadline at which the first verifier's finding is taken, so that it still counts."""
_LEAST = 0.3
"""With less time than this until the deadline, in seconds, the second verifier is not asked."""
_MINUTE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsure:
    """True of claims of these importances whose larger score, entailment or contradiction, is between limits.

    Below `low` the first verifier is sure that there is no evidence; from `high` on it is sure of its
    verdict. What a rule decided has the probability 1 and is never unsure. Raises ValueError unless
    0 <= low < high <= 1 and the importances are some.
    """

    low: float = 0.2
    high: float = 0.9
    importance: Collection[Importance] = (Importance.VITAL,)

    def __post_init__(self) -> None:
        numbers = is_number(self.low) and is_number(self.high)
        if not (numbers and 0 <= self.low < self.high <= 1):
            raise ValueError(f"low and high must be 0 <= low < high <= 1, not {self.low!r} and {self.high!r}")
        some = isinstance(self.importance, Collection) and len(self.importance) > 0
        if not (some and all(isinstance(each, Importance) for each in self.importance)):
            raise ValueError(f"importance must be some members of Importance, not {self.importance!r}")

    def __call__(self, claim: Claim, finding: Finding) -> bool:
        """Whether the claim is one of them."""
        if finding.scores is None or claim.importance not in self.importance:
            return False
        return self.low <= max(finding.scores.entailment, finding.scores.contradiction) < self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How often the second verifier is asked at most. Raises ValueError unless both are 0 or more."""

    turn: int = 8
    """Questions a turn."""
    minute: int = 60
    """Questions in any 60 seconds, of all sessions that share the stage."""

    def __post_init__(self) -> None:
        for name in ("turn", "minute"):
            check_count(name, getattr(self, name), of="questions", least=0)


class Escalate:
    """Implements the Verify stage with two others: `second` is asked where `first` is unsure.

    The second is asked only within the deadline of the claim's sentence and within the budget. Where it may
    not be asked, fails or is late, `otherwise` decides: "first" takes the first's finding, "unresolved"
    leaves the claim to the policy's `unresolved`. `Finding.second` tells what was asked and what it cost. A
    question counts for the budget when it is asked, also where it is cancelled.

    Args:
        first: a Verify stage, or a Verifier, around which the embedded stage is made.
        second: the same, such as `LlmVerify(client)` or a `FlanT5Verifier`.
        when: whether to ask; None is `Unsure()`, VITAL claims between its limits.
        budget: None is `Budget()`.
        otherwise: what counts where the second gives no finding.

    Raises ValueError for an argument that cannot be one.
    """

    def __init__(
        self,
        first: Verify | Verifier,
        second: Verify | Verifier,
        *,
        when: When | None = None,
        budget: Budget | None = None,
        otherwise: Otherwise = "first",
    ) -> None:
        if when is not None and not callable(when):
            raise ValueError(f"when must be callable, with a claim and a finding, not {when!r}")
        if budget is not None and not isinstance(budget, Budget):
            raise ValueError(f"budget must be a Budget, not {budget!r}")
        if otherwise not in get_args(Otherwise):
            raise ValueError(f"otherwise must be 'first' or 'unresolved', not {otherwise!r}")
        self._name = type(second).__name__
        self._first = _verify_stage("first", first)
        self._second = _verify_stage("second", second)
        self._when = when or Unsure()
        self._till = _Till(budget or Budget())
        self._otherwise = otherwise

    def at(self, thresholds: Mapping[str, float]) -> Self:
        """The same stage with the first at these thresholds; it shares the budget."""
        moved = copy(self)
        moved._first = verify_at(self._first, thresholds)
        return moved

    async def prepare(self, grounds: Grounds) -> None:
        """Prepare both stages; raises VerifierError as they do."""
        await self._first.prepare(grounds)
        await self._second.prepare(grounds)

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """The first's finding, or the second's where the first is unsure.

        Raises what the first raises. With otherwise="unresolved" it raises Overload where the second may not
        be asked, and what the second raises.
        """
        finding = checked_finding(await self._first.verify(claim, grounds))
        if not self._when(claim, finding):
            return finding
        await checkpoint_if_cancelled()  # a cancelled call is not late
        left = anyio.current_effective_deadline() - anyio.current_time()
        refused = "too little time is left" if left < _LEAST else self._till.refusal()
        opinion = SecondOpinion(by=self._name, first=finding.scores, failed=refused)
        if not refused:
            return await self._ask(claim, grounds, finding, opinion)
        if self._otherwise == "unresolved":
            raise Overload(f"the second verifier is not asked: {refused}")
        return replace(finding, second=opinion)

    async def verify_ahead(self, claim: Claim, grounds: Grounds, foresight: Foresight) -> Finding | None:
        """What the first finds ahead of time; None where the second would be asked, which can wait."""
        finding = await verify_ahead(self._first, claim, grounds, foresight)
        return None if finding is None or self._when(claim, finding) else finding

    async def _ask(self, claim: Claim, grounds: Grounds, finding: Finding, opinion: SecondOpinion) -> Finding:
        found, failed, began = None, "it was late", monotonic()
        reserve = _RESERVE if self._otherwise == "first" else 0.0
        with counting_tokens() as tokens, inner_stage("second"):
            with anyio.CancelScope(deadline=anyio.current_effective_deadline() - reserve):
                try:
                    found = checked_finding(await self._second.verify(claim, grounds))
                except Exception as error:
                    if self._otherwise == "unresolved":
                        raise
                    failed = f"{type(error).__name__}: {error}"
                    defect = None if isinstance(error, VerifierError | StageError) else error
                    logger.warning("the second verifier failed: %s", type(error).__name__, exc_info=defect)
        told = replace(
            opinion,
            seconds=monotonic() - began,
            prompt_tokens=tokens.prompt,
            completion_tokens=tokens.completion,
            failed="" if found else failed,
        )
        return replace(found or finding, second=told)


class _Till:
    """Counts the questions of each turn and of the last minute."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._turns: WeakKeyDictionary[Ledger, int] = WeakKeyDictionary()
        self._asked: deque[float] = deque()

    def refusal(self) -> str:
        """Count a question and return ""; or why it may not be asked."""
        now, turn = monotonic(), running_ledger()
        while self._asked and self._asked[0] <= now - _MINUTE:
            self._asked.popleft()
        if len(self._asked) >= self._budget.minute:
            return "the minute's budget is spent"
        if turn is not None:
            if self._turns.get(turn, 0) >= self._budget.turn:
                return "the turn's budget is spent"
            self._turns[turn] = self._turns.get(turn, 0) + 1
        self._asked.append(now)
        return ""


class _EscalatedCategorise:
    """Implements the Categorise stage: what the second verifier found is judged by its own thresholds."""

    def __init__(self, first: Categorise, second: Categorise) -> None:
        self._first = first
        self._second = second

    def at(self, thresholds: Mapping[str, float]) -> Self:
        """The first at these thresholds; the second keeps its own."""
        return type(self)(categorise_at(self._first, thresholds), self._second)

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        asked = finding.second is not None and not finding.second.failed
        return await (self._second if asked else self._first).categorise(claim, finding)


def escalated(
    stages: Stages,
    second: Verify | Verifier,
    *,
    when: When | None = None,
    budget: Budget | None = None,
    otherwise: Otherwise = "first",
) -> Stages:
    """The stages with `Escalate` around their verify stage; the arguments are those of Escalate.

    The second's findings are judged by its own `thresholds`, 0.5 where it has none; a policy's thresholds
    are the first's.
    """
    verify = Escalate(stages.verify, second, when=when, budget=budget, otherwise=otherwise)
    own = EmbeddedCategorise(thresholds_of(second))
    return replace(stages, verify=verify, categorise=_EscalatedCategorise(stages.categorise, own))


def _verify_stage(name: str, part: Verify | Verifier) -> Verify:
    if not isinstance(part, type):
        if callable(getattr(part, "verify", None)):
            return part  # type: ignore[return-value]  # what has verify is taken for the stage
        if isinstance(part, Verifier):
            return default_stages(part).verify
    raise ValueError(
        f"{name} must be a Verify stage or a Verifier, an object with verify or score, not {part!r}"
    )

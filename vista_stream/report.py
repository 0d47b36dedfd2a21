"""Reports of a turn and of a session: verdicts, text lengths and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from vista_stream.claims import Category, Claim, UnresolvedReason, Verdict
from vista_stream.plain import plain, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """A claim that got no verdict, and why."""

    claim: Claim
    reason: UnresolvedReason
    error: str = ""
    """The message of the exception that was raised; empty where there was none."""


@dataclass(frozen=True, slots=True)
class StageTime:
    """How often one stage was called, and how long the calls took."""

    calls: int = 0
    seconds: float = 0.0
    """Sum over the calls. Concurrent calls each count in full, so it may exceed the turn's own time."""

    def __add__(self, other: StageTime) -> StageTime:
        return StageTime(self.calls + other.calls, self.seconds + other.seconds)


@dataclass(frozen=True, slots=True)
class WorkAhead:
    """Claims whose verification began before their sentence had ended for certain."""

    foreseen: int = 0
    """All of them."""
    used: int = 0
    """Those whose sentence came and whose finding counted."""
    wasted: int = 0
    """The others. Nothing of them is in any event or in the rest of the report."""

    def __add__(self, other: WorkAhead) -> WorkAhead:
        return WorkAhead(self.foreseen + other.foreseen, self.used + other.used, self.wasted + other.wasted)


STAGES = ("prepare", "decompose", "rank", "verify", "second", "signs", "categorise", "judge", "nuggets")
"""Stages that are timed, in the order in which they run. prepare reads the store and the history, and indexes
what is new; second is the stronger verifier of `Escalate`; signs tells corrections and changes beyond certain
words."""


def total_times(reports: Iterable[Mapping[str, StageTime]]) -> dict[str, StageTime]:
    """The sum of the stage times, by stage, in the order of `STAGES`."""
    total: dict[str, StageTime] = {}
    for times in reports:
        for stage, took in times.items():
            total[stage] = total.get(stage, StageTime()) + took
    return {stage: total[stage] for stage in STAGES if stage in total}


UNFAITHFUL = (Category.CONTRADICTED, Category.LACKING_EVIDENCE)
"""Categories of claims that make a turn unfaithful."""

REPORT_VERSION = 1
"""Of the objects that `TurnReport.to_dict` gives and `TurnReport.from_dict` reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """One turn: its claims, their verdicts, and how much text was sent. Lengths are in code points."""

    verdicts: Sequence[Verdict] = ()
    """In the order of the claims in the text."""
    unresolved: Sequence[Unresolved] = ()
    """In the order of the claims in the text."""
    received: int = 0
    """Length of the source's text."""
    released: int = 0
    """Length of the source's text that was sent on and not retracted."""
    withheld: int = 0
    """Length of the source's text that was withheld, replaced or retracted."""
    stopped: bool = False
    """Whether the policy ended the turn before the source did."""
    left: bool = False
    """Whether the turn was left before its end: by its reader, by cancellation, or through an error other
    than the source's. Then verdicts, unresolved claims, `released` and `withheld` tell of the text that the
    reader had got, and `received` and the times of all."""
    hold_backs: Sequence[float] = ()
    """Seconds from each sentence's last character to the decision about it, in the order of the decisions."""
    stage_times: Mapping[str, StageTime] = field(default_factory=dict, hash=False)
    """Time of each stage that ran, in the order of `STAGES`."""
    prompts: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Version of each prompt that was sent to an LLM, by the prompt's name."""
    ahead: WorkAhead = field(default_factory=WorkAhead)
    """What was verified ahead of time. It depends on the pace of the source, as the times do."""
    store_error: str = ""
    """Why the store could not be read before this turn, or written after it; empty where both worked. Set
    only under `Policy(on_store_error="continue")`, except for a store that had not answered when the turn
    ended. Any other failure raises StoreError."""

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

    @property
    def faithful(self) -> bool:
        """Whether no claim is CONTRADICTED, LACKING_EVIDENCE or unresolved; opinions and refusals may be.

        This is what the labels of VISTA's re-annotated turns mean.
        """
        return not self.unresolved and not any(v.category in UNFAITHFUL for v in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """The report as a JSON object: `version`, and each field under its name.

        Claims, evidence, spans and scores are objects with the names of their fields, enums their values.
        """
        return {"version": REPORT_VERSION, **plain(self)}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Self:
        """The report that `to_dict` gave, also by way of JSON; equal to it, its sequences as tuples.

        Raises ValueError for another version, and, naming the place, for what is no such report.
        """
        if not isinstance(table, Mapping):
            raise ValueError(f"report must be a mapping, as to_dict gives it, not {type(table).__name__}")
        version = table.get("version")
        if version != REPORT_VERSION or isinstance(version, bool):
            raise ValueError(f"report is of version {version!r}; this release reads version {REPORT_VERSION}")
        rest = {name: value for name, value in table.items() if name != "version"}
        return read(cls, rest, where="report")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inconsistency:
    """A claim that contradicts what was established earlier in the conversation."""

    turn: int
    """The turn that makes the claim, from 0."""
    verdict: Verdict
    since: int
    """The turn that established the opposite, from 0; -1 for background knowledge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VistaScore:
    """The scores of a dialogue (VISTA, step 5). Each lies in 0..1."""

    shares: Mapping[Category, float]
    """Share of each category among all settled claims; all 0 where there are none."""
    consistency: float
    """Share of the settled claims that do not contradict the common ground; 1 where there are none."""
    verifiable_turns: float
    """Share of the turns in which every claim is VERIFIED; 1 where there are no turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReport:
    """One conversation: its turns, oldest first."""

    turns: Sequence[TurnReport] = ()
    before: int = 0
    """Number of the conversation's turns before these, run by other sessions on the same store."""

    @property
    def verdicts(self) -> list[Verdict]:
        """Every turn's verdicts, oldest first."""
        return [verdict for turn in self.turns for verdict in turn.verdicts]

    @property
    def shares(self) -> dict[Category, float]:
        """Share of each category among all settled claims; all 0 where there are none."""
        return TurnReport(verdicts=self.verdicts).shares

    @property
    def stage_times(self) -> dict[str, StageTime]:
        """Calls and time of each stage, summed over all turns."""
        return total_times(turn.stage_times for turn in self.turns)

    @property
    def ahead(self) -> WorkAhead:
        """What was verified ahead of time, summed over all turns."""
        return sum((turn.ahead for turn in self.turns), WorkAhead())

    @property
    def prompts(self) -> dict[str, str]:
        """Version of each prompt that was sent to an LLM, by the prompt's name."""
        return {name: version for turn in self.turns for name, version in turn.prompts.items()}

    @property
    def inconsistencies(self) -> list[Inconsistency]:
        """The claims that contradict the common ground, oldest first."""
        return [
            Inconsistency(turn=turn, verdict=verdict, since=since)
            for turn, report in enumerate(self.turns, start=self.before)
            for verdict in report.verdicts
            if (since := _contradicted_turn(verdict)) is not None
        ]

    @property
    def vista_score(self) -> VistaScore:
        """The scores of the dialogue (VISTA, steps 4 and 5)."""
        settled = len(self.verdicts)
        verifiable = sum(turn.verifiable for turn in self.turns)
        return VistaScore(
            shares=self.shares,
            consistency=1 - len(self.inconsistencies) / settled if settled else 1.0,
            verifiable_turns=verifiable / len(self.turns) if self.turns else 1.0,
        )


def _contradicted_turn(verdict: Verdict) -> int | None:
    """The turn whose statement a claim contradicts, from 0; -1 for background knowledge.

    None where the claim contradicts no statement of the common ground.
    """
    evidence = verdict.evidence
    if verdict.category is not Category.CONTRADICTED or evidence is None:
        return None
    if evidence.origin != "common_ground":
        return None
    number = evidence.document.removeprefix("turn ")
    return int(number) - 1 if number.isdecimal() else -1

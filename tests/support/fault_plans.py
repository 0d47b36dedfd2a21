"""Which faults the turns of one conversation meet: plain values that hypothesis draws, shrinks and prints."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

PARTS = (
    "Ann {n} is at home. ",
    "Zed {n} is at home. ",
    "Doe {n} is at home. ",
    "- Ann {n} is at home.\n",
    "- Zed {n} is at home.\n",
    "# Ann {n}\n\n",
    "Ann {n} likes \U0001f642\U0001f3fd. ",
    "Ann {n} likes \ud83d. ",
    "Ann {n} is at home.\r\n",
    "\n```\nx = {n}\n```\n",
    "\n\n",
    "Ann {n} went on" + " and on" * 130 + ". ",
)
"""What answers are made of. A sentence with "Z" is false, one with "Doe" has no evidence, others are true."""

SOURCES = ("generator", "iterator", "threaded", "list")
SOURCE_FAULTS = (
    "none",
    "none",
    "raises",
    "ends",
    "hangs",
    "none delta",
    "bytes delta",
    "pauses",
    "cancelled",
    "no memory",
)
CLOSINGS = ("ok", "ok", "ok", "raises", "hangs")
CONSUMERS = (
    "events",
    "text",
    "drain",
    "slow",
    "breaks",
    "raises",
    "absent",
    "cancelled scope",
    "cancelled task",
)
POLICIES = ("default", "strict", "grounded", "stop", "raise", "withhold", "annotate", "optimistic", "retract")
CALLS = ("raises", "refuses", "hangs", "pauses", "cancelled", "no memory")
"""What any awaited call may do in place of its work; `refuses` raises the error that the protocol names."""
VERIFIER_FAULTS = (
    *CALLS,
    "overload",
    "nan",
    "too few",
    "none",
    "words",
    "in a thread",
    "raises in a thread",
    "worker dies",
)
STAGE_FAULTS = (*CALLS, "none", "wrong members", "too few")
STORES = ("memory", "plain", "shared", "sqlite")
STORE_FAULTS = (
    "raises",
    "refuses",
    "hangs",
    "pauses",
    "conflict",
    "done and refuses",
    "full disk",
    "no memory",
)
CALLBACK_FAULTS = ("raises", "pauses", "stop iteration", "exits", "cancelled", "no memory")


@dataclass(frozen=True, kw_only=True)
class TurnPlan:
    """One turn: what its source gives and does, and who reads it."""

    parts: tuple[str, ...]
    sizes: tuple[int, ...]
    """Code points of each delta, over and over."""
    source: str
    source_fault: str
    at: int
    """The delta before which the source fails."""
    closing: str
    consumer: str
    leaves: int
    """Events, or steps of the event loop, after which the consumer leaves."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A conversation of some turns; each list of faults is spent call by call, and then all goes well."""

    turns: tuple[TurnPlan, ...]
    policy: str
    on_verifier_error: str
    on_store_error: str
    batched: bool
    admitted: bool
    store: str
    verifier: tuple[str, ...]
    prepare: tuple[str, ...]
    hear: tuple[str, ...]
    decompose: tuple[str, ...]
    foresee: tuple[str, ...]
    rank: tuple[str, ...]
    storing: tuple[str, ...]
    callbacks: tuple[str, ...]
    wording: tuple[str, ...]
    jump: int | None
    """The reading of the turn's clock from which on it is 100 seconds ahead; None for never."""

    @property
    def hangs(self) -> bool:
        """Whether a call never returns, so that only a deadline can end its turn."""
        return any("hangs" in getattr(self, name) or "cancelled" in getattr(self, name) for name in SCRIPTS)


SCRIPTS = (
    "verifier",
    "prepare",
    "hear",
    "decompose",
    "foresee",
    "rank",
    "storing",
    "callbacks",
    "wording",
)


def _some(
    faults: tuple[str, ...], *, most: int = 4, often: bool = False
) -> st.SearchStrategy[tuple[str, ...]]:
    """Mostly calls that go well; unless `often`, most plans have no such fault at all."""
    calls = st.lists(st.sampled_from((*["ok"] * len(faults), *faults)), max_size=most).map(tuple)
    return calls if often else st.one_of(st.just(()), st.just(()), st.just(()), calls)


turn_plans = st.builds(
    TurnPlan,
    parts=st.lists(st.sampled_from(PARTS), max_size=6).map(tuple),
    sizes=st.lists(st.sampled_from((0, 1, 2, 5, 17, 300)), min_size=1, max_size=3).filter(any).map(tuple),
    source=st.sampled_from(SOURCES),
    source_fault=st.sampled_from(SOURCE_FAULTS),
    at=st.integers(0, 30),
    closing=st.sampled_from(CLOSINGS),
    consumer=st.sampled_from(CONSUMERS),
    leaves=st.integers(0, 120),
)

plans = st.builds(
    Plan,
    turns=st.lists(turn_plans, min_size=1, max_size=3).map(tuple),
    policy=st.sampled_from(POLICIES),
    on_verifier_error=st.sampled_from(("unresolved", "unresolved", "raise")),
    on_store_error=st.sampled_from(("continue", "raise")),
    batched=st.booleans(),
    admitted=st.booleans(),
    store=st.sampled_from(STORES),
    verifier=_some(VERIFIER_FAULTS, often=True),
    prepare=_some(CALLS, most=2),
    hear=_some(CALLS, most=2),
    decompose=_some(STAGE_FAULTS),
    foresee=_some(CALLS),
    rank=_some(STAGE_FAULTS),
    storing=_some(STORE_FAULTS),
    callbacks=_some(CALLBACK_FAULTS, most=8),
    wording=_some(("raises", "no text"), most=2),
    jump=st.one_of(st.none(), st.none(), st.integers(0, 60)),
)

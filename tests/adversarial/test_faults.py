"""Turns in which everything around the guard fails at random, and what must hold of them all the same.

`VISTA_FAULT_PLANS` sets how many conversations each event loop runs (40 without it), and
`VISTA_FAULT_COUNTS` names a JSON file to which the turns and faults that were met are added.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import HealthCheck, example, given, settings

from fault_checks import check
from fault_plans import Plan, plans
from fault_turns import LAST, run

PLANS = int(os.environ.get("VISTA_FAULT_PLANS", "40"))
pytestmark = pytest.mark.timeout(max(300, 3 * PLANS))

LOOPS = {
    "asyncio": ("asyncio", {"use_uvloop": False}),
    "uvloop": ("asyncio", {"use_uvloop": True}),
    "trio": ("trio", {}),
}


@pytest.fixture(scope="module", autouse=True)
def _nothing_blocks() -> Iterator[None]:
    logging.disable(logging.ERROR)  # each failure is logged, thousands of times
    with blockbuster_ctx():
        yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def counts() -> Iterator[Counter[str]]:
    """Turns by event loop and faults that were met, added up in a file where one is named."""
    counted: Counter[str] = Counter()
    yield counted
    if path := os.environ.get("VISTA_FAULT_COUNTS"):
        before = json.loads(Path(path).read_text()) if Path(path).exists() else {}
        Path(path).write_text(json.dumps(dict(sorted((counted + Counter(before)).items())), indent=1) + "\n")


_LISTED = replace(LAST, source="list", sizes=(300,))
EXPIRED = Plan(
    turns=(replace(_LISTED, parts=()), replace(_LISTED, parts=("Ann {n} is at home. ",))),
    policy="default",
    on_verifier_error="unresolved",
    on_store_error="continue",
    batched=False,
    admitted=False,
    store="memory",
    verifier=(),
    prepare=(),
    hear=("ok", "no memory"),
    decompose=(),
    foresee=(),
    rank=(),
    storing=(),
    callbacks=(),
    wording=(),
    jump=7,
)
"""A sentence that expires, by a jump of the clock, while the turn still waits for its grounds."""


@pytest.mark.parametrize("loop", LOOPS)
@example(plan=EXPIRED)
@example(plan=replace(EXPIRED, hear=(), prepare=("hangs",), jump=6))
@settings(
    max_examples=PLANS,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(plan=plans)
def test_promises_hold_whatever_fails(loop: str, plan: Plan, counts: Counter[str]) -> None:
    seen = run(plan, *LOOPS[loop])
    counts[f"{loop}: conversations"] += 1
    counts[f"{loop}: turns"] += len(seen.turns)
    counts.update(seen.met)
    check(seen)

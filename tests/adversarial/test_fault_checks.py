"""The checks of the fault tests notice a guard that is broken on purpose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fault_checks import check
from fault_plans import Plan, TurnPlan
from fault_turns import LAST, run
from vista_stream.core.turn import TurnProtocol, TurnState
from vista_stream.events import TextReleased
from vista_stream.policy import Policy, release
from vista_stream.turn import Turn

CALM = Plan(
    turns=(LAST,),
    policy="default",
    on_verifier_error="unresolved",
    on_store_error="raise",
    batched=False,
    admitted=False,
    store="shared",
    verifier=(),
    prepare=(),
    hear=(),
    decompose=(),
    foresee=(),
    rank=(),
    storing=(),
    callbacks=(),
    wording=(),
    jump=None,
)


def found(plan: Plan) -> str:
    """What the checks say of the plan's turns on asyncio."""
    seen = run(plan, "asyncio", {})
    with pytest.raises(AssertionError) as caught:
        check(seen)
    return caught.traceback[-1].name


def turn(**changes: object) -> TurnPlan:
    return replace(LAST, **changes)


def test_a_sound_guard_passes() -> None:
    check(run(CALM, "asyncio", {}))


def test_a_false_sentence_that_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Policy, "action_for", lambda policy, verdict: release())
    assert found(CALM) == "nothing_false_is_shown"


def test_text_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = TurnProtocol.events

    def without_spaces(protocol: TurnProtocol) -> list:
        return [e for e in whole(protocol) if not isinstance(e, TextReleased) or e.text.strip()]

    monkeypatch.setattr(TurnProtocol, "events", without_spaces)
    assert found(CALM) == "text_is_the_sources"


def test_a_claim_that_is_settled_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    once = TurnProtocol.events

    def twice(protocol: TurnProtocol) -> list:
        return [e for event in once(protocol) for e in [event] * (1 + (event.type == "claim.settled"))]

    monkeypatch.setattr(TurnProtocol, "events", twice)
    assert found(CALM) == "claims_have_one_outcome"


def test_a_turn_that_ends_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(protocol: TurnProtocol, *, stopped: bool = False) -> None:
        protocol.state = TurnState.ENDED

    monkeypatch.setattr(TurnProtocol, "_end", end)
    assert found(CALM) == "reader_and_callbacks_agree"


def test_an_error_of_another_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vista_stream.turn.UpstreamError", LookupError)
    plan = replace(CALM, turns=(turn(source_fault="raises", at=1),))
    assert found(plan) == "errors_are_the_documented_ones"


def test_a_cancellation_that_is_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    leave = Turn.__aexit__

    async def swallow(self: Turn, *error: object) -> bool:
        await leave(self, *error)
        return True

    monkeypatch.setattr(Turn, "__aexit__", swallow)
    plan = replace(CALM, turns=(turn(consumer="cancelled task", leaves=5),))
    assert found(plan) == "errors_are_the_documented_ones"


def test_false_claims_that_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vista_stream.session._shown", lambda report, policy: list(report.verdicts))
    monkeypatch.setattr("vista_stream.core.common_ground._stands_alone", lambda text: True)
    monkeypatch.setattr("vista_stream.core.common_ground._joins", lambda verdict: True)
    monkeypatch.setattr("vista_stream.core.common_ground._doubted", lambda verdict: False)
    assert found(CALM) == "common_ground_is_what_was_shown"

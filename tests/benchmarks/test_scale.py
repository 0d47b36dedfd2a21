"""The simulated pool: what it must do whatever the figures, and that it agrees with what was measured."""

import json
import math
from dataclasses import replace

import pytest

pytest.importorskip("simpy", reason="needs the dependency group simulation")

from benchmarks.record import RESULTS
from benchmarks.scale import TOLERANCE, claims_a_second, fewest, load_answers, validate
from benchmarks.scale_pool import Answer, Plan, Said, Service, arrivals, simulate

ANSWER = Answer(seconds=2.0, claims=[Said(0.5, True), Said(1.0, False), Said(1.5, False)])
PLAN = Plan(streams=20, workers=2, service=Service(claim_ms=20.0), answers=[ANSWER], seconds=20.0)


def measured():
    return json.loads((RESULTS / "concurrency.json").read_text(encoding="utf-8"))["figures"]


def test_rates_and_delays_are_within_a_fifth_of_what_was_measured_at_8_32_and_128_turns():
    answers, claim_ms = load_answers()
    rows = validate(measured(), answers, Service(claim_ms=claim_ms))
    assert [row["turns"] for row in rows] == [8, 32, 128]
    for row in rows:
        simulated, true = (row[side]["verdicts a second"] for side in ("simulated", "measured"))
        assert simulated == pytest.approx(true, rel=TOLERANCE), row
        low, high = row["p95 of both ways"]
        assert (1 - TOLERANCE) * low <= row["simulated"]["p95 ms"] <= (1 + TOLERANCE) * high, row


def test_one_idle_worker_takes_the_lead_and_the_claims_own_time():
    plan = replace(PLAN, streams=1, workers=1, seconds=None, lead=0.05)
    outcome = simulate(plan)
    assert [round(delay, 6) for _, delay, _ in outcome.verdicts] == [0.07] * 3


def test_a_claim_takes_its_own_work_and_one_that_the_rules_decide_waits_for_nobody():
    claims = [Said(0.5, True, 2.0), Said(0.5, True, 0.0), Said(1.5, True, 0.5)]
    plan = replace(PLAN, streams=1, workers=1, seconds=None, lead=0.05)
    outcome = simulate(replace(plan, answers=[replace(ANSWER, claims=claims)]))
    assert [round(delay, 6) for _, delay, _ in outcome.verdicts] == [0.05, 0.09, 0.06]


def test_where_cores_are_shared_the_model_stands_still_while_claims_are_extracted():
    claims = [Said(0.5, True), Said(0.505, True)]
    plan = replace(PLAN, streams=1, workers=1, seconds=None, lead=0.0, extraction=0.01)
    outcome = simulate(replace(plan, answers=[replace(ANSWER, claims=claims)]))
    # The first claim is extracted until 0.51, the second until 0.52; then the model has 20 ms for each.
    assert [round(delay, 6) for _, delay, _ in outcome.verdicts] == [0.04, 0.055]


def test_every_claim_is_settled_or_lost_and_the_same_plan_gives_the_same():
    plan = replace(PLAN, workers=1, failures=5.0, restart=6.0, step=10.0)
    first, again = simulate(plan), simulate(plan)
    assert len(first.verdicts) + len(first.lost) == len(arrivals(plan))
    assert first == again
    assert first.lost


def test_a_loaded_worker_gives_its_full_rate():
    plan = replace(PLAN, streams=400, workers=1, seconds=None, deadline=math.inf)
    outcome = simulate(plan)
    assert len(outcome.verdicts) / outcome.ended == pytest.approx(plan.service.rate, rel=0.05)


def test_at_twice_the_load_shedding_saves_the_vital_claims():
    overloaded = replace(PLAN, streams=100, workers=2, seconds=30.0)
    shed, unshed = simulate(overloaded), simulate(replace(overloaded, shedding=False))
    assert shed.in_time(vital=True) > 0.99
    assert shed.in_time(vital=False) < 0.7
    assert unshed.in_time(vital=True) < 0.6


def test_workers_are_added_only_after_they_have_started():
    plan = replace(PLAN, streams=100, workers=2, seconds=40.0)
    added, late = (simulate(replace(plan, scaling=seconds)) for seconds in (5.0, 100.0))
    assert added.workers > 2
    assert late.workers == 2
    assert added.in_time(vital=False) > late.in_time(vital=False)


def test_the_fewest_workers_meet_the_hold_and_fewer_do_not():
    hold = 0.15
    plan = replace(PLAN, streams=200, seconds=5.0)
    found = fewest(plan, hold)
    assert simulate(replace(plan, workers=found)).delay(0.95) <= hold
    assert simulate(replace(plan, workers=found - 1)).delay(0.95) > hold
    assert fewest(plan, 0.01) is None


def test_the_rate_is_of_the_answers_and_work_is_in_units_of_its_mean():
    assert claims_a_second([ANSWER]) == 1.5
    answers, claim_ms = load_answers()
    work = [claim.work for answer in answers for claim in answer.claims]
    assert sum(work) == pytest.approx(len(work))
    assert claim_ms > 0

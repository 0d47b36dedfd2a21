"""Counts and the VISTA score, against values worked out by hand."""

import json
import random
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import (
    Category,
    Claim,
    ClaimKind,
    Evidence,
    Importance,
    Scores,
    SecondOpinion,
    Span,
    UnresolvedReason,
    Verdict,
)
from vista_stream.report import STAGES, SessionReport, StageTime, TurnReport, Unresolved

C = Category


def verdict(category: Category, *, against: str | None = None) -> Verdict:
    claim = Claim(id=0, sentence=0, text="The bridge opened in 1932.", span=Span(0, 26))
    evidence = None
    if against is not None:
        evidence = Evidence(
            text="The bridge opened in 1931.",
            document=against,
            span=Span(0, 26),
            sentence=0,
            origin="reference" if against == "leaflet" else "common_ground",
        )
    return Verdict(claim=claim, category=category, evidence=evidence)


def turn(*categories: Category) -> TurnReport:
    return TurnReport(verdicts=[verdict(category) for category in categories])


def test_shares_of_a_turn() -> None:
    shares = turn(C.VERIFIED, C.VERIFIED, C.CONTRADICTED, C.OUT_OF_SCOPE).shares
    assert shares == {
        C.VERIFIED: 0.5,
        C.CONTRADICTED: 0.25,
        C.LACKING_EVIDENCE: 0,
        C.OUT_OF_SCOPE: 0.25,
        C.ABSTENTION: 0,
    }


def test_shares_of_a_dialogue_are_over_claims_not_turns() -> None:
    report = SessionReport(turns=[turn(C.VERIFIED, C.VERIFIED, C.VERIFIED), turn(C.ABSTENTION), turn()])
    assert report.shares[C.VERIFIED] == 0.75
    assert report.shares[C.ABSTENTION] == 0.25


@pytest.mark.parametrize("category", [c for c in C if c is not C.VERIFIED])
def test_one_other_claim_makes_a_turn_unverifiable(category: Category) -> None:
    assert turn(C.VERIFIED, C.VERIFIED).verifiable
    assert not turn(C.VERIFIED, category).verifiable


@pytest.mark.parametrize("category", C)
def test_a_turn_is_faithful_unless_a_claim_lacks_evidence_or_is_contradicted(category: Category) -> None:
    wrong = category in (C.LACKING_EVIDENCE, C.CONTRADICTED)
    assert turn(C.VERIFIED, category).faithful is not wrong


def test_an_unresolved_claim_makes_a_turn_unverifiable() -> None:
    claim = verdict(C.VERIFIED).claim
    report = TurnReport(unresolved=[Unresolved(claim=claim, reason=UnresolvedReason.DEADLINE)])
    assert not report.verifiable
    assert not report.faithful


def test_vista_score_counts_contradictions_of_the_common_ground_only() -> None:
    first = TurnReport(verdicts=[verdict(C.VERIFIED), verdict(C.CONTRADICTED, against="leaflet")])
    second = TurnReport(verdicts=[verdict(C.VERIFIED)])
    third = TurnReport(
        verdicts=[
            verdict(C.CONTRADICTED, against="turn 2"),
            verdict(C.CONTRADICTED, against="background"),
            verdict(C.VERIFIED, against="turn 1"),
            verdict(C.OUT_OF_SCOPE),
            verdict(C.LACKING_EVIDENCE),
        ]
    )
    report = SessionReport(turns=[first, second, third])
    assert [(i.turn, i.since) for i in report.inconsistencies] == [(2, 1), (2, -1)]
    score = report.vista_score
    assert score.consistency == 0.75
    assert score.verifiable_turns == pytest.approx(1 / 3)
    assert score.shares[C.CONTRADICTED] == pytest.approx(3 / 8)


def test_an_empty_dialogue_is_consistent_and_has_no_shares() -> None:
    score = SessionReport().vista_score
    assert (score.consistency, score.verifiable_turns) == (1, 1)
    assert set(score.shares.values()) == {0}


def test_stage_times_and_prompts_of_a_dialogue_are_those_of_its_turns() -> None:
    first = TurnReport(stage_times={"verify": StageTime(2, 0.5)}, prompts={"verify": "verify-1"})
    second = TurnReport(stage_times={"verify": StageTime(1, 0.25), "judge": StageTime(1, 1.0)})
    whole = SessionReport(turns=[first, second])
    assert whole.stage_times == {"verify": StageTime(3, 0.75), "judge": StageTime(1, 1.0)}
    assert whole.prompts == {"verify": "verify-1"}


numbers = st.integers(0, 10**6)
seconds = st.floats(0, allow_nan=False)
spans = st.builds(Span, numbers, numbers)
claims = st.builds(
    Claim,
    id=numbers,
    sentence=numbers,
    text=st.text(),
    span=spans,
    sentence_text=st.text(),
    kind=st.sampled_from(ClaimKind),
    importance=st.sampled_from(Importance),
)
evidence = st.builds(
    Evidence,
    text=st.text(),
    document=st.text(),
    span=spans,
    sentence=numbers,
    origin=st.sampled_from(["reference", "common_ground"]),
)
verdicts = st.builds(
    Verdict,
    claim=claims,
    category=st.sampled_from(Category),
    scores=st.none() | st.builds(Scores, *[st.floats(0, 1)] * 3),
    evidence=st.none() | evidence,
    tier=st.sampled_from(["deterministic", "model", "llm", "none"]),
    elapsed=seconds,
    supersedes=st.lists(evidence, max_size=2).map(tuple),
    opposing=st.none() | evidence,
    second=st.none()
    | st.builds(
        SecondOpinion,
        by=st.text(),
        first=st.none() | st.builds(Scores, *[st.floats(0, 1)] * 3),
        seconds=seconds,
        prompt_tokens=numbers,
        completion_tokens=numbers,
        failed=st.text(),
    ),
)
unresolved = st.builds(Unresolved, claim=claims, reason=st.sampled_from(UnresolvedReason), error=st.text())
reports = st.builds(
    TurnReport,
    verdicts=st.lists(verdicts, max_size=3).map(tuple),
    unresolved=st.lists(unresolved, max_size=2).map(tuple),
    received=numbers,
    released=numbers,
    withheld=numbers,
    stopped=st.booleans(),
    hold_backs=st.lists(seconds, max_size=3).map(tuple),
    stage_times=st.dictionaries(st.sampled_from(STAGES), st.builds(StageTime, numbers, seconds)),
    prompts=st.dictionaries(st.text(), st.text(), max_size=2),
    store_error=st.text(),
)
anything = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.just([])
    | st.just({})
)


@given(report=reports)
def test_a_report_comes_back_from_json_as_it_was(report: TurnReport) -> None:
    table = report.to_dict()
    again = TurnReport.from_dict(json.loads(json.dumps(table)))
    assert again == report
    assert again.to_dict() == table
    assert TurnReport.from_dict(table) == report
    assert list(again.stage_times) == list(report.stage_times)


@given(report=reports, seed=st.integers(), value=anything)
def test_whatever_stands_in_a_table_it_is_a_report_or_a_value_error(report, seed, value) -> None:
    """One place of a table is overwritten, or one of its keys lost: no other error may come of it."""
    table = deepcopy(report.to_dict())
    chance = random.Random(seed)
    where, key = table, chance.choice(list(table))
    while where[key] and isinstance(where[key], dict | list) and chance.random() < 0.8:
        where = where[key]
        key = chance.choice(list(where)) if isinstance(where, dict) else chance.randrange(len(where))
    if chance.random() < 0.3:
        del where[key]
    else:
        where[key] = value
    try:
        again = TurnReport.from_dict(table)
    except ValueError:
        return
    assert TurnReport.from_dict(again.to_dict()) == again


def test_lists_of_a_report_come_back_as_tuples() -> None:
    report = turn(C.VERIFIED)
    again = TurnReport.from_dict(report.to_dict())
    assert again.verdicts == tuple(report.verdicts)


def test_a_key_with_a_default_may_be_missing() -> None:
    """A report that was stored before a field was added is still read."""
    assert TurnReport.from_dict({"version": 1}) == TurnReport()


TABLE = TurnReport(verdicts=[verdict(C.VERIFIED, against="leaflet")]).to_dict()


def changed(*path, to) -> dict:
    table = deepcopy(TABLE)
    where = table
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = to
    return table


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (changed("version", to=2), "report is of version 2; this release reads version 1"),
        (changed("version", to="1"), "of version '1'; this"),
        (changed("version", to=True), "of version True; this"),
        ({}, "of version None; this"),
        (None, "report must be a mapping, as to_dict gives it, not NoneType"),
        ([TABLE], "report must be a mapping, as to_dict gives it, not list"),
        (changed("colour", to=1), "report has no 'colour'; it takes verdicts, unresolved, received"),
        (changed("received", to="5"), "report.received must be a whole number, not '5'"),
        (changed("received", to=True), "report.received must be a whole number, not True"),
        (changed("stopped", to=0), "report.stopped must be true or false, not 0"),
        (changed("verdicts", to="x"), "report.verdicts must be a list, not 'x'"),
        (changed("verdicts", 0, to=None), r"report.verdicts\[0\] must be an object, not None"),
        (changed("verdicts", 0, to={"category": "verified"}), r"report.verdicts\[0\] lacks 'claim'"),
        (
            changed("verdicts", 0, "category", to="true"),
            "category must be one of verified, contradicted.*not 'true'",
        ),
        (changed("verdicts", 0, "tier", to=["model"]), "tier must be one of deterministic, model"),
        (changed("verdicts", 0, "claim", "span", to=[0, 1]), r"claim.span must be an object, not \[0, 1\]"),
        (changed("verdicts", 0, "claim", "span", "end", to=1.5), "claim.span.end must be a whole number"),
        (changed("verdicts", 0, "elapsed", to="soon"), "elapsed must be a number, not 'soon'"),
        (changed("verdicts", 0, "elapsed", to=10**400), r"elapsed must be a number, not 1000+\.\.\.0+"),
        (changed("prompts", to={1: "x"}), "report.prompts must be an object"),
        (changed("stage_times", to={"verify": 3}), "report.stage_times.verify must be an object, not 3"),
    ],
)
def test_what_is_no_report_is_told_with_its_place(table, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TurnReport.from_dict(table)

"""Counts and the VISTA score, against values worked out by hand."""

import pytest

from vista_stream.claims import Category, Claim, Evidence, Span, UnresolvedReason, Verdict
from vista_stream.report import SessionReport, StageTime, TurnReport, Unresolved

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


def test_an_unresolved_claim_makes_a_turn_unverifiable() -> None:
    claim = verdict(C.VERIFIED).claim
    report = TurnReport(unresolved=[Unresolved(claim=claim, reason=UnresolvedReason.DEADLINE)])
    assert not report.verifiable


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

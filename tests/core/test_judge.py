"""Scores to category, and the reference against the common ground."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Category, Claim, ClaimKind, Evidence, Finding, Scores, Span
from vista_stream.core.judge import Thresholds, category_of, decide, judge

THRESHOLDS = Thresholds(entailment=0.7, contradiction=0.8)
ENTAILED = Finding(scores=Scores(0.7, 0.3, 0.0), tier="model")
CONTRADICTED = Finding(scores=Scores(0.1, 0.1, 0.8), tier="model")
OPEN = Finding(scores=Scores(0.69, 0.3, 0.01), tier="model")
NEARLY_CONTRADICTED = Finding(scores=Scores(0.1, 0.11, 0.79), tier="model")
SILENT = Finding(scores=Scores(0.3, 0.6, 0.1), tier="model")
NOTHING = Finding()
SURER = Finding(scores=Scores(0.0, 0.1, 0.9), tier="model")
RULED = Finding(scores=Scores(0.0, 0.0, 1.0), tier="deterministic")


def claim(kind: ClaimKind = ClaimKind.FACT) -> Claim:
    return Claim(id=0, sentence=0, text="The bridge opened in 1932.", span=Span(0, 26), kind=kind)


@pytest.mark.parametrize(
    ("finding", "category"),
    [
        (ENTAILED, Category.VERIFIED),
        (OPEN, Category.LACKING_EVIDENCE),
        (CONTRADICTED, Category.CONTRADICTED),
        (NEARLY_CONTRADICTED, Category.LACKING_EVIDENCE),
        (NOTHING, Category.LACKING_EVIDENCE),
    ],
)
def test_a_fact_goes_by_the_thresholds(finding: Finding, category: Category) -> None:
    assert judge(claim(), finding, THRESHOLDS) is category


@pytest.mark.parametrize("finding", [ENTAILED, OPEN, CONTRADICTED, NEARLY_CONTRADICTED])
def test_scores_alone_are_judged_as_those_of_a_fact(finding: Finding) -> None:
    assert category_of(finding.scores, THRESHOLDS) is judge(claim(), finding, THRESHOLDS)


@pytest.mark.parametrize("finding", [ENTAILED, OPEN, CONTRADICTED, NOTHING])
def test_a_refusal_is_an_abstention_whatever_the_scores(finding: Finding) -> None:
    assert judge(claim(ClaimKind.REFUSAL), finding, THRESHOLDS) is Category.ABSTENTION


@pytest.mark.parametrize("kind", [ClaimKind.OPINION, ClaimKind.RECOMMENDATION])
def test_opinions_and_advice_are_out_of_scope_unless_something_supports_them(kind: ClaimKind) -> None:
    assert judge(claim(kind), CONTRADICTED, THRESHOLDS) is Category.OUT_OF_SCOPE
    assert judge(claim(kind), OPEN, THRESHOLDS) is Category.OUT_OF_SCOPE
    assert judge(claim(kind), ENTAILED, THRESHOLDS) is Category.VERIFIED


@pytest.mark.parametrize(
    ("kind", "origin", "category"),
    [
        (ClaimKind.RECOMMENDATION, "reference", Category.CONTRADICTED),
        (ClaimKind.RECOMMENDATION, "common_ground", Category.OUT_OF_SCOPE),
        (ClaimKind.OPINION, "reference", Category.OUT_OF_SCOPE),
    ],
)
def test_advice_is_contradicted_by_references_alone(kind, origin, category) -> None:
    told = Evidence(
        text="Never take it with milk.", document="leaflet", span=Span(0, 24), sentence=0, origin=origin
    )
    assert judge(claim(kind), replace(CONTRADICTED, evidence=told), THRESHOLDS) is category


def test_the_assistant_about_itself_can_be_contradicted() -> None:
    assert judge(claim(ClaimKind.ASSISTANT), CONTRADICTED, THRESHOLDS) is Category.CONTRADICTED
    assert judge(claim(ClaimKind.ASSISTANT), OPEN, THRESHOLDS) is Category.OUT_OF_SCOPE


def test_with_low_thresholds_the_higher_score_decides() -> None:
    low = Thresholds(entailment=0.3, contradiction=0.3)
    assert judge(claim(), Finding(scores=Scores(0.5, 0.1, 0.4)), low) is Category.VERIFIED
    assert judge(claim(), Finding(scores=Scores(0.4, 0.1, 0.5)), low) is Category.CONTRADICTED
    assert judge(claim(), Finding(scores=Scores(0.4, 0.2, 0.4)), low) is Category.VERIFIED


@pytest.mark.parametrize(
    ("reference", "ground", "counts"),
    [
        (ENTAILED, CONTRADICTED, "reference"),
        (CONTRADICTED, ENTAILED, "reference"),
        (OPEN, CONTRADICTED, "ground"),
        (OPEN, ENTAILED, "ground"),
        (NOTHING, ENTAILED, "ground"),
        (CONTRADICTED, RULED, "ground"),
        (RULED, RULED, "reference"),
        (RULED, CONTRADICTED, "reference"),
        (CONTRADICTED, CONTRADICTED, "reference"),
        (CONTRADICTED, SURER, "ground"),
        (SURER, CONTRADICTED, "reference"),
        (ENTAILED, RULED, "reference"),
        (OPEN, NEARLY_CONTRADICTED, "reference"),
        (NOTHING, OPEN, "reference"),
    ],
)
def test_the_reference_outranks_the_common_ground(reference: Finding, ground: Finding, counts: str) -> None:
    named = Finding(
        scores=ground.scores,
        evidence=Evidence(text="…", document="turn 1", span=Span(0, 1), sentence=0, origin="common_ground"),
        tier=ground.tier,
    )
    expected = reference if counts == "reference" else named
    assert decide(reference, named, THRESHOLDS) == expected


@pytest.mark.parametrize(
    ("reference", "ground", "counts"),
    [
        (OPEN, CONTRADICTED, OPEN),
        (OPEN, RULED, RULED),
        (OPEN, ENTAILED, ENTAILED),
        (SILENT, CONTRADICTED, CONTRADICTED),
        (NOTHING, CONTRADICTED, CONTRADICTED),
    ],
)
def test_what_a_reference_verified_does_not_contradict_what_it_rather_entails(reference, ground, counts):
    assert decide(reference, ground, THRESHOLDS, verified=True) == counts


@pytest.mark.parametrize("ground", [CONTRADICTED, SURER])
def test_a_reference_that_opposes_a_contradiction_is_kept_whoever_contradicts(ground: Finding) -> None:
    opposing = Evidence(text="It did.", document="old", span=Span(0, 7), sentence=0)
    counted = decide(replace(CONTRADICTED, opposing=opposing), ground, THRESHOLDS)
    assert (counted.scores, counted.opposing) == (ground.scores, opposing)


def test_the_common_ground_never_makes_a_claim_lack_evidence() -> None:
    counted = decide(NOTHING, OPEN, THRESHOLDS)
    assert counted.scores is None
    assert judge(claim(), counted, THRESHOLDS) is Category.LACKING_EVIDENCE


@pytest.mark.parametrize("value", [0.0, -0.1, 1.01, math.nan, "0.5", None, True])
@pytest.mark.parametrize("name", ["entailment", "contradiction"])
def test_a_threshold_that_is_no_probability_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a probability above 0 and at most 1"):
        Thresholds(**{name: value})


def test_a_threshold_may_be_one() -> None:
    certain = Thresholds(entailment=1, contradiction=1)
    assert judge(claim(), RULED, certain) is Category.CONTRADICTED
    assert judge(claim(), SURER, certain) is Category.LACKING_EVIDENCE


@given(
    a=st.floats(0, 1),
    b=st.floats(0, 1),
    low=st.floats(0.05, 1),
    high=st.floats(0.05, 1),
)
def test_a_higher_contradiction_threshold_never_contradicts_more(
    a: float, b: float, low: float, high: float
) -> None:
    low, high = sorted((low, high))
    finding = Finding(scores=Scores(a * (1 - b), (1 - a) * (1 - b), b))
    lenient, strict = (
        judge(claim(), finding, Thresholds(entailment=0.5, contradiction=bound)) for bound in (low, high)
    )
    assert strict is not Category.CONTRADICTED or lenient is Category.CONTRADICTED

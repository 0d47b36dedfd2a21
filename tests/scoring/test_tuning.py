"""Curves and proposals of thresholds, on sentences with known scores; examples read and judged."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import (
    Category,
    Claim,
    ClaimKind,
    Evidence,
    Scores,
    Span,
    UnresolvedReason,
    Verdict,
)
from vista_stream.core.judge import Thresholds
from vista_stream.report import Unresolved
from vista_stream.scoring.tuning import (
    GRID,
    Example,
    Sentence,
    Share,
    contradicted,
    failures,
    judged,
    parse_example,
    tune,
)
from vista_stream.testing import ScriptedVerifier

OWN = Thresholds(entailment=0.73, contradiction=0.6)


CLAIM = Claim(id=1, sentence=0, text="It is.", span=Span(0, 6))
LOST = Unresolved(claim=CLAIM, reason=UnresolvedReason.VERIFIER_ERROR, error="down")


def sentence(*scores, false=False, unresolved=(), kind=ClaimKind.FACT, evidence=None):
    claim = Claim(id=1, sentence=0, text="It is.", span=Span(0, 6), kind=kind)
    verdicts = [
        Verdict(claim=claim, category=Category.LACKING_EVIDENCE, scores=each, evidence=evidence)
        for each in scores
    ]
    return Sentence(example="e", text="It is.", false=false, verdicts=verdicts, unresolved=unresolved)


def refuted(p, **more):
    return sentence(Scores(0.0, 1 - p, p), **more)


def entailed(p, **more):
    return sentence(Scores(p, 1 - p, 0.0), **more)


# -- shares


@pytest.mark.parametrize(
    ("share", "low", "high"),
    # Wilson's intervals as other software gives them.
    [
        (Share(5, 10), 0.2366, 0.7634),
        (Share(0, 10), 0.0, 0.2775),
        (Share(10, 10), 0.7225, 1.0),
        (Share(0, 0), 0, 1),
    ],
)
def test_the_interval_is_wilsons(share, low, high):
    assert share.interval == pytest.approx((low, high), abs=1e-3)


def test_a_share_of_none_is_no_number():
    assert math.isnan(Share(0, 0).value)


@given(of=st.integers(1, 10_000), data=st.data())
def test_the_interval_holds_the_share_and_lies_in_0_to_1(of, data):
    share = Share(data.draw(st.integers(0, of)), of)
    low, high = share.interval
    assert 0 <= low <= share.value + 1e-9
    assert share.value - 1e-9 <= high <= 1


# -- curves and proposals


def test_each_point_counts_false_ones_caught_and_right_ones_disturbed():
    tuning = tune([refuted(0.7, false=True), refuted(0.4, false=True), refuted(0.5), entailed(0.9)], OWN)
    assert (tuning.blocking_at(0.35).caught, tuning.blocking_at(0.35).disturbed) == (Share(2, 2), Share(1, 2))
    assert (tuning.blocking_at(0.6).caught, tuning.blocking_at(0.6).disturbed) == (Share(1, 2), Share(0, 2))
    assert (tuning.blocking_at(0.75).caught, tuning.blocking_at(0.75).disturbed) == (Share(0, 2), Share(0, 2))


def test_of_thresholds_that_catch_the_same_the_one_nearest_to_the_models_own_is_proposed():
    sentences = [refuted(0.92, false=True), refuted(0.3)]
    assert tune(sentences, OWN).contradiction == 0.6
    assert tune(sentences, Thresholds(contradiction=0.2)).contradiction == 0.35
    assert tune(sentences, Thresholds(contradiction=0.97)).contradiction == 0.9


def test_a_lower_threshold_is_proposed_where_it_catches_more_and_disturbs_few():
    sentences = [refuted(0.42, false=True), *[entailed(0.9)] * 49, refuted(0.41)]
    assert tune(sentences, OWN, disturbed=0.0).contradiction == 0.6
    assert tune(sentences, OWN, disturbed=0.02).contradiction == 0.4


def test_where_every_threshold_disturbs_too_many_none_is_proposed():
    tuning = tune([refuted(1.0), entailed(0.9, false=True)], OWN)
    assert tuning.contradiction is None
    assert "contradiction" not in tuning.thresholds


def test_entailment_verifies_most_where_verified_ones_are_right_often_enough():
    sentences = [entailed(0.5), entailed(0.62), entailed(0.9), entailed(0.45, false=True)]
    tuning = tune(sentences, OWN, precision=0.9)
    assert tuning.entailment == 0.5
    assert tuning.verifying_at(0.5).verified == Share(3, 4)
    assert tuning.verifying_at(0.5).right == Share(3, 3)
    assert tuning.verifying_at(0.4).right == Share(3, 4)
    assert tune(sentences, OWN, precision=0.7).entailment == 0.45


def test_where_nothing_verified_is_right_often_enough_no_entailment_is_proposed():
    tuning = tune([entailed(1.0, false=True), refuted(0.5)], OWN)
    assert tuning.entailment is None
    assert list(tuning.thresholds) == ["contradiction"]


def test_a_sentence_is_verified_as_a_whole_and_contradicted_in_a_part():
    half = sentence(Scores(0.9, 0.1, 0.0), Scores(0.1, 0.2, 0.7))
    tuning = tune([half, entailed(0.9, false=True)], OWN)
    assert tuning.verifying_at(0.5).verified == Share(1, 2)
    assert tuning.blocking_at(0.6).disturbed == Share(1, 1)


def test_a_false_sentence_without_claims_is_missed_and_none_without_claims_is_verified():
    tuning = tune([sentence(false=True), entailed(0.9)], OWN)
    assert tuning.blocking_at(0.05).caught == Share(0, 1)
    assert tuning.verifying_at(0.05).verified == Share(1, 1)


def test_a_claim_that_could_not_be_judged_leaves_its_sentence_unverified():
    tuning = tune([entailed(0.9, unresolved=[LOST]), entailed(0.9), refuted(0.9, false=True)], OWN)
    assert tuning.verifying_at(0.5).verified == Share(1, 3)


def test_a_claim_in_another_language_is_no_failure():
    foreign = Unresolved(claim=CLAIM, reason=UnresolvedReason.LANGUAGE, error="not English")
    late = Unresolved(claim=CLAIM, reason=UnresolvedReason.DEADLINE)
    found = failures([entailed(0.9, unresolved=[foreign, LOST]), sentence(unresolved=[late])])
    assert found == [("e", "down"), ("e", "deadline")]


def test_opinions_are_never_contradicted():
    opinion = refuted(0.99, kind=ClaimKind.OPINION)
    assert not contradicted(opinion, OWN)
    assert contradicted(refuted(0.99), OWN)


def test_advice_is_contradicted_by_a_reference_alone():
    advice = ClaimKind.RECOMMENDATION
    stated, said = (
        Evidence(text="It is.", document="a", span=Span(0, 6), sentence=0, origin=origin)
        for origin in ("reference", "common_ground")
    )
    tuning = tune([refuted(0.9, kind=advice, evidence=stated, false=True), entailed(0.9)], OWN)
    assert tuning.blocking_at(0.6).caught == Share(1, 1)
    assert not contradicted(refuted(0.9, kind=advice, evidence=said), OWN)


def test_entailment_is_tried_beside_the_proposed_threshold_of_contradiction():
    doubted = sentence(Scores(0.05, 0.35, 0.6), false=True)
    tuning = tune([doubted, *[entailed(0.9)] * 9], Thresholds(contradiction=0.78))
    assert tuning.contradiction == 0.6
    assert tuning.verifying_at(0.05).verified == Share(9, 10)
    assert tuning.verifying_at(0.05).right == Share(9, 9)


def test_the_models_own_thresholds_are_points_of_the_curves():
    own = Thresholds(entailment=0.735, contradiction=0.617)
    tuning = tune([refuted(0.9, false=True), entailed(0.9)], own)
    assert [point.threshold for point in tuning.blocking] == sorted([*GRID, 0.617])
    assert [point.threshold for point in tuning.verifying] == sorted([*GRID, 0.735])


@pytest.mark.parametrize(
    ("sentences", "told"),
    [
        ([entailed(0.9)], "no false sentence"),
        ([entailed(0.9, false=True)], "no right sentence"),
        ([], "no false"),
    ],
)
def test_both_kinds_of_sentences_are_needed(sentences, told):
    with pytest.raises(ValueError, match=told):
        tune(sentences, OWN)


@pytest.mark.parametrize("limits", [{"disturbed": -0.1}, {"precision": 1.1}, {"precision": float("nan")}])
def test_limits_are_shares(limits):
    with pytest.raises(ValueError, match="must be a share from 0 to 1"):
        tune([entailed(0.9), entailed(0.9, false=True)], OWN, **limits)


# -- examples


def line(**fields):
    table = {"references": ["It is red."], "answer": "It is blue. It is here.", "false": ["It is blue."]}
    return json.dumps({**table, **fields})


def test_a_line_is_an_example():
    example = parse_example(line(query="Which?", id="a"), number=1)
    assert example == Example(
        id="a",
        references=["It is red."],
        answer="It is blue. It is here.",
        false=["It is blue."],
        query="Which?",
    )
    assert parse_example(line(references="It is red."), number=7).references == ["It is red."]
    assert parse_example(line(), number=7).id == "line 7"
    assert parse_example(line(false=[]), number=7).false == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "must be a JSON object, not list"),
        (line(label=1), "'label' is unknown; an example takes id, references, query, answer, false"),
        (line(answer=None), "answer must be a text, not None"),
        (line(answer=" "), "answer must be a text"),
        (line(query=3), "query must be a text"),
        (line(references=[]), "references must hold at least one text"),
        (line(references=None), "references must be a list of texts"),
        (line(references=["a", 2]), r"references\[1\] must be a text, not 2"),
        (line(false="It is blue."), "false must be a list of texts"),
        (line(false=[""]), r"false\[0\] must be a text"),
        (line(false=["It is green."]), "this does not stand in the answer: 'It is green.'"),
        ('{"references": ["x"], "answer": "x"}', "false must be a list of texts, not None"),
    ],
)
def test_what_is_no_example_is_named(text, told):
    with pytest.raises(ValueError, match=told):
        parse_example(text, number=1)


@pytest.mark.anyio
async def test_a_judged_example_has_its_sentences_claims_and_marks():
    text = (
        "# Paint\n\nThe door is painted blue. The roof is painted green, and the gate is new. Blue it is.\n"
    )
    example = Example(
        id="e",
        references=["The door was painted. The roof was painted. The gate stands."],
        answer=text,
        false=["painted green"],
    )
    contradiction = Scores(0.1, 0.2, 0.7)
    found = await judged(example, ScriptedVerifier({"green": contradiction}))
    assert [each.text.strip() for each in found] == [
        "# Paint",
        "The door is painted blue.",
        "The roof is painted green, and the gate is new.",
        "Blue it is.",
    ]
    marked = {each.text.strip(): each.false for each in found}
    assert marked["The roof is painted green, and the gate is new."] is True
    assert sum(marked.values()) == 1
    green = next(each for each in found if each.false)
    assert contradicted(green, OWN)
    assert all(v.claim.sentence == green.verdicts[0].claim.sentence for v in green.verdicts)
    blue = next(each for each in found if "door" in each.text)
    assert blue.verdicts
    assert not contradicted(blue, OWN)


@pytest.mark.anyio
async def test_every_place_of_a_false_stretch_counts():
    example = Example(
        id="e", references=["x is y."], answer="It is so. He is. It is so.", false=[" It is so."]
    )
    found = await judged(example, ScriptedVerifier())
    assert [each.false for each in found] == [True, False, True]

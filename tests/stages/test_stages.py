"""A set of stages at a policy's thresholds."""

from dataclasses import replace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Category, Claim, Finding, Scores, Span
from vista_stream.core.judge import Thresholds, judge
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.stages import Stages
from vista_stream.testing import ScriptedStages, ScriptedVerifier, WholeSentences

CLAIM = Claim(id=0, sentence=0, text="The bridge opened in 1932.", span=Span(0, 26))
SURE = Finding(scores=Scores(0.0, 0.2, 0.8), tier="model")
probabilities = st.floats(0.01, 1)
moved = st.fixed_dictionaries({}, optional={"entailment": probabilities, "contradiction": probabilities})


def stages(**parts) -> Stages:
    scripted = ScriptedStages()
    rest = {"verify": scripted, "categorise": EmbeddedCategorise(Thresholds(contradiction=0.7))}
    return Stages(decompose=scripted.stages().decompose, rank=scripted, **{**rest, **parts})


def category(stages: Stages, finding: Finding = SURE) -> Category:
    return anyio.run(stages.categorise.categorise, CLAIM, finding)


@pytest.mark.parametrize(
    ("stage", "part", "told"),
    [
        ("decompose", WholeSentences, "an object with begin, not the class WholeSentences"),
        ("rank", None, "an object with rank, not NoneType"),
        ("verify", 5, "an object with prepare and verify, not int"),
        ("categorise", WholeSentences(), "an object with categorise, not WholeSentences"),
        ("kinds", 5, "an object with kinds, not int"),
    ],
)
def test_what_cannot_be_a_stage_is_refused(stage, part, told):
    with pytest.raises(ValueError, match=f"^{stage} must be {told}$"):
        replace(stages(), **{stage: part})


def test_thresholds_of_another_type_are_refused():
    with pytest.raises(ValueError, match="thresholds must be Thresholds or None, not dict"):
        EmbeddedCategorise({"entailment": 0.9})


def test_without_thresholds_they_are_the_same_stages():
    each = stages()
    assert each.at({}) is each


def test_thresholds_make_other_stages_and_leave_these_as_they_are():
    each = stages()
    assert category(each.at({"contradiction": 0.9})) is Category.LACKING_EVIDENCE
    assert category(each) is Category.CONTRADICTED
    assert category(each.at({"entailment": 0.9})) is Category.CONTRADICTED  # the other one is kept


def test_a_verify_stage_that_takes_none_stays():
    each = stages()
    assert each.at({"contradiction": 0.9}).verify is each.verify
    embedded = stages(verify=EmbeddedVerify(ScriptedVerifier()))
    assert embedded.at({"contradiction": 0.9}).verify is not embedded.verify


def test_a_categorise_stage_that_takes_none_is_named():
    each = ScriptedStages().stages()
    assert each.at({}) is each
    with pytest.raises(
        ValueError, match="thresholds must be empty: the categorise stage, ScriptedStages, has no"
    ):
        each.at({"contradiction": 0.9})


@given(
    first=moved,
    second=moved,
    scores=st.tuples(*[st.integers(0, 100)] * 3).filter(any),
)
def test_the_later_thresholds_hold_and_the_earlier_where_it_names_none(first, second, scores):
    finding = Finding(scores=Scores(*(part / sum(scores) for part in scores)))
    expected = judge(CLAIM, finding, Thresholds(**{"contradiction": 0.7, **first, **second}))
    assert category(stages().at(first).at(second), finding) is expected

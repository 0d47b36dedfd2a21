"""`assert_supported`: what passes, what fails and how it is told. (Other tests use the doubles.)"""

from dataclasses import replace as changed

import pytest

from vista_stream.claims import Category, Draft, Evidence, Finding, Importance, Scores, Span
from vista_stream.policy import Policy, raise_, stop
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.testing import ScriptedStages, assert_supported, assert_supported_async

NOTES = "The ticket costs 12 euros. Children under six are free."
TRUE, FALSE = "The ticket costs 12 euros.", "The ticket costs 15 euros."


def scripted(**categories):
    """Stages that give a category by a word of the claim, with the notes' first sentence as evidence."""
    return changed(ScriptedStages(categories).stages(), verify=Cites())


class Cites:
    async def prepare(self, grounds):
        pass

    async def verify(self, claim, grounds):
        reference = grounds.references[0]
        evidence = Evidence(
            text="The ticket costs\n12 euros.", document=reference.name, span=Span(0, 26), sentence=0
        )
        return Finding(scores=Scores(0, 0, 1), evidence=evidence, tier="model")


def failure(answer, *, references=NOTES, **arguments):
    with pytest.raises(AssertionError) as failed:
        assert_supported(answer, references, **arguments)
    return str(failed.value)


def test_a_supported_answer_gives_its_report():
    report = assert_supported(TRUE, NOTES, query="What does it cost?")
    assert [each.category for each in report.verdicts] == [Category.VERIFIED]


def test_a_contradicted_claim_is_told_with_its_evidence():
    told = failure(f"{TRUE} {FALSE}")
    assert told.splitlines()[0] == "1 of 2 claims are not supported:"
    assert "  contradicted (" in told
    assert f"): {FALSE}" in told
    assert "    evidence: reference 1, sentence 1: The ticket costs 12 euros." in told


def test_a_claim_without_evidence_fails_unless_it_is_allowed():
    stages = scripted(parrots=Category.LACKING_EVIDENCE)
    told = failure("There are parrots. There is a shop.", stages=stages)
    assert told.splitlines() == [
        "1 of 2 claims are not supported:",
        "  lacking evidence (vital): There are parrots.",
        "    nearest: reference 1, sentence 1: The ticket costs 12 euros.",
    ]
    assert_supported("There are parrots.", NOTES, stages=stages, allow=[Category.LACKING_EVIDENCE])


def test_allowing_one_category_allows_no_other():
    stages = scripted(parrots=Category.CONTRADICTED)
    assert "contradicted" in failure("There are parrots.", stages=stages, allow={Category.LACKING_EVIDENCE})


def test_what_makes_no_claim_about_the_world_passes():
    stages = scripted(like=Category.OUT_OF_SCOPE, know=Category.ABSTENTION)
    assert_supported("I like it. I do not know.", NOTES, stages=stages)
    assert assert_supported("", NOTES).verdicts == ()


def test_the_sentence_is_told_where_the_claim_is_worded_otherwise():
    class Reworded:
        def begin(self):
            return self

        async def hear(self, utterance):
            pass

        async def decompose(self, sentence):
            return [Draft(text="The zoo costs 15 euros.", span=sentence.span)]

    stages = changed(scripted(zoo=Category.CONTRADICTED), decompose=Reworded())
    assert "    in the sentence: It costs 15 euros." in failure("It costs 15 euros.", stages=stages)


def test_a_claim_that_could_not_be_judged_fails():
    stages = ScriptedStages(delay=lambda text: 30.0).stages()
    told = failure("It is here.", stages=stages, policy=Policy(deadline=0.05))
    assert "  not judged (deadline): It is here." in told


@pytest.mark.parametrize("action", [stop(), raise_()])
def test_a_policys_actions_do_not_end_the_judging(action):
    policy = Policy(rules={(Category.CONTRADICTED, each): action for each in Importance})
    stages = scripted(one=Category.CONTRADICTED, two=Category.CONTRADICTED)
    assert failure("It is one. It is two.", stages=stages, policy=policy).startswith("2 of 2 claims")


def test_a_policys_thresholds_count():
    almost = Scores(0.8, 0.1, 0.1)

    class Almost(Cites):
        async def verify(self, claim, grounds):
            return Finding(scores=almost, tier="model")

    stages = changed(scripted(), verify=Almost(), categorise=EmbeddedCategorise())
    assert_supported("It is one.", NOTES, stages=stages)
    told = failure("It is one.", stages=stages, policy=Policy(thresholds={"entailment": 0.9}))
    assert "    evidence: none" in told


@pytest.mark.parametrize("action", [stop(), raise_()])
def test_what_a_policy_does_with_other_languages_does_not_count(action):
    answer = "Le billet coûte quinze euros et les enfants ne paient rien. The ticket costs 15 euros."
    told = failure(answer, policy=Policy(other_language=action, deadline=60))
    assert "not judged (language)" in told
    assert "The ticket costs 15 euros." in told


@pytest.mark.anyio
async def test_the_async_twin_does_the_same():
    stages = scripted(two=Category.CONTRADICTED)
    report = await assert_supported_async("It is one.", NOTES, stages=stages)
    assert len(report.verdicts) == 1
    with pytest.raises(AssertionError, match="1 of 2 claims are not supported"):
        await assert_supported_async("It is one. It is two.", [NOTES], stages=stages)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"allow": "contradicted"}, "allow must be a collection of Category"),
        ({"allow": ["contradicted"]}, "allow must be a collection of Category"),
        ({"references": 3}, "references must be"),
        ({"answer": None}, "text must be a str"),
    ],
)
def test_what_cannot_be_an_argument_is_refused(arguments, told):
    given = {"answer": "It is one.", "references": NOTES, "stages": scripted(), **arguments}
    with pytest.raises(ValueError, match=told):
        assert_supported(**given)

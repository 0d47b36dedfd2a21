"""Records and what a file of them amounts to, worked out by hand."""

import json

import pytest

from vista_stream.claims import Category, Importance
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn, GivenClaim
from vista_stream.scoring.nuggets import VerifyMatcher
from vista_stream.scoring.records import Record, dialogue_record
from vista_stream.scoring.scorer import VistaScorer
from vista_stream.scoring.summary import compare, summarise
from vista_stream.stages.nuggets import Nugget
from vista_stream.stages.stages import Stages

pytestmark = pytest.mark.anyio

V, K = Importance.VITAL, Importance.OKAY
MILL = "The mill was built in 1820. The mill grinds rye."
TURN = DialogueTurn(
    role="assistant",
    text="The mill grinds rye. The mill was built in 1830.",
    references=[MILL],
    claims=[
        GivenClaim(text="The mill grinds rye.", importance=K, label=Category.VERIFIED),
        GivenClaim(text="The mill was built in 1830.", importance=V, label=Category.LACKING_EVIDENCE),
    ],
    nuggets=[
        Nugget(text="The mill was built in 1820.", importance=V),
        Nugget(text="The mill grinds rye.", importance=K),
    ],
    label=False,
)
GOOD = DialogueTurn(role="assistant", text="The mill grinds rye.", references=[MILL], label=False)


async def records(stages: Stages) -> list[Record]:
    scorer = VistaScorer(stages, matcher=VerifyMatcher(stages.verify))
    dialogues = [Dialogue(id="a", turns=[TURN]), Dialogue(id="b", turns=[GOOD])]
    return [dialogue_record(d, await scorer.score(d), setup={"method": "vista"}) for d in dialogues]


async def test_a_record_is_json_and_the_same_each_time(stages: Stages) -> None:
    once, again = await records(stages), await records(stages)
    assert json.dumps(once) == json.dumps(again)
    (turn,) = once[0]["turns"]
    assert turn["vital"]["factscore"] == 0.5
    assert turn["vital"]["vital_precision"] == 0
    assert turn["vital"]["rlp"] is True
    assert turn["vital"]["decayed_precision"] == pytest.approx(1 / 3)
    assert turn["vital"]["cumulative_precision"] == [1, 0.5]
    # The answer gives the year wrongly: the okay nugget is carried, the vital one is not.
    assert turn["vital"]["nugget_recall"] == 0.5
    assert turn["vital"]["vital_recall"] == 0
    assert turn["vital"]["rlr"] is True
    assert turn["claims"][1]["label"] == "lacking_evidence"
    assert once[0]["score"]["shares"]["contradicted"] == 0.5


async def test_the_summary(stages: Stages) -> None:
    summary = summarise(await records(stages))
    assert (summary["dialogues"], summary["turns"], summary["claims"]) == (2, 2, 3)
    assert summary["shares"]["verified"] == pytest.approx(2 / 3)
    assert summary["verifiable_turns"] == 0.5
    assert summary["factscore"] == 0.75
    assert summary["rlp"] == 0.5
    assert summary["vital_recall"] == 0
    assert summary["cumulative_precision"] == [1, 0.5]
    agreement = summary["agreement"]
    assert agreement["turn_accuracy"] == 0.5
    assert agreement["claim_accuracy"] == 0.5
    # verified: F1 1; lacking evidence and contradicted, one label and one find: 0.
    assert agreement["macro_f1"] == pytest.approx(1 / 3)
    lacking, contradicted = (agreement["labels"].index(x) for x in ("lacking_evidence", "contradicted"))
    assert agreement["confusion"][lacking][contradicted] == 1


async def test_a_turn_of_opinions_is_faithful_and_not_verifiable(stages: Stages) -> None:
    found = await records(stages)
    turn = found[1]["turns"][0]
    turn |= {"label": True, "verifiable": False}
    turn["claims"][0] |= {"category": "out_of_scope", "label": "verified"}
    agreement = summarise(found)["agreement"]
    assert agreement["turn_accuracy"] == 0.5
    assert agreement["turn_accuracy_faithful"] == 1
    # The paper's rule on the labels calls the first turn unverifiable, as found, and the second verifiable.
    assert agreement["turn_accuracy_by_claims"] == 0.5
    turn["claims"][0]["category"] = "lacking_evidence"
    assert summarise(found)["agreement"]["turn_accuracy_faithful"] == 0.5


async def test_labels_of_claims_need_no_label_of_their_turn(stages: Stages) -> None:
    found = await records(stages)
    for record in found:
        record["turns"][0]["label"] = None
    agreement = summarise(found)["agreement"]
    assert agreement["turn_accuracy_by_claims"] == 1  # of the first turn; the other has no labelled claim
    assert not {"turn_accuracy", "turn_accuracy_faithful", "labelled_turns"} & agreement.keys()
    found[0]["turns"][0]["unresolved"] = [UNRESOLVED]
    assert "turn_accuracy_by_claims" not in summarise(found)["agreement"]


UNRESOLVED = {"text": "It is.", "span": [0, 6], "importance": "vital", "reason": "stage_error", "error": "no"}


async def test_turns_that_were_not_decided_are_left_out_of_accuracy(stages: Stages) -> None:
    first = await records(stages)
    dead = json.loads(json.dumps(first))
    # Not verifiable, as people say; but only because nobody answered.
    dead[1]["turns"][0] |= {"claims": [], "unresolved": [UNRESOLVED], "verifiable": False}
    agreement = summarise(dead)["agreement"]
    assert (agreement["labelled_turns"], agreement["turns_left_out"]) == (1, 1)
    assert agreement["turn_accuracy"] == 1
    for one, other in ((dead, first), (first, dead)):
        found = compare(one, other)
        assert (found["turns"], found["turns_left_out"], found["accuracy"]) == (1, 1, 1)
    dead[0]["turns"][0]["verifiable"] = None
    agreement = summarise(dead)["agreement"]
    assert (agreement["labelled_turns"], agreement["turns_left_out"]) == (0, 2)
    assert "turn_accuracy" not in agreement
    assert compare(first, dead)["turns_left_out"] == 2
    assert "p_value" not in compare(first, dead)


async def test_comparison_of_two_files(stages: Stages) -> None:
    first = await records(stages)
    second = json.loads(json.dumps(first))
    second[1]["turns"][0]["verifiable"] = False
    found = compare(second, first)
    assert (found["accuracy"], found["accuracy_of_other"]) == (1, 0.5)
    assert (found["only_first"], found["only_second"], found["p_value"]) == (1, 0, 1)
    with pytest.raises(ValueError, match="share no turn"):
        compare(first[:1], second[1:])


async def test_agreement_of_the_claims_of_two_files(stages: Stages) -> None:
    first = await records(stages)
    second = json.loads(json.dumps(first))
    claims = second[0]["turns"][0]["claims"]
    claims[0]["text"], claims[0]["importance"] = "Other.", "less_important"
    claims[1]["importance"] = "okay"
    sets = compare(first, second)["claim_sets"]
    # The first turn shares one claim of two, the second its only one.
    assert sets["jaccard"] == pytest.approx((1 / 3 + 1) / 2)
    assert sets["f1"] == pytest.approx((0.5 + 1) / 2)
    assert (sets["claims_in_both"], sets["macro_f1_of_categories"]) == (2, 1)
    # vital against okay and okay against okay: observed and expected disagreement are the same.
    assert sets["kappa_of_importance"] == pytest.approx(0)
    assert compare(second, second)["claim_sets"]["kappa_of_importance"] is not None


async def test_the_same_importance_everywhere_has_no_kappa(stages: Stages) -> None:
    both = (await records(stages))[1:]
    assert compare(both, both)["claim_sets"]["kappa_of_importance"] is None


async def test_turns_without_claims_or_labels_are_not_compared_by_them(stages: Stages) -> None:
    first = await records(stages)
    for record in first:
        record["turns"][0] |= {"label": None, "claims": []}
    assert compare(first, first) == {}


async def test_entailment_scores_against_labels(stages: Stages) -> None:
    # Each twice: a claim verified with entailment 1, and one labelled otherwise with 0.
    twice = await records(stages) + await records(stages)
    agreement = summarise(twice)["agreement"]
    assert (agreement["scored_claims"], agreement["auc_of_entailment"]) == (4, 1)
    assert (agreement["auc_low"], agreement["auc_high"]) == (1, 1)
    assert agreement["calibration_error"] == 0
    twice[0]["turns"][0]["claims"][1]["label"] = "verified"
    # One claim of its kind is left: nothing to draw anew.
    assert "auc_of_entailment" not in summarise(twice)["agreement"]


def test_nothing_measured_is_none() -> None:
    summary = summarise([{"id": "a", "turns": [{"role": "user", "text": "Hi"}]}])
    assert summary["shares"] is None
    assert summary["factscore"] is None
    assert "agreement" not in summary

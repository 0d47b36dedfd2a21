"""Dialogues through the stages, turn after turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import anyio
import pytest

from vista_stream.claims import (
    Category,
    Claim,
    Draft,
    Finding,
    Importance,
    Scores,
    UnresolvedReason,
    Utterance,
)
from vista_stream.errors import InferenceError, LanguageUnsupported, Overload, StageError
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn, GivenClaim
from vista_stream.scoring.nuggets import VerifyMatcher
from vista_stream.scoring.records import dialogue_record, record_errors
from vista_stream.scoring.scorer import (
    CLAIMS_AT_ONCE,
    Conditions,
    DialogueScore,
    TwoWayCategorise,
    VistaScorer,
)
from vista_stream.stages.embedded.decompose import EmbeddedDecompose
from vista_stream.stages.embedded.parser import load_parse
from vista_stream.stages.nuggets import Nugget, Support
from vista_stream.stages.protocols import Grounds
from vista_stream.stages.stages import Stages
from word_stages import SentenceDiscourse, WordRank, WordVerify

pytestmark = pytest.mark.anyio
C = Category


def user(text: str) -> DialogueTurn:
    return DialogueTurn(role="user", text=text)


def assistant(text: str, *references: str, **fields: Any) -> DialogueTurn:
    return DialogueTurn(role="assistant", text=text, references=references, **fields)


MILL = "The mill was built in 1820. The mill grinds rye."
DIALOGUE = Dialogue(
    id="d",
    background=["The guide is 40 years old."],
    turns=[
        user("When was the mill built?"),
        assistant("The mill was built in 1820. It is lovely.", MILL),
        user("And you?"),
        assistant("The guide is 41 years old. The mill was built in 1830. Storks nest there."),
    ],
)


async def test_an_error_of_any_type_leaves_its_claims_unresolved(
    stages: Stages, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(WordVerify):
        async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
            raise KeyError("no such row")

    nuggets = [Nugget(text="The mill grinds rye.")]
    dialogue = Dialogue(id="d", turns=[assistant("It is red. It grinds.", MILL, nuggets=nuggets)])
    broken = Broken()
    scorer = VistaScorer(replace(stages, verify=broken), matcher=VerifyMatcher(broken))
    (turn,) = (await scorer.score(dialogue)).turns
    assert [u.error for u in turn.report.unresolved] == ["'no such row'"] * 2
    assert turn.errors == ["nuggets: 'no such row'"]
    assert "a stage raised KeyError" in caplog.text


async def test_what_fails_before_the_claims_are_judged_leaves_them_to_be_judged(
    stages: Stages, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Unprepared(WordVerify):
        async def prepare(self, grounds: Grounds) -> None:
            raise InferenceError("the embedder broke")

    async def hear(self: SentenceDiscourse, utterance: Utterance) -> None:
        raise StageError("nothing was heard")

    monkeypatch.setattr(SentenceDiscourse, "hear", hear)
    first, second = (await VistaScorer(replace(stages, verify=Unprepared())).score(DIALOGUE)).turns
    assert (len(first.report.verdicts), len(second.report.verdicts)) == (2, 3)
    assert "nothing was heard" in caplog.text
    assert "the embedder broke" in caplog.text


async def test_ranks_that_are_too_few_leave_the_turn_unresolved(stages: Stages) -> None:
    class Few(WordRank):
        async def rank(
            self, drafts: Sequence[Draft], query: str | None, *, position: int
        ) -> Sequence[Importance]:
            return []

    (turn, _) = (await VistaScorer(replace(stages, rank=Few())).score(DIALOGUE)).turns
    assert [(u.reason, u.error) for u in turn.report.unresolved] == [
        (UnresolvedReason.STAGE_ERROR, "rank must give one Importance for each of 1 claims, not 0")
    ]


async def test_what_is_no_finding_leaves_the_claim_unresolved(stages: Stages) -> None:
    class Odd(WordVerify):
        async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
            return None  # type: ignore[return-value]

    score = await VistaScorer(replace(stages, verify=Odd())).score(DIALOGUE)
    reasons = {each.reason for turn in score.turns for each in turn.report.unresolved}
    assert reasons == {UnresolvedReason.STAGE_ERROR}


async def test_claims_become_common_ground_for_later_turns(stages: Stages) -> None:
    score = await VistaScorer(stages).score(DIALOGUE)
    first, second = score.turns
    assert [v.category for v in first.report.verdicts] == [C.VERIFIED, C.OUT_OF_SCOPE]
    assert [v.category for v in second.report.verdicts] == [
        C.CONTRADICTED,
        C.CONTRADICTED,
        C.LACKING_EVIDENCE,
    ]
    assert (first.position, second.position) == (1, 3)
    assert not first.verifiable
    assert [(i.turn, i.since) for i in score.report.inconsistencies] == [(1, -1), (1, 0)]
    assert score.report.vista_score.consistency == pytest.approx(3 / 5)


async def test_spans_and_sentences_point_into_the_turn(stages: Stages) -> None:
    score = await VistaScorer(stages).score(DIALOGUE)
    text = DIALOGUE.turns[3].text
    claims = [v.claim for v in score.turns[1].report.verdicts]
    assert [text[slice(*c.span)] for c in claims] == [c.text for c in claims]
    assert len({c.sentence for c in claims}) == 3
    assert [c.id for c in claims] == [0, 1, 2]


async def test_the_items_of_a_list_are_claims(stages: Stages) -> None:
    if load_parse() is None:
        pytest.skip("no parser is installed")
    split = replace(stages, decompose=EmbeddedDecompose())
    listed = assistant("The members are:\n\n- Ada Moss\n- Ben Lake\n", "Ada Moss was a member.")
    score = await VistaScorer(split).score(Dialogue(id="d", turns=[listed]))
    claims = [verdict.claim for verdict in score.turns[0].report.verdicts]
    assert [claim.text for claim in claims] == [
        "The members include Ada Moss.",
        "The members include Ben Lake.",
    ]
    assert [listed.text[slice(*claim.span)] for claim in claims] == ["Ada Moss", "Ben Lake"]


async def test_history_is_heard_in_order(stages: Stages) -> None:
    await VistaScorer(stages).score(DIALOGUE)
    assert stages.decompose.begun == 1  # type: ignore[attr-defined]
    log = stages.decompose.log  # type: ignore[attr-defined]
    assert log[:2] == ["heard user: When was the mill built?", "split The mill was built in 1820."]
    assert [entry for entry in log if entry.startswith("heard")][1:] == ["heard user: And you?"]


async def test_a_query_of_the_turn_is_heard_before_its_answer(stages: Stages) -> None:
    turns = [user("And?"), assistant("Yes.", query="Is it open?"), user("So?"), assistant("No.", query="So?")]
    await VistaScorer(stages).score(Dialogue(id="d", turns=turns))
    assert stages.decompose.log == [  # type: ignore[attr-defined]
        "heard user: And?",
        "heard user: Is it open?",
        "split Yes.",
        "heard user: So?",
        "split No.",
    ]


class Watching(WordVerify):
    """Remembers the sentence of each claim, and what stood before it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, tuple[str, Sequence[str]]] = {}

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        self.seen[claim.text] = (claim.sentence_text, grounds.before)
        return await super().verify(claim, grounds)


async def test_verify_is_told_a_claims_sentence_and_what_stands_before_it(stages: Stages) -> None:
    watching = Watching()
    scorer = VistaScorer(replace(stages, verify=watching))
    text = "The mill is old:\n\n- It is red. It grinds rye."
    await scorer.score(Dialogue(id="d", turns=[user("What mill?"), assistant(text, MILL)]))
    assert watching.seen["It grinds rye."] == (
        "It grinds rye.",
        ("The mill is old: It is red.", "What mill?"),
    )


@pytest.mark.parametrize("conditions", [Conditions(), Conditions(whole_turns=True)])
async def test_a_claim_that_was_not_taken_from_one_sentence_has_none(
    stages: Stages, conditions: Conditions
) -> None:
    watching = Watching()
    given = None if conditions.whole_turns else [GivenClaim(text="It grinds rye.")]
    scorer = VistaScorer(replace(stages, verify=watching), conditions=conditions)
    await scorer.score(Dialogue(id="d", turns=[assistant("Yes. It grinds rye.", MILL, claims=given)]))
    assert watching.seen["It grinds rye."] == ("", ("Yes.",))


class English(WordVerify):
    """Judges no German."""

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        if "ist" in claim.text.split():
            raise LanguageUnsupported("the claim is not in English")
        return await super().verify(claim, grounds)


async def test_another_language_is_unresolved_and_no_failure(stages: Stages) -> None:
    dialogue = Dialogue(id="d", turns=[assistant("Die Mühle ist alt.", MILL)])
    score = await VistaScorer(replace(stages, verify=English())).score(dialogue)
    assert [u.reason for u in score.turns[0].report.unresolved] == [UnresolvedReason.LANGUAGE]
    assert record_errors(dialogue_record(dialogue, score, setup={})) == []


async def test_without_history_each_turn_stands_alone(stages: Stages) -> None:
    await VistaScorer(stages, conditions=Conditions(history=False)).score(DIALOGUE)
    assert not any(e.startswith("heard") for e in stages.decompose.log)  # type: ignore[attr-defined]
    assert stages.decompose.begun == 3  # type: ignore[attr-defined]


async def test_without_common_ground_nothing_is_inconsistent(stages: Stages) -> None:
    conditions = Conditions(common_ground=False)
    score = await VistaScorer(stages, conditions=conditions).score(DIALOGUE)
    assert score.report.inconsistencies == []
    assert {v.category for v in score.turns[1].report.verdicts} == {C.LACKING_EVIDENCE}


async def test_whole_turns_are_split_at_once(stages: Stages) -> None:
    await VistaScorer(stages, conditions=Conditions(whole_turns=True)).score(DIALOGUE)
    log = stages.decompose.log  # type: ignore[attr-defined]
    assert f"split {DIALOGUE.turns[1].text}" in log


async def test_ranking_by_sentence_and_whole(stages: Stages) -> None:
    await VistaScorer(stages).score(DIALOGUE)
    query = "When was the mill built?"
    assert stages.rank.calls[:2] == [(1, query, 0), (1, query, 1)]  # type: ignore[attr-defined]
    stages.rank.calls.clear()  # type: ignore[attr-defined]
    score = await VistaScorer(stages, conditions=Conditions(whole_ranking=True)).score(DIALOGUE)
    assert stages.rank.calls == [(2, query, 0), (3, "And you?", 0)]  # type: ignore[attr-defined]
    assert score.turns[0].report.verdicts[0].claim.importance is Importance.VITAL


async def test_given_claims_are_used_as_they_are(stages: Stages) -> None:
    claims = [
        GivenClaim(text="The mill grinds rye.", importance=Importance.LESS_IMPORTANT),
        GivenClaim(text="The mill was built in 1820."),
    ]
    text = "It was built in 1820, the mill. It grinds rye."
    dialogue = Dialogue(id="d", turns=[user("When was it built?"), assistant(text, MILL, claims=claims)])
    score = await VistaScorer(stages).score(dialogue)
    found = [v.claim for v in score.turns[0].report.verdicts]
    assert [c.text for c in found] == [c.text for c in claims]
    assert [c.importance for c in found] == [Importance.LESS_IMPORTANT, Importance.VITAL]
    assert text[slice(*found[0].span)] == "It grinds rye."
    log = stages.decompose.log  # type: ignore[attr-defined]
    assert log == ["heard user: When was it built?", f"heard assistant: {text}"]


async def test_errors_leave_claims_unresolved(stages: Stages) -> None:
    dialogue = Dialogue(
        id="d",
        turns=[
            assistant("This is unsplittable. The mill grinds rye.", MILL),
            assistant("Rye is unverifiable by error. The mill grinds rye.", MILL),
        ],
    )
    first, second = (await VistaScorer(stages).score(dialogue)).turns
    assert [u.reason for u in first.report.unresolved] == [UnresolvedReason.STAGE_ERROR]
    assert [u.reason for u in second.report.unresolved] == [UnresolvedReason.VERIFIER_ERROR]
    assert [v.category for v in second.report.verdicts] == [C.VERIFIED]
    assert (first.verifiable, second.verifiable) == (False, False)


async def test_what_could_not_be_split_was_said_all_the_same(stages: Stages) -> None:
    text = "This is unsplittable. It goes on."
    dialogue = Dialogue(id="d", turns=[user("And?"), assistant(text), user("So?"), assistant("Yes.")])
    await VistaScorer(stages).score(dialogue)
    heard = [entry for entry in stages.decompose.log if "heard" in entry]  # type: ignore[attr-defined]
    assert heard == ["heard user: And?", f"heard assistant: {text}", "heard user: So?"]
    stages.decompose.log.clear()  # type: ignore[attr-defined]
    await VistaScorer(stages, conditions=Conditions(history=False)).score(dialogue)
    assert not any("heard" in entry for entry in stages.decompose.log)  # type: ignore[attr-defined]


class FullAt:
    """A Verify stage that refuses what comes while it has all it takes, as a live turn's queue does."""

    def __init__(self, places: int) -> None:
        self.places, self.taken = places, 0

    async def prepare(self, grounds: Grounds) -> None:
        pass

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        if self.taken == self.places:
            raise Overload("the queue is full")
        self.taken += 1
        try:
            await anyio.sleep(0.001)
            return Finding(scores=Scores(1, 0, 0))
        finally:
            self.taken -= 1


async def test_claims_wait_where_a_live_turn_would_shed_them(stages: Stages) -> None:
    text = " ".join(f"The mill has {n} doors." for n in range(50))
    nuggets = [Nugget(text="The mill has doors.")]
    dialogue = Dialogue(id="d", turns=[assistant(text, MILL, nuggets=nuggets)])
    full = replace(stages, verify=FullAt(CLAIMS_AT_ONCE))
    scorer = VistaScorer(full, matcher=VerifyMatcher(full.verify))
    scores: list[DialogueScore] = []

    async def score() -> None:
        scores.append(await scorer.score(dialogue))

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(score)
    turns = [score.turns[0] for score in scores]
    assert [len(turn.report.verdicts) for turn in turns] == [50] * 4
    assert [turn.errors for turn in turns] == [[]] * 4


async def test_factscore_looks_at_the_reference_alone(stages: Stages) -> None:
    two_way = Stages(
        decompose=stages.decompose, rank=stages.rank, verify=stages.verify, categorise=TwoWayCategorise()
    )
    conditions = Conditions(history=False, common_ground=False)
    first, second = (await VistaScorer(two_way, conditions=conditions).score(DIALOGUE)).turns
    assert [v.category for v in first.report.verdicts] == [C.VERIFIED, C.LACKING_EVIDENCE]
    assert {v.category for v in second.report.verdicts} == {C.LACKING_EVIDENCE}


async def test_nuggets_are_matched_with_the_answer(stages: Stages) -> None:
    nuggets = [Nugget(text="The mill was built in 1820."), Nugget(text="The mill grinds rye.")]
    dialogue = Dialogue(id="d", turns=[assistant("The mill was built in 1820.", MILL, nuggets=nuggets)])
    scorer = VistaScorer(stages, matcher=VerifyMatcher(stages.verify))
    (turn,) = (await scorer.score(dialogue)).turns
    assert turn.nuggets is not None
    assert [m.support for m in turn.nuggets] == [Support.SUPPORTED, Support.NOT_SUPPORTED]
    (turn,) = (await VistaScorer(stages).score(dialogue)).turns
    assert turn.nuggets is None


@pytest.mark.parametrize("answer", ["---", "***\n"])
async def test_an_answer_without_a_sentence_supports_no_nugget(stages: Stages, answer: str) -> None:
    nuggets = [Nugget(text="The mill grinds rye."), Nugget(text="The mill is red.")]
    dialogue = Dialogue(id="d", turns=[assistant(answer, MILL, nuggets=nuggets)])
    (turn,) = (await VistaScorer(stages, matcher=VerifyMatcher(stages.verify)).score(dialogue)).turns
    assert turn.nuggets is not None
    assert [m.support for m in turn.nuggets] == [Support.NOT_SUPPORTED] * 2
    assert turn.errors == []


async def test_nuggets_that_fail_are_told(stages: Stages) -> None:
    nuggets = [Nugget(text="Rye is unverifiable by error.")]
    dialogue = Dialogue(id="d", turns=[assistant("The mill grinds rye.", MILL, nuggets=nuggets)])
    (turn,) = (await VistaScorer(stages, matcher=VerifyMatcher(stages.verify)).score(dialogue)).turns
    assert turn.nuggets is None
    assert turn.errors == ["nuggets: the model is gone"]
    assert turn.verifiable


async def test_the_reports_say_what_each_stage_took(stages: Stages) -> None:
    claims = [GivenClaim(text="The mill grinds rye.", importance=Importance.VITAL)]
    dialogue = Dialogue(
        id="d",
        turns=[
            *DIALOGUE.turns,
            assistant("It grinds rye.", MILL, claims=claims, nuggets=[Nugget(text="Rye.")]),
        ],
    )
    score = await VistaScorer(stages, matcher=VerifyMatcher(stages.verify)).score(dialogue)
    calls = [{s: took.calls for s, took in turn.report.stage_times.items()} for turn in score.turns]
    assert calls == [
        {"prepare": 2, "decompose": 2, "rank": 1, "verify": 2, "categorise": 2},
        {"prepare": 2, "decompose": 3, "rank": 1, "verify": 3, "categorise": 3},
        {"prepare": 2, "verify": 1, "categorise": 1, "nuggets": 1},
    ]
    assert score.report.stage_times["verify"].calls == 6

"""A second opinion: who is asked, within which limits, and what is told of it."""

from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest

from vista_stream.claims import (
    Category,
    Claim,
    Finding,
    Foresight,
    Importance,
    Scores,
    SecondOpinion,
    Span,
    UnresolvedReason,
)
from vista_stream.core.judge import Thresholds
from vista_stream.errors import Overload, StageError, VerifierError
from vista_stream.policy import Policy, release
from vista_stream.session import Session
from vista_stream.stages.admission import Admission
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.escalate import Budget, Escalate, Unsure, escalated
from vista_stream.stages.protocols import Grounds
from vista_stream.stages.stages import Stages, verify_ahead
from vista_stream.testing import CONTRADICTED, ENTAILED, NEUTRAL, ScriptedStages, WholeSentences

UNSURE = Scores(0.5, 0.4, 0.1)
GROUNDS = Grounds()


def claim(text="The mill is red.", importance=Importance.VITAL):
    return Claim(id=1, sentence=0, text=text, span=Span(0, len(text)), importance=importance)


class Says:
    """A Verify stage that finds the same of every claim, after a delay, or raises."""

    def __init__(self, scores, *, delay=0.0, error=None, tier="model"):
        self.scores, self.delay, self.error, self.tier = scores, delay, error, tier
        self.prepared, self.asked, self.cancelled = [], [], 0

    async def prepare(self, grounds):
        self.prepared.append(grounds)

    async def verify(self, claim, grounds):
        self.asked.append(claim.text)
        try:
            await anyio.sleep(self.delay)
        except anyio.get_cancelled_exc_class():
            self.cancelled += 1
            raise
        if self.error is not None:
            raise self.error
        return Finding(scores=self.scores, tier=self.tier)


def stages(first, second, **arguments):
    scripted = ScriptedStages()
    inner = Stages(
        decompose=WholeSentences(), rank=scripted, verify=first, categorise=EmbeddedCategorise(Thresholds())
    )
    return escalated(inner, second, **arguments)


async def report_of(given, text, policy=None):
    session = Session(stages=given, policy=policy or Policy.default(deadline=20.0))
    async with session.turn([text]) as turn:
        return await turn.drain()


# -- ahead of time


class SaysAhead(Says):
    """Finds it ahead of time too."""

    async def verify_ahead(self, claim, grounds, foresight):
        return await self.verify(claim, grounds)


@pytest.mark.anyio
@pytest.mark.parametrize(("scores", "known"), [(ENTAILED, True), (UNSURE, False)])
async def test_the_second_is_not_asked_about_a_claim_that_may_not_come(scores, known):
    second = SaysAhead(CONTRADICTED)
    stage = Escalate(SaysAhead(scores), second)
    found = await verify_ahead(stage, claim(), GROUNDS, Foresight())
    assert found == (Finding(scores=scores, tier="model") if known else None)
    assert second.asked == []


@pytest.mark.anyio
async def test_what_the_first_cannot_find_ahead_of_time_waits():
    assert await verify_ahead(Escalate(Says(ENTAILED), Says(ENTAILED)), claim(), GROUNDS, Foresight()) is None


# -- which claims


@pytest.mark.parametrize(
    ("scores", "importance", "due"),
    [
        (UNSURE, Importance.VITAL, True),
        (UNSURE, Importance.OKAY, False),
        (Scores(0.1, 0.2, 0.7), Importance.VITAL, True),
        (Scores(0.05, 0.9, 0.05), Importance.VITAL, False),
        (ENTAILED, Importance.VITAL, False),
        (CONTRADICTED, Importance.VITAL, False),
        (Scores(0.0, 0.1, 0.9), Importance.VITAL, False),
        (Scores(0.2, 0.7, 0.1), Importance.VITAL, True),
        (None, Importance.VITAL, False),
    ],
)
def test_unsure_is_between_the_limits_and_vital(scores, importance, due):
    assert Unsure()(claim(importance=importance), Finding(scores=scores)) is due


def test_limits_and_importances_can_be_others():
    unsure = Unsure(low=0.0, high=1.0, importance=(Importance.OKAY,))
    assert unsure(claim(importance=Importance.OKAY), Finding(scores=NEUTRAL))
    assert not unsure(claim(), Finding(scores=NEUTRAL))


@pytest.mark.parametrize(
    "limits", [(0.5, 0.5), (0.9, 0.2), (-0.1, 0.5), (0.5, 1.1), (float("nan"), 0.5), ("a", 0.5), (0.5, None)]
)
def test_limits_that_hold_nothing_are_refused(limits):
    with pytest.raises(ValueError, match="0 <= low < high <= 1"):
        Unsure(low=limits[0], high=limits[1])


def test_importances_must_be_some():
    for importance in ((), ("vital",), 3, Importance.VITAL):
        with pytest.raises(ValueError, match="importance must be some members"):
            Unsure(importance=importance)


# -- what it finds


@pytest.mark.anyio
async def test_the_second_decides_where_the_first_is_unsure():
    first, second = Says(UNSURE), Says(CONTRADICTED, tier="llm")
    found = await Escalate(first, second).verify(claim(), GROUNDS)
    assert (found.scores, found.tier) == (CONTRADICTED, "llm")
    told = found.second
    assert (told.by, told.first, told.failed) == ("Says", UNSURE, "")
    assert told.seconds > 0


@pytest.mark.anyio
async def test_a_sure_first_is_not_doubted():
    second = Says(CONTRADICTED)
    found = await Escalate(Says(ENTAILED), second).verify(claim(), GROUNDS)
    assert found.scores == ENTAILED
    assert found.second is None
    assert second.asked == []


@pytest.mark.anyio
async def test_both_are_prepared():
    first, second = Says(UNSURE), Says(UNSURE)
    await Escalate(first, second).prepare(GROUNDS)
    assert first.prepared == second.prepared == [GROUNDS]


@pytest.mark.anyio
async def test_a_first_that_fails_raises_and_nobody_else_is_asked():
    second = Says(ENTAILED)
    with pytest.raises(VerifierError, match="broken"):
        await Escalate(Says(UNSURE, error=VerifierError("broken")), second).verify(claim(), GROUNDS)
    assert second.asked == []


@pytest.mark.anyio
async def test_a_second_that_fails_leaves_the_first_finding_and_says_why():
    escalate = Escalate(Says(UNSURE), Says(None, error=VerifierError("no answer")))
    found = await escalate.verify(claim(), GROUNDS)
    assert found.scores == UNSURE
    assert found.second.failed == "VerifierError: no answer"


@pytest.mark.anyio
@pytest.mark.parametrize("defect", [ConnectionError("refused"), None])
async def test_a_defect_of_the_second_leaves_the_first_finding_and_is_logged(defect, caplog):
    class Odd(Says):
        async def verify(self, claim, grounds):
            if defect is not None:
                raise defect

    found = await Escalate(Says(UNSURE), Odd(None)).verify(claim(), GROUNDS)
    told = "ConnectionError: refused" if defect else "StageError: verify must give a Finding, not NoneType"
    assert (found.scores, found.second.failed) == (UNSURE, told)
    assert bool(caplog.records[0].exc_info) == (defect is not None)
    with pytest.raises((ConnectionError, StageError)):
        await Escalate(Says(UNSURE), Odd(None), otherwise="unresolved").verify(claim(), GROUNDS)
    with pytest.raises((ConnectionError, StageError)):
        await Escalate(Odd(None), Says(UNSURE)).verify(claim(), GROUNDS)


@pytest.mark.anyio
async def test_a_second_that_fails_leaves_the_claim_unresolved_where_so_wanted():
    escalate = Escalate(Says(UNSURE), Says(None, error=VerifierError("no answer")), otherwise="unresolved")
    with pytest.raises(VerifierError, match="no answer"):
        await escalate.verify(claim(), GROUNDS)


@pytest.mark.anyio
async def test_an_own_rule_says_when():
    second = Says(ENTAILED)
    escalate = Escalate(Says(NEUTRAL), second, when=lambda claim, finding: "red" in claim.text)
    await escalate.verify(claim("It is red."), GROUNDS)
    await escalate.verify(claim("It is blue."), GROUNDS)
    assert second.asked == ["It is red."]


# -- the deadline


@pytest.mark.anyio
async def test_a_late_second_leaves_the_first_finding_before_the_deadline_passes():
    second = Says(ENTAILED, delay=30)
    with anyio.fail_after(1.0):
        found = await Escalate(Says(UNSURE), second).verify(claim(), GROUNDS)
    assert found.scores == UNSURE
    assert found.second.failed == "it was late"
    assert second.cancelled == 1


@pytest.mark.anyio
async def test_with_little_time_left_the_second_is_not_asked():
    second = Says(ENTAILED)
    with anyio.fail_after(0.2):
        found = await Escalate(Says(UNSURE), second).verify(claim(), GROUNDS)
    assert found.second.failed == "too little time is left"
    assert second.asked == []


@pytest.mark.anyio
async def test_a_turn_gets_the_first_verdict_where_the_second_is_late():
    report = await report_of(
        stages(Says(Scores(0.8, 0.1, 0.1)), Says(CONTRADICTED, delay=30)),
        "The mill is red.",
        Policy.default(deadline=1.0),
    )
    assert [each.category for each in report.verdicts] == [Category.VERIFIED]


@pytest.mark.anyio
async def test_or_the_claim_is_unresolved_at_its_deadline():
    report = await report_of(
        stages(Says(UNSURE), Says(ENTAILED, delay=30), otherwise="unresolved"),
        "The mill is red.",
        Policy.default(deadline=0.6),
    )
    assert [each.reason for each in report.unresolved] == [UnresolvedReason.DEADLINE]


@pytest.mark.anyio
async def test_cancelling_ends_the_question_at_once():
    second = Says(ENTAILED, delay=30)
    escalate = Escalate(Says(UNSURE), second)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(escalate.verify, claim(), GROUNDS)
            while not second.asked:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
    assert second.cancelled == 1


# -- the budget


@pytest.mark.anyio
async def test_a_turn_has_its_budget_and_the_next_one_its_own():
    second = Says(ENTAILED)
    given = stages(Says(UNSURE), second, budget=Budget(turn=2))
    session = Session(stages=given, policy=Policy.default(deadline=20.0))
    for turns in (1, 2):
        async with session.turn(["One is here. Two is here. Three is here. "]) as turn:
            report = await turn.drain()
        assert len(second.asked) == 2 * turns
        failed = [each.second.failed for each in report.verdicts]
        assert sorted(failed) == ["", "", "the turn's budget is spent"]
        assert report.stage_times["second"].calls == 2


@pytest.mark.anyio
async def test_a_minute_has_its_budget_for_all_who_share_the_stage(monkeypatch):
    now = 1000.0
    monkeypatch.setattr("vista_stream.stages.escalate.monotonic", lambda: now)
    second = Says(ENTAILED)
    escalate = Escalate(Says(UNSURE), second, budget=Budget(minute=2))
    other = escalate.at({"entailment": 0.9})
    outcomes = [(await each.verify(claim(), GROUNDS)).second.failed for each in (escalate, other, escalate)]
    assert outcomes == ["", "", "the minute's budget is spent"]
    now += 60.0
    assert (await other.verify(claim(), GROUNDS)).second.failed == ""


@pytest.mark.anyio
async def test_a_spent_budget_leaves_claims_unresolved_where_so_wanted():
    given = stages(Says(UNSURE), Says(ENTAILED), budget=Budget(turn=0), otherwise="unresolved")
    report = await report_of(given, "The mill is red.")
    assert [each.reason for each in report.unresolved] == [UnresolvedReason.OVERLOAD]
    with pytest.raises(Overload, match="budget is spent"):
        await Escalate(Says(UNSURE), Says(ENTAILED), budget=Budget(minute=0), otherwise="unresolved").verify(
            claim(), GROUNDS
        )


# -- categories, reports and cost


class Scored:
    """A Verifier with thresholds of its own."""

    thresholds = Thresholds(entailment=0.3)

    async def score(self, pairs):
        return [Scores(0.35, 0.6, 0.05) for _ in pairs]


@pytest.mark.anyio
async def test_the_second_is_judged_by_its_own_thresholds():
    session = Session(stages=stages(Says(UNSURE), Scored()), policy=Policy.default(deadline=20.0))
    session.add_reference("The mill by the brook is painted in red.")
    async with session.turn(["The mill was painted by somebody."]) as turn:
        report = await turn.drain()
    (verdict,) = report.verdicts
    assert verdict.second.by == "Scored"
    assert verdict.second.failed == ""
    assert verdict.category is Category.VERIFIED


@pytest.mark.parametrize("given", [Thresholds(entailment=0.9, contradiction=0.95), None])
@pytest.mark.parametrize("door", [True, False])
def test_a_second_stage_is_judged_by_the_thresholds_it_was_built_with(given, door):
    stage = EmbeddedVerify(Scored(), thresholds=given)
    first = stages(Says(UNSURE), Says(UNSURE))
    if door:
        stage = Admission().stages(replace(first, verify=stage)).verify
    judged = escalated(first, stage).categorise
    least = (given or Scored.thresholds).entailment
    asked = Finding(scores=Scores(least, 1 - least, 0.0), second=SecondOpinion(by="second", first=UNSURE))
    below = replace(asked, scores=Scores(least - 0.01, 1.01 - least, 0.0))
    assert anyio.run(judged.categorise, claim(), asked) is Category.VERIFIED
    assert anyio.run(judged.categorise, claim(), below) is Category.LACKING_EVIDENCE


@pytest.mark.anyio
async def test_a_policy_moves_the_thresholds_of_the_first_alone():
    given = stages(Says(UNSURE), Says(Scores(0.6, 0.3, 0.1)), when=lambda claim, found: "red" in claim.text)
    policy = Policy(thresholds={"entailment": 0.9}, deadline=20.0)
    report = await report_of(given, "It is red. It is blue.", policy)
    assert [each.category for each in report.verdicts] == [Category.VERIFIED, Category.LACKING_EVIDENCE]


@pytest.mark.anyio
async def test_the_cost_of_an_llm_is_told(server):
    from vista_stream.stages.llm.verify import LlmVerify

    server.script = lambda request: "1. CONTRADICTED"
    async with server.client() as client:
        given = stages(Says(UNSURE), LlmVerify(client))
        report = await report_of(given, "The mill is red.", Policy(unresolved={Importance.VITAL: release()}))
    (verdict,) = report.verdicts
    assert (verdict.category, verdict.tier) == (Category.CONTRADICTED, "llm")
    assert (verdict.second.by, verdict.second.prompt_tokens, verdict.second.completion_tokens) == (
        "LlmVerify",
        100,
        7,
    )
    assert report.prompts == {"verify": "verify-1"}
    assert report.stage_times["second"].calls == 1
    assert type(report).from_dict(report.to_dict()) == report


# -- arguments


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"first": object()}, "first must be a Verify stage or a Verifier"),
        ({"second": "llm"}, "second must be a Verify stage or a Verifier"),
        ({"second": Says}, "second must be a Verify stage or a Verifier"),
        ({"when": 0.5}, "when must be callable"),
        ({"budget": 3}, "budget must be a Budget"),
        ({"otherwise": "second"}, "otherwise must be 'first' or 'unresolved'"),
    ],
)
def test_what_cannot_be_an_argument_is_refused(arguments, told):
    with pytest.raises(ValueError, match=told):
        Escalate(**{"first": Says(UNSURE), "second": Says(UNSURE), **arguments})


@pytest.mark.parametrize("budget", [{"turn": -1}, {"minute": 1.5}, {"turn": True}])
def test_a_budget_is_of_whole_questions(budget):
    with pytest.raises(ValueError, match="must be a number of questions, 0 or more"):
        Budget(**budget)

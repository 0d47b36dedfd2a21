"""A finished text is judged as the same text in a stream would be."""

import inspect
import json
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vista_stream
from slow_index import SlowIndex
from vista_stream import (
    Category,
    Importance,
    Policy,
    Reference,
    Scores,
    Session,
    TurnReport,
    TurnWithheld,
    check,
    check_sync,
    raise_,
    stop,
)
from vista_stream.errors import InferenceError, VerifierError
from vista_stream.testing import ScriptedStages, ScriptedVerifier

VITAL_FALSE = (Category.CONTRADICTED, Importance.VITAL)


class Unprepared(ScriptedStages):
    async def prepare(self, grounds):
        raise KeyError("boom")


@pytest.mark.anyio
async def test_a_stage_that_cannot_prepare_goes_by_the_policy():
    assert categories(await check("It is true.", references=(), stages=Unprepared().stages())) == ["verified"]
    policy = Policy(on_verifier_error="raise")
    with pytest.raises(VerifierError, match="a stage raised KeyError: 'boom'"):
        await check("It is true.", references=(), stages=Unprepared().stages(), policy=policy)


def stages(**scripted):
    return ScriptedStages({"FALSE": Category.CONTRADICTED}, **scripted).stages()


def categories(report: TurnReport) -> list[str]:
    return [verdict.category.value for verdict in report.verdicts]


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Lyon lies in France.", encoding="utf-8")
    return path


@pytest.mark.anyio
@pytest.mark.usefixtures("no_blocking_calls")
async def test_a_finished_text_gives_the_report_of_its_turn(notes):
    seen = []

    class Noting(ScriptedStages):
        async def prepare(self, grounds):
            seen.append([reference.text for reference in grounds.references])

    built = Reference("Rome lies in Italy.", name="rome")
    report = await check(
        "One is true. Two is FALSE.",
        references=["Paris lies in France.", notes, built],
        query="Which?",
        stages=Noting({"FALSE": Category.CONTRADICTED}).stages(),
    )
    assert categories(report) == ["verified", "contradicted"]
    assert (report.received, report.withheld) == (26, 13)
    assert seen[0] == ["Paris lies in France.", "Lyon lies in France.", "Rome lies in Italy."]


@pytest.mark.parametrize("kind", [str, Reference, Path])
def test_one_reference_needs_no_list(kind, notes):
    text = "Lyon lies in France."
    one = {str: text, Reference: Reference(text, name="p"), Path: notes}[kind]
    texts = []

    class Noting(ScriptedStages):
        async def verify(self, claim, grounds):
            texts.extend(reference.text for reference in grounds.references)
            return await super().verify(claim, grounds)

    check_sync("One is true.", references=one, stages=Noting().stages())
    assert texts == [text]


@pytest.mark.anyio
async def test_no_references_leave_every_claim_without_evidence():
    report = await check("The mill is red.", references=[], verifier=ScriptedVerifier())
    assert categories(report) == ["lacking_evidence"]


@pytest.mark.anyio
async def test_an_empty_text_claims_nothing():
    report = await check("", references="One is true.", stages=stages())
    assert (report.verdicts, report.received) == ((), 0)


@pytest.mark.anyio
async def test_indexing_takes_nothing_of_the_claims_deadline():
    slow = SlowIndex().stages()
    report = await check("One is true.", references="One.", policy=Policy(deadline=0.3), stages=slow)
    assert not report.unresolved


def test_the_default_policy_gives_a_claim_more_time_than_a_stream(monkeypatch):
    given = []

    class Noting(Session):
        def __init__(self, verifier, *, policy, stages):
            given.append(policy)
            super().__init__(verifier, policy=policy, stages=stages)

    monkeypatch.setattr("vista_stream.checking.Session", Noting)
    check_sync("One is true.", references="One.", stages=stages())
    assert given == [Policy(deadline=60.0)]


@pytest.mark.anyio
async def test_the_policy_decides_about_the_text():
    text = "One is true. Two is FALSE. Three is FALSE."
    report = await check(text, references="One.", policy=Policy.observing(), stages=stages())
    assert (categories(report), report.withheld) == (["verified", "contradicted", "contradicted"], 0)
    stopped = await check(
        text, references="One.", policy=Policy(rules={VITAL_FALSE: stop()}), stages=stages()
    )
    assert (categories(stopped), stopped.stopped) == (["verified", "contradicted"], True)
    with pytest.raises(TurnWithheld):
        await check(text, references="One.", policy=Policy(rules={VITAL_FALSE: raise_()}), stages=stages())
    moved = Policy(thresholds={"contradiction": 0.95})
    unsure = ScriptedVerifier({"FALSE": Scores(0.0, 0.1, 0.9)})
    for policy, found in ((None, "contradicted"), (moved, "lacking_evidence")):
        one = await check("The FALSE is red.", references="It is blue.", policy=policy, verifier=unsure)
        assert categories(one) == [found]


@pytest.mark.anyio
async def test_a_verifiers_error_is_the_policys_matter():
    class Broken:
        async def score(self, pairs):
            raise RuntimeError("gone")

    arguments = {"references": "The mill is blue.", "verifier": Broken()}
    report = await check("The mill is red.", **arguments)
    assert [unresolved.reason for unresolved in report.unresolved] == ["verifier_error"]
    with pytest.raises(InferenceError, match="gone"):
        await check("The mill is red.", policy=Policy(on_verifier_error="raise"), **arguments)


@pytest.mark.anyio
async def test_references_that_cannot_be_indexed_are_the_policys_matter_too():
    class Unindexed(ScriptedStages):
        async def prepare(self, grounds):
            raise InferenceError("no vectors")

        async def verify(self, claim, grounds):
            await self.prepare(grounds)

    report = await check("One is true.", references="One.", stages=Unindexed().stages())
    assert [unresolved.error for unresolved in report.unresolved] == ["no vectors"]
    raising = Policy(on_verifier_error="raise")
    with pytest.raises(InferenceError, match="no vectors"):
        await check("One is true.", references="One.", policy=raising, stages=Unindexed().stages())


@settings(max_examples=25, deadline=None)
@given(
    said=st.lists(
        st.sampled_from(["One is true. ", "Two is FALSE. ", "Three?\n\n", "- four is FALSE\n", "…"])
    ),
    size=st.integers(1, 40),
)
def test_a_finished_text_is_judged_as_in_a_stream_of_any_deltas(said, size):
    text = "".join(said)
    whole = check_sync(text, references="One is true.", stages=stages())

    async def streamed():
        session = Session(stages=stages())
        session.add_reference("One is true.")
        deltas = [text[start : start + size] for start in range(0, len(text), size)]
        async with session.turn(deltas) as turn:
            return await turn.drain()

    report = anyio.run(streamed)
    assert [(v.claim, v.category) for v in whole.verdicts] == [(v.claim, v.category) for v in report.verdicts]
    assert (whole.received, whole.released) == (report.received, report.released)


def test_the_sync_twin_takes_the_same_arguments():
    assert inspect.signature(check_sync) == inspect.signature(check)


def test_the_sync_twin_works_in_a_callback_of_itself():
    inner = []

    class Asking(ScriptedStages):
        async def verify(self, claim, grounds):
            inner.append(categories(check_sync("Two is FALSE.", references="One.", stages=stages())))
            return await super().verify(claim, grounds)

    assert categories(check_sync("One is true.", references="One.", stages=Asking().stages())) == ["verified"]
    assert inner == [["contradicted"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": ["One is true."]}, "text must be a str, not list: a stream of deltas is for Session.turn"),
        ({"text": None}, "text must be a str, not NoneType"),
        ({"references": None}, "references must be a str, Path or Reference, or an iterable.* not NoneType"),
        ({"references": b"One."}, "or an iterable of them, not bytes"),
        ({"references": {"name": "One."}}, "or an iterable of them, not dict"),
        ({"references": [b"One."]}, "reference must be a str, Path or Reference, not bytes"),
        ({"references": "notes.txt"}, "reference 'notes.txt' names a file.*give Path"),
        ({"references": " "}, "more than white space"),
        ({"query": 3}, "query must be a str or None, not int"),
        ({"policy": "strict"}, "policy must be a Policy, not str"),
        ({"policy": Policy(thresholds={"entailment": 0.9})}, "thresholds must be empty"),
        ({"verifier": ScriptedVerifier()}, "verifier or stages, not both"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    given = {"text": "One is true.", "references": "One.", "stages": stages(), **arguments}
    with pytest.raises(ValueError, match=message):
        check_sync(**given)


def test_a_file_that_is_not_there_is_an_os_error():
    with pytest.raises(FileNotFoundError):
        check_sync("One is true.", references=Path("/there/is/none.txt"), stages=stages())


def test_the_shipped_models_judge_a_text_and_its_report_survives_json():
    report = vista_stream.check_sync(
        "The Eiffel Tower was completed in 1899. It was designed by Gustave Eiffel's company.",
        references="The Eiffel Tower was completed in 1889. The company of Gustave Eiffel designed it.",
        query="When was the tower completed?",
    )
    assert categories(report) == ["contradicted", "verified"]
    assert report.verdicts[0].claim.importance is Importance.VITAL
    assert report.verdicts[0].evidence is not None
    assert TurnReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report

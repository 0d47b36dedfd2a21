"""Sessions whose references disagree: which one decides, and that the report has both."""

import json
from pathlib import Path

import pytest

from vista_stream.claims import Category, Scores
from vista_stream.policy import NOTICE, Policy
from vista_stream.report import TurnReport
from vista_stream.retrieval.reference import Reference
from vista_stream.session import Session
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.stages import Stages
from vista_stream.testing import NEUTRAL, ScriptedStages, WholeSentences

pytestmark = pytest.mark.anyio

OLD = "The museum opens at 9 am. Visitors may come into the museum, dogs are welcome."
NEW = "The museum opens at 10 am. Visitors who come into the museum with their dogs are sent away."
HOURS = "The museum opens at 9 am. The museum opens at 10 am."
DOGS = "Visitors may come into the museum with their dogs."


class ByPremise:
    """A verifier that looks the scores up by a piece of the premise."""

    def __init__(self, script):
        self.script = script

    async def score(self, pairs):
        return [next((s for key, s in self.script.items() if key in p.premise), NEUTRAL) for p in pairs]


def session(policy: Policy | None = None, references=((OLD, "old leaflet"), (NEW, "new leaflet"))) -> Session:
    verifier = ByPremise({"sent away": Scores(0.02, 0.03, 0.95), "welcome": Scores(0.95, 0.03, 0.02)})
    stages = Stages(
        decompose=WholeSentences(),
        rank=ScriptedStages(),
        verify=EmbeddedVerify(verifier),
        categorise=EmbeddedCategorise(),
    )
    made = Session(stages=stages, policy=policy)
    for text, name in references:
        made.add_reference(text, name=name)
    return made


async def guarded(made: Session, text: str) -> tuple[str, TurnReport]:
    async with made.turn([text]) as turn:
        shown = "".join([piece async for piece in turn.text()])
        return shown, await turn.drain()


def told(report: TurnReport) -> list[tuple]:
    return [(v.category, v.evidence.document, v.opposing and v.opposing.document) for v in report.verdicts]


@pytest.mark.parametrize(
    ("policy", "categories", "counts", "opposes"),
    [
        (None, [Category.CONTRADICTED, Category.VERIFIED], "new leaflet", "old leaflet"),
        (
            Policy(on_disagreement="earlier"),
            [Category.VERIFIED, Category.CONTRADICTED],
            "old leaflet",
            "new leaflet",
        ),
    ],
)
async def test_the_reference_that_the_policy_names_decides_and_both_are_reported(
    policy, categories, counts, opposes
):
    shown, report = await guarded(session(policy), HOURS)
    assert told(report) == [(category, counts, opposes) for category in categories]
    first, second = HOURS.split(". ")
    released = f"{NOTICE} {second}" if counts == "new leaflet" else f"{first}. {NOTICE}"
    assert shown == released
    table = json.loads(json.dumps(report.to_dict()))
    assert table["verdicts"][0]["opposing"]["document"] == opposes
    assert TurnReport.from_dict(table) == report


async def test_a_policy_may_let_every_contradiction_count():
    _, report = await guarded(session(Policy(on_disagreement="contradicted")), HOURS)
    assert told(report) == [
        (Category.CONTRADICTED, "new leaflet", "old leaflet"),
        (Category.CONTRADICTED, "old leaflet", "new leaflet"),
    ]


@pytest.mark.parametrize(
    ("which", "category", "counts", "opposes"),
    [
        ("later", Category.CONTRADICTED, "new leaflet", "old leaflet"),
        ("earlier", Category.VERIFIED, "old leaflet", "new leaflet"),
    ],
)
async def test_so_it_is_where_a_model_reads_the_references(which, category, counts, opposes):
    _, report = await guarded(session(Policy(on_disagreement=which)), DOGS)
    assert told(report) == [(category, counts, opposes)]
    assert [verdict.tier for verdict in report.verdicts] == ["model"]


async def test_a_reference_that_is_added_again_is_the_later_one():
    made = session()
    old, _ = made.references
    made.remove_reference(old)
    made.add_reference(old)
    _, report = await guarded(made, HOURS)
    assert told(report) == [
        (Category.VERIFIED, "old leaflet", "new leaflet"),
        (Category.CONTRADICTED, "old leaflet", "new leaflet"),
    ]


async def test_two_references_of_one_name_are_two_references():
    _, report = await guarded(session(references=((OLD, "leaflet"), (NEW, "leaflet"))), f"{HOURS} {DOGS}")
    assert told(report)[0] == (Category.CONTRADICTED, "leaflet", "leaflet")
    assert [(v.evidence.text in NEW, v.opposing.text in OLD) for v in report.verdicts] == [(True, True)] * 3


SAME_WORDS = Path(__file__).parent / "written" / "same_words.jsonl"


@pytest.mark.parametrize("line", SAME_WORDS.read_text(encoding="utf-8").splitlines())
async def test_a_later_reference_to_another_thing_in_the_same_words_contradicts_nothing(line):
    row = json.loads(line)
    made = session(references=[(text, "leaflet") for text in row["references"]])
    shown, report = await guarded(made, row["answer"])
    assert Category.CONTRADICTED not in {verdict.category for verdict in report.verdicts}
    assert shown == row["answer"]


@pytest.mark.parametrize("times", [1, 2])
async def test_one_reference_never_opposes_itself_however_often_it_is_added(times):
    made = session(references=())
    both = Reference(f"{OLD}\n\n{NEW}", name="leaflet")
    for _ in range(times):
        made.add_reference(both)
    _, report = await guarded(made, f"{HOURS} {DOGS}")
    assert [verdict.opposing for verdict in report.verdicts] == [None] * 3

"""Verification, categories and the last look by an LLM, against a scripted server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vista_stream.claims import Category, Claim, Evidence, Finding, Scores, Span
from vista_stream.core.common_ground import Statement
from vista_stream.errors import StageError
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.llm import grounds as llm_grounds
from vista_stream.stages.llm.verify import JudgedCategorise, LlmCategorise, LlmJudge, LlmVerify
from vista_stream.stages.protocols import Grounds

if TYPE_CHECKING:
    from scripted_server import ScriptedServer

pytestmark = pytest.mark.anyio

MILL = Reference("The mill was built in 1820. It ground rye and oats.", name="leaflet")
GUIDE = Statement(text="The guide is called Ada.", origin="background", turn=-1)
GROUNDS = Grounds(references=[MILL], common_ground=[GUIDE])


def claim(text: str) -> Claim:
    return Claim(id=0, sentence=0, text=text, span=Span(0, len(text)))


@pytest.mark.parametrize(
    ("answer", "scores"),
    [("VERIFIED", (1, 0, 0)), ("UNVERIFIABLE", (0, 1, 0)), ("CONTRADICTED", (0, 0, 1))],
)
async def test_answers_become_scores(server: ScriptedServer, answer: str, scores: tuple[int, ...]) -> None:
    server.script = lambda request: answer
    async with server.client() as client:
        finding = await LlmVerify(client).verify(claim("The mill was built in 1820."), GROUNDS)
    assert finding.scores == scores
    assert finding.tier == "llm"
    assert finding.evidence is not None
    assert finding.evidence.document == "leaflet"


async def test_the_model_sees_reference_and_common_ground(server: ScriptedServer) -> None:
    server.script = lambda request: "VERIFIED"
    async with server.client() as client:
        finding = await LlmVerify(client).verify(claim("The guide's name is Ada."), GROUNDS)
    asked = server.requests[0]["messages"][-1]["content"]
    assert "<background>\n1. The guide is called Ada.\n</background>" in asked
    assert MILL.text in asked
    assert finding.evidence is not None
    assert (finding.evidence.origin, finding.evidence.document) == ("common_ground", "background")


async def test_vistas_question_has_two_answers(server: ScriptedServer) -> None:
    server.script = lambda request: "CONTRADICTED"
    async with server.client() as client:
        with pytest.raises(StageError):
            await LlmVerify(client, contradictions=False).verify(claim("x"), GROUNDS)
    assert "CONTRADICTED" not in str(server.requests[0]["messages"])


async def test_verified_is_what_the_policys_threshold_says(server: ScriptedServer) -> None:
    server.script = lambda request: "OUT_OF_SCOPE"
    unsure = Finding(scores=Scores(0.8, 0.1, 0.1))
    async with server.client() as client:
        categorise = LlmCategorise(client)
        strict = JudgedCategorise(categorise, LlmJudge(client), margin=0.0).at({"entailment": 0.9})
        assert await strict.categorise(claim("x"), unsure) is Category.OUT_OF_SCOPE
        assert await categorise.categorise(claim("x"), unsure) is Category.VERIFIED


def test_a_judge_over_a_stage_without_thresholds_takes_none() -> None:
    with pytest.raises(ValueError, match="the categorise stage, FixedCategorise, has no method at"):
        JudgedCategorise(FixedCategorise(Category.VERIFIED), LlmJudge(None)).at({"entailment": 0.9})


async def test_only_unverified_claims_are_categorised(server: ScriptedServer) -> None:
    server.script = lambda request: "OUT_OF_SCOPE"
    async with server.client() as client:
        categorise = LlmCategorise(client)
        verified = Finding(scores=Scores(0.8, 0.1, 0.1))
        assert await categorise.categorise(claim("x"), verified) is Category.VERIFIED
        assert server.requests == []
        assert await categorise.categorise(claim("x"), Finding()) is Category.OUT_OF_SCOPE


async def test_categorise_sees_what_verify_saw(server: ScriptedServer) -> None:
    server.script = lambda request: (
        "UNVERIFIABLE" if "VERIFIED:" in request["messages"][0]["content"] else "LACKING_EVIDENCE"
    )
    mill = claim("The mill has a tower.")
    async with server.client() as client:
        finding = await LlmVerify(client, contradictions=False).verify(mill, GROUNDS)
        assert await LlmCategorise(client).categorise(mill, finding) is Category.LACKING_EVIDENCE
    asked = server.requests[-1]["messages"][-1]["content"]
    assert MILL.text in asked
    assert GUIDE.text in asked


async def test_categorise_after_another_verifier_sees_its_evidence(server: ScriptedServer) -> None:
    server.script = lambda request: "CONTRADICTED"
    text = "The guide is called Ada."
    evidence = Evidence(
        text=text, document="turn 1", span=Span(0, len(text)), sentence=0, origin="common_ground"
    )
    finding = Finding(scores=Scores(0.1, 0.1, 0.8), evidence=evidence, tier="model")
    async with server.client() as client:
        await LlmCategorise(client).categorise(claim("The guide is called Eva."), finding)
    asked = server.requests[0]["messages"][-1]["content"]
    assert f"<background>\n{text}\n</background>" in asked
    assert "<reference>\n(none)\n</reference>" in asked


class FixedCategorise:
    def __init__(self, category: Category) -> None:
        self.category = category

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        return self.category


@pytest.mark.parametrize(
    ("proposed", "scores", "asked"),
    [
        (Category.CONTRADICTED, Scores(0.0, 0.0, 1.0), True),
        (Category.VERIFIED, Scores(0.5, 0.4, 0.1), True),
        (Category.VERIFIED, Scores(0.7, 0.2, 0.1), False),
        (Category.OUT_OF_SCOPE, None, False),
    ],
)
async def test_the_judge_looks_at_doubtful_decisions_only(
    server: ScriptedServer, proposed: Category, scores: Scores | None, asked: bool
) -> None:
    server.script = lambda request: "LACKING_EVIDENCE"
    async with server.client() as client:
        judged = JudgedCategorise(FixedCategorise(proposed), LlmJudge(client))
        found = await judged.categorise(claim("x"), Finding(scores=scores))
    assert found is (Category.LACKING_EVIDENCE if asked else proposed)
    assert bool(server.requests) is asked


def test_a_long_reference_is_shown_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_grounds, "REFERENCE_CHARACTERS", 300)
    filler = " ".join(f"Barge number {n} carried sand to the north." for n in range(40))
    document = Reference(f"{filler} The mill was built in 1820. {filler}", name="long")
    shown = llm_grounds.shown_references("The mill was built in 1840.", [document])
    assert "The mill was built in 1820." in shown
    assert len(shown) < 400


def test_a_long_common_ground_is_shown_in_part() -> None:
    statements = [
        Statement(text=f"Barge {n} carried sand.", origin="claim", turn=0)
        for n in range(llm_grounds.STATEMENTS + 5)
    ]
    statements.insert(3, Statement(text="Ada likes rye.", origin="claim", turn=0))
    shown = llm_grounds.shown_statements("Does Ada like rye?", statements)
    assert shown.count("\n") == llm_grounds.STATEMENTS - 1
    assert "Ada likes rye." in shown


def test_nothing_near_is_no_evidence() -> None:
    assert llm_grounds.cited_passage("Zebras", Grounds()) is None
    assert llm_grounds.cited_passage("Zebras", GROUNDS) is None

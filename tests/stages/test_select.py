"""Stages by name, and a live turn whose stages are all an LLM's, against a real HTTP server."""

from typing import Any

import pytest

from vista_stream.claims import Category, Importance, Scores, UnresolvedReason
from vista_stream.policy import NOTICE, UNRESOLVED_NOTICE
from vista_stream.session import Session
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.escalate import Escalate
from vista_stream.stages.llm.decompose import LlmDecompose
from vista_stream.stages.llm.verify import JudgedCategorise, LlmCategorise, LlmVerify
from vista_stream.stages.select import select_stages
from vista_stream.testing import ScriptedStages, ScriptedVerifier, WholeSentences

pytestmark = pytest.mark.anyio

FALSE = "The mill was built in 1830."
TEXT = f"Rye is ground there. {FALSE}"
REFERENCE = "The mill was built in 1820. Rye is ground there."


def reply(request: dict[str, Any]) -> str:
    """What a sensible model would say, as a numbered list."""
    task, asked = request["messages"][0]["content"], request["messages"][-1]["content"]
    if task.startswith("You split"):
        return "1. " + asked.split("<passage>\n")[1].split("\n</passage>")[0]
    if task.startswith("You order"):
        return "1. 1: vital"
    if task.startswith("You check"):
        return "1. UNVERIFIABLE" if FALSE in asked else "1. VERIFIED"
    return "1. CONTRADICTED"


def all_llm(client: Any) -> Any:
    return select_stages(
        decompose="llm", rank="llm", verify="llm", categorise="llm", judge="llm", client=client
    )


async def guarded(session: Session) -> tuple[str, Any]:
    async with session.turn([TEXT], query="When was it built?") as turn:
        text = "".join([piece async for piece in turn.text()])
    return text, turn.report


async def test_a_live_turn_by_llm_stages_reports_their_time_and_prompts(server: Any) -> None:
    server.script = reply
    async with server.client() as client:
        session = Session(stages=all_llm(client))
        session.add_reference(REFERENCE)
        text, report = await guarded(session)
    assert text == f"Rye is ground there. {NOTICE}"
    assert [verdict.category for verdict in report.verdicts] == [Category.VERIFIED, Category.CONTRADICTED]
    calls = {stage: took.calls for stage, took in report.stage_times.items()}
    assert calls == {"prepare": 1, "decompose": 2, "rank": 2, "verify": 2, "categorise": 2, "judge": 1}
    assert set(report.prompts) == {"decompose", "rank", "verify_two_way", "categorise", "judge"}
    assert report.prompts["decompose"] == "decompose-1"
    # Decomposition is asked at the end of each sentence, with the turn so far.
    asked = [r["messages"][-1]["content"] for r in server.requests]
    split = [question for question in asked if "<passage>" in question]
    assert "Rye is ground there." not in split[0].split("<passage>")[0]
    assert "Rye is ground there." in split[1].split("<passage>")[0]


async def test_answers_that_cannot_be_used_are_never_a_verdict(server: Any) -> None:
    def only_splits_and_orders(request: dict[str, Any]) -> str:
        sensible = request["messages"][0]["content"].startswith(("You split", "You order"))
        return reply(request) if sensible else "I would rather not."

    server.script = only_splits_and_orders
    async with server.client() as client:
        session = Session(stages=all_llm(client))
        session.add_reference(REFERENCE)
        text, report = await guarded(session)
    assert report.verdicts == ()
    assert [unresolved.reason for unresolved in report.unresolved] == [UnresolvedReason.STAGE_ERROR] * 2
    assert text == f"{UNRESOLVED_NOTICE} {UNRESOLVED_NOTICE}"


async def test_parts_mix(server: Any) -> None:
    scripted = ScriptedStages(importance=lambda text: Importance.OKAY)
    async with server.client() as client:
        stages = select_stages(
            decompose=WholeSentences(), rank=scripted, verify="llm", categorise="llm", client=client
        )
        assert stages.rank is scripted
        assert isinstance(stages.decompose, WholeSentences)
        assert isinstance(stages.verify, LlmVerify)
        assert isinstance(stages.categorise, LlmCategorise)
        judged = select_stages(
            decompose="llm", rank=scripted, verify="llm", categorise=scripted, judge="llm", client=client
        )
        assert isinstance(judged.decompose, LlmDecompose)
        assert isinstance(judged.categorise, JudgedCategorise)


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="verify must be 'embedded', 'llm' or an object, not 'flan'"):
        select_stages(verify="flan")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="judge must be 'llm', None or an object, not 'embedded'"):
        select_stages(judge="embedded")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rank='llm' needs client"):
        select_stages(rank="llm")


@pytest.mark.parametrize(
    ("stage", "part", "told"),
    [
        ("decompose", 42, "decompose must be 'embedded', 'llm' or an object with begin, not 42"),
        ("rank", None, "rank must be 'embedded', 'llm' or an object with rank, not None"),
        ("verify", ["llm"], r"verify must be .* with verify or score, not \['llm'\]"),
        ("verify", ScriptedVerifier, "verify must be .* not <class"),
        ("categorise", ScriptedStages, "categorise must be .* not <class"),
        ("judge", 1, "judge must be 'llm', None or an object with judge, not 1"),
        ("client", "x", "client must be an LlmClient, not 'x'"),
    ],
)
def test_an_object_that_is_no_such_stage_is_named(stage: str, part: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        select_stages(**{stage: part})


def test_a_verifier_serves_as_verify() -> None:
    scripted = ScriptedStages()
    verifier = ScriptedVerifier()
    stages = select_stages(decompose=WholeSentences(), rank=scripted, verify=verifier, categorise=scripted)
    assert stages.categorise is scripted
    assert isinstance(stages.verify, EmbeddedVerify)


class Falsy(ScriptedVerifier):
    """As a verifier with nothing in its cache may be."""

    def __len__(self) -> int:
        return 0


async def test_a_verifier_that_is_falsy_is_the_one_that_is_asked() -> None:
    refuted = {FALSE: Scores(0.01, 0.01, 0.98)}
    for session in (
        Session(Falsy(refuted)),
        Session(stages=select_stages(verify=Falsy(refuted))),
    ):
        session.add_reference("Ducks swim on the pond.")
        assert (await guarded(session))[1].verdicts[-1].scores.contradiction == 0.98


async def test_a_second_verifier_is_asked_by_name_or_as_an_object(server: Any) -> None:
    scripted = ScriptedStages()
    parts: dict[str, Any] = {"decompose": WholeSentences(), "rank": scripted, "categorise": scripted}
    async with server.client() as client:
        named = select_stages(**parts, verify=scripted, second="llm", client=client)
        assert isinstance(named.verify, Escalate)
    assert isinstance(select_stages(**parts, verify=scripted, second=scripted).verify, Escalate)
    with pytest.raises(ValueError, match="second='llm' needs client"):
        select_stages(**parts, verify=scripted, second="llm")
    with pytest.raises(ValueError, match="second must be 'llm', None or an object with verify or score"):
        select_stages(**parts, verify=scripted, second=1)  # type: ignore[arg-type]

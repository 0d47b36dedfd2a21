"""One rule for all languages that the verifier does not judge, through a session with the shipped models."""

import pytest

from vista_stream import Policy, Session, UnresolvedReason, annotate, release
from vista_stream.policy import UNRESOLVED_NOTICE

pytestmark = pytest.mark.anyio
REFERENCE = "The canal was opened in 1914. The canal is 82 km long. It is owned by Panama."
ANSWERS = {
    "German": "Der Kanal wurde 1905 eröffnet. Er ist 95 km lang. Er gehört Frankreich. "
    "Die Mühle ist auch blau. Der Kanal wurde nie benutzt.",
    "Chinese": "这条运河于1905年开通。运河长95公里。它属于法国。水坊是蓝色的。它从未被使用过。",
    "French": "Le canal a ouvert en 1905. Il mesure 95 km. Il appartient à la France. Le moulin est bleu. "
    "Le canal n'a jamais été utilisé.",
}


@pytest.fixture(params=["asyncio"])
def anyio_backend(request):
    return request.param


async def said(text, policy, query=None):
    session = Session(policy=policy)
    session.add_reference(REFERENCE)
    async with session.turn([text], query=query) as turn:
        shown = "".join([part async for part in turn.text()])
    return shown, turn.report


@pytest.mark.parametrize("language", ANSWERS)
async def test_every_claim_in_another_language_is_unresolved_and_treated_alike(language):
    shown, report = await said(ANSWERS[language], Policy(deadline=60))
    assert report.verdicts == ()
    assert {each.reason for each in report.unresolved} == {UnresolvedReason.LANGUAGE}
    assert len(report.unresolved) == 5
    assert shown.replace(UNRESOLVED_NOTICE, "").strip() == ""
    assert shown.count(UNRESOLVED_NOTICE) == 5


@pytest.mark.parametrize(
    "policy", [Policy.observing(deadline=60), Policy(other_language=release(), deadline=60)]
)
async def test_a_policy_may_let_other_languages_pass(policy):
    assert (await said(ANSWERS["German"], policy))[0] == ANSWERS["German"]


async def test_the_rest_of_an_answer_is_judged_as_ever():
    text = "The canal is 82 km long. Le canal a ouvert en 1905. The canal is owned by France."
    shown, report = await said(text, Policy(other_language=annotate(" [not checked]"), deadline=60))
    assert shown.startswith("The canal is 82 km long. Le canal a ouvert en 1905. [not checked] [A statement")
    assert [each.claim.text for each in report.unresolved] == ["Le canal a ouvert en 1905."]


async def test_a_short_answer_has_the_language_of_the_question():
    asked = "Quand le canal a-t-il été ouvert ?"
    foreign = await said("Canal ouvert : 1905.", Policy(deadline=60), query=asked)
    assert [each.reason for each in foreign[1].unresolved] == [UnresolvedReason.LANGUAGE]
    known = await said("Opened: 1914.", Policy(deadline=60), query="When was the canal opened?")
    assert known[1].unresolved == ()

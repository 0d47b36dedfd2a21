"""Decomposition by an LLM: what it is shown, and what becomes of its answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from vista_stream.claims import ClaimKind, Span, Utterance
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.errors import StageError
from vista_stream.stages.llm.decompose import HISTORY_CHARACTERS, SO_FAR_CHARACTERS, LlmDecompose

if TYPE_CHECKING:
    from scripted_server import ScriptedServer

pytestmark = pytest.mark.anyio


def sentence(
    text: str, start: int = 0, kind: SegmentKind = SegmentKind.SENTENCE, *, index: int = 0
) -> Segment:
    return Segment(index=index, text=text, span=Span(start, start + len(text)), kind=kind)


async def test_claims_and_where_they_come_from(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": ["Oslo is in Norway.", "Oslo was called Christiania."]}'
    turn = "Oslo lies in Norway. It was once called Christiania."
    async with server.client() as client:
        drafts = await LlmDecompose(client).begin().decompose(sentence(turn, start=10))
    assert [draft.text for draft in drafts] == ["Oslo is in Norway.", "Oslo was called Christiania."]
    assert [turn[d.span.start - 10 : d.span.end - 10] for d in drafts] == [
        "Oslo lies in Norway.",
        "It was once called Christiania.",
    ]
    assert {draft.kind for draft in drafts} == {ClaimKind.FACT}


async def test_the_model_sees_the_conversation_and_the_turn_so_far(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": ["A painter was born long ago; the sun sets."]}'
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        await discourse.hear(Utterance(role="user", text="Who was Edvard Munch?"))
        await discourse.decompose(sentence("He was a painter."))
        await discourse.decompose(sentence("He was born in 1863.", index=1))
        await discourse.hear(Utterance(role="user", text="And his sister?"))
        await discourse.decompose(sentence("She was called Laura."))
    asked = [request["messages"][-1]["content"] for request in server.requests]
    assert "user: Who was Edvard Munch?" in asked[0]
    assert "<so_far>\nHe was a painter.\n</so_far>" in asked[1]
    assert "assistant: He was a painter. He was born in 1863.\nuser: And his sister?" in asked[2]
    assert "<so_far>\n(none)\n</so_far>" in asked[2]


async def test_a_turn_without_words_of_the_user_is_another_turn(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": ["A painter was born long ago; the sun sets."]}'
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        await discourse.decompose(sentence("He was a painter."))
        await discourse.decompose(sentence("The sun sets at nine."))
    asked = server.requests[-1]["messages"][-1]["content"]
    assert "assistant: He was a painter." in asked
    assert "<so_far>\n(none)\n</so_far>" in asked


async def test_of_a_long_conversation_the_end_alone_is_kept(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": ["A painter was born long ago; the sun sets."]}'
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        for number in range(30):
            await discourse.hear(Utterance(role="user", text="why " * 100))
            await discourse.decompose(sentence("It is long. " * 100, index=number))
    assert sum(len(each.text) for each in discourse._heard) <= HISTORY_CHARACTERS + 1200


async def test_of_a_long_talk_the_model_sees_the_end(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": ["A painter was born long ago; the sun sets."]}'
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        for number in range(40):
            await discourse.hear(Utterance(role="user", text=f"Question {number}: {'why ' * 100}"))
        for number in range(40):
            await discourse.decompose(sentence(f"Part {number} is {'long ' * 100}.", index=number))
    asked = server.requests[-1]["messages"][-1]["content"]
    assert len(asked) < len(server.requests[0]["messages"][-1]["content"]) + SO_FAR_CHARACTERS + 50
    assert "user: Question 39: why" in asked
    assert "user: Question 0:" not in asked
    assert "Part 38 is long" in asked
    assert "Part 0 is" not in asked
    assert "<so_far>\n… long" in asked


async def test_text_without_spaces_is_cut_too(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": ["A painter was born long ago; the sun sets."]}'
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        await discourse.hear(Utterance(role="user", text="为" * 2 * HISTORY_CHARACTERS))
        await discourse.decompose(sentence("It is."))
    assert f"user: … {'为' * HISTORY_CHARACTERS}\n" in server.requests[0]["messages"][-1]["content"]


async def test_a_sentence_without_an_answer_was_said(server: ScriptedServer) -> None:
    server.script = lambda request: "who knows"
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        with pytest.raises(StageError):
            await discourse.decompose(sentence("He was a painter."))
        server.script = lambda request: '{"answers": ["A painter was born long ago; the sun sets."]}'
        await discourse.decompose(sentence("He was born in 1863.", index=1))
    assert "<so_far>\nHe was a painter.\n</so_far>" in server.requests[-1]["messages"][-1]["content"]


async def test_a_finished_utterance_replaces_the_sentences(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": ["A painter was born long ago; the sun sets."]}'
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        await discourse.decompose(sentence("He was a painter."))
        await discourse.hear(Utterance(role="assistant", text="He was a painter. Yes."))
        await discourse.decompose(sentence("Indeed he was."))
    asked = server.requests[1]["messages"][-1]["content"]
    assert asked.count("He was a painter.") == 1
    assert "assistant: He was a painter. Yes." in asked


async def test_code_is_not_asked_about(server: ScriptedServer) -> None:
    async with server.client() as client:
        assert await LlmDecompose(client).begin().decompose(sentence("x = 1", kind=SegmentKind.CODE)) == []
    assert server.requests == []


async def test_no_claims_and_double_claims(server: ScriptedServer) -> None:
    replies = iter(['{"answers": []}', '{"answers": ["Tea is hot.", "Tea is hot."]}'])
    server.script = lambda request: next(replies)
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        assert await discourse.decompose(sentence("Hello!")) == []
        drafts = await discourse.decompose(sentence("Tea is hot."))
    assert [draft.text for draft in drafts] == ["Tea is hot."]


@pytest.mark.parametrize("reply", ['{"answers": []}', '{"answers": ["Coffee was sold by Ada."]}'])
async def test_a_statement_without_a_claim_is_sent_back_and_then_told_by_its_wording(
    server: ScriptedServer, reply: str
) -> None:
    server.script = lambda request: reply
    async with server.client() as client:
        drafts = await LlmDecompose(client).begin().decompose(sentence("The canal opened in 1941.", start=3))
    assert [(draft.text, draft.span) for draft in drafts] == [("The canal opened in 1941.", Span(3, 28))]
    assert len(server.requests) == 2
    assert "the passage states something" in server.requests[1]["messages"][-1]["content"]


async def test_the_second_reply_may_hold_the_claims(server: ScriptedServer) -> None:
    replies = iter(['{"answers": []}', '{"answers": ["The canal was opened in 1941."]}'])
    server.script = lambda request: next(replies)
    async with server.client() as client:
        (draft,) = await LlmDecompose(client).begin().decompose(sentence("It opened in 1941."))
    assert draft.text == "The canal was opened in 1941."


@pytest.mark.parametrize(
    "text",
    ["Hello!", "When are you going?", "Let me know if you need more.", "You're welcome! Have a nice day!"],
)
async def test_what_states_nothing_may_have_no_claim(server: ScriptedServer, text: str) -> None:
    server.script = lambda request: '{"answers": []}'
    async with server.client() as client:
        assert await LlmDecompose(client).begin().decompose(sentence(text)) == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("text", ["He did.", "Yes.", "运河于1941年开放。"])
async def test_a_claim_need_not_repeat_what_its_sentence_does_not_say(
    server: ScriptedServer, text: str
) -> None:
    claim = "运河开放。" if not text.isascii() else "Edvard Munch painted the sun."
    server.script = lambda request: json.dumps({"answers": [claim]})
    async with server.client() as client:
        discourse = LlmDecompose(client).begin()
        await discourse.hear(Utterance(role="user", text="Did Edvard Munch paint the sun?"))
        (draft,) = await discourse.decompose(sentence(text))
    assert draft.text == claim
    assert len(server.requests) == 1


async def test_more_claims_than_words_are_not_believed(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": ["a", "b", "c", "d"]}'
    async with server.client() as client:
        with pytest.raises(StageError, match="at most 3"):
            await LlmDecompose(client).begin().decompose(sentence("Tea is hot."))


async def test_an_unusable_answer_is_an_error(server: ScriptedServer) -> None:
    server.script = lambda request: "The claims are as follows."
    async with server.client() as client:
        with pytest.raises(StageError):
            await LlmDecompose(client).begin().decompose(sentence("Tea is hot."))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The assistant does not know the price.", ClaimKind.REFUSAL),
        ("The assistant cannot predict exchange rates.", ClaimKind.REFUSAL),
        ("The user should ask their bank.", ClaimKind.RECOMMENDATION),
        ("In the assistant's opinion, the lamp room is the best part.", ClaimKind.OPINION),
        ("The assistant is called Otto.", ClaimKind.ASSISTANT),
        ("Oslo is in Norway.", ClaimKind.FACT),
    ],
)
async def test_the_kind_is_told_from_the_wording(server: ScriptedServer, text: str, kind: ClaimKind) -> None:
    server.script = lambda request: f'{{"answers": ["{text}"]}}'
    async with server.client() as client:
        (draft,) = await LlmDecompose(client).begin().decompose(sentence(text))
    assert draft.kind is kind

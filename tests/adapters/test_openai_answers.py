"""Answers that come whole: not streamed, kept, spoken, under any media type."""

import json

import pytest

from openai_guarding import ASK, MARKS, REPLACED, STOP, STOPPED, TEXT, ask, content, guard, sync_client
from vista_stream import UpstreamError
from vista_stream_adapters.openai import guard_openai

pytestmark = MARKS


async def test_no_copy_of_the_text_beside_the_message_is_answered(upstream, client, chat, answer):
    body = json.loads(chat.body(TEXT))
    body["choices"][0] |= {"delta": {"content": TEXT}, "text": TEXT, "token_ids": [7, 8]}
    upstream.will(answer([json.dumps({**body, "text": TEXT}).encode()], media="application/json"))
    completion = await guard_openai(client, guard()).chat.completions.create(model="m", messages=ASK)
    assert completion.choices[0].message.content == REPLACED
    assert "cheese" not in completion.model_dump_json()


async def test_answers_that_are_not_streamed(upstream, client, chat, responses, answer):
    guarded = guard_openai(client, guard())
    upstream.will(answer([chat.body(TEXT, "Fine.")], media="application/json"))
    completion = await guarded.chat.completions.create(model="m", messages=ASK, n=2)
    assert [choice.message.content for choice in completion.choices] == [REPLACED, "Fine."]
    assert completion.choices[0].vista["verdicts"][1]["category"] == "contradicted"
    upstream.will(answer([responses.body(TEXT)], media="application/json"))
    response = await guarded.responses.create(model="m", input="Tell me.")
    assert response.output_text == REPLACED


async def test_a_stop_in_an_answer_that_is_not_streamed(upstream, client, chat, responses, answer):
    guarded = guard_openai(client, guard(STOP))
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    upstream.will(answer([chat.body(TEXT, tool_calls=[call])], media="application/json"))
    choice = (await guarded.chat.completions.create(model="m", messages=ASK)).choices[0]
    assert (choice.message.content, choice.finish_reason) == (STOPPED, "content_filter")
    assert choice.message.tool_calls is None
    upstream.will(answer([responses.body(TEXT)], media="application/json"))
    response = await guarded.responses.create(model="m", input="Tell me.")
    assert (response.output_text, response.status) == (STOPPED, "incomplete")


async def test_a_spoken_answer_is_not_asked_for(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)))
    spoken = {"model": "m", "messages": ASK, "modalities": ["text", "audio"]}
    spoken["audio"] = {"voice": "alloy", "format": "pcm16"}
    for stream in (False, True):
        with pytest.raises(ValueError, match=r"modalities must be \['text'\]"):
            async for _ in await guard_openai(
                client.with_options(max_retries=2), guard()
            ).chat.completions.create(**spoken, stream=stream):
                pass
        with (
            guard_openai(sync_client(upstream), guard()) as guarded,
            pytest.raises(ValueError, match="modalities must be"),
        ):
            list(guarded.chat.completions.create(**spoken, stream=stream))
    assert upstream.requests == []


async def test_a_spoken_answer_that_comes_all_the_same_is_not_passed_on(
    upstream, client, chat, responses, answer
):
    guarded = guard_openai(client, guard())
    delta = chat.chunk({"audio": {"id": "a", "transcript": "The moon is of cheese."}})
    upstream.will(
        answer([chat.chunk({"content": "The mill is red. "}), delta, chat.chunk({}, finish="stop")])
    )
    with pytest.raises(UpstreamError, match="audio"):
        await ask(guarded)
    audio = {"id": "a", "data": "AA==", "transcript": TEXT, "expires_at": 1}
    body = json.loads(chat.body(""))
    body["choices"][0]["message"] |= {"content": None, "audio": audio}
    upstream.will(answer([json.dumps(body).encode()], media="application/json"))
    with pytest.raises(UpstreamError, match="audio"):
        await guarded.chat.completions.create(model="m", messages=ASK)
    upstream.will(
        answer([responses.event("response.audio.transcript.delta", delta="The moon is of cheese.")])
    )
    with pytest.raises(UpstreamError, match="audio"):
        assert not [e async for e in await guarded.responses.create(model="m", input="?", stream=True)]
    part = {"type": "output_audio", "data": "AA==", "transcript": TEXT}
    kept = responses.response("completed", [{**responses.item(None), "content": [part]}])
    upstream.will(answer([json.dumps(kept).encode()], media="application/json"))
    with pytest.raises(UpstreamError, match="audio"):
        await guarded.responses.create(model="m", input="?")


async def test_answers_that_were_kept_are_guarded_whatever_gives_them(
    upstream, client, chat, responses, answer
):
    guarded = guard_openai(client, guard())
    upstream.will(answer([chat.body(TEXT)], media="application/json"))
    got = [
        await guarded.chat.completions.retrieve("chatcmpl-7"),
        await guarded.chat.completions.update("chatcmpl-7", metadata={"a": "b"}),
    ]
    listed = {"object": "list", "data": [json.loads(chat.body(TEXT))] * 2, "has_more": False}
    upstream.will(answer([json.dumps(listed).encode()], media="application/json"))
    got += [one async for one in guarded.chat.completions.list()]
    assert [one.choices[0].message.content for one in got] == [REPLACED] * 4
    upstream.will(answer([responses.body(TEXT)], media="application/json"))
    assert (await guarded.responses.retrieve("resp_1")).output_text == REPLACED
    assert (await guarded.responses.cancel("resp_1")).output_text == REPLACED
    gone = {"id": "chatcmpl-7", "object": "chat.completion.deleted", "deleted": True}
    upstream.will(
        answer([json.dumps(gone).encode()], media="application/json"), answer([b""], media="text/plain")
    )
    assert (await guarded.chat.completions.delete("chatcmpl-7")).deleted
    await guarded.responses.delete("resp_1")


async def test_a_raw_response_says_how_long_it_took(upstream, client, chat, answer):
    upstream.will(answer([chat.body(TEXT)], media="application/json"))
    asked = {"model": "m", "messages": ASK}
    raw = await guard_openai(client, guard()).chat.completions.with_raw_response.create(**asked)
    assert raw.elapsed.total_seconds() > 0
    with guard_openai(sync_client(upstream), guard()) as guarded:
        assert guarded.chat.completions.with_raw_response.create(**asked).elapsed.total_seconds() > 0


MISLABELLED = ["text/plain", "application/octet-stream", "", "application/json;x=1"]


@pytest.mark.parametrize("media", MISLABELLED[:3])
async def test_a_stream_is_guarded_whatever_it_is_called(upstream, client, chat, answer, media):
    upstream.will(answer(chat.stream(TEXT), media=media))
    assert content(await ask(guard_openai(client, guard()))) == REPLACED
    with guard_openai(sync_client(upstream), guard()) as guarded:
        assert content(guarded.chat.completions.create(model="m", messages=ASK, stream=True)) == REPLACED


@pytest.mark.parametrize("media", MISLABELLED)
async def test_an_answer_is_guarded_whatever_it_is_called(upstream, client, chat, answer, media):
    upstream.will(answer([chat.body(TEXT)], media=media))
    asked = {"model": "m", "messages": ASK}
    raw = await guard_openai(client, guard()).chat.completions.with_raw_response.create(**asked)
    assert json.loads(raw.text)["choices"][0]["message"]["content"] == REPLACED
    with guard_openai(sync_client(upstream), guard()) as guarded:
        raw = guarded.chat.completions.with_raw_response.create(**asked)
    assert json.loads(raw.text)["choices"][0]["message"]["content"] == REPLACED

"""Answers with a form: the client's helpers, JSON, what tools are called with."""

import json

import openai
import pytest
from pydantic import BaseModel, ValidationError

from openai_guarding import ASK, MARKS, NOTE, REPLACED, STOP, STOPPED, TEXT, ask, content, guard
from tests.adapters.conftest import NOTICE
from vista_stream import Policy
from vista_stream_adapters.openai import guard_openai

pytestmark = MARKS


@pytest.mark.parametrize("policy", [Policy(), STOP])
async def test_the_stream_helper_accepts_guarded_streams(upstream, client, chat, answer, policy):
    upstream.will(answer(chat.stream(TEXT)))
    async with guard_openai(client, guard(policy)).chat.completions.stream(model="m", messages=ASK) as stream:
        events = [event async for event in stream]
        final = await stream.get_final_completion()
    deltas = [event.delta for event in events if event.type == "content.delta"]
    expected = REPLACED if policy is not STOP else STOPPED
    assert "".join(deltas) == final.choices[0].message.content == expected
    assert final.choices[0].finish_reason == "stop"
    told = [event.chunk.vista for event in events if hasattr(getattr(event, "chunk", None), "vista")]
    assert told[-1]["stopped"] is (policy is STOP)


async def test_the_stream_helper_reports_a_content_filter_where_the_guard_says_so(
    upstream, client, chat, answer
):
    upstream.will(answer(chat.stream(TEXT)))
    guarded = guard_openai(client, guard(STOP, finish_reason="content_filter"))
    async with guarded.chat.completions.stream(model="m", messages=ASK) as stream:
        deltas = [event.delta async for event in stream if event.type == "content.delta"]
        assert "".join(deltas) == stream.current_completion_snapshot.choices[0].message.content == STOPPED
        with pytest.raises(openai.ContentFilterFinishReasonError):
            await stream.get_final_completion()


class Note(BaseModel):
    first: str
    second: str


@pytest.mark.parametrize("policy", [Policy(), STOP])
async def test_a_parsed_answer_that_was_stopped_is_a_content_filters(upstream, client, chat, answer, policy):
    document = json.dumps({"first": "The mill is red. The moon is odd.", "second": "Fine."})
    guarded = guard_openai(client, guard(policy))
    asked = {"model": "m", "messages": ASK, "response_format": Note}
    for body in (answer(chat.stream(document)), answer([chat.body(document)], media="application/json")):
        upstream.will(body)
        if body.media == "application/json":
            asking = guarded.chat.completions.parse(**asked)
        else:
            asking = final_completion(guarded, asked)
        if policy is STOP:
            with pytest.raises(openai.ContentFilterFinishReasonError):
                await asking
        else:
            note = (await asking).choices[0].message.parsed
            assert note.first.startswith("The mill is red. [A statement here was withheld")
            assert note.second == "Fine."


async def final_completion(guarded, asked):
    async with guarded.chat.completions.stream(**asked) as stream:
        return await stream.get_final_completion()


async def test_the_parse_helper_accepts_a_text_that_was_stopped(upstream, client, chat, answer):
    upstream.will(answer([chat.body(TEXT)], media="application/json"))
    completion = await guard_openai(client, guard(STOP)).chat.completions.parse(model="m", messages=ASK)
    assert completion.choices[0].message.content == STOPPED


async def test_a_call_that_was_stopped_is_a_content_filters(upstream, client, chat, answer):
    function = {"name": "f", "arguments": json.dumps({"note": "The moon is odd.", "n": 1})}
    call = {"index": 0, "id": "c", "type": "function", "function": function}
    upstream.will(
        answer([chat.chunk({"tool_calls": [call]}), chat.chunk({}, finish="tool_calls"), b"data: [DONE]\n\n"])
    )
    guarded = guard_openai(client, guard(STOP, tool_call_arguments="guard"))
    with pytest.raises(openai.ContentFilterFinishReasonError):
        await final_completion(guarded, {"model": "m", "messages": ASK})


async def test_a_json_answer_stays_json(upstream, client, chat, answer):
    document = json.dumps({"a": "The mill is red. The moon is odd.", "b": ["Fine.", 3]})
    upstream.will(answer(chat.stream(document, size=3)))
    chunks = await ask(guard_openai(client, guard(STOP)), response_format={"type": "json_object"})
    assert json.loads(content(chunks))["a"] == "The mill is red. [Stopped.]"
    upstream.will(answer(chat.stream(document, size=3)))
    chunks = await ask(guard_openai(client, guard()), response_format={"type": "json_object"})
    assert json.loads(content(chunks))["b"] == ["Fine.", 3]
    assert "moon" not in content(chunks)


@pytest.mark.parametrize("size", [1, 4, 100])
async def test_a_json_answer_in_a_fence_is_guarded_too(upstream, client, chat, answer, size):
    document = '{"a": "The mill is red. The moon is odd.", "b": NaN, "c": "Fine."}'
    upstream.will(*[answer(chat.stream(f"```json\n{document}\n```", size=size)) for _ in range(2)])
    chunks = await ask(guard_openai(client, guard(STOP)), response_format={"type": "json_object"})
    assert content(chunks) == '```json\n{"a": "The mill is red. [Stopped.]"}\n```'
    chunks = await ask(guard_openai(client, guard()), response_format={"type": "json_object"})
    assert content(chunks) == f"```json\n{document}\n```".replace("The moon is odd.", NOTICE)


def token(text):
    return {"token": text, "logprob": -0.1, "bytes": None, "top_logprobs": []}


@pytest.mark.parametrize(
    ("deltas", "kept"),
    [
        (['{"a": "', "Hi. ", '", "moon": ', "19", "50", ', "x": "', "Hi.", '"', "}"], [0, 1, 2, 6, 7, 8]),
        (['{"a": "Hi. ', '", "moon": 19', '50, "x": "', "Hi.", '"}'], [0, 3, 4]),
        (['{"a": "', "Hi.", '", "mill": ', "19", "14", "}"], range(6)),
        (['{"mill": ', "1914"], range(2)),
    ],
    ids=["withheld", "withheld and split", "released", "released and broken off"],
)
async def test_log_probabilities_of_a_number_come_with_its_release_alone(
    upstream, client, chat, answer, deltas, kept
):
    parts = [chat.chunk({"content": text}, logprobs={"content": [token(text)]}) for text in deltas]
    upstream.will(answer([*parts, chat.chunk({}, finish="stop"), b"data: [DONE]\n\n"]))
    chunks = await ask(guard_openai(client, guard()), response_format={"type": "json_object"}, logprobs=True)
    told = [t.token for chunk in chunks for c in chunk.choices if c.logprobs for t in c.logprobs.content]
    assert told == [deltas[at] for at in kept]


class Offer(BaseModel):
    name: str
    moon_eur: float | None


OFFER = '{"name": "The mill", "moon_eur": 12.50, "fine": [3]}'


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 29])
async def test_a_wrong_number_is_null_for_every_cutting(upstream, client, chat, answer, size):
    upstream.will(answer(chat.stream(OFFER, size=size)))
    chunks = await ask(guard_openai(client, guard()), response_format={"type": "json_object"})
    assert content(chunks) == OFFER.replace("12.50", "null")
    told = [v for chunk in chunks for v in (getattr(chunk, "vista", None) or {}).get("verdicts", ())]
    assert {each["category"] for each in told} == {"verified", "contradicted"}


async def test_a_wrong_number_of_a_parsed_answer_is_none_or_fails_its_schema(upstream, client, chat, answer):
    class Priced(BaseModel):
        moon_eur: float

    guarded = guard_openai(client, guard())
    for body in (answer(chat.stream(OFFER)), answer([chat.body(OFFER)], media="application/json")):
        for form in (Offer, Priced):
            upstream.will(body)
            asked = {"model": "m", "messages": ASK, "response_format": form}
            streamed = body.media != "application/json"
            asking = final_completion(guarded, asked) if streamed else guarded.chat.completions.parse(**asked)
            if form is Offer:
                assert (await asking).choices[0].message.parsed == Offer(name="The mill", moon_eur=None)
            else:
                with pytest.raises(ValidationError):
                    await asking


async def test_numbers_pass_where_the_guard_says_so(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(OFFER)))
    guarded = guard_openai(client, guard(json_values="pass"))
    chunks = await ask(guarded, response_format={"type": "json_object"})
    assert json.loads(content(chunks))["moon_eur"] == 12.5


async def test_tool_call_arguments_are_guarded_where_asked_for(upstream, client, chat, answer):
    def call(arguments, **head):
        return chat.chunk(
            {"tool_calls": [{"index": 0, **head, "function": {**head.pop("f", {}), "arguments": arguments}}]}
        )

    arguments = json.dumps({"note": "The moon is odd.", "n": 1})
    first = chat.chunk(
        {
            "tool_calls": [
                {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
            ]
        }
    )
    rest = [call(arguments[at : at + 4]) for at in range(0, len(arguments), 4)]
    upstream.will(answer([first, *rest, chat.chunk({}, finish="tool_calls"), b"data: [DONE]\n\n"]))
    chunks = await ask(guard_openai(client, guard(tool_call_arguments="guard")))
    calls = [c for x in chunks for choice in x.choices for c in choice.delta.tool_calls or ()]
    assert calls[0].function.name == "f"
    got = json.loads("".join(call.function.arguments for call in calls))
    assert got["n"] == 1
    assert got["note"].startswith("[A statement")


CALLS = {
    "function_call": {"function_call": {"name": "f", "arguments": NOTE}},
    "custom": {
        "tool_calls": [
            {"id": "c", "type": "custom", "custom": {"name": "f", "input": "Well. The moon is odd."}}
        ]
    },
}


def called(message):
    if message.function_call:
        return message.function_call.name, json.loads(message.function_call.arguments)["note"]
    call = message.tool_calls[0].model_dump()["custom"]
    return call["name"], call["input"]


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("policy", [Policy(), STOP])
async def test_all_that_a_tool_is_called_with_is_guarded_where_asked_for(
    upstream, client, chat, answer, kind, policy
):
    before = "" if kind == "function_call" else "Well. "
    expected = before + ("[Stopped.]" if policy is STOP else REPLACED[17:-18])
    guarded = guard_openai(client, guard(policy, tool_call_arguments="guard"))
    upstream.will(answer([chat.body(None, **CALLS[kind])], media="application/json"))
    choice = (await guarded.chat.completions.create(model="m", messages=ASK)).choices[0]
    assert called(choice.message) == ("f", expected)
    assert choice.finish_reason == ("content_filter" if policy is STOP else "stop")
    (place, key), text = (
        (("function_call", "arguments"), NOTE)
        if kind == "function_call"
        else (("custom", "input"), "Well. The moon is odd.")
    )
    deltas = [
        {place: {"name": "f", key: ""}},
        *[{place: {key: text[at : at + 4]}} for at in range(0, len(text), 4)],
    ]
    if kind == "custom":
        deltas = [{"tool_calls": [{"index": 0, **delta}]} for delta in deltas]
        deltas[0]["tool_calls"][0] |= {"id": "c", "type": "custom"}
    parts = [chat.chunk(delta) for delta in deltas]
    upstream.will(answer([*parts, chat.chunk({}, finish="tool_calls"), b"data: [DONE]\n\n"]))
    chunks = await ask(guarded)
    assert "moon" not in "".join(chunk.model_dump_json() for chunk in chunks)
    sent = [delta.model_dump() for chunk in chunks for c in chunk.choices for delta in [c.delta]]
    inside = [
        delta["function_call"] or (delta["tool_calls"] or [{}])[0].get("custom") or {} for delta in sent
    ]
    joined = "".join(one.get(key) or "" for one in inside)
    assert (json.loads(joined)["note"] if kind == "function_call" else joined) == expected
    assert [one["name"] for one in inside if one.get("name")] == ["f"]


async def test_no_call_follows_a_text_that_was_stopped(upstream, client, chat, answer):
    upstream.will(answer([chat.body(TEXT, **CALLS["function_call"])], media="application/json"))
    choice = (
        await guard_openai(client, guard(STOP)).chat.completions.create(model="m", messages=ASK)
    ).choices[0]
    assert choice.message.content == STOPPED
    assert choice.message.function_call is None

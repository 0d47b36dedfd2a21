import asyncio
import json
import random
import threading

import anyio
import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from vista_stream import (
    Category,
    Importance,
    Policy,
    Session,
    TurnWithheld,
    UpstreamError,
    raise_,
    stop,
)
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.openai import Guard, guard_openai, text_deltas

pytestmark = [
    pytest.mark.anyio,
    # The official client leaves its own generators to the collector, guarded or not; trio says so.
    pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning"),
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <async_generator:pytest.PytestUnraisableExceptionWarning"
    ),
]

VITAL_FALSE = (Category.CONTRADICTED, Importance.VITAL)
STOP = Policy(rules={VITAL_FALSE: stop("[Stopped.]")})
TEXT = "The mill is red. The moon is of cheese, naïve 😀 as that is. It stands in Kew."
REPLACED = "The mill is red. [A statement here was withheld: it contradicts the reference.] It stands in Kew."
STOPPED = "The mill is red. [Stopped.]"
ASK = [{"role": "user", "content": "Tell me about the mill."}]


def guard(policy=None, **settings):
    stages = ScriptedStages({"moon": Category.CONTRADICTED}).stages()
    return Guard(stages=stages, policy=policy or Policy(), **settings)


@pytest.fixture
async def client(upstream):
    async with AsyncOpenAI(base_url=upstream.url, api_key="none", max_retries=0, timeout=10) as plain:
        yield plain


def sync_client(upstream):
    return OpenAI(base_url=upstream.url, api_key="none", max_retries=0, timeout=10)


async def ask(guarded, **settings):
    stream = await guarded.chat.completions.create(model="m", messages=ASK, stream=True, **settings)
    return [chunk async for chunk in stream]


def content(chunks, index=0):
    choices = [choice for chunk in chunks for choice in chunk.choices]
    return "".join(choice.delta.content or "" for choice in choices if choice.index == index)


def finishes(chunks):
    return [c.finish_reason for chunk in chunks for c in chunk.choices if c.finish_reason]


# -- chat completions, streamed


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_a_replaced_sentence_never_reaches_the_client(upstream, client, chat, answer, size):
    upstream.will(answer(chat.stream(TEXT, size=size)))
    chunks = await ask(guard_openai(client, guard()))
    assert content(chunks) == REPLACED
    assert finishes(chunks) == ["stop"]
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].usage.total_tokens == 21
    assert {chunk.system_fingerprint for chunk in chunks} == {"fp_1"}
    assert "cheese" not in "".join(chunk.model_dump_json() for chunk in chunks)


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_a_stop_finishes_validly_and_closes_the_upstream(upstream, client, chat, answer, size):
    long = TEXT + " More is said." * 200
    upstream.will(answer(chat.stream(long, size=size), pause=0.002))
    outcomes = []
    chunks = await ask(guard_openai(client, guard(STOP, on_outcome=outcomes.append)))
    assert content(chunks) == STOPPED
    assert finishes(chunks) == ["content_filter"]
    assert upstream.left.wait(5)
    assert upstream.sent[0] < len(chat.stream(long, size=size)) - 5
    assert outcomes[0].report.stopped
    assert chunks[-1].vista["stopped"]


@pytest.mark.parametrize("slow", [False, True])
async def test_nothing_of_a_choice_goes_out_after_a_stop(upstream, client, chat, answer, slow):
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
    parts = [
        *[chat.chunk({"content": piece}) for piece in ("The mill is red. ", "The moon is big.")],
        chat.chunk({"tool_calls": [call]}),
        chat.chunk({}, finish="tool_calls"),
        b"data: [DONE]\n\n",
    ]
    upstream.will(answer(parts, pause=0.03) if slow else answer(parts))
    chunks = await ask(guard_openai(client, guard(STOP)))
    assert content(chunks) == STOPPED
    assert not any(choice.delta.tool_calls for chunk in chunks for choice in chunk.choices)
    assert [c.finish_reason for chunk in chunks for c in chunk.choices][-1] == "content_filter"


async def test_what_a_chunk_says_beside_its_text_goes_out_once_and_after_it(upstream, client, chat, answer):
    parts = [
        chat.chunk({"content": "The mill is red. It stands "}, citations=["a"]),
        chat.chunk({"content": "in Kew."}, citations=["a"]),
        chat.chunk({}, finish="stop", citations=["a", "b"]),
        b"data: [DONE]\n\n",
    ]
    upstream.will(answer(parts))
    chunks = await ask(guard_openai(client, guard()))
    assert content(chunks) == "The mill is red. It stands in Kew."
    assert [chunk.citations for chunk in chunks if hasattr(chunk, "citations")] == [["a"], ["a", "b"]]


async def test_an_error_beside_the_last_delta_comes_after_the_text(upstream, client, chat, answer):
    last = chat.chunk({"content": ""}, finish="error", error={"code": 502, "message": "boom"})
    upstream.will(answer([chat.chunk({"content": "The mill is red. It stands"}), last]))
    seen = []
    with pytest.raises(openai.APIError, match="boom"):
        async for chunk in await guard_openai(client, guard()).chat.completions.create(
            model="m", messages=ASK, stream=True
        ):
            seen.append(chunk)
    assert content(seen) == "The mill is red. It stands"


async def test_a_responses_error_without_a_type_comes_after_the_text(upstream, client, responses, answer):
    parts = responses.stream("The mill is red. It stands in Kew.")
    cut = next(n for n, part in enumerate(parts) if b"output_text.done" in part)
    error = b'data: {"error": {"message": "boom", "type": "server_error", "code": "x"}}\n\n'
    upstream.will(answer([*parts[:cut], error]))
    text = ""
    with pytest.raises(openai.APIError, match="boom"):
        async for event in await guard_openai(client, guard()).responses.create(
            model="m", input="Tell me.", stream=True
        ):
            text += event.delta if event.type == "response.output_text.delta" else ""
    assert text == "The mill is red. It stands in Kew."


async def test_verdicts_are_on_the_chunk_of_their_text(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)))
    chunks = await ask(guard_openai(client, guard()))
    told = [chunk.vista for chunk in chunks if hasattr(chunk, "vista")]
    assert [entry.get("action") for entry in told] == ["released", "replaced", "released", None]
    assert told[0]["verdicts"][0]["claim"] == "The mill is red."
    assert told[1]["verdicts"][0]["category"] == "contradicted"
    assert "claim" not in told[1]["verdicts"][0]
    assert told[3]["received"] == len(TEXT)
    assert told[3]["withheld"] > 0


async def test_withheld_wording_is_shown_where_asked_for(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)))
    chunks = await ask(guard_openai(client, guard(show_withheld=True)))
    assert any("cheese" in str(getattr(chunk, "vista", "")) for chunk in chunks)
    assert "cheese" not in content(chunks)


async def test_what_is_no_text_passes_untouched_and_in_order(upstream, client, chat, answer):
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}
    more = {"index": 0, "function": {"arguments": '{"moon": "moon"}'}}
    upstream.will(
        answer(
            [
                chat.chunk({"role": "assistant", "reasoning_content": "The moon?"}),
                chat.chunk({"content": "The mill is red. "}),
                chat.chunk({"content": "The moon is big."}),
                chat.chunk({"tool_calls": [call]}),
                chat.chunk({"tool_calls": [more]}),
                chat.chunk({"refusal": "no"}),
                chat.chunk({}, finish="tool_calls"),
                b"data: [DONE]\n\n",
            ]
        )
    )
    chunks = await ask(guard_openai(client, guard()))
    seen = [
        next(iter(c.delta.model_dump(exclude_unset=True)), c.finish_reason) for x in chunks for c in x.choices
    ]
    assert seen == [
        "role",
        "content",
        "content",
        "content",
        "tool_calls",
        "tool_calls",
        "refusal",
        "tool_calls",
    ]
    assert chunks[0].choices[0].delta.reasoning_content == "The moon?"
    assert chunks[-3].choices[0].delta.tool_calls[0].function.arguments == '{"moon": "moon"}'


async def test_each_choice_is_a_turn_of_its_own(upstream, client, chat, answer):
    texts = ["All is well. The moon is odd. Red.", "The moon is odd. Blue. Fine.", "Fine. All of it."]
    deltas = [(index, text[at : at + 2]) for at in range(0, 40, 2) for index, text in enumerate(texts)]
    upstream.will(
        answer(
            [
                *[chat.chunk({"role": "assistant", "content": ""}, index=index) for index in range(3)],
                *[chat.chunk({"content": piece}, index=index) for index, piece in deltas if piece],
                *[chat.chunk({}, index=index, finish="stop") for index in range(3)],
                frame_usage(chat),
                b"data: [DONE]\n\n",
            ]
        )
    )
    chunks = await ask(guard_openai(client, guard(STOP)), n=3)
    assert [content(chunks, index) for index in range(3)] == [
        "All is well. [Stopped.]",
        "[Stopped.]",
        "Fine. All of it.",
    ]
    assert sorted(finishes(chunks)) == ["content_filter", "content_filter", "stop"]


def frame(payload):
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def frame_usage(chat):
    return frame({**chat.base, "choices": [], "usage": chat.usage})


async def test_log_probabilities_are_kept_for_released_deltas_only(upstream, client, chat, answer):
    words = ["The", " mill", " is", " red", ".", " The", " moon", ".", " Good", "."]
    chunks = [
        chat.chunk({"content": word}, logprobs={"content": [token(word)], "refusal": None}) for word in words
    ]
    upstream.will(answer([*chunks, chat.chunk({}, finish="stop"), b"data: [DONE]\n\n"]))
    got = await ask(guard_openai(client, guard()), logprobs=True)
    kept = [t.token for x in got for c in x.choices if c.logprobs for t in c.logprobs.content]
    assert kept[:5] == words[:5]
    assert " moon" not in kept
    assert kept[-1] == "."


def token(text):
    return {"token": text, "logprob": -0.1, "bytes": None, "top_logprobs": []}


def with_copies(chat, so_far, *, text, **more):
    """A chunk that says its text once more in every place where some services do."""
    choice = {
        "index": 0,
        "delta": {"content": text} if text else {},
        "message": {"role": "assistant", "content": so_far},
        "text": text,
        "token_ids": [7, 8],
        "logprobs": {"content": [token("cheese")], "refusal": None},
        "finish_reason": more.pop("finish", None),
    }
    return frame({**chat.base, "choices": [choice], "message": {"content": so_far}, **more})


@pytest.mark.parametrize("last", ["", " Cheesecake."], ids=["no text", "text"])
async def test_no_copy_of_the_text_beside_the_delta_goes_out(upstream, client, chat, answer, last):
    pieces = [TEXT[at : at + 9] for at in range(0, len(TEXT), 9)]
    chunks = [
        with_copies(chat, TEXT[: 9 * (number + 1)], text=piece, usage=chat.usage)
        for number, piece in enumerate(pieces)
    ]
    end = with_copies(chat, TEXT + last, text=last, usage=chat.usage, finish="stop")
    upstream.will(answer([*chunks, end, b"data: [DONE]\n\n"]))
    got = await ask(guard_openai(client, guard()), logprobs=True)
    rest = [chunk for chunk in got if not chunk.choices[0].delta.content]
    assert finishes(got) == ["stop"]
    assert got[-1].usage.total_tokens == 21
    assert "cheese" not in "".join(chunk.model_dump_json() for chunk in rest)
    assert not any({"message", "text", "token_ids"} & chunk.choices[0].model_fields_set for chunk in got)
    assert not any("message" in chunk.model_fields_set for chunk in got)


async def test_log_probabilities_of_a_refusal_pass(upstream, client, chat, answer):
    chunk = chat.chunk({"refusal": "No."}, logprobs={"content": None, "refusal": [token("No.")]})
    upstream.will(answer([chunk, chat.chunk({}, finish="stop"), b"data: [DONE]\n\n"]))
    got = await ask(guard_openai(client, guard()), logprobs=True)
    assert got[0].choices[0].logprobs.refusal[0].token == "No."


async def test_no_copy_of_the_text_beside_the_message_is_answered(upstream, client, chat, answer):
    body = json.loads(chat.body(TEXT))
    body["choices"][0] |= {"delta": {"content": TEXT}, "text": TEXT, "token_ids": [7, 8]}
    upstream.will(answer([json.dumps({**body, "text": TEXT}).encode()], media="application/json"))
    completion = await guard_openai(client, guard()).chat.completions.create(model="m", messages=ASK)
    assert completion.choices[0].message.content == REPLACED
    assert "cheese" not in completion.model_dump_json()


async def test_text_finish_and_usage_in_one_chunk(upstream, client, chat, answer):
    only = chat.chunk({"role": "assistant", "content": TEXT}, finish="stop", usage=chat.usage)
    upstream.will(answer([only, b"data: [DONE]\n\n"]))
    chunks = await ask(guard_openai(client, guard()))
    assert content(chunks) == REPLACED
    assert chunks[0].choices[0].delta.role == "assistant"
    assert finishes(chunks) == ["stop"]
    assert chunks[-1].usage.total_tokens == 21


async def test_an_empty_finish_reason_is_none(upstream, client, chat, answer):
    pieces = [TEXT[at : at + 3] for at in range(0, len(TEXT), 3)]
    deltas = [chat.chunk({"content": piece}, finish="") for piece in pieces]
    upstream.will(answer([*deltas, chat.chunk({}, finish="stop"), b"data: [DONE]\n\n"]))
    assert content(await ask(guard_openai(client, guard()))) == REPLACED


async def test_text_after_its_choice_has_finished_is_refused(upstream, client, chat, answer):
    first = [chat.chunk({"content": "The mill is red. "}), chat.chunk({}, finish="stop")]
    upstream.will(answer([*first, chat.chunk({"content": "The moon is odd."}), b"data: [DONE]\n\n"]))
    with pytest.raises(UpstreamError, match="after its end"):
        await ask(guard_openai(client, guard()))


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


NOTE = json.dumps({"note": "The moon is odd.", "n": 1})
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


async def test_two_hundred_cuts_of_the_bytes_give_the_same_text(upstream, client, chat, answer):
    wire = b"".join(chat.stream(TEXT, size=2))
    choice = random.Random(11)
    guarded = guard_openai(client, guard())
    for number in range(200):
        cuts = sorted(choice.sample(range(len(wire)), choice.choice([1, 5, 40])))
        cut = [wire[a:b] for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True)]
        if number % 2:
            cut = [piece.replace(b"\n", b"\r\n") for piece in cut]
        upstream.will(answer(cut))
        assert content(await ask(guarded)) == REPLACED


# -- responses


@pytest.mark.parametrize("size", [1, 3, 50])
@pytest.mark.parametrize("policy", [Policy(), STOP])
async def test_responses_hold_only_released_text(upstream, client, responses, answer, size, policy):
    upstream.will(answer(responses.stream(TEXT, size=size)))
    guarded = guard_openai(client, guard(policy))
    stream = await guarded.responses.create(model="m", input="Tell me.", stream=True)
    events = [event async for event in stream]
    assert "cheese" not in "".join(event.model_dump_json() for event in events)
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert text == (STOPPED if policy is STOP else REPLACED)
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [e.type for e in events if e.type.endswith("done")] == [
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
    ]
    assert events[-1].response.output_text == text
    assert events[-1].response.status == ("incomplete" if policy is STOP else "completed")


@pytest.mark.parametrize("policy", [Policy(), STOP])
async def test_the_responses_helper_accepts_guarded_streams(upstream, client, responses, answer, policy):
    upstream.will(answer(responses.stream(TEXT)))
    guarded = guard_openai(client, guard(policy))
    async with guarded.responses.stream(model="m", input="Tell me.") as stream:
        snapshots = [event.snapshot async for event in stream if event.type == "response.output_text.delta"]
        final = await stream.get_final_response()
    assert snapshots[-1] == final.output_text == (STOPPED if policy is STOP else REPLACED)
    reason = final.incomplete_details and final.incomplete_details.reason
    assert reason == ("content_filter" if policy is STOP else None)


@pytest.mark.parametrize("policy", [Policy(), STOP])
@pytest.mark.parametrize("key", ["arguments", "input"])
async def test_what_tools_of_responses_are_called_with_is_guarded_where_asked_for(
    upstream, client, responses, answer, key, policy
):
    text = {"arguments": NOTE, "input": "Well. The moon is odd."}[key]
    kind, name = {
        "arguments": ("function_call", "response.function_call_arguments"),
        "input": ("custom_tool_call", "response.custom_tool_call_input"),
    }[key]
    item = {"id": "fc_1", "type": kind, "call_id": "c", "name": "f", "status": "completed", key: text}
    at = {"item_id": "fc_1", "output_index": 0}
    deltas = [text[start : start + 4] for start in range(0, len(text), 4)]
    parts = [
        responses.event("response.created", response=responses.response("in_progress", [])),
        responses.event("response.output_item.added", output_index=0, item={**item, key: ""}),
        *[responses.event(f"{name}.delta", **at, delta=delta) for delta in deltas],
        responses.event(f"{name}.done", **at, name="f", **{key: text}),
        responses.event("response.output_item.done", output_index=0, item=item),
        responses.event("response.completed", response=responses.response("completed", [item])),
    ]
    whole = json.dumps(responses.response("completed", [item])).encode()
    guarded = guard_openai(client, guard(policy, tool_call_arguments="guard", finish_reason="stop"))
    upstream.will(answer(parts), answer([whole], media="application/json"))
    events = [event async for event in await guarded.responses.create(model="m", input="?", stream=True)]
    assert "moon" not in "".join(event.model_dump_json() for event in events)
    streamed = "".join(event.delta for event in events if event.type == f"{name}.delta")
    answered = await guarded.responses.create(model="m", input="?")
    expected = "[Stopped.]" if policy is STOP else REPLACED[17:-18]
    for response in (events[-1].response, answered):
        got = response.output[0].model_dump()[key]
        assert got == streamed
        assert (json.loads(got)["note"] if key == "arguments" else got.removeprefix("Well. ")) == expected
        assert response.status == ("incomplete" if policy is STOP else "completed")


# -- not streamed


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


# -- the synchronous client


@pytest.mark.parametrize("policy", [Policy(), STOP])
def test_the_synchronous_client_in_all_its_ways(upstream, chat, responses, answer, policy):
    expected = STOPPED if policy is STOP else REPLACED
    with guard_openai(sync_client(upstream), guard(policy)) as guarded:
        upstream.will(answer(chat.stream(TEXT)))
        chunks = list(guarded.chat.completions.create(model="m", messages=ASK, stream=True))
        assert content(chunks) == expected
        with guarded.chat.completions.stream(model="m", messages=ASK) as stream:
            assert stream.get_final_completion().choices[0].message.content == expected
        upstream.will(answer(responses.stream(TEXT)))
        events = list(guarded.responses.create(model="m", input="Tell me.", stream=True))
        assert events[-1].response.output_text == expected
        with guarded.responses.stream(model="m", input="Tell me.") as stream:
            assert stream.get_final_response().output_text == expected
        upstream.will(answer([chat.body(TEXT)], media="application/json"))
        completion = guarded.chat.completions.create(model="m", messages=ASK)
        assert completion.choices[0].message.content == expected


async def test_the_synchronous_client_where_an_event_loop_runs(upstream, chat, answer):
    with guard_openai(sync_client(upstream), guard()) as guarded:
        upstream.will(answer([chat.body(TEXT)], media="application/json"))
        completion = guarded.chat.completions.create(model="m", messages=ASK)
        assert completion.choices[0].message.content == REPLACED
        upstream.will(answer(chat.stream(TEXT)))
        stream = guarded.chat.completions.create(model="m", messages=ASK, stream=True)
        assert content(list(stream)) == REPLACED


def test_the_synchronous_client_has_one_event_loop_for_all_answers(upstream, chat, answer):
    loops = []

    class Noting(ScriptedStages):
        async def verify(self, claim, grounds):
            loops.append(asyncio.get_running_loop())
            return await super().verify(claim, grounds)

    upstream.will(
        answer(chat.stream(TEXT)),
        answer([chat.body(TEXT)], media="application/json"),
        answer(chat.stream(TEXT)),
    )
    guarded = guard_openai(sync_client(upstream), Guard(stages=Noting().stages()))
    for stream in (True, False, True):
        answered = guarded.chat.completions.create(model="m", messages=ASK, stream=stream)
        assert list(answered)
    assert len(loops) > 3
    assert len(set(loops)) == 1


def test_a_synchronous_client_that_leaves_closes_the_upstream(upstream, chat, answer):
    upstream.will(answer(chat.stream(TEXT + " More." * 500), pause=0.01))
    with guard_openai(sync_client(upstream), guard()) as guarded:
        stream = guarded.chat.completions.create(model="m", messages=ASK, stream=True)
        for chunk in stream:
            if chunk.choices[0].delta.content:
                break
        stream.close()
        assert upstream.left.wait(5)


def test_a_synchronous_stream_may_be_closed_by_another_thread(upstream, chat, answer):
    upstream.will(answer(chat.stream(TEXT + " More." * 500), pause=0.01))
    with guard_openai(sync_client(upstream), guard()) as guarded:
        stream = guarded.chat.completions.create(model="m", messages=ASK, stream=True)
        begun, raised = threading.Event(), []

        def read():
            try:
                for _ in stream:
                    begun.set()
            except Exception as error:
                raised.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        assert begun.wait(5)
        stream.close()
        reader.join(5)
        assert not reader.is_alive()
        assert raised == []
        assert upstream.left.wait(5)
        stream.close()


# -- citations


def cite(part, title):
    start = TEXT.index(part)
    return {"start_index": start, "end_index": start + len(part), "title": title, "url": "http://x.y"}


CITED = [
    cite("The mill is red.", "Mill"),
    cite("of cheese", "All cheese"),
    cite("red. The moon", "Red moon"),
    cite("in Kew", "Kew"),
]


def pointed(text, citations):
    return [(one["title"], text[one["start_index"] : one["end_index"]]) for one in citations]


KEPT = [("Mill", "The mill is red."), ("Kew", "in Kew")]


async def test_citations_of_chat_completions_point_at_what_was_released(upstream, client, chat, answer):
    nested = [{"type": "url_citation", "url_citation": one} for one in CITED]
    guarded = guard_openai(client, guard())
    upstream.will(answer([chat.body(TEXT, annotations=nested)], media="application/json"))
    message = (await guarded.chat.completions.create(model="m", messages=ASK)).choices[0].message
    whole = [one.url_citation.model_dump() for one in message.annotations]
    assert pointed(message.content, whole) == KEPT
    last = chat.chunk({"content": TEXT[60:], "annotations": nested}, finish="stop")
    upstream.will(answer([chat.chunk({"content": TEXT[:60]}), last, b"data: [DONE]\n\n"]))
    chunks = await ask(guarded)
    deltas = [choice.delta.model_dump() for chunk in chunks for choice in chunk.choices]
    streamed = [one["url_citation"] for delta in deltas for one in delta.get("annotations") or ()]
    assert pointed(content(chunks), streamed) == KEPT
    assert "cheese" not in "".join(chunk.model_dump_json() for chunk in chunks)


async def test_citations_of_responses_point_at_what_was_released(upstream, client, responses, answer):
    flat = [{"type": "url_citation", **one} for one in CITED]
    of_file = {"type": "file_citation", "file_id": "f", "filename": "a.txt", "index": 0}
    body = json.loads(responses.body(TEXT))
    body["output"][0]["content"][0]["annotations"] = [*flat, of_file]
    guarded = guard_openai(client, guard())
    upstream.will(answer([json.dumps(body).encode()], media="application/json"))
    part = (await guarded.responses.create(model="m", input="?")).output[0].content[0]
    *found, last = [one.model_dump() for one in part.annotations]
    assert (pointed(part.text, found), last["filename"]) == (KEPT, "a.txt")
    part = {"type": "output_text", "annotations": flat, "logprobs": [], "text": TEXT}
    responses.part = lambda text: {**part, "text": text, "annotations": flat if text else []}
    at = {"item_id": responses.item_id, "output_index": 0, "content_index": 0}
    added = [
        responses.event(
            "response.output_text.annotation.added", **at, annotation=one, annotation_index=number
        )
        for number, one in enumerate(flat)
    ]
    parts = responses.stream(TEXT)
    done = next(number for number, one in enumerate(parts) if b"output_text.done" in one)
    upstream.will(answer([*parts[:done], *added, *parts[done:]]))
    events = [event async for event in await guarded.responses.create(model="m", input="?", stream=True)]
    assert "cheese" not in "".join(event.model_dump_json() for event in events)
    one_by_one = [event for event in events if event.type == "response.output_text.annotation.added"]
    final = events[-1].response.output[0].content[0]
    assert pointed(final.text, [one.model_dump() for one in final.annotations]) == KEPT
    assert pointed(final.text, [event.model_dump()["annotation"] for event in one_by_one]) == KEPT
    assert [event.annotation_index for event in one_by_one] == [0, 1]


# -- spoken answers, and what was kept


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


# -- what goes wrong


async def test_an_upstream_that_dies_midway(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)[:-8], ending="abort"))
    chunks = []
    stream = await guard_openai(client, guard()).chat.completions.create(model="m", messages=ASK, stream=True)
    with pytest.raises(openai.APIConnectionError):
        async for chunk in stream:
            chunks.append(chunk)
    assert content(chunks).startswith("The mill is red. [A statement here")
    assert "cheese" not in content(chunks)


@pytest.mark.parametrize(
    ("status", "error"), [(429, openai.RateLimitError), (500, openai.InternalServerError)]
)
async def test_an_upstream_that_refuses(upstream, client, answer, status, error):
    body = json.dumps({"error": {"message": "no", "type": "t", "code": None}}).encode()
    upstream.will(answer([body], status=status, media="application/json"))
    with pytest.raises(error, match="no"):
        await ask(guard_openai(client, guard()))


async def test_broken_json_is_never_passed_on(upstream, client, chat, answer):
    upstream.will(answer([*chat.stream(TEXT)[:30], b'data: {"choices": [cheese\n\n']))
    with pytest.raises(UpstreamError, match="not JSON"):
        await ask(guard_openai(client, guard()))


async def test_an_error_in_the_stream_is_the_clients_error(upstream, client, chat, answer):
    failure = b'data: {"error": {"message": "overloaded", "type": "server_error"}}\n\n'
    upstream.will(answer([*chat.stream("Fine. All is")[:4], failure]))
    with pytest.raises(openai.APIError, match="overloaded"):
        await ask(guard_openai(client, guard()))


async def test_an_upstream_that_stalls(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)[:10], ending="stall"))
    with pytest.raises(openai.APITimeoutError):
        await ask(guard_openai(client.with_options(timeout=0.3), guard()))


async def test_a_client_that_leaves_closes_the_upstream(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT + " More." * 500), pause=0.01))
    guarded = guard_openai(client, guard())
    async with await guarded.chat.completions.create(model="m", messages=ASK, stream=True) as stream:
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
    assert await anyio.to_thread.run_sync(upstream.left.wait, 5)


async def test_a_client_that_is_cancelled_closes_the_upstream(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT + " More." * 500), pause=0.01))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, guard_openai(client, guard()))
        while not upstream.requests:  # noqa: ASYNC110 - the server is of another thread
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    assert await anyio.to_thread.run_sync(upstream.left.wait, 5)


async def test_a_policy_that_raises(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)))
    guarded = guard_openai(client, guard(Policy(rules={VITAL_FALSE: raise_()})))
    chunks = []
    stream = await guarded.chat.completions.create(model="m", messages=ASK, stream=True)
    with pytest.raises(TurnWithheld):
        async for chunk in stream:
            chunks.append(chunk)
    assert content(chunks) == "The mill is red. "


async def test_an_answer_that_the_policy_withholds_is_not_asked_for_again(
    upstream, client, chat, responses, answer
):
    upstream.will(answer([chat.body(TEXT)], media="application/json"))
    guarded = guard_openai(client.with_options(max_retries=2), guard(Policy(rules={VITAL_FALSE: raise_()})))
    asked = {"model": "m", "messages": ASK}
    with pytest.raises(TurnWithheld):
        await guarded.chat.completions.create(**asked)
    raw = await guarded.chat.completions.with_raw_response.create(**asked)
    for read in (raw.parse, lambda: raw.text, raw.http_response.json, raw.http_response.read):
        with pytest.raises(TurnWithheld):
            read()
    async with guarded.chat.completions.with_streaming_response.create(**asked) as streamed:
        with pytest.raises(TurnWithheld):
            await streamed.parse()
    assert len(upstream.requests) == 3


def test_what_a_callback_raises_is_raised_once(upstream, chat, answer):
    def broken(outcome):
        raise KeyError(outcome.conversation)

    upstream.will(answer([chat.body(TEXT)], media="application/json"))
    plain = OpenAI(base_url=upstream.url, api_key="none", max_retries=2)
    asked = {"model": "m", "messages": ASK}
    with guard_openai(plain, guard(on_outcome=broken)) as guarded:
        with pytest.raises(KeyError):
            guarded.chat.completions.create(**asked)
        with (
            guarded.chat.completions.with_streaming_response.create(**asked) as streamed,
            pytest.raises(KeyError),
        ):
            streamed.read()
    assert len(upstream.requests) == 2


# -- the rest


async def test_a_raw_response_says_how_long_it_took(upstream, client, chat, answer):
    upstream.will(answer([chat.body(TEXT)], media="application/json"))
    asked = {"model": "m", "messages": ASK}
    raw = await guard_openai(client, guard()).chat.completions.with_raw_response.create(**asked)
    assert raw.elapsed.total_seconds() > 0
    with guard_openai(sync_client(upstream), guard()) as guarded:
        assert guarded.chat.completions.with_raw_response.create(**asked).elapsed.total_seconds() > 0


async def test_the_conversation_is_named_by_a_header_that_stays_here(upstream, client, chat, answer):
    kept = guard()
    upstream.will(answer(chat.stream("The mill is red.")))
    await ask(guard_openai(client, kept), extra_headers={"X-Vista-Conversation": "c1"})
    assert [statement.text for statement in await kept.store.load("c1")] == ["The mill is red."]
    assert not any("vista" in name.lower() for name in upstream.headers[0])


async def test_an_answer_that_is_asked_for_again_is_not_held_against_the_first(
    upstream, client, chat, answer
):
    kept, named = guard(), {"extra_headers": {"X-Vista-Conversation": "c1"}}
    guarded = guard_openai(client, kept)
    upstream.will(answer(chat.stream("The mill is red.")), answer(chat.stream("The mill is blue.")))
    await ask(guarded, **named)
    await ask(guarded, **named)
    assert [statement.text for statement in await kept.common_ground("c1")] == ["The mill is blue."]


async def test_other_endpoints_and_the_client_given_stay_as_they_are(upstream, client, chat, answer):
    plain = client
    guarded = guard_openai(plain, guard())
    upstream.will(answer([b'{"object": "list", "data": [{"id": "moon"}]}'], media="application/json"))
    assert [model.id async for model in guarded.models.list()] == ["moon"]
    upstream.will(answer(chat.stream(TEXT)))
    assert content(await ask(plain)) == TEXT


async def test_files_are_uploaded_through_a_guarded_client(upstream, client, answer):
    stored = {"id": "f1", "object": "file", "bytes": 4, "filename": "a.txt", "purpose": "assistants"}
    upstream.will(answer([json.dumps(stored).encode()], media="application/json"))
    sent = {"file": ("a.txt", b"text"), "purpose": "assistants"}
    assert (await guard_openai(client, guard()).files.create(**sent)).id == "f1"
    with guard_openai(sync_client(upstream), guard()) as guarded:
        assert guarded.files.create(**sent).id == "f1"


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


@pytest.mark.parametrize(
    "body",
    [b"The moon is of cheese.", b'["The moon is of cheese."]', b"[" * 10_000],
    ids=["text", "list", "deep"],
)
@pytest.mark.parametrize("media", ["application/json", "text/plain"])
async def test_an_answer_that_cannot_be_read_is_not_passed_on(upstream, client, answer, body, media):
    upstream.will(answer([body], media=media))
    with pytest.raises(UpstreamError, match="not"):
        await guard_openai(client, guard()).chat.completions.create(model="m", messages=ASK)
    with guard_openai(sync_client(upstream), guard()) as guarded, pytest.raises(UpstreamError, match="not"):
        guarded.chat.completions.create(model="m", messages=ASK)


async def test_content_in_parts_is_refused_by_name(upstream, client, chat, answer):
    body = json.loads(chat.body("The mill is red."))
    body["choices"][0]["message"]["content"] = [{"type": "text", "text": "The moon is big."}]
    upstream.will(answer([json.dumps(body).encode()], media="application/json"))
    with pytest.raises(UpstreamError, match="content that is not text"):
        await guard_openai(client, guard()).chat.completions.create(model="m", messages=ASK)


async def test_text_deltas_feed_a_session_of_your_own(upstream, client, chat, responses, answer):
    plain, stages = client, ScriptedStages({"moon": Category.CONTRADICTED}).stages()
    upstream.will(answer(chat.stream(TEXT)), answer(responses.stream(TEXT)))
    for stream in (
        await plain.chat.completions.create(model="m", messages=ASK, stream=True),
        await plain.responses.create(model="m", input="Tell me.", stream=True),
    ):
        async with Session(stages=stages).turn(text_deltas(stream)) as turn:
            assert "".join([piece async for piece in turn.text()]) == REPLACED


def test_a_client_of_another_kind_is_refused():
    from vista_stream_adapters.guarded_http import guarded_client

    with pytest.raises(TypeError, match="httpx"):
        guarded_client(object(), guard(), lambda *_: None)

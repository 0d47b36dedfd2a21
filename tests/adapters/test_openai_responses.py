"""The responses API of a guarded client, streamed."""

import json

import openai
import pytest

from openai_guarding import MARKS, NOTE, REPLACED, STOP, STOPPED, TEXT, guard
from vista_stream import Policy
from vista_stream_adapters.openai import guard_openai

pytestmark = MARKS


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


LATE = ["content_part.done", "output_item.done", "response.completed"]


@pytest.mark.parametrize("first", LATE)
@pytest.mark.parametrize("policy", [Policy(), STOP])
async def test_a_text_that_no_delta_told_is_guarded_where_it_stands(
    upstream, client, responses, answer, first, policy
):
    left_out = ["output_text.d", *LATE[: LATE.index(first)]]
    parts = [part for part in responses.stream(TEXT) if not any(name.encode() in part for name in left_out)]
    upstream.will(answer(parts))
    guarded = guard_openai(client, guard(policy))
    async with guarded.responses.stream(model="m", input="Tell me.") as stream:
        events = [event async for event in stream]
        final = await stream.get_final_response()
    assert "cheese" not in repr(events)
    assert final.output_text == (STOPPED if policy is STOP else REPLACED)
    assert final.status == ("incomplete" if policy is STOP else "completed")
    assert final.id == "resp_1"
    if policy is not STOP:
        assert final.output[0].content[0].vista["withheld"] > 0


@pytest.mark.parametrize("policy", [Policy(), STOP])
async def test_a_text_that_only_its_last_event_tells_is_sent_in_deltas(
    upstream, client, responses, answer, policy
):
    upstream.will(answer([part for part in responses.stream(TEXT) if b"output_text.delta" not in part]))
    guarded = guard_openai(client, guard(policy))
    events = [event async for event in await guarded.responses.create(model="m", input="?", stream=True)]
    assert "cheese" not in "".join(event.model_dump_json() for event in events)
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert text == events[-1].response.output_text == (STOPPED if policy is STOP else REPLACED)


@pytest.mark.parametrize("policy", [Policy(), STOP])
async def test_texts_that_no_delta_told_are_guarded_one_by_one(upstream, client, responses, answer, policy):
    call = {"id": "fc_1", "type": "function_call", "call_id": "c", "name": "f", "status": "completed"}
    items = [responses.item("The mill is red."), {**call, "arguments": NOTE}]
    whole = responses.response("completed", items)
    upstream.will(answer([responses.event("response.completed", response=whole)]))
    guarded = guard_openai(client, guard(policy, tool_call_arguments="guard"))
    events = [event async for event in await guarded.responses.create(model="m", input="?", stream=True)]
    told = events[-1].response
    assert (told.output_text, told.output[1].call_id) == ("The mill is red.", "c")
    expected = "[Stopped.]" if policy is STOP else REPLACED[17:-18]
    assert json.loads(told.output[1].arguments)["note"] == expected


@pytest.mark.parametrize("name", ["", "m"])
async def test_items_with_the_same_id_keep_their_own_texts(upstream, client, responses, answer, name):
    responses.item_id = name
    texts, parts = ["The mill is red.", "The moon is odd."], []
    for output, text in enumerate(texts):
        at = {"item_id": name, "output_index": output, "content_index": 0}
        parts += [
            responses.event("response.output_text.delta", **at, delta=text, logprobs=[]),
            responses.event("response.output_text.done", **at, text=text, logprobs=[]),
            responses.event("response.output_item.done", output_index=output, item=responses.item(text)),
        ]
    whole = responses.response("completed", [responses.item(text) for text in texts])
    upstream.will(answer([*parts, responses.event("response.completed", response=whole)]))
    guarded = guard_openai(client, guard())
    events = [event async for event in await guarded.responses.create(model="m", input="?", stream=True)]
    told = [item.content[0].text for item in events[-1].response.output]
    assert told == ["The mill is red.", REPLACED[17:-18]]


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

import json

import pytest
from anthropic import Anthropic, AsyncAnthropic, BadRequestError

from vista_stream import Category, Importance, Policy, TurnWithheld, raise_, stop
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.anthropic import guard_anthropic
from vista_stream_adapters.guard import Guard, retrieved_documents
from vista_stream_adapters.rewrite.messages import MessagesDialect

pytestmark = [
    pytest.mark.anyio,
    # The official client leaves its own generators to the collector, guarded or not; trio says so.
    pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning"),
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <async_generator:pytest.PytestUnraisableExceptionWarning"
    ),
]

ASK = {"model": "m", "max_tokens": 50, "messages": [{"role": "user", "content": "What of the mill?"}]}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 1},
}
TOOL = {"type": "tool_use", "id": "tool_1", "name": "f", "input": {}}


def event(kind, **fields):
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def wire(text, size=3, start=""):
    deltas = [{"type": "text_delta", "text": text[at : at + size]} for at in range(0, len(text), size)]
    call = {"type": "input_json_delta", "partial_json": '{"moon": 1}'}
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    return [
        event("message_start", message=MESSAGE),
        event("content_block_start", index=0, content_block={"type": "text", "text": start}),
        event("ping"),
        *[event("content_block_delta", index=0, delta=delta) for delta in deltas],
        event("content_block_stop", index=0),
        event("content_block_start", index=1, content_block=TOOL),
        event("content_block_delta", index=1, delta=call),
        event("content_block_stop", index=1),
        event("message_delta", delta=end, usage={"output_tokens": 9}),
        event("message_stop"),
    ]


def body(text):
    content = [{"type": "text", "text": text}, {**TOOL, "input": {"moon": 1}}]
    return json.dumps({**MESSAGE, "content": content, "stop_reason": "tool_use"}).encode()


def check(message, case):
    assert message.content[0].text == case.expected
    assert message.stop_reason == ("refusal" if case.stops else "tool_use")
    assert [block.type for block in message.content] == (["text"] if case.stops else ["text", "tool_use"])


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_streams_hold_only_released_text(upstream, answer, case, size):
    upstream.will(answer(wire(case.text, size)))
    async with AsyncAnthropic(base_url=upstream.url, api_key="none", max_retries=0) as client:
        guarded = guard_anthropic(client, case.guard)
        events = [event async for event in await guarded.messages.create(**ASK, stream=True)]
        assert "cheese" not in "".join(repr(event) for event in events)
        async with guarded.messages.stream(**ASK) as stream:
            text = "".join([piece async for piece in stream.text_stream])
            check(await stream.get_final_message(), case)
    assert text == case.expected
    assert events[-1].type == "message_stop"


async def test_text_in_the_start_of_a_block_is_guarded(upstream, answer, case):
    upstream.will(answer(wire(case.text[9:], start=case.text[:9])))
    async with (
        AsyncAnthropic(base_url=upstream.url, api_key="none", max_retries=0) as client,
        guard_anthropic(client, case.guard).messages.stream(**ASK) as stream,
    ):
        check(await stream.get_final_message(), case)


NOTICE = "[A statement here was withheld: it contradicts the reference.]"
CUT = {
    "untouched": (["The mill ", "is red", ". It stands", " in Kew", "."], None),
    "false": (
        ["The mill ", "is red", ". The ", "moon", " is of cheese. It stands", " in ", "Kew", "."],
        ["The mill ", "is red", f". {NOTICE}", " It stands", " in ", "Kew", "."],
    ),
    "false to its end": (
        ["The mill is red. The ", "moon", " is of ", "cheese."],
        [f"The mill is red. {NOTICE}"],
    ),
    "two texts": (["It stands in Kew.", "The moon is of cheese."], ["It stands in Kew.", NOTICE]),
    "an empty block": (["The mill", "", " is red."], None),
}


def cited(number):
    """A citation for every other block."""
    if not number % 2:
        return []
    place = {
        "document_index": 0,
        "document_title": f"title {number}",
        "start_char_index": 0,
        "end_char_index": 4,
    }
    return [{"type": "char_location", "cited_text": f"cited {number}", "file_id": None, **place}]


def wire_of_blocks(texts, size, *, first):
    """As citations cut a message; they come before the text or after it."""
    parts = []
    for index, text in enumerate(texts):
        citations = [{"type": "citations_delta", "citation": one} for one in cited(index)]
        deltas = [{"type": "text_delta", "text": text[at : at + size]} for at in range(0, len(text), size)]
        deltas = [*citations, *deltas] if first else [*deltas, *citations]
        block = {"type": "text", "text": "", "citations": []}
        parts += [
            event("content_block_start", index=index, content_block=block),
            *[event("content_block_delta", index=index, delta=delta) for delta in deltas],
            event("content_block_stop", index=index),
            event("ping"),
        ]
    tool = len(texts)
    return [
        event("message_start", message=MESSAGE),
        *parts,
        event("content_block_start", index=tool, content_block=TOOL),
        event("content_block_delta", index=tool, delta={"type": "input_json_delta", "partial_json": "{}"}),
        event("content_block_stop", index=tool),
        event(
            "message_delta",
            delta={"stop_reason": "tool_use", "stop_sequence": None},
            usage={"output_tokens": 9},
        ),
        event("message_stop"),
    ]


def body_of_blocks(texts):
    blocks = [{"type": "text", "text": text, "citations": cited(index)} for index, text in enumerate(texts)]
    return json.dumps({**MESSAGE, "content": [*blocks, TOOL], "stop_reason": "tool_use"}).encode()


def told(message):
    """Texts with what is cited for them."""
    texts = [block for block in message.content if block.type == "text"]
    return [(block.text, [one.cited_text for one in block.citations or ()]) for block in texts]


@pytest.mark.parametrize("first", [True, False], ids=["citations first", "citations last"])
@pytest.mark.parametrize("size", [1, 4, 50])
@pytest.mark.parametrize("cut", CUT)
async def test_a_sentence_that_citations_cut_into_blocks_is_judged_as_one(upstream, answer, cut, size, first):
    texts, expected = CUT[cut]
    whole = {text: cited(index) for index, text in enumerate(texts)}
    expected = [(text, [one["cited_text"] for one in whole.get(text, ())]) for text in expected or texts]
    guard = Guard(stages=ScriptedStages({"moon": Category.CONTRADICTED}).stages())
    upstream.will(
        answer(wire_of_blocks(texts, size, first=first)),
        answer(wire_of_blocks(texts, size, first=first)),
        answer([body_of_blocks(texts)], media="application/json"),
    )
    async with AsyncAnthropic(base_url=upstream.url, api_key="none", max_retries=0) as client:
        guarded = guard_anthropic(client, guard)
        events = [event async for event in await guarded.messages.create(**ASK, stream=True)]
        async with guarded.messages.stream(**ASK) as stream:
            streamed = await stream.get_final_message()
        answered = await guarded.messages.create(**ASK)
    assert told(streamed) == told(answered) == expected
    assert [block.type for block in streamed.content][-1] == "tool_use"
    started = [event.index for event in events if event.type == "content_block_start"]
    assert started == list(range(len(expected) + 1))
    assert [event.index for event in events if event.type == "content_block_stop"] == started
    outcomes = [event.vista for event in events if hasattr(event, "vista") and "received" in event.vista]
    assert sum(outcome["received"] for outcome in outcomes) == len("".join(texts))


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_stop_within_several_blocks_ends_the_message(upstream, answer, streamed):
    policy = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop("[Stopped.]")})
    guard = Guard(stages=ScriptedStages({"moon": Category.CONTRADICTED}).stages(), policy=policy)
    texts = CUT["false"][0]
    upstream.will(
        answer(wire_of_blocks(texts, 4, first=True))
        if streamed
        else answer([body_of_blocks(texts)], media="application/json")
    )
    async with AsyncAnthropic(base_url=upstream.url, api_key="none", max_retries=0) as client:
        guarded = guard_anthropic(client, guard)
        if streamed:
            async with guarded.messages.stream(**ASK) as stream:
                message = await stream.get_final_message()
        else:
            message = await guarded.messages.create(**ASK)
    assert told(message) == [("The mill ", []), ("is red", ["cited 1"]), (". [Stopped.]", [])]
    assert message.stop_reason == "refusal"
    assert [block.type for block in message.content] == ["text"] * 3


async def test_messages_that_are_not_streamed(upstream, answer, case):
    upstream.will(answer([body(case.text)], media="application/json"))
    async with AsyncAnthropic(base_url=upstream.url, api_key="none", max_retries=0) as client:
        check(await guard_anthropic(client, case.guard).messages.create(**ASK), case)


async def test_an_answer_that_the_policy_withholds_is_not_asked_for_again(upstream, answer, case):
    upstream.will(answer([body(case.text)], media="application/json"))
    raising = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): raise_()})
    guard = Guard(stages=case.guard.stages, policy=raising)
    async with AsyncAnthropic(base_url=upstream.url, api_key="none", max_retries=2) as client:
        with pytest.raises(TurnWithheld):
            await guard_anthropic(client, guard).messages.create(**ASK)
    with (
        Anthropic(base_url=upstream.url, api_key="none", max_retries=2) as plain,
        pytest.raises(TurnWithheld),
    ):
        guard_anthropic(plain, guard).messages.create(**ASK)
    assert len(upstream.requests) == 2


@pytest.mark.parametrize(
    "messages", [["hi"], [{"role": "user", "content": ["hi"]}], {"role": "user"}], ids=["text", "part", "one"]
)
async def test_the_upstream_refuses_malformed_messages(upstream, answer, messages):
    error = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "Input should be an object"},
    }
    upstream.will(answer([json.dumps(error).encode()], status=400, media="application/json"))
    async with AsyncAnthropic(base_url=upstream.url, api_key="none", max_retries=0) as client:
        guarded = guard_anthropic(client, Guard(stages=ScriptedStages().stages()))
        with pytest.raises(BadRequestError, match="Input should be an object"):
            await guarded.messages.create(model="m", max_tokens=5, messages=messages)


def test_the_synchronous_client(upstream, answer, case):
    upstream.will(answer(wire(case.text)))
    with (
        guard_anthropic(
            Anthropic(base_url=upstream.url, api_key="none", max_retries=0), case.guard
        ) as client,
        client.messages.stream(**ASK) as stream,
    ):
        check(stream.get_final_message(), case)


def result(text):
    return {"type": "tool_result", "tool_use_id": "tool_1", "content": text}


def test_documents_are_found_in_the_tool_results_of_this_turn():
    asked = [
        {"role": "user", "content": [result("An old document."), {"type": "text", "text": "And the mill?"}]},
        {"role": "assistant", "content": [TOOL]},
        {"role": "user", "content": [result("The mill is red."), {"type": "text", "text": "Answer me."}]},
        {"role": "assistant", "content": [TOOL]},
        {"role": "user", "content": [result([{"type": "text", "text": "It is old."}])]},
    ]
    messages = MessagesDialect({"messages": asked}).messages
    assert retrieved_documents(messages) == ["The mill is red.", "It is old."]
    assert retrieved_documents([*messages, {"role": "user", "content": [{"type": "image"}]}]) == []


def test_search_results_and_documents_of_tools_are_references():
    mill = [{"type": "text", "text": "The mill is red."}]
    content = [
        {"type": "search_result", "source": "https://example.org", "title": "Mill", "content": mill},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "It is old."}},
        {"type": "document", "source": {"type": "content", "content": mill}},
        {"type": "document", "source": {"type": "base64", "data": "aGk="}},
        {"type": "image"},
    ]
    result = {"type": "tool_result", "tool_use_id": "1", "content": content}
    messages = MessagesDialect({"messages": [{"role": "user", "content": [result]}]}).messages
    assert retrieved_documents(messages) == ["The mill is red.", "It is old.", "The mill is red."]


async def test_tool_results_are_references(upstream, answer, case):
    found = []

    def documents(messages):
        found.append(retrieved_documents(messages))
        return found[-1]

    upstream.will(answer(wire(case.text)))
    guard = Guard(stages=case.guard.stages, references=documents)
    asked = [*ASK["messages"], {"role": "assistant", "content": [TOOL]}]
    asked.append({"role": "user", "content": [result("The mill is red.")]})
    async with AsyncAnthropic(base_url=upstream.url, api_key="none", max_retries=0) as client:
        stream = await guard_anthropic(client, guard).messages.create(
            **{**ASK, "messages": asked}, stream=True
        )
        assert [event async for event in stream]
    assert found[0] == ["The mill is red."]

import asyncio
import json

import anyio
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.messages import (
    ImageUrl,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextContent,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from tests.adapters.conftest import NOTICE
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.pydantic_ai import GuardedModel

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def model(upstream):
    async with AsyncOpenAI(base_url=upstream.url, api_key="none", max_retries=0) as client:
        yield OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))


@pytest.fixture
async def responding(upstream):
    async with AsyncOpenAI(base_url=upstream.url, api_key="none", max_retries=0) as client:
        yield OpenAIResponsesModel("m", provider=OpenAIProvider(openai_client=client))


async def last_message(agent, prompt="What of the mill?", *, streamed):
    """The last message of a run, streamed or not."""
    if not streamed:
        return (await agent.run(prompt)).all_messages()[-1]
    async with agent.run_stream(prompt) as run:
        await run.get_output()
    return run.all_messages()[-1]


both = pytest.mark.parametrize("streamed", [False, True])


async def test_a_streamed_run_is_guarded(upstream, model, chat, answer, case):
    upstream.will(answer(chat.stream(case.text)))
    async with Agent(GuardedModel(model, case.guard)).run_stream("What of the mill?") as run:
        deltas = [delta async for delta in run.stream_text(delta=True, debounce_by=None)]
    assert "".join(deltas) == case.expected
    assert "cheese" not in repr(run.all_messages())


async def test_a_whole_run_is_guarded(upstream, model, chat, answer, case):
    upstream.will(answer([chat.body(case.text)], media="application/json"))
    run = await Agent(GuardedModel(model, case.guard)).run("What of the mill?")
    assert run.output == case.expected


@both
@pytest.mark.parametrize("kind", [str, TextContent])
async def test_the_question_is_the_text_of_the_users_prompt(kind, upstream, model, chat, answer, streamed):
    class Asked(ScriptedStages):
        async def rank(self, drafts, query, **more):
            asked.add(query)
            return await super().rank(drafts, query, **more)

    asked = set()
    text = "The mill is red."
    upstream.will(
        answer(chat.stream(text)) if streamed else answer([chat.body(text)], media="application/json")
    )
    prompt = [ImageUrl("http://127.0.0.1/mill.png"), kind("What of"), kind("the mill?")]
    agent = Agent(GuardedModel(model, Guard(stages=Asked().stages())))
    await last_message(agent, prompt, streamed=streamed)
    assert asked == {"What of\nthe mill?"}


@both
async def test_runs_with_one_history_share_their_common_ground(upstream, model, chat, answer, case, streamed):
    agent, said = Agent(GuardedModel(model, case.guard)), ["The mill is red.", "The mill is old."]
    history, talk = None, None
    for question, text in zip(["What of the mill?", "Is it old?"], said, strict=True):
        whole = answer([chat.body(text)], media="application/json")
        upstream.will(answer(chat.stream(text)) if streamed else whole)
        if streamed:
            async with agent.run_stream(question, message_history=history) as run:
                await run.get_output()
        else:
            run = await agent.run(question, message_history=history)
        history = run.all_messages()
        talk = talk or history[-2].conversation_id
    assert talk
    assert [each.text for each in await case.guard.store.load(talk)] == said


async def test_a_run_that_is_cancelled_leaves_no_turn_behind(upstream, model, chat, answer):
    begun, left = anyio.Event(), []

    class Hanging(ScriptedStages):
        async def verify(self, claim, grounds):
            begun.set()
            try:
                await anyio.sleep_forever()
            finally:
                left.append(True)

    upstream.will(answer([chat.body("The mill is red.")], media="application/json"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(Agent(GuardedModel(model, Guard(stages=Hanging().stages()))).run, "What of it?")
        with anyio.fail_after(10):
            await begun.wait()
        tasks.cancel_scope.cancel()
    assert left == [True]


async def test_tool_calls_pass(upstream, model, chat, answer, case):
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    first = [
        chat.chunk({"role": "assistant", "content": None}),
        chat.chunk({"tool_calls": [call]}),
        chat.chunk({}, finish="tool_calls"),
        b"data: [DONE]\n\n",
    ]
    upstream.will(answer(first), answer(chat.stream(case.text)))
    agent, looked = Agent(GuardedModel(model, case.guard)), []

    @agent.tool_plain
    def look() -> str:
        looked.append(True)
        return "The mill is red."

    async with agent.run_stream("What of the mill?") as run:
        assert await run.get_output() == case.expected
    assert looked
    assert upstream.requests[1]["messages"][-1]["content"] == "The mill is red."


def spelt(text):
    return {"content": [{"token": text, "logprob": -0.1, "bytes": None, "top_logprobs": []}], "refusal": None}


@both
@pytest.mark.parametrize("text", ["The mill is red. The moon is odd.", "The mill is red. It is old."])
async def test_log_probabilities_do_not_spell_what_was_withheld(
    upstream, model, chat, answer, case, streamed, text
):
    body = json.loads(chat.body(text))
    body["choices"][0] |= {"logprobs": spelt(text), "text": text}
    chunks = [chat.chunk({"content": text}, logprobs=spelt(text), text=text), *chat.stream("")[-3:]]
    whole = answer([json.dumps(body).encode()], media="application/json")
    upstream.will(answer(chunks) if streamed else whole)
    settings = {"openai_logprobs": True, "openai_include_unmapped_response_data": True}
    agent = Agent(GuardedModel(model, case.guard), model_settings=settings)
    message = await last_message(agent, streamed=streamed)
    assert ("unmapped" in message.provider_details) is ("moon" not in text)
    assert ("logprobs" in message.provider_details) is ("moon" not in text)
    assert "moon" not in repr(message)


@both
async def test_log_probabilities_of_a_part_do_not_spell_what_was_withheld(
    upstream, responding, responses, answer, case, streamed
):
    kept = responses.part(case.text) | {"logprobs": spelt(case.text)["content"]}
    responses.part = lambda text: kept if text else {**kept, "text": "", "logprobs": []}
    events = responses.stream(case.text)
    events = [
        event.replace(b'"logprobs": []', json.dumps({"logprobs": kept["logprobs"]})[1:-1].encode())
        for event in events
    ]
    whole = answer([responses.body(case.text)], media="application/json")
    upstream.will(answer(events) if streamed else whole)
    agent = Agent(GuardedModel(responding, case.guard), model_settings={"openai_logprobs": True})
    message = await last_message(agent, streamed=streamed)
    assert "cheese" not in repr(message)
    assert "logprobs" not in repr(message)


def call(index, arguments, **more):
    return {"index": index, "type": "function", "function": {"arguments": arguments, **more}}


async def test_tool_calls_whose_deltas_alternate_stay_whole_and_in_their_place(
    upstream, model, chat, answer, case
):
    first = [
        chat.chunk({"role": "assistant", "content": "I look. "}),
        chat.chunk({"tool_calls": [{"id": "a", **call(0, "", name="look")}]}),
        chat.chunk({"tool_calls": [{"id": "b", **call(1, "", name="look")}]}),
        chat.chunk({"tool_calls": [call(0, '{"at": "the ')]}),
        chat.chunk({"tool_calls": [call(1, '{"at": "the ')]}),
        chat.chunk({"tool_calls": [call(0, 'mill"}')]}),
        chat.chunk({"tool_calls": [call(1, 'quay"}')]}),
        chat.chunk({}, finish="tool_calls"),
        b"data: [DONE]\n\n",
    ]
    upstream.will(answer(first), answer(chat.stream("The mill is red.")))
    agent, looked = Agent(GuardedModel(model, case.guard)), []

    @agent.tool_plain
    async def look(at: str) -> str:
        looked.append(at)
        return "Red."

    async with agent.iter("What of the mill?") as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    async for _ in stream:
                        pass
    assert looked == ["the mill", "the quay"]
    message = run.result.all_messages()[1]
    assert [type(part) for part in message.parts] == [TextPart, ToolCallPart, ToolCallPart]


@both
async def test_arguments_of_tool_calls_are_guarded_where_the_guard_says_so(
    upstream, model, chat, answer, case, streamed
):
    arguments = json.dumps({"said": "The moon is of cheese.", "at": 3})
    calls = [{"id": "a", **call(0, arguments, name="look")}]
    last = [chat.chunk({}, finish="tool_calls"), b"data: [DONE]\n\n"]
    chunks = [chat.chunk({"role": "assistant", "tool_calls": calls}), *last]
    body = json.loads(chat.body(None, tool_calls=calls))
    whole = answer([json.dumps(body).encode()], media="application/json")
    then = answer([chat.body("So.")], media="application/json")
    upstream.will(answer(chunks) if streamed else whole, answer(chat.stream("So.")) if streamed else then)
    case.guard.tool_call_arguments = "guard"
    agent, heard = Agent(GuardedModel(model, case.guard)), []

    @agent.tool_plain
    def look(said: str, at: int = 0) -> str:
        heard.append((said, at))
        return "Well."

    await last_message(agent, streamed=streamed)
    assert heard == [("[Stopped.]", 0) if case.stops else (NOTICE, 3)]


class Said(BaseModel):
    said: str
    year: int = 0


@both
@pytest.mark.parametrize("output", [NativeOutput(Said), PromptedOutput(Said)])
async def test_of_a_structured_output_the_strings_are_guarded(
    upstream, model, chat, answer, case, streamed, output
):
    text = json.dumps({"said": "The moon is of cheese.", "year": 3})
    whole = answer([chat.body(text)], media="application/json")
    upstream.will(answer(chat.stream(text)) if streamed else whole)
    agent = Agent(GuardedModel(model, case.guard), output_type=output, retries=0)
    if streamed:
        async with agent.run_stream("What of the mill?") as run:
            told = await run.get_output()
    else:
        told = (await agent.run("What of the mill?")).output
    assert told == (Said(said="[Stopped.]") if case.stops else Said(said=NOTICE, year=3))


@pytest.mark.parametrize("text", ["The mill is red. The moon is odd.", "The mill is red. It is old."])
async def test_a_streamed_response_keeps_what_is_no_text(upstream, responding, responses, answer, case, text):
    search = {
        "id": "ws",
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "search", "query": "q"},
    }
    source = {"type": "url_citation", "start_index": 0, "end_index": 16, "title": "t", "url": "https://e.org"}
    added = {
        "item_id": "msg_1",
        "output_index": 0,
        "content_index": 0,
        "annotation_index": 0,
        "annotation": source,
    }
    events = responses.stream(text)
    upstream.will(
        answer(
            [
                *events[:2],
                responses.event("response.output_item.added", output_index=1, item=search),
                responses.event("response.output_item.done", output_index=1, item=search),
                *events[2:-4],
                responses.event("response.output_text.annotation.added", **added),
                *events[-4:],
            ]
        )
    )
    message = await last_message(Agent(GuardedModel(responding, case.guard)), streamed=True)
    assert [type(part) for part in message.parts] == [NativeToolCallPart, NativeToolReturnPart, TextPart]
    assert message.provider_response_id == "resp_1"
    said = message.parts[-1]
    if "moon" not in text:
        assert message.provider_details["finish_reason"] == "completed"
        assert said.id == "msg_1"
        assert said.citations[0].anchor.end == 16
    else:
        assert said.id is None
        assert said.citations[0].anchor is None
    assert said.citations[0].sources[0].url == "https://e.org"


@both
@pytest.mark.parametrize("text", ["The mill is red. The moon is odd.", "The mill is red. It is old."])
async def test_a_provider_that_keeps_answers_goes_on_from_one_that_was_released_whole(
    upstream, responding, responses, answer, case, text, streamed
):
    whole = answer([responses.body(text)], media="application/json")
    upstream.will(answer(responses.stream(text)) if streamed else whole, whole)
    settings = {"openai_previous_response_id": "auto"}
    agent = Agent(GuardedModel(responding, case.guard), model_settings=settings)
    if streamed:
        async with agent.run_stream("What of the mill?") as run:
            await run.get_output()
    else:
        run = await agent.run("What of the mill?")
    await agent.run("And else?", message_history=run.all_messages())
    expected = None if "moon" in text else "resp_1"
    assert upstream.requests[1].get("previous_response_id") == expected


async def test_a_run_that_is_left_early_leaves_no_task_behind(upstream, model, chat, answer, case):
    upstream.will(answer(chat.stream(case.text * 20), pause=0.01))
    before = asyncio.all_tasks()
    for _ in range(3):
        async with Agent(GuardedModel(model, case.guard)).run_stream("What of the mill?") as run:
            async for _ in run.stream_text(delta=True, debounce_by=None):
                break
    assert asyncio.all_tasks() == before
    assert upstream.left.wait(5)


@both
async def test_the_models_own_errors_are_raised(upstream, model, chat, answer, case, streamed):
    upstream.will(answer([b"{}"], status=429, media="application/json"))
    with pytest.raises(ModelHTTPError) as caught:
        await last_message(Agent(GuardedModel(model, case.guard)), streamed=streamed)
    assert caught.value.status_code == 429


async def test_an_error_within_the_stream_is_the_models_own(upstream, responding, responses, answer, case):
    events = [
        *responses.stream("The mill is red. It is")[:-4],
        responses.event("error", code="x", message="No.", param=None),
    ]
    upstream.will(answer(events))
    with pytest.raises(ModelAPIError, match=r"No\."):
        await last_message(Agent(GuardedModel(responding, case.guard)), streamed=True)

import json
from dataclasses import replace

import pytest
from agents import (
    Agent,
    ModelBehaviorError,
    ModelSettings,
    OpenAIProvider,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    RunContextWrapper,
    Runner,
    set_default_openai_responses_transport,
)
from pydantic import BaseModel

from vista_stream import Category
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.agents import guarded_provider, output_guardrail
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.openai import CONVERSATION_HEADER

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning"),
]


@pytest.fixture
def anyio_backend():
    return "asyncio"


def config(client, case, **settings):
    return RunConfig(
        model="m", model_provider=guarded_provider(client, case.guard, **settings), tracing_disabled=True
    )


AGENT = Agent(name="guide", instructions="Be brief.")


async def test_an_agents_stream_is_guarded(upstream, client, responses, answer, case):
    upstream.will(answer(responses.stream(case.text)))
    run = Runner.run_streamed(AGENT, "What of the mill?", run_config=config(client, case))
    events = [event async for event in run.stream_events()]
    assert "cheese" not in repr(events)
    assert run.final_output == case.expected


async def test_a_websocket_as_the_sdks_default_goes_not_past_the_guard(
    upstream, client, responses, answer, case
):
    upstream.will(answer(responses.stream(case.text)))
    set_default_openai_responses_transport("websocket")
    try:
        run = Runner.run_streamed(AGENT, "What of the mill?", run_config=config(client, case))
    finally:
        set_default_openai_responses_transport("http")
    assert "cheese" not in repr([event async for event in run.stream_events()])
    assert run.final_output == case.expected


async def test_an_agents_answer_is_guarded(upstream, client, chat, answer, case):
    upstream.will(answer([chat.body(case.text)], media="application/json"))
    run = await Runner.run(AGENT, "What of the mill?", run_config=config(client, case, use_responses=False))
    assert run.final_output == case.expected


async def test_a_response_that_is_not_streamed_ends_as_a_streamed_one(
    upstream, client, responses, answer, case
):
    upstream.will(answer([responses.body(case.text)], media="application/json"))
    run = await Runner.run(AGENT, "What of the mill?", run_config=config(client, case))
    assert run.final_output == case.expected


async def test_a_stop_is_an_error_where_the_guard_says_so(upstream, client, responses, answer, case):
    upstream.will(answer([responses.body(case.text)], media="application/json"))
    case.guard.finish_reason = "content_filter"
    running = Runner.run(AGENT, "What of the mill?", run_config=config(client, case))
    if case.stops:
        with pytest.raises(ModelBehaviorError, match="content_filter"):
            await running
    else:
        assert (await running).final_output == case.expected


async def test_a_call_that_was_cut_short_is_never_completed(upstream, client, responses, answer, case):
    arguments = '{"note": "The moon is odd."}'
    call = {"id": "fc", "type": "function_call", "call_id": "c", "name": "f", "arguments": arguments}
    body = responses.response("completed", [{**call, "status": "completed"}])
    upstream.will(answer([json.dumps(body).encode()], media="application/json"))
    case.guard.tool_call_arguments = "guard"
    if case.stops:
        with pytest.raises(ModelBehaviorError, match="content_filter"):
            await Runner.run(AGENT, "What of the mill?", run_config=config(client, case))


async def test_the_output_guardrail_trips_where_text_would_be_withheld(
    upstream, client, responses, answer, case
):
    agent = AGENT.clone(output_guardrails=[output_guardrail(case.guard, query="What of the mill?")])
    plain = RunConfig(model="m", model_provider=OpenAIProvider(openai_client=client), tracing_disabled=True)
    upstream.will(answer([responses.body(case.text)], media="application/json"))
    with pytest.raises(OutputGuardrailTripwireTriggered) as caught:
        await Runner.run(agent, "What of the mill?", run_config=plain)
    assert caught.value.guardrail_result.output.output_info["withheld"] > 0
    upstream.will(answer([responses.body("The mill is red.")], media="application/json"))
    assert (await Runner.run(agent, "?", run_config=plain)).final_output == "The mill is red."


class Lamp(BaseModel):
    name: str
    price_eur: int
    has_dimmer: bool
    note: str = "It opened in 1941. It is red."


@pytest.mark.parametrize(
    ("output", "trips"),
    [
        (Lamp(name="Aldo", price_eur=120, has_dimmer=True), False),
        (Lamp(name="Aldo", price_eur=120, has_dimmer=False), True),
        ([{"name": "Aldo", "has_dimmer": False}], True),
        ("The Aldo has no dimmer.", True),
    ],
)
async def test_a_structured_output_is_judged_value_by_value(output, trips):
    stages = ScriptedStages({"has no dimmer": Category.CONTRADICTED})
    guardrail = output_guardrail(Guard(stages=stages.stages()), query="What of the Aldo?")
    run = await guardrail.run(context=RunContextWrapper(None), agent=AGENT, agent_output=output)
    assert run.output.tripwire_triggered is trips
    if isinstance(output, Lamp):
        told = ["Aldo", "The price of the Aldo is 120 eur.", "It opened in 1941.", "It is red."]
        assert set(told) <= set(stages.verified)


async def test_an_output_that_cannot_be_read_is_refused():
    guardrail = output_guardrail(Guard(stages=ScriptedStages().stages()), query="?")
    with pytest.raises(ValueError, match="must be text, or what pydantic writes as JSON, not object"):
        await guardrail.run(context=RunContextWrapper(None), agent=AGENT, agent_output=object())


async def test_the_header_names_the_conversation_of_a_provider(upstream, client, chat, answer, case):
    upstream.will(answer([chat.body("The mill is red.")], media="application/json"))
    settings = ModelSettings(extra_headers={CONVERSATION_HEADER: "talk-17"})
    run_config = config(client, case, use_responses=False)
    await Runner.run(AGENT, "What of the mill?", run_config=replace(run_config, model_settings=settings))
    assert [each.text for each in await case.guard.store.load("talk-17")] == ["The mill is red."]


async def test_the_guardrail_keeps_the_common_ground_of_a_conversation(
    upstream, client, responses, answer, case
):
    guardrail = output_guardrail(
        case.guard, query=lambda run: run.context["question"], conversation=lambda run: run.context["talk"]
    )
    agent = AGENT.clone(output_guardrails=[guardrail])
    plain = RunConfig(model="m", model_provider=OpenAIProvider(openai_client=client), tracing_disabled=True)
    said = [("What of the mill?", "The mill is red."), ("Is it old?", "The mill is old.")]
    for question, text in said:
        upstream.will(answer([responses.body(text)], media="application/json"))
        context = {"question": question, "talk": "talk-17"}
        await Runner.run(agent, question, context=context, run_config=plain)
    assert [each.text for each in await case.guard.store.load("talk-17")] == [text for _, text in said]


def test_a_conversation_without_each_runs_question_is_refused(case):
    with pytest.raises(ValueError, match="query must be a callable"):
        output_guardrail(case.guard, query="What of the mill?", conversation=lambda run: "talk-17")

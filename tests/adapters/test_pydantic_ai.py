import anyio
import pytest
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

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

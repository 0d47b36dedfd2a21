"""openai-agents: an output guardrail on the whole answer, run when the stream has ended."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"  # traces would be sent over the network

import agents
from agents.models.interface import Model
from driver import Blocked, Run
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

NAME = "openai-agents"
PACKAGES = ["openai-agents==0.24.0"]
SETTINGS = {
    "documented": "guides Guardrails and Streaming: @output_guardrail on the agent, Runner.run_streamed, the "
    "text of its raw response events",
    "best": "Runner.run with the same guardrail: nothing is shown until it has passed, so nothing streams",
}
OWN_VERIFIER = None


class SourceModel(Model):
    """A model whose answer is the run's source, as the Responses API streams it."""

    def __init__(self, source: AsyncIterator[str]) -> None:
        self._source = source

    async def get_response(self, *args: Any, **settings: Any) -> agents.ModelResponse:
        """The whole answer."""
        text = "".join([delta async for delta in self._source])
        return agents.ModelResponse(output=[_message(text)], usage=agents.Usage(), response_id=None)

    async def stream_response(self, *args: Any, **settings: Any) -> AsyncIterator[Any]:
        """A delta event for each delta, then the whole answer."""
        text, number = "", 0
        async for delta in self._source:
            text, number = text + delta, number + 1
            yield ResponseTextDeltaEvent(
                type="response.output_text.delta",
                delta=delta,
                item_id="answer",
                output_index=0,
                content_index=0,
                sequence_number=number,
                logprobs=[],
            )
        whole = Response(
            id="answer",
            created_at=0,
            model="scripted",
            object="response",
            output=[_message(text)],
            parallel_tool_calls=False,
            tool_choice="none",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=whole, sequence_number=number + 1)


def _message(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id="answer", type="message", role="assistant", status="completed", content=[part]
    )


@agents.output_guardrail
async def contradicted(
    context: agents.RunContextWrapper[Run], agent: agents.Agent[Run], output: str
) -> agents.GuardrailFunctionOutput:
    """The guardrail as in the guide: a function of the final output that may trigger the tripwire."""
    false = await context.context.stub.check(output)
    return agents.GuardrailFunctionOutput(output_info=None, tripwire_triggered=false)


class Guard:
    """One agent for each stream, since each stream has a scripted model of its own."""

    def __init__(self, *, streamed: bool) -> None:
        self._streamed = streamed

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """The answer's deltas, or the whole answer."""
        agent = agents.Agent[Run](
            name="answerer", model=SourceModel(source), output_guardrails=[contradicted]
        )
        asked = run.query or "Answer."
        try:
            if not self._streamed:
                yield (await agents.Runner.run(agent, asked, context=run)).final_output
                return
            streaming = agents.Runner.run_streamed(agent, asked, context=run)
            try:
                async for event in streaming.stream_events():
                    if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
                        yield event.data.delta
            finally:
                streaming.cancel()
        except agents.OutputGuardrailTripwireTriggered as error:
            raise Blocked("the output guardrail's tripwire") from error


async def open_guard(setting: str, verifier: str) -> Guard:
    return Guard(streamed=setting == "documented")

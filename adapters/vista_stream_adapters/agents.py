"""The OpenAI Agents SDK: a model provider that streams under guard, and an output guardrail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from vista_stream_adapters.extras import not_installed

try:
    from agents import Agent, GuardrailFunctionOutput, OpenAIProvider, OutputGuardrail, RunContextWrapper
    from openai import AsyncOpenAI
    from pydantic_core import PydanticSerializationError, to_json
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError(not_installed("The Agents SDK", "agents"), name=absent.name) from absent


from vista_stream_adapters.guard import Guard
from vista_stream_adapters.openai import openai_dialect
from vista_stream_adapters.rewrite.dialect import Dialect
from vista_stream_adapters.rewrite.lane_log import Lane, LaneLog, Text
from vista_stream_adapters.rewrite.vista_field import outcome_field
from vista_stream_adapters.shell.http import guarded_client
from vista_stream_adapters.shell.text import guard_text

Told: TypeAlias = Callable[[RunContextWrapper[Any]], str | None]
"""Tells something from a run's context."""


def guarded_provider(client: AsyncOpenAI, guard: Guard, *, use_responses: bool = True) -> OpenAIProvider:
    """A provider for `RunConfig(model_provider=…)` that guards the text of every agent's model as it streams.

    The SDK's own guardrails check an answer after it ended; with this provider a withheld sentence is never
    streamed. `ModelSettings(extra_headers={CONVERSATION_HEADER: …})` names the conversation, as with
    `guard_openai`. Responses come over HTTP, whatever `set_default_openai_responses_transport` says. After a
    stop the final output is the released part of the text. With `Guard(finish_reason="content_filter")`
    `Runner.run` raises the SDK's ModelBehaviorError instead.
    """

    def dialect_for(request: Any, body: Mapping[str, Any]) -> Dialect | None:
        return openai_dialect(request, body, guard, completes=True)

    return OpenAIProvider(
        openai_client=client.copy(http_client=guarded_client(client, guard, dialect_for)),
        use_responses=use_responses,
        use_responses_websocket=False,  # a websocket would bypass the guarded HTTP client
    )


def output_guardrail(
    guard: Guard,
    *,
    query: str | Told | None = None,
    conversation: Told | None = None,
) -> OutputGuardrail[Any]:
    """A guardrail for `Agent(output_guardrails=[…])`: it trips where any of the final output is withheld.

    A structured output is judged value by value, as the JSON that pydantic writes of it; a run whose output
    has none raises ValueError. `output_info` is the outcome, as in the `vista` field. `query` is what the
    user asks, or tells it from a run's context. `conversation` tells from it under which key the common
    ground is kept; without it each run is judged alone. Use the guardrail for models that `guarded_provider`
    cannot guard.

    Raises ValueError for a conversation without a callable as query: a question that is asked again replaces
    the earlier answer, so that with one query for all runs nothing would be kept.
    """
    if conversation is not None and not callable(query):
        raise ValueError(
            "where conversation is given, query must be a callable that tells each run's question"
        )

    async def vista_stream(
        context: RunContextWrapper[Any], agent: Agent[Any], output: Any
    ) -> GuardrailFunctionOutput:
        text = output if isinstance(output, str) else _json(output)
        lane = Lane(track=0, part="text", json=not isinstance(output, str))
        log = LaneLog(lane, show_withheld=guard.show_withheld, values=guard.json_values == "guard")
        read = log.feed(Text(lane=lane, text=text)) + log.feed_end()
        asked = query(context) if callable(query) else query
        outcome = await guard_text(
            [read],
            log,
            guard=guard,
            messages=[{"role": "user", "content": asked}] if asked else [],
            conversation=None if conversation is None else conversation(context),
        )
        return GuardrailFunctionOutput(
            output_info=outcome_field(outcome), tripwire_triggered=outcome.report.withheld > 0
        )

    return OutputGuardrail(guardrail_function=vista_stream, name="vista_stream")


def _json(output: object) -> str:
    try:
        return to_json(output).decode()
    except PydanticSerializationError as error:
        raise ValueError(
            f"the final output must be text, or what pydantic writes as JSON, not {type(output).__name__}"
        ) from error

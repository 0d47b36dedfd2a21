"""An agent of the OpenAI Agents SDK that streams under guard."""

import asyncio

from agents import Agent, RunConfig, Runner
from openai import AsyncOpenAI

from vista_stream_adapters.agents import guarded_provider
from vista_stream_adapters.guard import Guard

REFERENCE = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1999."


async def main(model: str = "gpt-4o-mini", *, use_responses: bool = True) -> None:
    async with AsyncOpenAI() as client:
        provider = guarded_provider(client, Guard(references=[REFERENCE]), use_responses=use_responses)
        run = Runner.run_streamed(
            Agent(name="guide", instructions="Answer in one sentence."),
            "When was the Panama Canal opened?",
            run_config=RunConfig(model=model, model_provider=provider, tracing_disabled=True),
        )
        async for event in run.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                print(event.data.delta, end="", flush=True)


if __name__ == "__main__":
    asyncio.run(main())

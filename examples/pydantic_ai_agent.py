"""A pydantic-ai agent whose model is guarded."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

from vista_stream_adapters.guard import Guard
from vista_stream_adapters.pydantic_ai import GuardedModel

REFERENCE = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1999."


async def main(model: str = "gpt-4o-mini") -> None:
    agent = Agent(GuardedModel(OpenAIChatModel(model), Guard(references=[REFERENCE])))
    async with agent, agent.run_stream("When was the Panama Canal opened?") as run:
        async for text in run.stream_text(delta=True, debounce_by=None):
            print(text, end="", flush=True)


if __name__ == "__main__":
    asyncio.run(main())

"""The official openai client under guard, in front of any OpenAI-compatible endpoint.

OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=none python examples/openai_client.py
"""

import asyncio

from openai import AsyncOpenAI

from vista_stream_adapters.openai import Guard, guard_openai

REFERENCE = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1999."


async def main(model: str = "gpt-4o-mini") -> None:
    guard = Guard(references=[REFERENCE], on_outcome=lambda outcome: print("\n", outcome.report.shares))
    async with guard_openai(AsyncOpenAI(), guard) as client:
        stream = await client.chat.completions.create(
            model=model,
            messages=[{"role": "user", "content": "When was the Panama Canal opened?"}],
            stream=True,
        )
        async for chunk in stream:
            if chunk.choices:
                print(chunk.choices[0].delta.content or "", end="", flush=True)


if __name__ == "__main__":
    asyncio.run(main())

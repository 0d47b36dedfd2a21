"""A guardrail for LiteLLM's proxy: name `litellm_guardrail.guardrail` under `litellm_settings: callbacks`.

Run as a script, it guards one answer of the endpoint in OPENAI_BASE_URL.
"""

import asyncio

import litellm

from vista_stream_adapters.guard import Guard
from vista_stream_adapters.litellm import VistaGuardrail

REFERENCE = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1999."
guardrail = VistaGuardrail(Guard(references=[REFERENCE]))


async def main(model: str = "openai/gpt-4o-mini") -> None:
    messages = [{"role": "user", "content": "When was the Panama Canal opened?"}]
    stream = await litellm.acompletion(model=model, messages=messages, stream=True)
    request = {"model": model, "messages": messages}
    async for chunk in guardrail.async_post_call_streaming_iterator_hook(None, stream, request):
        for choice in chunk.choices:
            print(choice.delta.content or "", end="", flush=True)


if __name__ == "__main__":
    asyncio.run(main())

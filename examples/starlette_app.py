"""A guarded answer as server-sent events: `uvicorn examples.starlette_app:app`, then GET /answer?q=..."""

import os
from collections.abc import AsyncIterator

from openai import AsyncOpenAI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from vista_stream_adapters.asgi import GuardedAnswer
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.openai import text_deltas

REFERENCE = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1999."
guard = Guard(references=[REFERENCE])


async def deltas(messages: list[dict[str, str]]) -> AsyncIterator[str]:
    async with AsyncOpenAI() as client:
        stream = await client.chat.completions.create(
            model=os.environ.get("MODEL", "gpt-4o-mini"),
            messages=messages,  # type: ignore[arg-type]
            stream=True,
        )
        async for text in text_deltas(stream):
            yield text


async def answer(request: Request) -> Response:
    question = request.query_params.get("q", "").strip()
    if not question:
        return JSONResponse({"error": "q is missing: ask as /answer?q=..."}, status_code=400)
    messages = [{"role": "user", "content": question}]
    return GuardedAnswer(deltas(messages), guard=guard, messages=messages)


app = Starlette(routes=[Route("/answer", answer)])

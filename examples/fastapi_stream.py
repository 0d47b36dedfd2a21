"""A guarded streaming endpoint: run it, then `curl -N 'http://127.0.0.1:8000/answer?q=When+was+it+opened'`.

`--model NAME` asks the service of OPENAI_BASE_URL. `--once` prints one answer and ends, without a server.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator
from importlib.util import find_spec

from vista_stream.testing import replay
from vista_stream_adapters.asgi import GuardedAnswer
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.openai import text_deltas

try:
    import uvicorn
    from fastapi import FastAPI
except ImportError as error:
    raise SystemExit(f"{error.name} is missing: pip install fastapi uvicorn") from None

SCRIPT = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1989."
REFERENCE = "The Panama Canal was opened in August 1914. It was handed over to Panama at the end of 1999."
guard = Guard(references=[REFERENCE])
app = FastAPI()
app.state.model = None


async def asked(model: str, question: str) -> AsyncIterator[str]:
    from openai import AsyncOpenAI

    async with AsyncOpenAI() as client:
        said = [{"role": "user", "content": question}]
        stream = await client.chat.completions.create(model=model, messages=said, stream=True)  # type: ignore
        async for text in text_deltas(stream):
            yield text


@app.get("/answer")
async def answer(q: str) -> GuardedAnswer:
    deltas = asked(app.state.model, q) if app.state.model else replay(SCRIPT, size=4, interval=0.02)
    return GuardedAnswer(deltas, guard=guard, messages=[{"role": "user", "content": q}])


async def once() -> None:
    async for event in (await answer("When was the Panama Canal opened?")).body():
        print(event.decode(), end="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--once", action="store_true")
    given = parser.parse_args()
    if given.model and find_spec("openai") is None:
        raise SystemExit('openai is missing: from a checkout, pip install ".[openai]"')
    app.state.model = given.model
    asyncio.run(once()) if given.once else uvicorn.run(app, port=8000)

"""A guarded chat in the terminal. `--model NAME` asks the service of OPENAI_BASE_URL, not the script."""

import argparse
import asyncio
from collections.abc import AsyncIterator
from importlib.util import find_spec

from vista_stream import Session, VitalContradiction
from vista_stream.testing import replay
from vista_stream_adapters.openai import text_deltas

REFERENCE = "The Skerry lighthouse was built in 1854 by the engineer Thomas Hale. It is 31 metres high."
SCRIPT = {
    "When was the lighthouse built?": "The Skerry lighthouse was built in 1845. It is 31 metres high.",
    "Who built it?": "The Skerry lighthouse was built by the engineer Thomas Hale.",
}


async def asked(model: str, question: str) -> AsyncIterator[str]:
    from openai import AsyncOpenAI

    async with AsyncOpenAI() as client:
        said = [{"role": "user", "content": question}]
        stream = await client.chat.completions.create(model=model, messages=said, stream=True)  # type: ignore
        async for text in text_deltas(stream):
            yield text


async def main(model: str | None = None) -> None:
    if model and find_spec("openai") is None:
        raise SystemExit('openai is missing: from a checkout, pip install ".[openai]"')
    session = Session()
    session.add_reference(REFERENCE, name="guide book")
    session.on(VitalContradiction, lambda event: print("[flagged:", event.verdict.claim.text, end="] "))
    for question, scripted in SCRIPT.items():
        print(f"\n> {question}")
        answer = asked(model, question) if model else replay(scripted, size=4, interval=0.01)
        async with session.turn(answer, query=question) as turn:
            async for text in turn.text():
                print(text, end="", flush=True)
    print("\n\nCommon ground:", *(statement.text for statement in session.common_ground), sep="\n  ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    asyncio.run(main(parser.parse_args().model))

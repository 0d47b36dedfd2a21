"""Search, answer, guard with what was found. `--model NAME` asks the service of OPENAI_BASE_URL."""

import argparse
import asyncio
from collections.abc import AsyncIterator
from importlib.util import find_spec

from vista_stream import Reference, Session
from vista_stream.testing import replay
from vista_stream.verifiers.embedded import EmbeddedEmbedder
from vista_stream_adapters.openai import text_deltas

DOCUMENTS = [
    Reference("The ticket costs 12 euros. Children under six are free.", name="prices"),
    Reference("The museum opens at 9 a.m. It is closed on Mondays.", name="hours"),
    Reference("Dogs are not allowed in the museum. Guide dogs are welcome.", name="rules"),
]
QUESTION = "How much is a ticket?"
SCRIPT = "The ticket costs 15 euros. Children under six are free."


def search(question: str, embedder: EmbeddedEmbedder, k: int = 2) -> list[Reference]:
    vectors = embedder.embed([document.text for document in DOCUMENTS])
    nearest = (vectors @ embedder.embed([question])[0]).argsort()[::-1]
    return [DOCUMENTS[index] for index in nearest[:k]]


async def asked(model: str, question: str, found: list[Reference]) -> AsyncIterator[str]:
    from openai import AsyncOpenAI

    prompt = "\n\n".join([document.text for document in found] + [question])
    async with AsyncOpenAI() as client:
        said = [{"role": "user", "content": prompt}]
        stream = await client.chat.completions.create(model=model, messages=said, stream=True)  # type: ignore
        async for text in text_deltas(stream):
            yield text


async def main(model: str | None = None, question: str = QUESTION) -> None:
    if model and find_spec("openai") is None:
        raise SystemExit('openai is missing: from a checkout, pip install ".[openai]"')
    found = search(question, EmbeddedEmbedder.from_pretrained())
    session = Session()
    for document in found:
        session.add_reference(document)
    answer = asked(model, question, found) if model else replay(SCRIPT, size=4)
    async with session.turn(answer, query=question) as turn:
        async for text in turn.text():
            print(text, end="", flush=True)
    print()
    for verdict in turn.report.verdicts:
        source = verdict.evidence.document if verdict.evidence else "nothing"
        print(f"{verdict.category.value} by {source}: {verdict.claim.text}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    asyncio.run(main(parser.parse_args().model))

"""A guarded client of the official `openai` package and what its answers hold."""

import json

import pytest
from openai import OpenAI

from vista_stream import Category, Importance, Policy, stop
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.openai import Guard

MARKS = [
    pytest.mark.anyio,
    # The official client leaves its own generators to the collector, guarded or not; trio says so.
    pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning"),
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <async_generator:pytest.PytestUnraisableExceptionWarning"
    ),
]
"""Of every module of tests that drives the client."""

VITAL_FALSE = (Category.CONTRADICTED, Importance.VITAL)
STOP = Policy(rules={VITAL_FALSE: stop("[Stopped.]")})
TEXT = "The mill is red. The moon is of cheese, naïve 😀 as that is. It stands in Kew."
REPLACED = "The mill is red. [A statement here was withheld: it contradicts the reference.] It stands in Kew."
STOPPED = "The mill is red. [Stopped.]"
ASK = [{"role": "user", "content": "Tell me about the mill."}]
NOTE = json.dumps({"note": "The moon is odd.", "n": 1})


def guard(policy=None, **settings):
    stages = ScriptedStages({"moon": Category.CONTRADICTED}).stages()
    return Guard(stages=stages, policy=policy or Policy(), **settings)


def sync_client(upstream):
    return OpenAI(base_url=upstream.url, api_key="none", max_retries=0, timeout=10)


async def ask(guarded, **settings):
    stream = await guarded.chat.completions.create(model="m", messages=ASK, stream=True, **settings)
    return [chunk async for chunk in stream]


def content(chunks, index=0):
    choices = [choice for chunk in chunks for choice in chunk.choices]
    return "".join(choice.delta.content or "" for choice in choices if choice.index == index)


def finishes(chunks):
    return [c.finish_reason for chunk in chunks for c in chunk.choices if c.finish_reason]

"""A real model's HTTP endpoint under guard: llama.cpp's server, by xllamacpp, and the official client."""

import os
from pathlib import Path

import anyio
import pytest
from openai import AsyncOpenAI, OpenAI

from vista_stream import Category, Importance, Policy, stop
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.openai import Guard, guard_openai

GGUF = os.environ.get("VISTA_STREAM_TEST_GGUF", "")

pytestmark = [
    pytest.mark.skipif(not Path(GGUF).is_file(), reason="VISTA_STREAM_TEST_GGUF names no chat model (.gguf)"),
    pytest.mark.anyio,
]

ASK = [{"role": "user", "content": "Write three short sentences about the river Seine."}]
PLAIN = {"model": "m", "max_tokens": 60, "temperature": 0, "seed": 1}


@pytest.fixture(scope="module")
def endpoint():
    xllamacpp = pytest.importorskip("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = GGUF
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 512, 1, 1
    params.warmup = False
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(params=["asyncio"])
def anyio_backend(request):
    return request.param


def guard(policy=None):
    """Every second sentence is called false: what it says is the model's affair, not this test's."""
    seen = []

    class EverySecond(ScriptedStages):
        async def categorise(self, claim, finding):
            seen.append(claim.text)
            return Category.CONTRADICTED if len(seen) % 2 == 0 else Category.VERIFIED

    return Guard(stages=EverySecond().stages(), policy=policy or Policy()), seen


async def chat_text(client, **settings):
    stream = await client.chat.completions.create(messages=ASK, stream=True, **PLAIN, **settings)
    return "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])


async def test_a_real_stream_is_guarded_in_every_way(endpoint):
    async with AsyncOpenAI(base_url=endpoint, api_key="none", timeout=120) as plain:
        raw = await chat_text(plain)
        guarding, seen = guard()
        text = await chat_text(guard_openai(plain, guarding))
        assert len(seen) >= 2
        assert seen[0] in text
        assert seen[1] in raw
        assert seen[1] not in text
        guarding, _ = guard()
        completion = await guard_openai(plain, guarding).chat.completions.create(messages=ASK, **PLAIN)
        assert completion.choices[0].message.content == text
        guarding, _ = guard()
        async with guard_openai(plain, guarding).chat.completions.stream(messages=ASK, **PLAIN) as stream:
            final = await stream.get_final_completion()
        assert final.choices[0].message.content == text


async def test_a_real_responses_stream_is_guarded(endpoint):
    asked = {"model": "m", "input": ASK, "max_output_tokens": 60, "temperature": 0}
    async with AsyncOpenAI(base_url=endpoint, api_key="none", timeout=120) as plain:
        for policy in (Policy(), Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop("[Stop]")})):
            guarding, seen = guard(policy)
            async with guard_openai(plain, guarding).responses.stream(**asked) as stream:
                events = [event async for event in stream]
                final = await stream.get_final_response()
            assert seen[0] in final.output_text
            assert not any(seen[1] in repr(event) for event in events)


async def test_the_synchronous_client_on_a_real_stream(endpoint):
    def ask():
        guarding, seen = guard()
        with guard_openai(OpenAI(base_url=endpoint, api_key="none", timeout=120), guarding) as client:
            chunks = list(client.chat.completions.create(messages=ASK, stream=True, **PLAIN))
        return seen, "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)

    seen, text = await anyio.to_thread.run_sync(ask)
    assert seen[0] in text
    assert seen[1] not in text

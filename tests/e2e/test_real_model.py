"""A real model's HTTP endpoint under guard: llama.cpp's server, by xllamacpp, and the official client.

By the wrapped client, and by `vista-stream serve` between the two, with the shipped models.
"""

import os
import re
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import anyio
import pytest
from openai import AsyncOpenAI, OpenAI

from vista_stream import Category, Importance, Policy, stop
from vista_stream.policy import NOTICE
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.openai import Guard, guard_openai

GGUF = os.environ.get("VISTA_STREAM_TEST_GGUF", "")

pytestmark = pytest.mark.skipif(
    not Path(GGUF).is_file(), reason="VISTA_STREAM_TEST_GGUF names no chat model (.gguf)"
)

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


@pytest.mark.anyio
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


@pytest.mark.anyio
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


@pytest.mark.anyio
async def test_the_synchronous_client_on_a_real_stream(endpoint):
    def ask():
        guarding, seen = guard()
        with guard_openai(OpenAI(base_url=endpoint, api_key="none", timeout=120), guarding) as client:
            chunks = list(client.chat.completions.create(messages=ASK, stream=True, **PLAIN))
        return seen, "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)

    seen, text = await anyio.to_thread.run_sync(ask)
    assert seen[0] in text
    assert seen[1] not in text


# -- the proxy, as a user starts it

QUESTION = [
    {"role": "user", "content": "In which year was the Eiffel Tower opened? Answer in two short sentences."}
]
ASKED = {"model": "m", "messages": QUESTION, "max_tokens": 40, "temperature": 0, "seed": 1}
RESPONSE = {"model": "m", "input": QUESTION, "max_output_tokens": 40, "temperature": 0}


@pytest.fixture(scope="module")
def proxy(endpoint):
    if not files("vista_stream").joinpath("models/verifier/manifest.json").is_file():
        pytest.skip("the shipped model is not in this checkout")
    command = [sys.executable, "-m", "vista_stream", "serve", "--upstream", endpoint, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        lines = iter(running.stderr.readline, "")
        url = next(line.split()[-1] for line in lines if "vista-stream serves" in line)
        yield f"{url}/v1"
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 0


@pytest.fixture(scope="module")
def falsehood(endpoint):
    """A number of the model's answer, and the reference text that has another in its place."""
    with OpenAI(base_url=endpoint, api_key="none", timeout=120) as plain:
        text = plain.chat.completions.create(**ASKED).choices[0].message.content
    sentence = re.split(r"(?<=[.!?])\s", text)[0]
    number = re.search(r"\d{3,}", sentence)
    if number is None:
        pytest.skip(f"the model says no number: {text!r}")
    return number[0], sentence.replace(number[0], str(int(number[0]) - 111))


def with_reference(asked, reference):
    """The request, with the reference text that the proxy takes from its extra body."""
    body = {"vista": {"references": [{"name": "r", "text": reference}]}}
    return {**asked, "extra_body": body}


@pytest.mark.anyio
async def test_a_real_answer_that_contradicts_its_reference_never_passes_the_proxy(proxy, falsehood):
    number, reference = falsehood
    chat, response = with_reference(ASKED, reference), with_reference(RESPONSE, reference)
    async with AsyncOpenAI(base_url=proxy, api_key="none", timeout=120) as client:
        stream = await client.chat.completions.create(**chat, stream=True)
        texts = ["".join([c.choices[0].delta.content or "" async for c in stream if c.choices])]
        async with client.chat.completions.stream(**chat) as stream:
            texts.append((await stream.get_final_completion()).choices[0].message.content)
        texts.append((await client.chat.completions.create(**chat)).choices[0].message.content)
        async with client.responses.stream(**response) as stream:
            texts.append((await stream.get_final_response()).output_text)
        texts.append((await client.responses.create(**response)).output_text)
        assert [model.id async for model in client.models.list()]
    for text in texts:
        assert number not in text
        assert NOTICE in text


def test_the_synchronous_client_of_the_proxy(proxy, falsehood):
    number, reference = falsehood
    chat, response = with_reference(ASKED, reference), with_reference(RESPONSE, reference)
    with OpenAI(base_url=proxy, api_key="none", timeout=120) as client:
        chunks = list(client.chat.completions.create(**chat, stream=True))
        texts = ["".join(c.choices[0].delta.content or "" for c in chunks if c.choices)]
        texts.append(client.chat.completions.create(**chat).choices[0].message.content)
        events = list(client.responses.create(**response, stream=True))
        texts.append("".join(e.delta for e in events if e.type == "response.output_text.delta"))
    for text in texts:
        assert number not in text
        assert NOTICE in text


@pytest.mark.anyio
async def test_what_nothing_contradicts_passes_the_proxy_as_it_is(endpoint, proxy):
    async with AsyncOpenAI(base_url=endpoint, api_key="none", timeout=120) as plain:
        raw = (await plain.chat.completions.create(**ASKED)).choices[0].message.content
    async with AsyncOpenAI(base_url=proxy, api_key="none", timeout=120) as client:
        stream = await client.chat.completions.create(**ASKED, stream=True)
        chunks = [chunk async for chunk in stream]
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == raw
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] in ("stop", "length")

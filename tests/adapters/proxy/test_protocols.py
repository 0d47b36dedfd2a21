"""Both protocols through the proxy, however the upstream's bytes are cut, to the official client."""

import random

import openai
import pytest
import pytest_asyncio

from vista_stream import Category, Importance, Policy, stop

pytestmark = pytest.mark.asyncio

TEXT = "The canal opened in 1914 — élan. It was built by elephants. It is 82 kilometres long. 🎈 Done."
ASKED = {"model": "m", "messages": [{"role": "user", "content": "When did the canal open?"}]}
STOP = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop()})


@pytest_asyncio.fixture
async def open_client(upstream, start_proxy):
    """The official client of a proxy in front of `upstream`."""
    clients = []

    async def open_it(**settings):
        proxy = await start_proxy(upstream, **settings)
        clients.append(openai.AsyncOpenAI(base_url=f"{proxy.url}/v1", api_key="none", max_retries=0))
        return clients[-1]

    yield open_it
    for client in clients:
        await client.close()


def blocked(text):
    return text.startswith("The canal opened in 1914 — élan. ") and "elephants" not in text


async def test_a_streamed_response_and_its_final_snapshot_hold_released_text_only(
    upstream, responses, answer, open_client
):
    upstream.will(answer(responses.stream(TEXT)))
    client = await open_client()
    async with client.responses.stream(model="m", input="When?") as stream:
        deltas = [event.delta async for event in stream if event.type == "response.output_text.delta"]
        final = await stream.get_final_response()
    assert blocked("".join(deltas))
    assert final.output_text == "".join(deltas)
    assert final.output_text.endswith("🎈 Done.")


async def test_a_response_that_is_not_streamed_is_guarded(upstream, responses, answer, open_client):
    upstream.will(answer([responses.body(TEXT)], media="application/json"))
    client = await open_client()
    response = await client.responses.create(model="m", input="When?")
    assert blocked(response.output_text)


async def test_a_stopped_response_is_a_valid_one(upstream, responses, answer, open_client):
    upstream.will(answer(responses.stream(TEXT)))
    client = await open_client(policy=STOP)
    async with client.responses.stream(model="m", input="When?") as stream:
        final = await stream.get_final_response()
    assert final.status == "incomplete"
    assert blocked(final.output_text)
    assert "82 kilometres" not in final.output_text


async def test_a_stopped_completion_says_so_and_the_upstream_is_left(upstream, chat, answer, open_client):
    upstream.will(answer(chat.stream(TEXT + " More." * 2000, size=3), pause=0.002))
    client = await open_client(policy=STOP)
    stream = await client.chat.completions.create(**ASKED, stream=True)
    chunks = [chunk async for chunk in stream]
    assert chunks[-1].choices[0].finish_reason == "content_filter"
    assert blocked("".join(chunk.choices[0].delta.content or "" for chunk in chunks))
    assert upstream.left.wait(5)


@pytest.mark.parametrize(("arguments", "sent"), [("pass", True), ("guard", False)])
async def test_arguments_of_tool_calls_are_guarded_as_the_settings_say(
    arguments, sent, upstream, chat, answer, open_client
):
    said = '{"note": "It was built by elephants."}'
    function = {"name": "f", "arguments": said}
    call = {"index": 0, "id": "call_1", "type": "function", "function": function}
    upstream.will(
        answer([chat.chunk({"tool_calls": [call]}), chat.chunk({}, finish="tool_calls"), b"data: [DONE]\n\n"])
    )
    client = await open_client(tool_call_arguments=arguments)
    stream = await client.chat.completions.create(**ASKED, stream=True)
    calls = [
        told for chunk in [each async for each in stream] for told in chunk.choices[0].delta.tool_calls or ()
    ]
    assert ("elephants" in "".join(told.function.arguments or "" for told in calls)) is sent


async def test_the_stream_helper_is_given_an_end_that_it_accepts(upstream, chat, answer, open_client):
    upstream.will(answer(chat.stream(TEXT)))
    client = await open_client(policy=STOP)
    async with client.chat.completions.stream(**ASKED) as stream:
        final = await stream.get_final_completion()
    assert blocked(final.choices[0].message.content)
    assert "82 kilometres" not in final.choices[0].message.content
    assert final.choices[0].finish_reason == "stop"


async def test_a_replaced_sentence_leaves_the_final_snapshot_whole(upstream, chat, answer, open_client):
    upstream.will(answer(chat.stream(TEXT, size=3)))
    client = await open_client()
    async with client.chat.completions.stream(**ASKED) as stream:
        final = await stream.get_final_completion()
    assert final.choices[0].finish_reason == "stop"
    assert blocked(final.choices[0].message.content)
    assert final.choices[0].message.content.endswith("🎈 Done.")


def cut(wire, seed):
    """The bytes cut at up to 40 places, every second time with the other kind of line ends."""
    chance = random.Random(seed)
    wire = wire.replace(b"\n", b"\r\n") if seed % 2 else wire
    cuts = sorted(chance.sample(range(1, len(wire)), chance.randint(1, 40)))
    return [wire[start:end] for start, end in zip([0, *cuts], [*cuts, len(wire)], strict=True)]


@pytest.mark.parametrize("policy", [Policy(), STOP], ids=["replaced", "stopped"])
@pytest.mark.parametrize(("protocol", "seeds"), [("chat", range(50)), ("responses", range(50, 100))])
async def test_however_the_upstreams_bytes_are_cut_the_clients_helpers_get_the_same_text(
    upstream, chat, responses, answer, open_client, policy, protocol, seeds
):
    client = await open_client(policy=policy)
    wire = b"".join((chat if protocol == "chat" else responses).stream(TEXT, size=7))
    texts = set()
    for seed in seeds:
        upstream.will(answer(cut(wire, seed)))
        if protocol == "chat":
            async with client.chat.completions.stream(**ASKED) as stream:
                deltas = [event.delta async for event in stream if event.type == "content.delta"]
                final = (await stream.get_final_completion()).choices[0].message.content
        else:
            async with client.responses.stream(model="m", input="When?") as stream:
                deltas = [event.delta async for event in stream if event.type == "response.output_text.delta"]
                final = (await stream.get_final_response()).output_text
        assert "".join(deltas) == final
        texts.add(final)
    assert len(texts) == 1
    assert blocked(texts.pop())

"""What goes wrong upstream, at the reader and in the guard."""

import json

import anyio
import openai
import pytest
from openai import OpenAI

from openai_guarding import ASK, MARKS, TEXT, VITAL_FALSE, ask, content, guard, sync_client
from vista_stream import ClaimSettled, Policy, Session, TurnWithheld, UpstreamError, raise_
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.openai import guard_openai

pytestmark = MARKS


async def test_an_error_beside_the_last_delta_comes_after_the_text(upstream, client, chat, answer):
    last = chat.chunk({"content": ""}, finish="error", error={"code": 502, "message": "boom"})
    upstream.will(answer([chat.chunk({"content": "The mill is red. It stands"}), last]))
    seen = []
    with pytest.raises(openai.APIError, match="boom"):
        async for chunk in await guard_openai(client, guard()).chat.completions.create(
            model="m", messages=ASK, stream=True
        ):
            seen.append(chunk)
    assert content(seen) == "The mill is red. It stands"


async def test_a_last_line_without_its_end_is_the_end(upstream, client, chat, answer):
    upstream.will(answer([chat.chunk({"content": "The mill is red."}), chat.chunk({}, finish="stop")[:-2]]))
    got = await ask(guard_openai(client, guard()))
    assert content(got) == "The mill is red."
    assert got[-1].choices[0].finish_reason == "stop"


async def test_text_after_its_choice_has_finished_is_refused(upstream, client, chat, answer):
    first = [chat.chunk({"content": "The mill is red. "}), chat.chunk({}, finish="stop")]
    upstream.will(answer([*first, chat.chunk({"content": "The moon is odd."}), b"data: [DONE]\n\n"]))
    with pytest.raises(UpstreamError, match="after its end"):
        await ask(guard_openai(client, guard()))


async def test_an_upstream_that_dies_midway(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)[:-8], ending="abort"))
    chunks = []
    stream = await guard_openai(client, guard()).chat.completions.create(model="m", messages=ASK, stream=True)
    with pytest.raises(openai.APIConnectionError):
        async for chunk in stream:
            chunks.append(chunk)
    assert content(chunks).startswith("The mill is red. [A statement here")
    assert "cheese" not in content(chunks)


@pytest.mark.parametrize(
    ("status", "error"), [(429, openai.RateLimitError), (500, openai.InternalServerError)]
)
async def test_an_upstream_that_refuses(upstream, client, answer, status, error):
    body = json.dumps({"error": {"message": "no", "type": "t", "code": None}}).encode()
    upstream.will(answer([body], status=status, media="application/json"))
    with pytest.raises(error, match="no"):
        await ask(guard_openai(client, guard()))


async def test_the_upstream_refuses_a_malformed_response_format(upstream, client, answer):
    upstream.will(answer([b'{"error": {"message": "no such format"}}'], status=400, media="application/json"))
    with pytest.raises(openai.BadRequestError, match="no such format"):
        await guard_openai(client, guard()).chat.completions.create(
            model="m", messages=ASK, response_format="json"
        )


async def test_broken_json_is_never_passed_on(upstream, client, chat, answer):
    upstream.will(answer([*chat.stream(TEXT)[:20], b'data: {"choices": [cheese\n\n']))
    with pytest.raises(UpstreamError, match="not JSON"):
        await ask(guard_openai(client, guard()))


async def test_an_error_in_the_stream_is_the_clients_error(upstream, client, chat, answer):
    failure = b'data: {"error": {"message": "overloaded", "type": "server_error"}}\n\n'
    upstream.will(answer([*chat.stream("Fine. All is")[:4], failure]))
    with pytest.raises(openai.APIError, match="overloaded"):
        await ask(guard_openai(client, guard()))


async def test_an_upstream_that_stalls(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)[:10], ending="stall"))
    with pytest.raises(openai.APITimeoutError):
        await ask(guard_openai(client.with_options(timeout=0.3), guard()))


async def test_a_client_that_leaves_closes_the_upstream(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT + " More." * 500), pause=0.01))
    guarded = guard_openai(client, guard())
    async with await guarded.chat.completions.create(model="m", messages=ASK, stream=True) as stream:
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
    assert await anyio.to_thread.run_sync(upstream.left.wait, 5)


async def test_a_client_that_is_cancelled_closes_the_upstream(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT + " More." * 500), pause=0.01))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask, guard_openai(client, guard()))
        while not upstream.requests:  # noqa: ASYNC110 - the server is of another thread
            await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    assert await anyio.to_thread.run_sync(upstream.left.wait, 5)


async def test_a_policy_that_raises(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)))
    guarded = guard_openai(client, guard(Policy(rules={VITAL_FALSE: raise_()})))
    chunks = []
    stream = await guarded.chat.completions.create(model="m", messages=ASK, stream=True)
    with pytest.raises(TurnWithheld):
        async for chunk in stream:
            chunks.append(chunk)
    assert content(chunks) == "The mill is red. "


async def test_an_answer_that_the_policy_withholds_is_not_asked_for_again(
    upstream, client, chat, responses, answer
):
    upstream.will(answer([chat.body(TEXT)], media="application/json"))
    guarded = guard_openai(client.with_options(max_retries=2), guard(Policy(rules={VITAL_FALSE: raise_()})))
    asked = {"model": "m", "messages": ASK}
    with pytest.raises(TurnWithheld):
        await guarded.chat.completions.create(**asked)
    raw = await guarded.chat.completions.with_raw_response.create(**asked)
    for read in (raw.parse, lambda: raw.text, raw.http_response.json, raw.http_response.read):
        with pytest.raises(TurnWithheld):
            read()
    async with guarded.chat.completions.with_streaming_response.create(**asked) as streamed:
        with pytest.raises(TurnWithheld):
            await streamed.parse()
    assert len(upstream.requests) == 3


def test_what_a_callback_raises_is_raised_once(upstream, chat, answer):
    def broken(outcome):
        raise KeyError(outcome.conversation)

    upstream.will(answer([chat.body(TEXT)], media="application/json"))
    plain = OpenAI(base_url=upstream.url, api_key="none", max_retries=2)
    asked = {"model": "m", "messages": ASK}
    with guard_openai(plain, guard(on_outcome=broken)) as guarded:
        with pytest.raises(KeyError):
            guarded.chat.completions.create(**asked)
        with (
            guarded.chat.completions.with_streaming_response.create(**asked) as streamed,
            pytest.raises(KeyError),
        ):
            streamed.read()
    assert len(upstream.requests) == 2


@pytest.mark.parametrize("error", [SystemExit, pytest.fail.Exception])
@pytest.mark.parametrize("stream", [True, False])
def test_what_is_no_exception_ends_its_answer_and_not_the_loop_of_others(
    upstream, chat, answer, stream, error
):
    def leave(event):
        raise error("mine")

    whole = answer([chat.body(TEXT)], media="application/json")
    upstream.will(answer(chat.stream(TEXT)) if stream else whole)
    under_way = Session(stages=ScriptedStages().stages()).turn_sync(["One is true.", " Two is true."])
    read = next(under_way)
    with (
        guard_openai(sync_client(upstream), guard(callbacks=[(ClaimSettled, leave)])) as guarded,
        pytest.raises(error, match="mine"),
    ):
        list(guarded.chat.completions.create(model="m", messages=ASK, stream=stream))
    assert read + "".join(under_way) == "One is true. Two is true."


@pytest.mark.parametrize(
    "body",
    [b"The moon is of cheese.", b'["The moon is of cheese."]', b"[" * 10_000],
    ids=["text", "list", "deep"],
)
@pytest.mark.parametrize("media", ["application/json", "text/plain"])
async def test_an_answer_that_cannot_be_read_is_not_passed_on(upstream, client, answer, body, media):
    upstream.will(answer([body], media=media))
    with pytest.raises(UpstreamError, match="not"):
        await guard_openai(client, guard()).chat.completions.create(model="m", messages=ASK)
    with guard_openai(sync_client(upstream), guard()) as guarded, pytest.raises(UpstreamError, match="not"):
        guarded.chat.completions.create(model="m", messages=ASK)


async def test_content_in_parts_is_refused_by_name(upstream, client, chat, answer):
    body = json.loads(chat.body("The mill is red."))
    body["choices"][0]["message"]["content"] = [{"type": "text", "text": "The moon is big."}]
    upstream.will(answer([json.dumps(body).encode()], media="application/json"))
    with pytest.raises(UpstreamError, match="content that is not text"):
        await guard_openai(client, guard()).chat.completions.create(model="m", messages=ASK)

import asyncio
import json
import socket
import time
from types import SimpleNamespace

import openai
import pytest
from yarl import URL

from vista_stream import Category, Importance, Policy, stop
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.proxy.settings import Limits, Timeouts
from vista_stream_adapters.proxy.state import STATE

pytestmark = pytest.mark.asyncio

TRUE, FALSE, LAST = "The canal opened in 1914. ", "It was built by elephants. ", "It is 82 kilometres long."


def client(proxy, **arguments):
    return openai.AsyncOpenAI(base_url=f"{proxy.url}/v1", api_key="none", max_retries=0, **arguments)


LONG = f"The canal is {'very ' * 1000}long. "
ASKED = {"model": "small-model", "messages": [{"role": "user", "content": "When did the canal open?"}]}


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_the_official_client_gets_the_stream_without_the_false_sentence(
    size, start_upstream, start_proxy
):
    proxy = await start_proxy(await start_upstream(size=size))
    async with client(proxy) as api:
        stream = await api.chat.completions.create(**ASKED, stream=True)
        chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text.startswith(TRUE)
    assert text.endswith(LAST)
    assert "elephants" not in text
    assert "withheld" in text
    assert [chunk.choices[0].finish_reason for chunk in chunks][-1] == "stop"


async def test_an_answer_that_is_not_streamed_is_guarded(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream())
    async with client(proxy) as api:
        answer = await api.chat.completions.create(**ASKED)
    content = answer.choices[0].message.content
    assert content.startswith(TRUE)
    assert "elephants" not in content


async def test_models_are_the_upstreams(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream())
    async with client(proxy) as api:
        assert [model.id async for model in api.models.list()] == ["small-model"]


async def test_what_a_service_with_one_base_url_asks_for_beside_answers_is_passed_on(
    start_upstream, start_proxy
):
    upstream = await start_upstream()
    async with client(await start_proxy(upstream)) as api:
        assert (await api.models.retrieve("org/small-model")).id == "org/small-model"
        embedded = await api.embeddings.create(model="small-model", input="Hi.", encoding_format="float")
        assert embedded.data[0].embedding == [0.5, 0.25]
        assert upstream.bodies[-1]["input"] == "Hi."
        with pytest.raises(openai.NotFoundError, match="nothing that it cannot guard"):
            await api.completions.create(model="small-model", prompt="Hi.")


async def test_others_are_answered_while_a_large_answer_is_read_and_written(start_upstream, start_proxy):
    large = json.dumps({"data": [number / 7 for number in range(100_000)]}).encode()
    proxy = await start_proxy(await start_upstream(embedded=large))
    waited = []

    async def beat():
        while True:
            begun = time.monotonic()
            await asyncio.sleep(0)
            waited.append(time.monotonic() - begun)

    beating = asyncio.create_task(beat())
    begun = time.monotonic()
    async with proxy.http.post("/v1/embeddings", json={"model": "m", "input": "Hi."}) as response:
        assert await response.read() == large
    took = time.monotonic() - begun
    beating.cancel()
    assert max(waited) < took / 2


async def test_an_answer_whose_end_is_not_marked_is_whole(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(marked=False))
    async with client(proxy) as api:
        chunks = [
            chunk
            async for chunk in await api.chat.completions.create(
                model="small-model", messages=[{"role": "user", "content": "When?"}], stream=True
            )
        ]
    assert [c.finish_reason for chunk in chunks for c in chunk.choices][-1] == "stop"


async def test_the_upstream_gets_the_request_without_the_proxys_field_and_with_the_proxys_key(
    start_upstream, start_proxy
):
    upstream = await start_upstream()
    proxy = await start_proxy(upstream, upstream_key="sk-upstream")
    body = {"vista": {"references": [{"name": "r", "text": "A text."}]}, "temperature": 0.5}
    await proxy.ask(body, headers={"Authorization": "Bearer the-clients-own"})
    assert upstream.bodies[0]["temperature"] == 0.5
    assert "vista" not in upstream.bodies[0]
    assert upstream.keys == ["Bearer sk-upstream"]


async def test_turns_of_a_conversation_share_common_ground_and_others_do_not(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(answer="The canal opened in 1914."))
    for key in ("a", "b", "a"):
        status, _ = await proxy.ask(headers={"X-Vista-Conversation": key})
        assert status == 200
    state = proxy.app[STATE]
    assert [s.text for s in await state.common_ground("local/a")] == ["The canal opened in 1914."]
    assert len(state.conversations) == 2


async def test_the_folder_is_indexed_before_the_proxy_is_ready_and_when_it_changes(start_proxy, tmp_path):
    (tmp_path / "folder.txt").write_text("From the folder.")
    indexed, again = [], asyncio.Event()

    class Indexing(ScriptedStages):
        async def prepare(self, grounds):
            indexed.append([reference.name for reference in grounds.references])
            if len(indexed[-1]) == 2:
                again.set()

    proxy = await start_proxy(stages=Indexing(), references=tmp_path, timeouts=Timeouts(watch=0.01))
    async with proxy.http.get("/readyz") as response:
        assert response.status == 200
    assert indexed[-1] == ["folder.txt"]
    (tmp_path / "later.txt").write_text("Added later.")
    async with asyncio.timeout(5):
        await again.wait()
    assert indexed[-1] == ["folder.txt", "later.txt"]


async def test_references_come_from_the_request_from_uploads_and_from_the_folder(
    start_upstream, start_proxy, tmp_path
):
    (tmp_path / "folder.txt").write_text("From the folder.")
    grounds = []

    class Watching(ScriptedStages):
        async def verify(self, claim, seen):
            grounds.append([reference.name for reference in seen.references])
            return await super().verify(claim, seen)

    proxy = await start_proxy(
        await start_upstream(answer="It opened."), stages=Watching(), references=tmp_path
    )
    async with proxy.http.post("/v1/references", json={"name": "up", "text": "Uploaded."}) as response:
        key = (await response.json())["id"]
    grounds.clear()
    await proxy.ask({"vista": {"references": [key, {"name": "sent", "text": "Sent."}]}})
    await proxy.ask()
    assert grounds == [["folder.txt", "up", "sent"], ["folder.txt"]]


@pytest.mark.parametrize(
    ("returned", "texts"),
    [
        ([["A.", "B."], ["C."]], ["A.", "B.", "C."]),
        ([["A.", "B."], ["C.", "D."]], ["A.\n\nB.", "C.\n\nD."]),
    ],
)
async def test_the_many_results_of_a_tool_are_one_text(returned, texts, start_upstream, start_proxy):
    compared = []

    class Watching(ScriptedStages):
        async def verify(self, claim, seen):
            compared.append([reference.text for reference in seen.references])
            return await super().verify(claim, seen)

    upstream = await start_upstream(answer="It opened.")
    proxy = await start_proxy(upstream, stages=Watching(), limits=Limits(references=3))
    compared.clear()
    tools = [{"role": "tool", "content": json.dumps(found)} for found in returned]
    status, _ = await proxy.ask({"messages": [{"role": "user", "content": "When?"}, *tools]})
    assert status == 200
    assert compared == [texts]


async def test_uploads_are_listed_deleted_and_never_shared_between_clients(start_proxy):
    proxy = await start_proxy(tokens=frozenset({"one", "two"}))
    one, two = {"Authorization": "Bearer one"}, {"Authorization": "Bearer two"}
    async with proxy.http.post("/v1/references", json={"text": "Mine."}, headers=one) as response:
        kept = await response.json()
    assert kept["characters"] == 5
    for headers, count in ((one, 1), (two, 0)):
        async with proxy.http.get("/v1/references", headers=headers) as response:
            assert len((await response.json())["data"]) == count
    for headers, status in ((two, 404), (one, 200), (one, 404)):
        async with proxy.http.delete(f"/v1/references/{kept['id']}", headers=headers) as response:
            assert response.status == status


async def test_comments_keep_a_held_back_stream_alive(start_upstream, start_proxy):
    stages = ScriptedStages(delay=lambda text: 0.25)
    proxy = await start_proxy(await start_upstream(), stages=stages, timeouts=Timeouts(keep_alive=0.05))
    _, stream = await proxy.ask()
    assert stream.count(": held back\n\n") >= 2
    async with client(proxy) as api:
        chunks = [chunk async for chunk in await api.chat.completions.create(**ASKED, stream=True)]
    assert chunks[-1].choices[0].finish_reason == "stop"


async def test_a_client_that_leaves_cancels_the_upstream(start_upstream, start_proxy):
    upstream = await start_upstream(answer=TRUE * 2000, interval=0.005)
    proxy = await start_proxy(upstream)
    body = {**ASKED, "stream": True}
    async with proxy.http.post("/v1/chat/completions", json=body) as response:
        await response.content.readany()
        response.close()
    await asyncio.wait_for(upstream.left.wait(), 5)
    assert upstream.sent < 2000
    async with asyncio.timeout(5):
        while proxy.app[STATE].traffic.running:  # noqa: ASYNC110 - nobody tells that an answer has ended
            await asyncio.sleep(0.01)


async def test_a_client_that_reads_slowly_slows_the_upstream(start_upstream, start_proxy):
    # Without backpressure, all of these 50 million characters would be read into memory.
    upstream = await start_upstream(answer=LONG * 10_000, size=5000)
    proxy = await start_proxy(upstream)
    body = {**ASKED, "stream": True}
    async with proxy.http.post("/v1/chat/completions", json=body) as response:
        response.connection.transport.pause_reading()
        sent = -1
        while upstream.sent != sent:
            sent = upstream.sent
            await asyncio.sleep(0.5)
        assert 0 < sent < 10_000
        response.close()


async def test_a_client_that_never_reads_is_dropped(start_upstream, start_proxy):
    upstream = await start_upstream(answer=LONG * 10_000, size=5000)
    proxy = await start_proxy(upstream, timeouts=Timeouts(client=0.3))
    async with proxy.http.post("/v1/chat/completions", json={**ASKED, "stream": True}) as response:
        response.connection.transport.pause_reading()
        await asyncio.wait_for(upstream.left.wait(), 20)
        response.close()


async def test_health_readiness_and_a_drain_that_lets_streams_end(start_upstream, start_proxy):
    upstream = await start_upstream(interval=0.02)
    proxy = await start_proxy(upstream)
    traffic = proxy.app[STATE].traffic
    asking = asyncio.create_task(proxy.ask())
    await upstream.begun.wait()
    draining = asyncio.create_task(traffic.drain(within=5))
    await asyncio.sleep(0)
    for path, status in (("/healthz", 200), ("/readyz", 503)):
        async with proxy.http.get(path) as response:
            assert response.status == status
    status, refused = await proxy.ask()
    assert (status, json.loads(refused)["error"]["code"]) == (503, "draining")
    status, stream = await asking
    assert stream.endswith("data: [DONE]\n\n")
    assert await draining


@pytest.mark.parametrize(
    ("models", "status", "told"),
    [
        (200, 200, "ready"),
        (404, 200, "ready"),
        (401, 200, "ready"),
        (502, 503, "upstream_unreachable"),
        (None, 503, "upstream_unreachable"),
    ],
)
async def test_it_is_ready_where_its_upstream_answers(models, status, told, start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(models=models), timeouts=Timeouts(probe=0.1))
    async with proxy.http.get("/readyz") as response:
        assert (response.status, await response.json()) == (status, {"status": told})


async def test_it_is_not_ready_with_a_dead_upstream_and_lives_all_the_same(start_proxy):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    proxy = await start_proxy(SimpleNamespace(url=f"http://127.0.0.1:{port}"))
    for path, status in (("/healthz", 200), ("/readyz", 503)):
        async with proxy.http.get(path) as response:
            assert response.status == status


async def test_who_asks_often_whether_it_is_ready_asks_the_upstream_once(start_upstream, start_proxy):
    upstream = await start_upstream()
    proxy = await start_proxy(upstream)

    async def ask():
        async with proxy.http.get("/readyz") as response:
            return response.status

    assert await asyncio.gather(*(ask() for _ in range(20))) == [200] * 20
    assert upstream.looks == 1


async def test_a_drain_ends_at_its_time_out(start_upstream, start_proxy):
    upstream = await start_upstream(stall_after=2)
    proxy = await start_proxy(upstream)
    asking = asyncio.create_task(proxy.ask())
    await upstream.begun.wait()
    assert not await proxy.app[STATE].traffic.drain(within=0.05)
    asking.cancel()


async def test_streams_do_not_mix(start_upstream, start_proxy, streamed_text):
    answer = "The mark {question} is mine. It stays {question}."
    upstream = await start_upstream(answer=answer, size=3)
    proxy = await start_proxy(upstream, limits=Limits(streams=40))

    async def ask(number):
        mark = f"m{number}m"
        body = {"messages": [{"role": "user", "content": mark}]}
        _, stream = await proxy.ask(body, headers={"X-Vista-Conversation": mark})
        return mark, stream

    for mark, stream in await asyncio.gather(*map(ask, range(40))):
        assert streamed_text(stream) == f"The mark {mark} is mine. It stays {mark}."
    state = proxy.app[STATE]
    grounds = [await state.common_ground(f"local/m{number}m") for number in range(40)]
    assert all(f"m{number}m" in s.text for number, ground in enumerate(grounds) for s in ground)
    assert all(ground for ground in grounds)


@pytest.mark.parametrize(
    "model", ["..%2Fresponses%2Fr1", "%2e%2e/responses", "a/%2E%2E/%2E%2E/files", "a%2F"]
)
async def test_the_name_of_a_model_leads_to_no_other_path_of_the_upstream(model, start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream())
    async with proxy.http.get(URL(f"{proxy.url}/v1/models/{model}", encoded=True)) as response:
        assert response.status == 404
        assert (await response.json())["error"]["code"] == "not_found"


@pytest.mark.parametrize("reason", [None, "stop", "content_filter"])
async def test_a_stopped_answer_ends_as_the_settings_say(reason, start_upstream, start_proxy):
    policy = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop()})
    proxy = await start_proxy(await start_upstream(), policy=policy, finish_reason=reason)
    async with client(proxy) as api:
        answer = await api.chat.completions.create(**ASKED)
    assert answer.choices[0].finish_reason == (reason or "content_filter")


@pytest.mark.parametrize(("values", "sent"), [("guard", None), ("pass", 120)])
async def test_numbers_of_a_json_answer_are_guarded_as_the_settings_say(
    values, sent, start_upstream, start_proxy
):
    stages = ScriptedStages({"120": Category.CONTRADICTED})
    upstream = await start_upstream(answer='{"price_eur": 120}')
    proxy = await start_proxy(upstream, stages=stages, json_values=values)
    async with client(proxy) as api:
        asked = {**ASKED, "response_format": {"type": "json_object"}}
        answer = await api.chat.completions.create(**asked)
    assert json.loads(answer.choices[0].message.content) == {"price_eur": sent}

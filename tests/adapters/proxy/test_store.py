"""Two replicas of the proxy on one store: a conversation goes from one to the other."""

import json

import anyio
import pytest

from vista_stream import Policy
from vista_stream.stores import Bounds, open_store
from vista_stream.stores.sqlite import SqliteStore
from vista_stream_adapters.proxy.settings import Limits
from vista_stream_adapters.proxy.state import STATE

HEADERS = {"X-Vista-Conversation": "talk"}


def asked(*messages):
    roles = ("user", "assistant")
    rows = [{"role": roles[n % 2], "content": text} for n, text in enumerate(messages)]
    return {"messages": rows}


async def known(proxy):
    """The conversation's statements, as the proxy's own page would show them."""
    return [statement.text for statement in await proxy.app[STATE].common_ground("local/talk")]


@pytest.mark.asyncio
async def test_a_conversation_goes_on_on_another_replica(start_upstream, start_proxy, tmp_path):
    upstream = await start_upstream(answer="{question} Bo has a cow.")
    one, other = [
        await start_proxy(upstream, store=open_store(f"sqlite:///{tmp_path}/a.db")) for _ in range(2)
    ]
    for proxy, body in (
        (one, asked("Kew has a mill.")),
        (other, asked("Kew has a mill.", "Yes.", "Ada has a barn.")),
    ):
        status, _ = await proxy.ask(body, headers=HEADERS)
        assert status == 200
    expected = ["Kew has a mill.", "Bo has a cow.", "Ada has a barn."]
    assert await known(one) == await known(other) == expected


@pytest.mark.asyncio
async def test_a_chain_of_responses_is_one_conversation(upstream, start_proxy, responses, answer, tmp_path):
    proxy = await start_proxy(upstream, store=open_store(f"sqlite:///{tmp_path}/a.db"))
    said = ["Kew has a mill.", "Bo has a cow.", "Ada has a barn."]
    for number, (question, text) in enumerate(zip(("Go on.", "Thanks!", "Go on."), said, strict=True)):
        upstream.will(answer([responses.body(text)], media="application/json"))
        body = {"model": "m", "input": question, "previous_response_id": f"r{number}" if number else None}
        async with proxy.http.post("/v1/responses", json=body, headers=HEADERS) as response:
            assert response.status == 200
    assert await known(proxy) == said
    assert (await proxy.app[STATE].guard.store.read("local/talk")).turns == 3


@pytest.mark.asyncio
async def test_a_store_forgets_the_oldest_conversation_and_the_proxy_refuses_none(
    start_upstream, start_proxy, tmp_path
):
    upstream = await start_upstream(answer="Kew has a mill.")
    store = open_store(f"sqlite:///{tmp_path}/a.db", bounds=Bounds(conversations=2))
    proxy = await start_proxy(upstream, store=store, limits=Limits(sessions=2))
    for name in ("one", "two", "three", "four"):
        status, _ = await proxy.ask(asked("Where?"), headers={"X-Vista-Conversation": name})
        assert status == 200
    kept = [len((await store.read(f"local/{name}")).statements) for name in ("two", "three", "four")]
    assert kept == [0, 1, 1]
    assert len(proxy.app[STATE].conversations) == 1, "an ended one is not remembered for long"


@pytest.mark.asyncio
async def test_of_a_store_too_a_client_among_several_has_its_share(start_upstream, start_proxy, tmp_path):
    upstream = await start_upstream(answer="Kew has a mill.")
    store = open_store(f"sqlite:///{tmp_path}/a.db")
    limits, tokens = Limits(sessions=2), frozenset({"me", "you"})
    proxy = await start_proxy(upstream, store=store, limits=limits, tokens=tokens, token="me")
    for name, expected in (("one", 200), ("one", 200), ("two", 429)):
        status, _ = await proxy.ask(asked("Where?"), headers={"X-Vista-Conversation": name})
        assert status == expected


@pytest.mark.asyncio
@pytest.mark.parametrize("policy", [Policy(), Policy(on_store_error="continue")], ids=["raise", "continue"])
@pytest.mark.parametrize("stream", [True, False])
async def test_a_store_that_is_down_is_the_policys_matter(
    start_upstream, start_proxy, streamed_text, tmp_path, policy, stream
):
    upstream = await start_upstream(answer="Kew has a mill.")
    store = SqliteStore(tmp_path / "none" / "a.db", patience=0)
    proxy = await start_proxy(upstream, store=store, policy=policy)
    status, text = await proxy.ask(asked("Where?"), headers=HEADERS, stream=stream)
    if policy.on_store_error == "continue":
        shown = streamed_text(text) if stream else json.loads(text)["choices"][0]["message"]["content"]
        assert (status, shown) == (200, "Kew has a mill.")
        assert '"store":"unavailable"' in text.replace('": "', '":"')
        assert str(tmp_path) not in text
        await anyio.Path(tmp_path / "none").mkdir()
        status, text = await proxy.ask(asked("Where?"), headers=HEADERS, stream=stream)
        assert (status, "unavailable" in text) == (200, False)
        assert await known(proxy) == ["Kew has a mill."]
    elif stream:
        assert "store_unavailable" in text
    else:
        assert (status, json.loads(text)["error"]["code"]) == (503, "store_unavailable")


@pytest.mark.asyncio
@pytest.mark.parametrize("policy", [Policy(), Policy(on_store_error="continue")], ids=["raise", "continue"])
async def test_without_its_store_it_is_not_ready_and_logs_why(
    start_upstream, start_proxy, tmp_path, caplog, policy
):
    store = SqliteStore(tmp_path / "none" / "a.db", patience=0)
    proxy = await start_proxy(await start_upstream(), store=store, policy=policy)
    why = f"the store {tmp_path}/none/a.db cannot be used: unable to open database file"
    assert why in caplog.text
    caplog.clear()
    goes_on = policy.on_store_error == "continue"
    async with proxy.http.get("/readyz") as response:
        expected = (200, "ready") if goes_on else (503, "store_unavailable")
        assert (response.status, (await response.json())["status"]) == expected
    if not goes_on:
        await proxy.ask(asked("Where?"), headers=HEADERS, stream=False)
        assert f"StoreError: {why}" in caplog.text
    await anyio.Path(tmp_path / "none").mkdir()
    async with proxy.http.get("/readyz") as response:
        assert response.status == 200


@pytest.mark.asyncio
async def test_redis_is_killed_between_two_turns_and_in_one(start_upstream, start_proxy, tmp_path):
    from redis_server import RedisServer  # it skips where there is none
    from vista_stream.stores.redis import RedisStore

    upstream = await start_upstream(answer="{question} Bo has a cow.")
    server = await anyio.to_thread.run_sync(RedisServer, tmp_path)
    try:
        one, other = [
            await start_proxy(upstream, store=RedisStore(server.url, patience=20)) for _ in range(2)
        ]
        status, _ = await one.ask(asked("Kew has a mill."), headers=HEADERS)
        server.kill()
        async with anyio.create_task_group() as tasks:
            answers = []

            async def ask():
                body = asked("Kew has a mill.", "Yes.", "Ada has a barn.")
                answers.append(await other.ask(body, headers=HEADERS))

            tasks.start_soon(ask)
            await anyio.sleep(0.5)
            await anyio.to_thread.run_sync(server.start)
        assert (status, answers[0][0], "error" in answers[0][1]) == (200, 200, False)
        assert await known(one) == ["Kew has a mill.", "Bo has a cow.", "Ada has a barn."]
    finally:
        await anyio.to_thread.run_sync(server.kill)


@pytest.mark.asyncio
@pytest.mark.parametrize("policy", [Policy(), Policy(on_store_error="continue")], ids=["raise", "continue"])
async def test_the_page_goes_on_without_the_store_where_answers_do(start_proxy, tmp_path, policy):
    store = SqliteStore(tmp_path / "none" / "a.db", patience=0)
    proxy = await start_proxy(store=store, policy=policy)
    body = asked("Where?") | {"conversation": "c", "speed": "fast", "answer": "Kew has a mill."}
    async with proxy.http.post("/page/api/check", json=body) as response:
        text = await response.text()
    goes_on = policy.on_store_error == "continue"
    assert ("turn.ended" in text, "store_unavailable" in text) == (goes_on, not goes_on)

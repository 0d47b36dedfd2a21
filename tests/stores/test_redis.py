import time
from dataclasses import replace

import anyio
import pytest

from redis_server import RedisServer
from store_writers import acknowledged, check, writers
from vista_stream.core.common_ground import Statement
from vista_stream.errors import SessionStateError, StoreError
from vista_stream.stores import Bounds, EndedTurn
from vista_stream.stores.redis import RedisStore


def said(text):
    return [Statement(text=text, origin="claim", turn=0)]


def texts(statements):
    return [statement.text for statement in statements]


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    served = RedisServer(tmp_path_factory.mktemp("redis"))
    yield served
    served.thaw()
    served.kill()


@pytest.fixture
def redis(running):
    """A server that is up, and empty."""
    if running.running is None:
        running.start()
    anyio.run(_emptied, running.url)
    return running


async def _emptied(url):
    async with RedisStore(url) as store:
        await store._client().flushall()


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request):
    return "asyncio", {"use_uvloop": request.param}


@pytest.mark.anyio
async def test_what_is_added_is_there_for_another_store(redis, no_blocking_calls):
    async with RedisStore(redis.url) as one, RedisStore(redis.url) as other:
        await one.end_turn("a", EndedTurn(statements=said("One."), references=["d"]))
        kept = await other.end_turn("a", EndedTurn(statements=said("Two.")))
        assert await one.read("a") == kept
        assert [(s.text, s.turn) for s in kept.statements] == [("One.", 0), ("Two.", 1)]
        await one.append("\ud800", said("Odd \ud800."))
        assert texts(await other.load("\ud800")) == ["Odd \ud800."]
        assert list(await one.load("b")) == []
        newer = replace(said("Three.")[0], supersedes=("One.",))
        gone = Statement(text="Two.", origin="retraction", turn=2)
        await one.end_turn("a", EndedTurn(statements=[newer]))
        await one.end_turn("a", EndedTurn(statements=[gone], turn=2))
        kept = await other.read("a")
        assert (texts(kept.statements), kept.turns) == (["Three."], 3)
        assert [(r.old.text, r.reason) for r in kept.superseded] == [
            ("One.", "superseded"),
            ("Two.", "retracted"),
        ]


@pytest.mark.anyio
async def test_a_turn_that_is_written_twice_counts_once(redis):
    async with RedisStore(redis.url) as store:
        turn = EndedTurn(statements=said("One."))
        assert await store.end_turn("a", turn) == await store.end_turn("a", turn)


@pytest.mark.anyio
async def test_conversations_are_forgotten_by_number_and_by_time(redis):
    async with RedisStore(redis.url, bounds=Bounds(conversations=2)) as store:
        for number, key in enumerate(("a", "b", "a", "c")):
            await store.append(key, said(f"{number} of {key}."))
        assert [len(await store.load(key)) for key in "abc"] == [2, 0, 1]
    async with RedisStore(redis.url, bounds=Bounds(ttl=0.3)) as store:
        await store.append("d", said("Of d."))
        assert texts(await store.load("d")) == ["Of d."]
        await anyio.sleep(0.5)
        assert list(await store.load("d")) == []
        await store.append("e", said("Of e."))
        assert await store._client().zrange(store._index, 0, -1) == [store._key("e")]


@pytest.mark.anyio
async def test_turns_that_end_at_once_are_all_kept(redis):
    async with RedisStore(redis.url) as one, RedisStore(redis.url) as other:
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon([one, other][number % 2].append, "a", said(f"{number}."))
        kept = await one.read("a")
    assert sorted(texts(kept.statements)) == sorted(f"{number}." for number in range(20))
    assert [statement.turn for statement in kept.statements] == list(range(20))


@pytest.mark.anyio
async def test_a_server_that_is_killed_and_started_again_is_waited_for(redis):
    async with RedisStore(redis.url, patience=20) as store:
        await store.append("a", said("One."))
        redis.kill()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(store.append, "a", said("Two."))
            await anyio.sleep(0.5)
            await anyio.to_thread.run_sync(redis.start)
        assert texts(await store.load("a")) == ["One.", "Two."]


@pytest.mark.anyio
async def test_a_server_that_stays_down_is_given_up_and_then_asked_once_a_call(redis):
    async with RedisStore(redis.url, attempt=0.5, patience=1) as store:
        await store.append("a", said("One."))
        redis.kill()
        with pytest.raises(StoreError, match=r"the store redis://127\.0\.0\.1:\d+/0 cannot be used"):
            await store.load("a")
        begun = anyio.current_time()
        with pytest.raises(StoreError):
            await store.load("a")
        assert anyio.current_time() - begun < 0.5
        await anyio.to_thread.run_sync(redis.start)
        assert texts(await store.load("a")) == ["One."]


@pytest.mark.anyio
async def test_a_server_that_does_not_answer_is_given_up(redis):
    async with RedisStore(redis.url, attempt=0.2, patience=0.5) as store:
        turn = EndedTurn(statements=said("One."))
        await store.read("a")
        redis.freeze()
        try:
            begun = anyio.current_time()
            with pytest.raises(StoreError, match="store redis"):
                await store.end_turn("a", turn)
            assert anyio.current_time() - begun < 3
        finally:
            redis.thaw()
        # Whether the frozen server took it in or not: written again, it is there once.
        await store.end_turn("a", turn)
        assert texts(await store.load("a")) == ["One."]


@pytest.mark.anyio
async def test_what_cannot_pass_is_said_at_once(redis):
    url = redis.url.replace("//", "//:hidden-word@")
    async with RedisStore(redis.url) as store:
        client = store._client()
        await client.set(store._key("a"), "x")
        with pytest.raises(StoreError, match="no conversation of vista_stream"):
            await store.load("a")
        await client.config_set("requirepass", "another")
        try:
            async with RedisStore(url, patience=30) as refused:
                with anyio.fail_after(5), pytest.raises(StoreError, match="cannot be used") as error:
                    await refused.load("a")
            assert "hidden-word" not in str(error.value)
        finally:
            await client.config_set("requirepass", "")


def test_each_event_loop_has_connections_of_its_own(redis):
    store = RedisStore(redis.url)

    async def add(text):
        await store.append("a", said(text))
        found = await store.load("a")
        await store.aclose()
        return texts(found)

    assert anyio.run(add, "One.") == ["One."]
    assert anyio.run(add, "Two.") == ["One.", "Two."]


def test_trio_is_refused_in_words(redis):
    with pytest.raises(SessionStateError, match="on trio take SqliteStore"):
        anyio.run(RedisStore(redis.url).load, "a", backend="trio")


def test_processes_that_end_turns_at_once_lose_nothing_while_the_server_is_killed(redis):
    with writers(redis.url, "ABCD", 60) as writing:
        told = {name: [process.stdout.readline().strip()] for name, process in writing.items()}
        redis.kill()
        time.sleep(0.5)
        redis.start()
        for name, rest in acknowledged(writing).items():
            told[name] += rest
    assert [len(one) for one in told.values()] == [60] * 4
    check(anyio.run(_read, redis.url), told)


async def _read(url):
    async with RedisStore(url) as store:
        return await store.read("talk")


@pytest.mark.anyio
async def test_leaving_it_while_cancelled_closes_its_connections(redis):
    with anyio.CancelScope() as scope:
        async with RedisStore(redis.url) as store:
            await store.read("a")
            pool = store._client().connection_pool
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    assert not any(connection.is_connected for connection in pool._available_connections)

from contextlib import AsyncExitStack
from functools import partial

import anyio
import pytest
import trio

pytest.importorskip("aiohttp", reason="needs the extra pool")

import tiny_reader
from pool_replicas import Numbers, pair, replica, resetting, silent, socket_server, triple
from vista_stream.caching import cache_scope
from vista_stream.claims import Importance, Pair
from vista_stream.core.judge import Thresholds
from vista_stream.errors import (
    InferenceError,
    LanguageUnsupported,
    Overload,
    SessionStateError,
    VerifierError,
    VerifierUnreachable,
)
from vista_stream.verifiers.embedded import EmbeddedVerifier
from vista_stream.verifiers.pool.remote import RemoteVerifier
from vista_stream.verifiers.pool.settings import PoolSettings
from vista_stream.verifiers.pool.wire import Description
from vista_stream.verifiers.protocol import Verifier

pytestmark = pytest.mark.anyio
NOBODY = "http://127.0.0.1:9"
"""The discard port, on which nothing listens."""
VITAL = partial(pair, importance=Importance.VITAL)
DESCRIBED = Description.of(Numbers())


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request):
    """The event loops that aiohttp runs on."""
    return "asyncio", {"use_uvloop": request.param}


def asking(*urls, fallback=None, **settings):
    """A verifier that takes for granted what the replicas serve, so that only the test's calls reach them."""
    return RemoteVerifier(urls, DESCRIBED, fallback=fallback, settings=PoolSettings(**settings))


async def test_it_scores_as_the_replicas_verifier_does(no_blocking_calls):
    verifier = Numbers()
    async with replica(verifier) as url, await RemoteVerifier.connect([url]) as remote:
        assert isinstance(remote, Verifier)
        assert (remote.name, remote.kind, remote.thresholds) == ("numbers", "Numbers", Thresholds())
        assert remote.reader is None
        assert await remote.score([pair(3), pair(1)]) == [triple(3), triple(1)]
        assert await remote.score([]) == []
    assert [each.premise for each in verifier.seen] == ["premise 3", "premise 1"]


async def test_importance_and_what_is_left_of_the_deadline_arrive(no_blocking_calls):
    verifier = Numbers()
    async with replica(verifier) as url, asking(url) as remote:
        now = anyio.current_time()
        await remote.score([VITAL(1, deadline=now + 5), pair(2)])
    vital, other = verifier.seen
    assert vital.importance is Importance.VITAL
    assert now + 4.5 < vital.deadline < now + 6  # one event loop, one clock
    assert other == pair(2)
    assert other.deadline == float("inf")


async def test_many_calls_at_once_share_batches():
    verifier = Numbers(delay=0.05)
    async with (
        replica(verifier) as url,
        asking(url) as remote,
        anyio.create_task_group() as tasks,
    ):
        for number in range(20):
            tasks.start_soon(remote.score, [pair(number)])
    assert len(verifier.seen) == 20
    assert verifier.calls < 10


async def test_a_replica_that_is_gone_is_passed_over_and_then_left_alone(no_blocking_calls):
    async with replica(Numbers()) as url, asking(NOBODY, url, failures=2, pause=30) as remote:
        for number in range(6):
            assert await remote.score([pair(number)]) == [triple(number)]
        gone, living = remote._here()._replicas
        assert not gone.breaker.closed
        assert living.breaker.closed
        assert remote._here().available() == [living]


@pytest.mark.parametrize("behave", [resetting, silent])
async def test_a_broken_off_call_is_asked_of_the_next_replica(behave):
    async with (
        replica(Numbers()) as url,
        socket_server(behave) as broken,
        asking(broken, url, attempt=0.3, failures=1, pause=30) as remote,
    ):
        assert await remote.score([pair(7)]) == [triple(7)]
        assert [each.breaker.closed for each in remote._here()._replicas] == [False, True]


async def test_a_server_that_is_no_replica_counts_as_failed():
    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\n\r\n<html")
        await writer.drain()

    async with socket_server(answer) as gateway, asking(gateway, patience=0) as remote:
        with pytest.raises(VerifierUnreachable, match="answers 502, and not as a replica does"):
            await remote.score([pair()])


async def test_a_replica_of_another_verifier_is_passed_over():
    class Strict(Numbers):
        thresholds = Thresholds(entailment=0.9)

    strict, numbers = Strict(), Numbers()
    async with replica(strict) as other, replica(numbers) as url, asking(other, url) as remote:
        assert await remote.score([pair(7)]) == [triple(7)]
        async with asking(other, patience=0) as alone:
            with pytest.raises(VerifierUnreachable, match="does not serve numbers"):
                await alone.score([pair(7)])


async def test_a_pool_that_restarts_is_waited_for():
    async with replica(Numbers()) as url:
        pass
    async with asking(url, patience=10) as remote, anyio.create_task_group() as tasks:
        got, came = [], anyio.Event()

        async def ask():
            got.append(await remote.score([pair(4)]))
            came.set()

        tasks.start_soon(ask)
        await anyio.sleep(0.3)
        async with replica(Numbers(), port=int(url.rpartition(":")[2])):
            with anyio.fail_after(5):
                await came.wait()
    assert got == [[triple(4)]]


async def test_without_replicas_it_gives_up_after_its_patience_and_before_the_deadline():
    async with asking(NOBODY, patience=0.3, failures=1, pause=30) as remote:
        begun = anyio.current_time()
        with pytest.raises(VerifierUnreachable, match=r"127\.0\.0\.1:9"):
            await remote.score([pair()])
        assert 0.1 < anyio.current_time() - begun < 3
    async with asking(NOBODY, patience=30) as remote:
        with pytest.raises(VerifierUnreachable, match=r"127\.0\.0\.1:9"):
            await remote.score([pair(deadline=anyio.current_time() + 0.2)])


async def test_a_replica_that_is_left_alone_is_asked_where_there_is_no_other_and_no_fallback():
    async with replica(Numbers()) as url:
        pass
    local, settings = Numbers(), {"failures": 1, "pause": 30, "patience": 0}
    async with asking(url, **settings) as alone, asking(url, fallback=local, **settings) as backed:
        with pytest.raises(VerifierUnreachable):
            await alone.score([pair(1)])
        assert await backed.score([pair(1)]) == [triple(1)]
        assert not any(each.breaker.closed for each in alone._here()._replicas)
        verifier = Numbers()
        async with replica(verifier, port=int(url.rpartition(":")[2])):
            assert await alone.score([pair(2)]) == [triple(2)]
            assert await backed.score([pair(3)]) == [triple(3)]
    assert verifier.seen == [pair(2)]  # the fallback needs no attempt at a replica that failed
    assert local.seen == [pair(1), pair(3)]


async def test_a_call_whose_replica_dies_after_a_while_goes_to_one_that_lives_again():
    async def dying(reader, writer):
        await reader.read(65536)
        await anyio.sleep(0.5)  # longer than the client's patience

    async with replica(Numbers()) as url:
        pass
    async with (
        socket_server(dying) as other,
        asking(url, other, failures=1, pause=30, patience=0.2) as remote,
    ):
        back, busy = remote._here()._replicas
        now = anyio.current_time()
        back.breaker.fail(now, probe=back.breaker.begin(now))
        async with replica(Numbers(), port=int(url.rpartition(":")[2])):
            assert remote._here().available() == [busy]
            assert await remote.score([pair(5)]) == [triple(5)]


async def test_patience_begins_when_a_replica_gave_no_answer():
    died = []

    async def dying(reader, writer):
        await reader.read(65536)
        await anyio.sleep(0 if died else 0.5)  # longer than the client's patience
        died.append(True)

    async with socket_server(dying) as url, asking(url, patience=0.3) as remote:
        with pytest.raises(VerifierUnreachable):
            await remote.score([pair(5)])
    assert len(died) > 1


async def test_without_replicas_the_fallback_scores_at_once():
    local = Numbers()
    async with asking(NOBODY, patience=30, fallback=local) as remote:
        with anyio.fail_after(5):
            assert await remote.score([pair(2)]) == [triple(2)]
    assert local.seen == [pair(2)]


async def test_a_silent_pool_leaves_the_fallback_half_of_the_time():
    async with socket_server(silent) as hung, asking(hung, fallback=Numbers()) as remote:
        deadline = anyio.current_time() + 2
        assert await remote.score([pair(2, deadline=deadline)]) == [triple(2)]
        assert deadline - 1.1 < anyio.current_time() < deadline


async def test_what_is_not_the_pools_absence_does_not_go_to_the_fallback():
    local = Numbers()
    for raised in (InferenceError("poison"), LanguageUnsupported("French"), Overload("late")):
        async with replica(Numbers(error=raised)) as url, asking(url, fallback=local) as remote:
            with pytest.raises(type(raised), match=str(raised)):
                await remote.score([pair()])
            assert remote._here()._replicas[0].breaker.closed
    assert local.seen == []


async def test_what_the_verifier_raises_is_not_tried_again():
    failing, other = Numbers(error=RuntimeError("odd")), Numbers()
    async with replica(failing) as one, replica(other) as two, asking(one, two) as remote:
        with pytest.raises(InferenceError, match="RuntimeError: odd"):
            await remote.score([pair()])
    assert (len(failing.seen), len(other.seen)) == (1, 0)


async def test_a_call_that_one_replica_sheds_is_asked_of_the_next():
    async with (
        replica(Numbers(error=Overload("late"))) as full,
        replica(Numbers()) as url,
        asking(full, url, failures=1) as remote,
    ):
        assert await remote.score([pair(5)]) == [triple(5)]
        assert remote._here()._replicas[0].breaker.closed


async def test_an_expired_call_is_not_sent():
    verifier = Numbers()
    async with replica(verifier) as url, asking(url) as remote:
        with pytest.raises(Overload, match="deadline"):
            await remote.score([pair(deadline=anyio.current_time() - 1)])
    assert verifier.seen == []


async def test_a_call_that_ends_too_late_is_answered_at_its_deadline():
    slow = Numbers(delay=30)
    async with replica(slow) as url, asking(url) as remote:
        with anyio.fail_after(5), pytest.raises(Overload):
            await remote.score([pair(deadline=anyio.current_time() + 0.3)])
    assert slow.cancelled == 1


async def test_cancelling_a_call_cancels_it_on_the_replica():
    slow = Numbers(delay=30)
    async with replica(slow) as url, asking(url) as remote:
        with anyio.move_on_after(0.2):
            await remote.score([pair()])
        with anyio.fail_after(5):
            await slow.over.wait()
    assert slow.cancelled == 1


async def test_a_slow_call_with_a_vital_claim_is_hedged_and_no_other():
    slow, fast = Numbers(delay=0.5), Numbers()
    async with replica(slow) as one, replica(fast) as two:
        async with asking(one, two, hedge=0.05) as remote:
            begun = anyio.current_time()
            assert await remote.score([pair(1), VITAL(2)]) == [triple(1), triple(2)]
            assert anyio.current_time() - begun < 0.45
        assert (len(slow.seen), len(fast.seen)) == (2, 2)
        async with asking(one, two, hedge=0.05) as remote:
            assert await remote.score([pair(3)]) == [triple(3)]
    assert (len(slow.seen), len(fast.seen)) == (3, 2)


async def test_a_replica_that_loses_to_hedges_is_left_alone():
    async with (
        socket_server(silent) as hung,
        replica(Numbers()) as url,
        asking(hung, url, hedge=0.03, failures=2, pause=30) as remote,
    ):
        for number in range(6):
            assert await remote.score([VITAL(number)]) == [triple(number)]
        assert [each.breaker.closed for each in remote._here()._replicas] == [False, True]


async def test_a_probe_is_hedged_whatever_the_claim_and_a_living_replica_comes_back():
    async with AsyncExitStack() as stack:
        hung = await stack.enter_async_context(socket_server(silent))
        url = await stack.enter_async_context(replica(Numbers()))
        remote = await stack.enter_async_context(
            asking(hung, url, attempt=5, hedge=0.03, failures=1, pause=0.1)
        )
        probed, living = remote._here()._replicas
        now = anyio.current_time()
        probed.breaker.fail(now, probe=probed.breaker.begin(now))
        await anyio.sleep(0.15)
        with anyio.fail_after(2):
            assert await remote.score([pair(1)]) == [triple(1)]
        assert not probed.breaker.closed
        probed.ask = living.ask  # it lives again
        await anyio.sleep(0.3)
        assert await remote.score([pair(2)]) == [triple(2)]
        assert probed.breaker.closed


async def test_tokens_are_sent_and_a_wrong_one_is_told():
    async with replica(Numbers(), tokens=frozenset({"right"})) as url:
        async with asking(url, token="right") as remote:
            assert await remote.score([pair(1)]) == [triple(1)]
        with pytest.raises(VerifierError, match="give one of the pool's tokens"):
            await RemoteVerifier.connect([url], settings=PoolSettings(token="wrong"))
    assert "right" not in repr(PoolSettings(token="right"))


async def test_a_replica_that_refuses_the_token_is_passed_over_then_left_alone_and_told_of(caplog):
    refusing, living = Windows(), Windows()
    async with (
        replica(refusing, tokens=frozenset({"new"})) as one,
        replica(living, tokens=frozenset({"old"})) as two,
        await RemoteVerifier.connect([one, two], settings=PoolSettings(token="old", failures=3)) as remote,
    ):
        await remote.read(("the mill was built in 1840 .",))
        for number in range(6):
            assert await remote.score([pair(number)]) == [triple(number)]
        assert [each.breaker.closed for each in remote._here()._replicas] == [False, True]
    assert (refusing.calls, len(living.windows)) == (0, 1)
    assert f"replica {one} is left alone for a while: {one}: give one of the pool's tokens" in caplog.text


async def test_a_pool_that_refuses_the_token_leaves_the_fallback_to_score(caplog):
    hasty = PoolSettings(token="wrong", patience=0.1, failures=1, pause=0.1)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(replica(Numbers(), tokens=frozenset({"right"})))
        remote = await RemoteVerifier.connect([NOBODY, url], settings=hasty, fallback=Numbers())
        await stack.enter_async_context(remote)
        assert "the fallback says it" in caplog.text
        assert "give one of the pool's tokens" in caplog.text
        for number in range(3):
            assert await remote.score([pair(number)]) == [triple(number)]


async def test_a_replica_that_answers_again_is_told_of(caplog):
    caplog.set_level("INFO", logger="vista_stream.pool")
    async with replica(Numbers()) as url, asking(url) as remote:
        breaker = remote._here()._replicas[0].breaker
        while breaker.closed:
            breaker.fail(0.0, probe=False)
        await remote.score([pair()])
    assert caplog.messages == [f"replica {url} answers again"]


class Windows(Numbers):
    """Reads windows: keeps what it read, and scores by it."""

    def __init__(self, **options):
        super().__init__(**options)
        self.windows = []

    @property
    def reader(self):
        return self

    async def read(self, windows):
        if self.error is not None:
            raise self.error
        self.windows += windows


async def test_windows_go_over_the_wire_once_for_each_replica(monkeypatch):
    verifier = Windows()
    asked = [Pair("premise 1\npremise 2", claim, windows=("premise 1", "premise 2")) for claim in "ab"]
    async with replica(verifier) as url, await RemoteVerifier.connect([url]) as remote:
        assert remote.reader is remote
        (asked_one,) = remote._here().available()
        bodies, ask = [], asked_one.ask

        async def noted(path, body, **options):
            bodies.append((path, body["windows"]))
            return await ask(path, body, **options)

        monkeypatch.setattr(asked_one, "ask", noted)
        await remote.reader.read(["premise 1"])
        for each in asked:
            assert await remote.score([each]) == [triple(1)]
    assert verifier.windows == ["premise 1"]
    assert verifier.seen == asked
    assert bodies == [("/read", ["premise 1"]), ("/score", ["premise 2"]), ("/score", [])]


async def test_a_replica_that_forgot_windows_is_sent_them_again():
    verifier = Windows()
    asked = [Pair("premise 1\npremise 2", "claim", windows=("premise 1", "premise 2"))]
    async with AsyncExitStack() as stack:
        async with replica(verifier) as url:
            port = int(url.rpartition(":")[2])
            remote = await stack.enter_async_context(await RemoteVerifier.connect([url]))
            await remote.score(asked)
        await stack.enter_async_context(replica(verifier, port=port))  # restarted
        assert await remote.score(asked) == [triple(1)]
    assert verifier.seen == asked * 2


async def test_reading_goes_to_every_replica_that_lives_and_else_to_the_fallback():
    one, two, local = Windows(), Windows(), Windows()
    described = Description.of(one)
    async with (
        replica(one) as first,
        replica(two) as second,
        RemoteVerifier([first, NOBODY, second], described) as remote,
    ):
        await remote.read(["a"])
    assert (one.windows, two.windows) == (["a"], ["a"])
    async with RemoteVerifier([NOBODY], described) as remote:
        with pytest.raises(VerifierUnreachable):
            await remote.read(["b"])
    async with RemoteVerifier([NOBODY], described, fallback=local) as remote:
        await remote.read(["b"])
    assert local.windows == ["b"]
    failing = Windows(error=InferenceError("too long"))
    async with replica(failing) as url, RemoteVerifier([url], described, fallback=local) as remote:
        with pytest.raises(InferenceError, match="too long"):
            await remote.read(["c"])


async def test_a_model_that_reads_windows_scores_alike_through_the_wire(tmp_path):
    local = EmbeddedVerifier.from_pretrained(tiny_reader.write(tmp_path / "reader"))
    windows = ("the mill was built in 1840 .", "it stands in kew .")
    asked = [Pair("\n".join(windows), "the mill stands in kew .", windows=windows)]
    async with replica(local) as url, await RemoteVerifier.connect([url]) as remote:
        await remote.read(windows)
        assert await remote.score(asked) == await local.score(asked)


async def test_connect_waits_for_a_replica_then_takes_the_fallbacks_word_or_gives_up():
    hasty = PoolSettings(patience=0.2)
    with pytest.raises(VerifierUnreachable, match=r"127\.0\.0\.1:9"):
        await RemoteVerifier.connect([NOBODY], settings=hasty)
    async with await RemoteVerifier.connect([NOBODY], settings=hasty, fallback=Numbers()) as remote:
        assert remote.name == "numbers"
        assert await remote.score([pair(3)]) == [triple(3)]


async def test_a_fallback_with_other_thresholds_is_refused():
    class Strict(Numbers):
        thresholds = Thresholds(entailment=0.9)

    async with replica(Numbers()) as url:
        with pytest.raises(
            ValueError, match=r"fallback must decide at the thresholds .* of the pool's numbers"
        ):
            await RemoteVerifier.connect([url], fallback=Strict())


@pytest.mark.parametrize(
    ("urls", "told"),
    [
        *(([], "a list"), ("http://a", "a list"), ("http://user:secret@a", "a list")),
        *((["ftp://a"], "base URLs"), (["http://"], "base URLs"), (["http://a?b"], "base URLs")),
        *((["a:8800"], "base URLs"), (["http://user:secret@a"], "no password")),
        (["ftp://user:secret@a"], "no password"),
    ],
)
async def test_urls_that_are_none_are_refused_and_no_password_is_told(urls, told):
    with pytest.raises(ValueError, match=f"urls must .*{told}") as refused:
        RemoteVerifier(urls, DESCRIBED)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "change",
    [
        *({"attempt": 0}, {"hedge": -1}, {"pause": 0}, {"patience": -1}, {"failures": 0}),
        *({"connect": "1"}, {"patience": None}, {"failures": float("nan")}, {"failures": "5"}),
    ],
)
async def test_settings_that_are_too_small_or_no_number_are_refused(change):
    with pytest.raises(ValueError, match=f"^{next(iter(change))} must "):
        PoolSettings(**change)


async def test_a_clients_scores_are_cached_for_it_alone():
    verifier = Numbers()
    async with replica(verifier) as url, asking(url) as remote:
        for client in ("one", "two", "one"):
            with cache_scope(client):
                assert await remote.score([pair(1)]) == [triple(1)]
    assert len(verifier.seen) == 2


async def test_each_event_loop_has_its_own_connections():
    async with replica(Numbers()) as url, asking(url) as remote:
        assert await remote.score([pair(1)]) == [triple(1)]

        def elsewhere():
            async def ask():
                async with remote:
                    return await remote.score([pair(2)])

            return anyio.run(ask)

        assert await anyio.to_thread.run_sync(elsewhere) == [triple(2)]
        assert await remote.score([pair(3)]) == [triple(3)]


def test_on_trio_it_says_that_it_runs_on_asyncio():
    with pytest.raises(SessionStateError, match="asyncio alone"):
        trio.run(asking(NOBODY).score, [pair()])

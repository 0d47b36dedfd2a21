import asyncio
import json
from functools import partial
from urllib.parse import urlsplit

import anyio
import pytest

pytest.importorskip("aiohttp", reason="needs the extra pool")

import aiohttp

from pool_replicas import Numbers, replica, triple
from vista_stream.claims import Scores
from vista_stream.errors import LanguageUnsupported, Overload
from vista_stream.verifiers.pool.server import make_app, serve
from vista_stream.verifiers.pool.service import ReplicaSettings

pytestmark = pytest.mark.anyio


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request):
    """The event loops that aiohttp runs on."""
    return "asyncio", {"use_uvloop": request.param}


def request(*numbers, **options):
    pairs = [{"premise": f"premise {number}", "hypothesis": "claim", **options} for number in numbers]
    return {"version": 1, "pairs": pairs}


async def ask(url, path, body=None, *, token=None):
    """Status and JSON of an answer; a body of bytes is sent as it is."""
    payload = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    headers = {} if token is None else {"Authorization": token}
    async with aiohttp.ClientSession() as client:
        method = "GET" if body is None else "POST"
        async with client.request(method, url + path, data=payload, headers=headers) as answer:
            return answer.status, await answer.json()


async def test_it_scores_and_says_what_it_serves(no_blocking_calls):
    async with replica(Numbers()) as url:
        status, described = await ask(url, "/verifier")
        assert (status, described["name"], described["kind"], described["reads"]) == (
            *(200, "numbers", "Numbers"),
            False,
        )
        status, answer = await ask(url, "/score", request(3, 1))
        assert status == 200
        assert answer == {
            "version": 1,
            "digest": described["digest"],
            "scores": [list(triple(3)), list(triple(1))],
        }
        assert await ask(url, "/healthz") == (200, {"status": "ok"})
        assert await ask(url, "/readyz") == (200, {"status": "ready"})
        status, stats = await ask(url, "/stats")
        assert stats == {
            **{"version": 1, "calls": 0, "waiting": 0},
            **{"batches": 1, "pairs": 2, "shed": 0},
        }


async def test_equal_pairs_are_scored_once_unless_nothing_is_cached():
    cached, plain = Numbers(), Numbers()
    async with replica(cached) as one, replica(plain, cache=0) as other:
        for url in (one, other):
            for _ in range(2):
                await ask(url, "/score", request(1))
    assert (len(cached.seen), len(plain.seen)) == (1, 2)


class Gated(Numbers):
    """Scores only once its gate is open, so that a queue builds up."""

    def __init__(self):
        super().__init__()
        self.gate = anyio.Event()

    async def score(self, pairs):
        got = await super().score(pairs)
        await self.gate.wait()
        return got


async def test_vital_pairs_of_other_requests_go_first():
    verifier = Gated()
    async with replica(verifier, max_wait=0, max_tokens=1) as url, anyio.create_task_group() as tasks:
        tasks.start_soon(ask, url, "/score", request(0))
        await verifier.over.wait()
        tasks.start_soon(ask, url, "/score", request(1))
        tasks.start_soon(ask, url, "/score", request(2, importance="less_important"))
        tasks.start_soon(ask, url, "/score", request(3, importance="vital"))
        with anyio.fail_after(5):
            waiting = 0
            while waiting < 3:
                waiting = (await ask(url, "/stats"))[1]["waiting"]
        verifier.gate.set()
    assert [int(each.premise[-1]) for each in verifier.seen] == [0, 3, 1, 2]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Overload("late"), 503, "overload"),
        (LanguageUnsupported("French"), 422, "language"),
        (RuntimeError("odd"), 500, "inference"),
    ],
)
async def test_what_the_verifier_raises_has_its_status(error, status, code, caplog):
    async with replica(Numbers(error=error)) as url:
        got, body = await ask(url, "/score", request(1))
    assert (got, body["error"]["code"]) == (status, code)
    assert str(error) in body["error"]["message"]
    logged = [record.getMessage() for record in caplog.records if record.name == "vista_stream.pool"]
    assert logged == (["the verifier raised RuntimeError"] if code == "inference" else [])


async def test_it_is_ill_while_the_verifier_raises_whatever_it_is_asked():
    verifier = Numbers(error=RuntimeError("out of memory"))
    async with replica(verifier) as url:
        assert (await ask(url, "/healthz"))[0] == 200
        assert verifier.calls == 0  # nothing has failed yet
        await ask(url, "/score", request(1))
        assert (await ask(url, "/healthz"))[0] == 500

    class Choosy(Numbers):
        async def score(self, pairs):
            return (
                [(1.0, 0.0, 0.0)] if pairs[0].premise.startswith("The doors") else await super().score(pairs)
            )

    async with replica(Choosy(error=ValueError("too long"))) as url:
        assert (await ask(url, "/score", request(1)))[0] == 500
        assert (await ask(url, "/healthz"))[0] == 200


@pytest.mark.parametrize("scores", [[], [Scores(2.0, 0.0, 0.0)], [None]])
async def test_malformed_scores_are_no_answer(scores):
    class Odd:
        async def score(self, pairs):
            return scores

    async with replica(Odd()) as url:
        status, body = await ask(url, "/score", request(1))
    assert (status, body["error"]["code"]) == (500, "inference")


async def test_an_expired_request_is_504_before_and_while_it_is_scored():
    verifier = Numbers(delay=30)
    async with replica(verifier) as url:
        status, body = await ask(url, "/score", request(1, remaining_ms=-1))
        assert (status, body["error"]["code"], verifier.calls) == (504, "deadline", 0)
        with anyio.fail_after(5):
            status, body = await ask(url, "/score", request(1, remaining_ms=200))
        assert (status, body["error"]["code"], verifier.cancelled) == (504, "deadline", 1)


@pytest.mark.parametrize(
    ("path", "body", "status", "told"),
    [
        ("/score", b"{", 400, "the body is not JSON"),
        ("/score", b"\xff", 400, "the body is not JSON"),
        ("/score", {"version": 2}, 400, "version 1"),
        ("/score", {"version": 1, "pairs": [{"hypothesis": "a", "windows": ["b"]}]}, 409, "send their texts"),
        ("/read", {"version": 1, "windows": ["a"]}, 400, "numbers does not read windows ahead"),
        ("/read", {"version": 1, "windows": "a"}, 400, "windows must be a list"),
        ("/score", b" " * 2000, 413, "more than 1,000 bytes"),
        ("/scores", b"{}", 404, "there is no POST /scores"),
        ("/healthz", b"{}", 404, "there is no POST /healthz"),
    ],
)
async def test_what_it_cannot_answer_is_told_in_the_wires_format(path, body, status, told):
    async with replica(Numbers(), max_body=1000) as url:
        got, answer = await ask(url, path, body)
    assert got == status
    assert answer["version"] == 1
    assert told in answer["error"]["message"]


async def test_json_that_nests_too_deep_is_a_bad_request():
    async with replica(Numbers()) as url:
        status, answer = await ask(url, "/score", b"[" * 200_000)
    assert (status, answer["error"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_a_body_that_is_not_encoded_as_it_says_is_a_bad_request(coding, caplog):
    async with replica(Numbers()) as url, aiohttp.ClientSession() as client:
        headers = {"Content-Encoding": coding}
        async with client.post(f"{url}/score", data=b"garbage", headers=headers) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (400, "bad_request")
    assert "Traceback" not in caplog.text


async def test_a_request_that_cannot_be_read_is_logged_without_its_token(caplog):
    async with replica(Numbers()) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
        writer.write(b"POST /score HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer tok-secret\x01\r\n\r\n")
        with anyio.fail_after(5):
            assert b" 400 " in await reader.readline()
        writer.close()
    assert "Error handling request" in caplog.text
    assert "secret" not in caplog.text


async def test_scores_are_cached_for_each_scope_apart():
    verifier = Numbers()
    async with replica(verifier) as url:
        for scope in ({"scope": "one"}, {"scope": "two"}, {"scope": "one"}, {}, {"scope": "three"}):
            assert (await ask(url, "/score", request(1) | scope))[0] == 200
        assert len(verifier.seen) == 3
        status, answer = await ask(url, "/score", request(1) | {"scope": 1})
    assert (status, answer["error"]["message"]) == (400, "scope must be a string, not 1")


async def test_a_server_that_is_cancelled_closes_its_connections():
    urls, up = [], anyio.Event()

    def announce(url):
        urls.append(url)
        up.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(serve, make_app(Numbers()), host="127.0.0.1", port=0, announce=announce))
        await up.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(urls[0]).port)
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
        await reader.readuntil(b"}")
        tasks.cancel_scope.cancel()
    with anyio.fail_after(5):
        assert await reader.read() == b""
    writer.close()


async def test_with_tokens_only_the_probes_are_open():
    async with replica(Numbers(), tokens=frozenset({"right", "other"})) as url:
        for path in ("/healthz", "/readyz"):
            assert (await ask(url, path))[0] == 200
        for token in (None, "Bearer wrong", "right", "Bearer", "Basic right", "Bearer \udcff"):
            status, body = await ask(url, "/verifier", token=token)
            assert (status, body["error"]["code"]) == (401, "unauthorized")
        assert (await ask(url, "/score", request(1), token="bearer right"))[0] == 200
    assert "right" not in repr(ReplicaSettings(tokens=frozenset({"right"})))


@pytest.mark.parametrize("tokens", ["secret", b"secret", {""}, [" secret"], [None], 7])
async def test_tokens_that_would_let_others_in_or_nobody_are_refused_and_not_told(tokens):
    with pytest.raises(ValueError, match=r"^tokens must ") as refused:
        ReplicaSettings(tokens=tokens)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("cache", -1), ("max_body", 0), ("drain", -1.0)),
        *(("max_queue", 0), ("max_wait", -1.0), ("max_tokens", 0)),
        *(("cache", float("nan")), ("cache", "64"), ("max_body", None), ("drain", "30")),
    ],
)
async def test_settings_that_are_too_small_or_no_number_are_refused(name, value):
    with pytest.raises(ValueError, match=f"^{name} must "):
        ReplicaSettings(**{name: value})

"""What a hostile client can write to a socket, tried against a proxy that runs."""

import asyncio
import gzip
import hmac
import json
import logging
import re
import time
from contextlib import suppress

import pytest

from vista_stream import Scores
from vista_stream.testing import ScriptedStages
from vista_stream.verifiers import Pair
from vista_stream.verifiers.cached import CachedVerifier
from vista_stream_adapters.proxy.settings import Limits, Timeouts
from vista_stream_adapters.proxy.state import STATE

pytestmark = pytest.mark.asyncio

TOKEN = "tok-secret-0123456789"
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "When?"}]}).encode()
ASK = b"POST /v1/chat/completions HTTP/1.1\r\n"
HEAD = b"Host: 127.0.0.1\r\nAuthorization: Bearer " + TOKEN.encode() + b"\r\n"
JSON = HEAD + b"Content-Type: application/json\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
CLOSE = b"Connection: close\r\n"
SECOND = b"GET /v1/references HTTP/1.1\r\n" + HEAD + b"\r\n"
"""A request of its own, which must not be answered where it is smuggled in."""


async def talk(proxy, *pieces, pause=0.0, within=0.5):
    """Write to a socket; the statuses and the bytes that came back, and whether the proxy hung up."""
    port = int(proxy.url.rsplit(":", 1)[1])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    came, hung_up = b"", False
    try:
        with suppress(ConnectionError):
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause)
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                while not hung_up:
                    came += (piece := await reader.read(65536))
                    hung_up = not piece
    except ConnectionError:
        hung_up = True
    finally:
        writer.close()
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", came)], came, hung_up


@pytest.fixture
def start(start_upstream, start_proxy):
    """Start a proxy that asks for TOKEN, in front of an upstream; both."""

    async def started(**settings):
        upstream = await start_upstream()
        settings = {"tokens": frozenset({TOKEN}), **settings}
        return await start_proxy(upstream, **settings), upstream

    return started


SMUGGLED = {
    "length and chunks": LENGTH + CHUNKED + b"\r\n" + CHUNKS,
    "chunks and length": CHUNKED + LENGTH + b"\r\n" + CHUNKS,
    "two lengths": b"Content-Length: 5\r\n" + LENGTH + b"\r\n" + BODY,
    "one length twice": LENGTH + LENGTH + b"\r\n" + BODY,
    "a list of lengths": b"Content-Length: %d, %d\r\n\r\n" % (len(BODY), len(BODY)) + BODY,
    "a signed length": b"Content-Length: +%d\r\n\r\n" % len(BODY) + BODY,
    "a negative length": b"Content-Length: -1\r\n\r\n" + BODY,
    "a length with an underscore": b"Content-Length: 6_3\r\n\r\n" + BODY,
    "an unknown coding": b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKS,
    "identity": b"Transfer-Encoding: identity\r\n\r\n" + CHUNKS,
    "chunked is not last": b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNKS,
    "two codings": CHUNKED + b"Transfer-Encoding: identity\r\n\r\n" + CHUNKS,
    "a vertical tab": b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNKS,
    "a space before the colon": b"Transfer-Encoding : chunked\r\n\r\n" + CHUNKS,
    "a folded line": b"X: a\r\n b\r\n" + LENGTH + b"\r\n" + BODY,
    "a bare carriage return": b"X: a\rContent-Length: 3\r\n\r\n" + BODY,
    "a NUL": b"X: a\0b\r\n" + LENGTH + b"\r\n" + BODY,
    "a negative chunk": CHUNKED + b"\r\n-5\r\nhello\r\n0\r\n\r\n",
    "a chunk in C's notation": CHUNKED + b"\r\n0x5\r\nhello\r\n0\r\n\r\n",
    "a chunk longer than told": CHUNKED + b"\r\n5\r\nhelloXX0\r\n\r\n",
    "a chunk size that overflows": CHUNKED + b"\r\nffffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "a line end in an extension": CHUNKED + b"\r\n2;\nxx\r\nhe\r\n0\r\n\r\n",
    "an endless trailer": CHUNKED + b"\r\n" + CHUNKS[:-2] + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("head", SMUGGLED.values(), ids=SMUGGLED.keys())
async def test_a_request_whose_length_is_ambiguous_is_refused_and_ends_the_connection(head, start):
    proxy, upstream = await start()
    statuses, came, hung_up = await talk(proxy, ASK + JSON + head + SECOND)
    assert (statuses, hung_up, upstream.bodies) == ([400], True, [])
    assert b'"object": "list"' not in came


@pytest.mark.parametrize(
    ("head", "expected"),
    [(JSON, [100, 200]), (b"Host: a\r\n", [401]), (HEAD + b"Content-Type: text/plain\r\n", [415])],
)
async def test_a_body_is_asked_for_only_where_it_will_be_read(head, expected, start):
    proxy, _ = await start()
    statuses, _, _ = await talk(proxy, ASK + head + LENGTH + b"Expect: 100-continue\r\n\r\n", BODY, pause=0.1)
    assert statuses == expected


async def test_another_expectation_is_an_error_like_all_others(start):
    proxy, upstream = await start()
    statuses, came, _ = await talk(proxy, ASK + JSON + LENGTH + b"Expect: more\r\n" + CLOSE + b"\r\n" + BODY)
    told = json.loads(came.partition(b"\r\n\r\n")[2])["error"]
    assert (statuses, told["code"], upstream.bodies) == ([417], "expectation_failed", [])


async def test_a_body_that_is_not_read_is_no_request(start):
    proxy, _ = await start()
    smuggled = b"Content-Length: %d\r\n\r\n" % len(SECOND) + SECOND
    statuses, came, _ = await talk(proxy, ASK + b"Host: a\r\n" + smuggled)
    assert statuses == [401]
    statuses, came, _ = await talk(proxy, b"GET /v1/models HTTP/1.1\r\n" + HEAD + smuggled)
    assert (statuses, b"small-model" in came) == ([200], True)


async def test_what_follows_a_chunked_body_is_a_request_of_its_own(start):
    proxy, upstream = await start()
    statuses, *_ = await talk(proxy, ASK + JSON + CHUNKED + b"\r\n" + CHUNKS + SECOND, within=2)
    assert (statuses, len(upstream.bodies)) == ([200, 200], 1)
    # A field that comes after the body gives no rights.
    late = CHUNKS[:-2] + b"Authorization: Bearer " + TOKEN.encode() + b"\r\n\r\n"
    asked = ASK + b"Host: a\r\nContent-Type: application/json\r\n" + CHUNKED + b"\r\n" + late
    statuses, *_ = await talk(proxy, asked)
    assert (statuses, len(upstream.bodies)) == ([401], 1)


OVERSIZED = {
    "a path": b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n" + HEAD + b"\r\n",
    "a header": b"GET /v1/models HTTP/1.1\r\n" + HEAD + b"X: " + b"a" * 20_000 + b"\r\n\r\n",
    "a header without end": b"GET /v1/models HTTP/1.1\r\n" + HEAD + b"X: " + b"a" * 3_000_000,
    "too many headers": b"GET /v1/models HTTP/1.1\r\n" + HEAD + b"X: a\r\n" * 5000 + b"\r\n",
}


@pytest.mark.parametrize("head", OVERSIZED.values(), ids=OVERSIZED.keys())
async def test_an_oversized_head_is_refused_and_ends_the_connection(head, start):
    proxy, _ = await start()
    statuses, _, hung_up = await talk(proxy, head)
    assert statuses in ([400], [])  # [] where the proxy hung up while the client was still writing
    assert hung_up


@pytest.mark.parametrize("framing", ["length", "chunks"])
async def test_an_oversized_body_is_refused_however_it_is_framed(framing, start):
    proxy, upstream = await start(limits=Limits(body=10_000))
    large = b" " * 20_000
    if framing == "length":
        sent = b"Content-Length: %d\r\n\r\n" % len(large) + large
    else:
        sent = CHUNKED + b"\r\n" + b"4e20\r\n" + large + b"\r\n0\r\n\r\n"
    statuses, came, _ = await talk(proxy, ASK + JSON + CLOSE + sent)
    assert (statuses, b"body_too_large" in came, upstream.bodies) == ([413], True, [])


async def test_a_compressed_body_is_refused_unread(start):
    proxy, upstream = await start()
    bomb = gzip.compress(b'{"model": "' + b"a" * 20_000_000 + b'"}', compresslevel=1)
    head = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    statuses, came, _ = await talk(proxy, ASK + JSON + CLOSE + head + bomb, within=2)
    assert (statuses, b"unsupported_encoding" in came, upstream.bodies) == ([415], True, [])


@pytest.mark.parametrize("head", [b"", b"G", b"GET /v1/models HTTP/1.1\r\nX: "])
async def test_a_head_that_does_not_come_ends_the_connection(head, start):
    proxy, _ = await start(timeouts=Timeouts(idle=0.3))
    begun = time.monotonic()
    _, _, hung_up = await talk(proxy, head, *[b"A"] * 8, pause=0.1, within=2)
    assert hung_up
    assert time.monotonic() - begun < 2


async def test_a_body_that_trickles_is_a_408(start):
    proxy, _ = await start(timeouts=Timeouts(body=0.3))
    pieces = [BODY[place : place + 1] for place in range(6)]
    statuses, came, _ = await talk(proxy, ASK + JSON + CLOSE + LENGTH + b"\r\n", *pieces, pause=0.1)
    assert (statuses, b"body_timeout" in came) == ([408], True)


GARBLED = {
    "a token before a NUL": b"GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\0\r\n\r\n",
    "a token in the first line": b"GET /v1/models HTTP/1.1 %s\r\nHost: a\r\n\r\n",
    "line feeds alone": b"GET /v1/models HTTP/1.1\nHost: a\nAuthorization: Bearer %s\n\n",
    "a token in a trailer": ASK + JSON + CHUNKED + b"\r\n" + CHUNKS[:-2] + b"X: %s\0\r\n\r\n",
    "a token in a chunk's size": ASK + JSON + CHUNKED + b"\r\n%s\r\n",
}


@pytest.mark.parametrize("raw", GARBLED.values(), ids=GARBLED.keys())
async def test_what_is_no_http_is_logged_without_what_it_holds(raw, start, caplog):
    caplog.set_level(logging.DEBUG)
    proxy, _ = await start()
    statuses, *_ = await talk(proxy, raw % b"tok-other-0123456789")
    assert statuses == [400]
    assert "127.0.0.1 (Bad" in caplog.text, "it is logged, with the kind of the error"
    assert "tok-" not in caplog.text
    assert "Traceback" not in caplog.text


async def test_the_log_has_a_line_for_each_refusal_and_no_other(start_upstream, start_proxy, caplog):
    caplog.set_level(logging.INFO)
    proxy = await start_proxy(await start_upstream(status=429, told="no\nINFO forged\x1b[2J" * 9))
    statuses, *_ = await talk(proxy, ASK + JSON + CLOSE + LENGTH + b"\r\n" + BODY)
    assert statuses == [429]
    lines = [record.getMessage() for record in caplog.records if record.name == "vista_stream.proxy"]
    assert any("INFO forged" in line for line in lines)
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    "field",
    [
        b"X-Vista-Conversation: a\x0bX: y",
        b"X-Vista-Conversation: a%0d%0aX: y",
        b"X-Vista-Conversation: caf\xc3\xa9",
        b"X-Vista-Conversation: ../other",
    ],
)
async def test_a_name_of_a_conversation_injects_no_header(field, start):
    proxy, upstream = await start()
    statuses, came, _ = await talk(proxy, ASK + JSON + CLOSE + field + b"\r\n" + LENGTH + b"\r\n" + BODY)
    assert (statuses, upstream.bodies) == ([400], [])
    assert b"\r\nX: y" not in came


@pytest.mark.parametrize(
    "origin", [b"null", b"http://[", b"http://evil.example", b"http://127.0.0.1.evil.example"]
)
async def test_an_origin_that_is_not_allowed_is_a_403_whatever_it_is(origin, start):
    proxy, _ = await start(origins=frozenset({"http://a.b"}))
    for line in (b"GET /v1/models HTTP/1.1\r\n", b"OPTIONS /v1/models HTTP/1.1\r\n"):
        statuses, came, _ = await talk(proxy, line + HEAD + CLOSE + b"Origin: " + origin + b"\r\n\r\n")
        assert statuses == [403]
        assert b"Access-Control" not in came


async def test_a_request_without_a_host_is_of_no_origin(start):
    proxy, _ = await start()
    head = HEAD.replace(b"127.0.0.1", b"")
    statuses, *_ = await talk(proxy, b"GET /v1/models HTTP/1.1\r\n" + head + CLOSE + b"Origin: null\r\n\r\n")
    assert statuses == [403]


@pytest.mark.parametrize(
    "line",
    [
        b"GET http://169.254.169.254/latest/meta-data HTTP/1.1\r\n",
        b"CONNECT 169.254.169.254:80 HTTP/1.1\r\n",
        b"OPTIONS * HTTP/1.1\r\n",
        b"TRACE /v1/models HTTP/1.1\r\n",
        b"GET /v1/../../etc/passwd HTTP/1.1\r\n",
        b"GET /page/..%2f..%2f..%2fetc/passwd HTTP/1.1\r\n",
        b"GET /v1/models/..%5c..%5cresponses HTTP/1.1\r\n",
        b"DELETE /v1/references/..%2f..%2fmodels HTTP/1.1\r\n",
        b"GET /v1/references/%00 HTTP/1.1\r\n",
    ],
)
async def test_a_target_leads_to_no_other_host_or_file(line, start):
    proxy, upstream = await start()
    statuses, came, _ = await talk(proxy, line + HEAD + CLOSE + b"\r\n")
    assert statuses[0] in (404, 405) or (b"models/" in line and statuses == [200])
    assert b"root:" not in came
    assert not upstream.bodies


async def test_fields_of_a_request_name_no_file_and_no_host(start, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("The secret is 4711.")
    proxy, upstream = await start(references=None)
    for entry in (str(secret), f"file://{secret}", "http://127.0.0.1:1/a"):
        for shape in (entry, {"text": entry, "path": entry, "url": entry}, {"path": entry}, {"url": entry}):
            body = json.dumps({**json.loads(BODY), "vista": {"references": [shape]}}).encode()
            asked = ASK + JSON + CLOSE + b"Content-Length: %d\r\n\r\n" % len(body) + body
            _, came, _ = await talk(proxy, asked, within=2)
            assert b"4711" not in came
    assert all(body.get("vista") is None for body in upstream.bodies)


async def test_every_known_token_is_compared_in_constant_time(start, monkeypatch):
    compared, compare = [], hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda *two: compared.append(two) or compare(*two))
    known = frozenset({TOKEN, *(f"tok-other-{number}" for number in range(9))})
    proxy, _ = await start(tokens=known)
    for shown, status in ((TOKEN, 200), (TOKEN[:-1], 401), ("", 401), (TOKEN + "0", 401)):
        compared.clear()
        line = b"GET /v1/references HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + shown.encode()
        statuses, *_ = await talk(proxy, line + b"\r\n" + CLOSE + b"\r\n")
        assert (statuses, len(compared)) == ([status], len(known))
        assert {len(each) for two in compared for each in two} == {32}, "digests, whose length tells nothing"


def asking(token, *, body=BODY, conversation=None):
    """The bytes of a chat completion's request."""
    named = f"X-Vista-Conversation: {conversation}\r\n" if conversation else ""
    head = f"Host: a\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n{named}"
    return ASK + head.encode() + CLOSE + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def test_one_client_cannot_take_the_places_of_the_others(start_upstream, start_proxy):
    upstream = await start_upstream(silent=True)
    tokens = frozenset({"greedy", "modest"})
    limits = Limits(streams=4, sessions=4)
    proxy = await start_proxy(upstream, tokens=tokens, limits=limits, timeouts=Timeouts(upstream=2))
    greedy = [
        asyncio.create_task(talk(proxy, asking("greedy", conversation=f"c{number}"), within=5))
        for number in range(2)
    ]
    while proxy.app[STATE].traffic.running < 2:  # noqa: ASYNC110 - nobody tells that an answer has begun
        await asyncio.sleep(0.01)
    statuses, came, _ = await talk(proxy, asking("greedy"))
    assert (statuses, b"too_many_streams" in came) == ([429], True)
    upstream.silent = False
    statuses, *_ = await talk(proxy, asking("modest", conversation="c0"), within=5)
    assert statuses == [200]
    for task in greedy:
        task.cancel()
    await asyncio.wait(greedy)
    while proxy.app[STATE].traffic.running:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    statuses, came, _ = await talk(proxy, asking("greedy", conversation="c2"))
    assert (statuses, b"too_many_sessions" in came) == ([429], True)
    statuses, *_ = await talk(proxy, asking("modest", conversation="c1"), within=5)
    assert statuses == [200]


class Remembering(ScriptedStages):
    """Asks a slow verifier with a cache, as the stages that ship do; counts the pairs that it scores."""

    def __init__(self):
        super().__init__()
        self.cached, self.scored = CachedVerifier(self), 0

    async def score(self, pairs):
        self.scored += len(pairs)
        await asyncio.sleep(0.1)
        return [Scores(0.0, 1.0, 0.0)] * len(pairs)

    async def verify(self, claim, grounds):
        await self.cached.score([Pair(grounds.references[0].text, claim.text)])
        return await super().verify(claim, grounds)


async def test_no_client_can_tell_by_the_time_taken_what_another_has_sent(start_upstream, start_proxy):
    stages = Remembering()
    tokens = frozenset({"mine", "theirs"})
    proxy = await start_proxy(await start_upstream(), tokens=tokens, stages=stages)
    reference = {"name": "a", "text": "The canal opened in 1914."}
    body = json.dumps({**json.loads(BODY), "vista": {"references": [reference]}}).encode()
    stages.scored = 0  # starting asked too
    scored, took = [], []
    for token in ("theirs", "theirs", "mine", "mine"):
        begun = time.monotonic()
        port = int(proxy.url.rsplit(":", 1)[1])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(asking(token, body=body))
        assert (await reader.readline()).endswith(b"200 OK\r\n")
        took.append(time.monotonic() - begun)
        writer.close()
        scored.append(stages.scored)
    assert scored == [3, 3, 6, 6], "each client's own answers alone come from the cache"
    assert min(took[0], took[2]) > 0.1


async def test_a_text_is_indexed_anew_for_each_client(start_upstream, start_proxy):
    tokens = frozenset({"mine", "theirs"})
    stages = Seeing()
    proxy = await start_proxy(await start_upstream(), tokens=tokens, stages=stages)
    reference = {"name": "a", "text": "The canal opened in 1914."}
    tool = {"role": "tool", "content": "The canal is 82 kilometres long."}
    messages = [{"role": "user", "content": "When?"}, tool]
    body = json.dumps({"model": "m", "messages": messages, "vista": {"references": [reference]}}).encode()
    for token in ("theirs", "theirs", "mine"):
        stages.seen.append([])
        assert (await talk(proxy, asking(token, body=body), within=5))[0] == [200]
    first, second, other = stages.seen
    assert len(first) == 2
    assert all(one is two for one, two in zip(first, second, strict=True))
    assert not any(one is two for one, two in zip(first, other, strict=True))


class Seeing(ScriptedStages):
    """Keeps the references that each answer's claims were compared with."""

    def __init__(self):
        super().__init__()
        self.seen = []

    async def verify(self, claim, grounds):
        self.seen[-1] = list(grounds.references)
        return await super().verify(claim, grounds)

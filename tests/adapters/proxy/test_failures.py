"""What a client is told when the upstream, or the request, cannot be served."""

import asyncio
import json
import logging
import re
import socket
import sys

import openai
import pytest

from vista_stream import Category, Policy, raise_
from vista_stream.claims import Importance
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.proxy.errors import ApiError
from vista_stream_adapters.proxy.settings import Limits, ProxySettings, Timeouts
from vista_stream_adapters.proxy.state import STATE
from vista_stream_adapters.proxy.upstream import Upstream

pytestmark = pytest.mark.asyncio

TRUE = "The canal opened in 1914. "
ASKED = {"model": "small-model", "messages": [{"role": "user", "content": "When?"}]}


def error_of(stream):
    """The error that ends a stream; None where there is none."""
    last = [line[6:] for line in stream.splitlines() if line.startswith("data: ")][-1]
    return json.loads(last)["error"] if last.startswith('{"error"') else None


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("theirs", "ours", "code", "retry"),
    [
        (429, 429, "told", "7"),
        (400, 400, "told", "7"),
        (503, 503, "told", "7"),
        (500, 502, "upstream_error", None),
        (401, 502, "upstream_auth", None),
        (307, 502, "upstream_error", None),
    ],
)
async def test_a_refusal_becomes_the_documented_error_without_the_key(
    stream, theirs, ours, code, retry, start_upstream, start_proxy
):
    proxy = await start_proxy(await start_upstream(status=theirs), upstream_key="sk-secret-0123456789")
    body = {**ASKED, "stream": stream}
    async with proxy.http.post("/v1/chat/completions", json=body) as response:
        told = await response.text()
        assert (response.status, json.loads(told)["error"]["code"]) == (ours, code)
        assert response.headers.get("Retry-After") == retry
    assert "sk-secret-0123456789" not in told


async def test_a_proxy_without_a_key_says_that_the_upstream_wants_one(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(status=401))
    async with proxy.http.post("/v1/chat/completions", json=ASKED) as response:
        told = (await response.json())["error"]["message"]
    assert told == "the upstream wants a key and the proxy has none: clients' keys are not passed on"


@pytest.mark.parametrize(
    ("trait", "code"),
    [
        ({"die_after": 6}, "upstream_broken"),
        ({"break_after": 6}, "upstream_broken"),
        ({"stall_after": 6}, "upstream_timeout"),
        ({"done": False}, "upstream_broken"),
    ],
)
async def test_a_stream_that_breaks_ends_with_an_error_after_what_was_decided(
    trait, code, start_upstream, start_proxy, streamed_text
):
    proxy = await start_proxy(await start_upstream(**trait), timeouts=Timeouts(upstream=0.3))
    status, stream = await proxy.ask()
    assert status == 200
    assert streamed_text(stream).startswith("The canal opened in 1914. ")
    assert "elephants" not in stream
    assert error_of(stream)["code"] == code
    assert "[DONE]" not in stream


@pytest.mark.parametrize(
    ("trait", "text", "last"),
    [
        ({}, "82 kilometres long.", "data: [DONE]"),
        (
            {"fail_after": 3},
            "The canal opene",
            'data: {"error": {"message": "out of memory", "code": "oom"}}',
        ),
    ],
    ids=["end", "error"],
)
async def test_an_upstream_that_stays_after_the_last_event_is_not_waited_for(
    trait, text, last, start_upstream, start_proxy, streamed_text
):
    proxy = await start_proxy(await start_upstream(stays=True, **trait))
    async with asyncio.timeout(3):
        status, stream = await proxy.ask(headers={"X-Vista-Conversation": "c"})
    assert status == 200
    assert streamed_text(stream).endswith(text)
    assert stream.rstrip().endswith(last)
    assert stream.count('"error"') == ('"error"' in last)
    assert proxy.app[STATE].traffic.running == 0


@pytest.mark.parametrize(
    ("message", "wrong"),
    [("x", "message must be an object"), ({"content": [{"type": "text", "text": "x"}]}, "is not text")],
)
async def test_a_malformed_answer_is_a_502_that_says_why(message, wrong, start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(whole={"choices": [{"index": 0, "message": message}]}))
    status, told = await proxy.ask(stream=False)
    error = json.loads(told)["error"]
    assert (status, error["code"]) == (502, "upstream_broken")
    assert wrong in error["message"]


async def test_what_came_before_the_connection_broke_is_read_though_nobody_read_in_time():
    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n"
        writer.write(head + b"data: one\n\n")
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.write(b"data: two\n\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        settings = ProxySettings(upstream=f"http://127.0.0.1:{port}")
        async with Upstream(settings) as upstream, upstream.stream("/chat/completions", {}) as stream:
            await asyncio.sleep(0.2)
            read = b""
            with pytest.raises(ApiError, match="broke off"):
                async for chunk in stream:
                    read += chunk
            assert read == b"data: one\n\ndata: two\n\n"


async def refusal(body, *, status="429 No", headers="", pause=0.0, broken=False):
    """The ApiError for an upstream that refuses with `body`, sent in two pieces."""

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        length = len(body) + broken
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n".encode() + body[:9])
        await writer.drain()
        await asyncio.sleep(pause)
        writer.write(body[9:])
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        settings = ProxySettings(upstream=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        async with Upstream(settings) as upstream:
            with pytest.raises(ApiError) as told:
                await upstream.answer("POST", "/chat/completions", {})
    return told.value


@pytest.mark.parametrize("broken", [False, True])
async def test_an_error_of_the_upstream_is_read_whole(broken):
    body = b'{"error": {"message": "too long for this model", "code": "too_long"}}'
    error = await refusal(body, pause=0.05, broken=broken)
    assert (error.status, str(error), error.code) == (429, "too long for this model", "too_long")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"detail": "Not enough room"}, "Not enough room"),
        ({"detail": [{"loc": ["body", "n"], "msg": "too large"}]}, "too large"),
        ({"object": "error", "message": "no such model", "code": 404}, "no such model"),
        ({"error": "out of memory"}, "out of memory"),
        (["out of memory"], "the upstream answered 429"),
    ],
)
async def test_an_error_of_the_upstream_is_read_in_each_common_form(body, message):
    error = await refusal(json.dumps(body).encode())
    assert message in str(error)
    assert error.code == "upstream_error"


@pytest.mark.parametrize("after", ["1.5", "Fri, 31 Dec 2027 23:59:59 GMT"])
async def test_the_time_of_a_retry_is_passed_on_as_it_came(after):
    error = await refusal(b"{}", headers=f"Retry-After: {after}\r\n")
    assert error.response().headers["Retry-After"] == after


@pytest.mark.parametrize("stream", [True, False])
async def test_a_redirect_of_the_upstream_is_not_followed(stream, start_upstream, start_proxy):
    other = await start_upstream()
    proxy = await start_proxy(await start_upstream(status=307, location=f"{other.url}/v1/chat/completions"))
    async with proxy.http.post("/v1/chat/completions", json={**ASKED, "stream": stream}) as response:
        assert (response.status, other.bodies) == (502, [])


@pytest.mark.parametrize("traits", [{"coding": "gzip"}, {"endless": True}], ids=str)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/page/api/ask"])
async def test_an_upstream_that_would_fill_the_memory_is_a_502(traits, path, start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(**traits))
    asked = {**ASKED, "stream": True, "conversation": "c"}
    async with proxy.http.post(path, json=asked) as response:
        assert '"upstream_broken"' in await response.text()


async def test_an_answer_that_is_too_long_is_a_502_that_says_so(monkeypatch, start_upstream, start_proxy):
    monkeypatch.setattr("vista_stream_adapters.proxy.upstream._ANSWER_BODY", 1 << 20)
    proxy = await start_proxy(await start_upstream(whole={"choices": [], "more": "a" * (1 << 20)}))
    status, told = await proxy.ask(stream=False)
    assert (status, json.loads(told)["error"]["message"]) == (502, "the upstream's answer is over 1 MiB")


@pytest.mark.parametrize("coding", ["", "identity"])
async def test_an_answer_that_says_it_is_not_encoded_passes(coding, start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(coding=coding))
    async with proxy.http.post(
        "/v1/chat/completions", json={**ASKED, "stream": True}, headers={"Content-Encoding": coding}
    ) as response:
        assert "82 kilometres" in await response.text()


async def test_the_official_client_raises_the_error_of_a_stream_that_breaks(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(die_after=6))
    async with openai.AsyncOpenAI(base_url=f"{proxy.url}/v1", api_key="none", max_retries=0) as api:
        with pytest.raises(openai.APIError, match="broke off"):
            async for _ in await api.chat.completions.create(**ASKED, stream=True):
                pass


async def test_an_upstream_that_does_not_answer_is_a_504(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream(silent=True), timeouts=Timeouts(upstream=0.2))
    status, told = await proxy.ask()
    assert (status, json.loads(told)["error"]["code"]) == (504, "upstream_timeout")


LONG = {"messages": [{"role": "user", "content": "a" * 16_000_000}]}
"""More than the buffers of two sockets hold."""


@pytest.mark.parametrize("stream", [True, False])
async def test_an_upstream_that_stops_reading_a_long_request_is_a_504(stream, start_proxy):
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # accepts nothing
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        settings = ProxySettings(
            upstream=f"http://127.0.0.1:{deaf.getsockname()[1]}", timeouts=Timeouts(upstream=0.2)
        )
        async with Upstream(settings) as upstream, asyncio.timeout(10):
            with pytest.raises(ApiError, match="did not answer in time") as told:
                if stream:
                    async with upstream.stream("/chat/completions", LONG):
                        pass
                else:
                    await upstream.answer("POST", "/chat/completions", LONG)
    assert (told.value.status, told.value.code) == (504, "upstream_timeout")


async def test_an_upstream_that_reads_a_long_request_slowly_is_waited_for():
    async def serve(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        for part in range(4):
            await asyncio.sleep(0.2)
            await reader.readexactly((length + part) // 4)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    with socket.create_server(("127.0.0.1", 0)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        async with await asyncio.start_server(serve, sock=slow):
            settings = ProxySettings(
                upstream=f"http://127.0.0.1:{slow.getsockname()[1]}", timeouts=Timeouts(upstream=0.5)
            )
            async with Upstream(settings) as upstream:
                began = asyncio.get_running_loop().time()
                assert await upstream.answer("POST", "/chat/completions", LONG) == {}
                assert asyncio.get_running_loop().time() - began > 0.5


async def test_an_upstream_that_is_not_there_is_a_502(start_upstream, start_proxy, unused_tcp_port):
    upstream = await start_upstream()
    upstream.url = f"http://127.0.0.1:{unused_tcp_port}"
    proxy = await start_proxy(upstream)
    status, told = await proxy.ask()
    assert (status, json.loads(told)["error"]["code"]) == (502, "upstream_unreachable")


async def test_without_an_upstream_there_is_no_answer(start_proxy):
    proxy = await start_proxy()
    status, told = await proxy.ask()
    assert (status, json.loads(told)["error"]["code"]) == (503, "no_upstream")


async def test_a_policy_that_raises_is_a_403_or_the_last_event(start_upstream, start_proxy):
    policy = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): raise_()})
    proxy = await start_proxy(await start_upstream(), policy=policy)
    status, told = await proxy.ask(stream=False)
    assert (status, json.loads(told)["error"]["code"]) == (403, "turn_withheld")
    status, stream = await proxy.ask()
    assert status == 200
    assert error_of(stream)["code"] == "turn_withheld"
    assert "elephants" not in stream + told


async def post(proxy, content, *, path="/v1/chat/completions", **arguments):
    async with proxy.http.post(path, data=content, **arguments) as response:
        error = (await response.json())["error"]
        assert set(error) == {"message", "type", "param", "code"}
        return response.status, error["code"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", "invalid_json"),
        ("[]", "invalid_json"),
        ('{"model": "m", "messages": [], "temperature": NaN}', "invalid_json"),
        ('{"model": "m", "messages": [], "temperature": -Infinity}', "invalid_json"),
        ('{"model": "m"}', "invalid_value"),
        ('{"messages": []}', "invalid_value"),
        ('{"model": "m", "messages": ["x"]}', "invalid_value"),
        ('{"model": "m", "messages": [], "stream": "yes"}', "invalid_value"),
        ('{"model": "m", "messages": [], "modalities": ["text", "audio"]}', "invalid_value"),
        ('{"model": "m", "messages": [], "modalities": 5}', "invalid_value"),
        ('{"model": "m", "messages": [], "vista": {"path": "/etc"}}', "invalid_extra"),
        ('{"model": "m", "messages": [], "vista": {"references": "x"}}', "invalid_extra"),
        ('{"model": "m", "messages": [], "vista": {"references": [{"text": " "}]}}', "invalid_reference"),
        ('{"model": "m", "messages": [], "vista": {"references": [{"url": "x"}]}}', "invalid_reference"),
    ],
)
async def test_a_request_that_cannot_be_guarded_is_a_400_and_never_sent_on(
    body, code, start_upstream, start_proxy
):
    upstream = await start_upstream()
    proxy = await start_proxy(upstream)
    headers = {"Content-Type": "application/json"}
    assert await post(proxy, body, headers=headers) == (400, code)
    assert not upstream.bodies


async def test_a_number_beyond_all_floats_is_sent_on_as_json(start_upstream, start_proxy):
    upstream = await start_upstream()
    proxy = await start_proxy(upstream)
    body = b'{"model": "m", "messages": [{"role": "user", "content": "When?"}], "temperature": 1e999}'
    async with proxy.http.post(
        "/v1/chat/completions", data=body, headers={"Content-Type": "application/json"}
    ) as response:
        assert response.status == 200
    assert upstream.bodies[0]["temperature"] == sys.float_info.max


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("input", ["x"]),
        ("input", [None]),
        ("text", {"format": "json"}),
        ("text", {"format": ["x"]}),
        ("modalities", 5),
    ],
)
async def test_a_responses_request_that_cannot_be_guarded_is_a_400(field, value, start_upstream, start_proxy):
    upstream = await start_upstream()
    proxy = await start_proxy(upstream)
    body = json.dumps({"model": "m", "input": "x", field: value})
    headers = {"Content-Type": "application/json"}
    assert await post(proxy, body, path="/v1/responses", headers=headers) == (400, "invalid_value")
    assert not upstream.bodies


async def test_a_form_is_refused_since_any_web_page_could_send_one(start_proxy):
    proxy = await start_proxy()
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        headers = {"Content-Type": kind}
        assert await post(proxy, "{}", headers=headers) == (415, "unsupported_media_type")


async def test_each_limit_has_its_error(start_upstream, start_proxy):
    upstream = await start_upstream(interval=0.02)
    limits = Limits(body=2000, reference=100, references=1, sessions=1, streams=2)
    proxy = await start_proxy(upstream, limits=limits, timeouts=Timeouts(busy=0.05))
    headers = {"Content-Type": "application/json"}
    assert await post(proxy, "x" * 3000, headers=headers) == (413, "body_too_large")
    long = json.dumps({"text": "A word. " * 20})
    assert await post(proxy, long, path="/v1/references", headers=headers) == (413, "reference_too_large")
    short = json.dumps({"text": "A word."})
    async with proxy.http.post("/v1/references", data=short, headers=headers) as response:
        assert response.status == 200
    assert await post(proxy, short, path="/v1/references", headers=headers) == (429, "too_many_references")
    status, told = await proxy.ask({"vista": {"references": [{"text": "A."}, {"text": "B."}]}})
    assert (status, json.loads(told)["error"]["code"]) == (400, "too_many_references")
    asking = asyncio.create_task(proxy.ask(headers={"X-Vista-Conversation": "one"}))
    await upstream.begun.wait()
    for key, expected in (("one", (409, "conversation_busy")), ("two", (429, "too_many_sessions"))):
        status, told = await proxy.ask(headers={"X-Vista-Conversation": key})
        assert (status, json.loads(told)["error"]["code"]) == expected
    other = asyncio.create_task(proxy.ask())
    while proxy.app[STATE].traffic.running < 2:  # noqa: ASYNC110 - nobody tells that an answer has begun
        await asyncio.sleep(0.01)
    status, told = await proxy.ask()
    assert (status, json.loads(told)["error"]["code"]) == (503, "too_many_streams")
    assert [(await one)[0] for one in (asking, other)] == [200, 200]


@pytest.mark.parametrize(("path", "field"), [("chat/completions", "messages"), ("responses", "input")])
@pytest.mark.parametrize(
    ("returned", "given", "error"),
    [
        ([["A fact."] * 9], [], (413, "reference_too_large")),
        (["A word. " * 5], [], (413, "reference_too_large")),
        (["One.", "Two.", "Three."], [], (400, "too_many_references")),
        (["One.", "Two."], ["Three."], (400, "too_many_references")),
    ],
)
async def test_what_tools_return_counts_for_the_limits(
    path, field, returned, given, error, start_upstream, start_proxy
):
    upstream = await start_upstream()
    proxy = await start_proxy(upstream, limits=Limits(reference=30, references=2))
    written = [text if isinstance(text, str) else json.dumps(text) for text in returned]
    tools = {
        "messages": [{"role": "tool", "content": text} for text in written],
        "input": [{"type": "function_call_output", "output": text} for text in written],
    }
    vista = {"references": [{"text": text} for text in given]}
    body = {"model": "m", field: [{"role": "user", "content": "When?"}, *tools[field]], "vista": vista}
    async with proxy.http.post(f"/v1/{path}", json=body) as response:
        told = (await response.json())["error"]
    assert (response.status, told["code"], told["param"]) == (*error, field)
    assert not upstream.bodies


async def test_who_breaks_an_answer_off_can_ask_again_at_once(start_upstream, start_proxy):
    upstream = await start_upstream(interval=0.01)
    proxy = await start_proxy(upstream)
    headers = {"X-Vista-Conversation": "one"}
    for _ in range(5):
        response = await proxy.http.post(
            "/v1/chat/completions", json={**ASKED, "stream": True}, headers=headers
        )
        assert await response.content.readany()
        response.close()
        status, told = await proxy.ask(headers=headers)
        assert status == 200, told


async def test_a_body_that_does_not_come_is_a_408(start_proxy):
    proxy = await start_proxy(timeouts=Timeouts(body=0.1))

    async def slow():
        yield b"{"
        await asyncio.sleep(1)
        yield b"}"

    assert await post(proxy, slow(), headers={"Content-Type": "application/json"}) == (408, "body_timeout")


async def test_an_unknown_path_or_method_is_an_error_object(start_proxy):
    proxy = await start_proxy()
    assert await post(proxy, "", path="/v1/files") == (404, "not_found")
    assert await post(proxy, "", path="/v1/models") == (405, "method_not_allowed")


async def test_a_name_of_a_file_is_a_name_and_no_more(start_upstream, start_proxy, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("The secret is Larch.")
    proxy = await start_proxy(await start_upstream())
    for name in (str(secret), f"file://{secret}", "http://127.0.0.1:1/x"):
        status, _ = await proxy.ask({"vista": {"references": [name]}})
        assert status == 404
    for path in (f"/page/../../../..{secret}", f"/page/%2e%2e/%2e%2e{secret}", "/page//etc/hostname"):
        async with proxy.http.get(path) as response:
            assert response.status == 404
    body = {"vista": {"references": [{"name": str(secret), "text": "A text."}]}}
    status, stream = await proxy.ask(body)
    assert status == 200
    assert "Larch" not in stream


async def test_tokens_are_asked_for_everywhere_but_for_health_and_the_pages_files(
    start_upstream, start_proxy
):
    proxy = await start_proxy(await start_upstream(), tokens=frozenset({"right"}))
    for token in (None, "wrong", "", "right ", "rightx"):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        for path in ("/v1/models", "/v1/references", "/metrics"):
            async with proxy.http.get(path, headers=headers) as response:
                assert response.status == (200 if token == "right " else 401), (token, path)
    for path in ("/", "/page/main.js", "/page/about", "/healthz", "/readyz"):
        async with proxy.http.get(path) as response:
            assert response.status == 200
    async with proxy.http.post("/page/api/check", json={}) as response:
        assert response.status == 401


async def test_other_web_pages_are_refused_and_cors_is_off_unless_one_is_named(start_upstream, start_proxy):
    upstream = await start_upstream()
    closed, named = (
        await start_proxy(upstream),
        await start_proxy(upstream, origins=frozenset({"http://a.b"})),
    )
    origin = {"Origin": "http://a.b"}
    async with closed.http.get("/v1/models", headers=origin) as response:
        assert response.status == 403
        assert not [name for name in response.headers if name.startswith("Access-Control")]
    async with named.http.options("/v1/models", headers=origin) as response:
        assert response.status == 204
        assert "X-Vista-Conversation" in response.headers["Access-Control-Allow-Headers"]
    # The official JavaScript client sends headers of its own.
    asks = {**origin, "Access-Control-Request-Headers": "authorization,content-type,x-stainless-lang"}
    async with named.http.options("/v1/chat/completions", headers=asks) as response:
        allowed = response.headers["Access-Control-Allow-Headers"]
        assert set(asks["Access-Control-Request-Headers"].split(",")) <= set(allowed.split(","))
    async with named.http.get("/v1/models", headers=origin) as response:
        assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (200, "http://a.b")
    async with closed.http.get("/v1/models", headers={"Origin": closed.url}) as response:
        assert response.status == 200


async def test_a_name_that_was_made_to_point_here_is_refused(start_upstream, start_proxy):
    proxy = await start_proxy(await start_upstream())
    for host, status in (
        ("evil.example:80", 403),
        ("localhost.evil.example", 403),
        ("localhost:1", 200),
        ("LOCALHOST:1", 200),
        ("localhost.:1", 200),
        ("[::1]:1", 200),
        ("127.0.0.1", 200),
    ):
        async with proxy.http.get("/v1/models", headers={"Host": host}) as response:
            assert response.status == status


async def test_logs_and_errors_hold_no_text_and_no_secret(start_upstream, start_proxy, caplog):
    caplog.set_level(logging.DEBUG)
    upstream = await start_upstream()
    proxy = await start_proxy(
        upstream, upstream_key="sk-secret-0123456789", tokens=frozenset({"tok-1"}), token="tok-1"
    )
    await proxy.ask({"messages": [{"role": "user", "content": "private question"}]})
    upstream.break_after = 2
    await proxy.ask({"messages": [{"role": "user", "content": "private question"}]})
    told = caplog.text + repr(proxy.app[STATE].settings)
    for secret in ("sk-secret-0123456789", "tok-1", "private question", "elephants", "canal"):
        assert secret not in told
    assert "claims=3" in caplog.text


@pytest.mark.parametrize("stream", [True, False])
async def test_a_key_that_is_a_word_is_no_secret(start_upstream, start_proxy, stream):
    upstream = await start_upstream(answer="The ollama is EMPTY.")
    for key in ("ollama", "EMPTY"):
        proxy = await start_proxy(upstream, upstream_key=key)
        _, told = await proxy.ask(stream=stream)
        assert "[key]" not in told
    upstream.answer = "It is sk-secret-0123456789."
    proxy = await start_proxy(upstream, upstream_key="sk-secret-0123456789")
    _, told = await proxy.ask(stream=False)
    assert "It is [key]." in told


async def test_a_path_cannot_write_lines_of_the_log(start_proxy, caplog):
    caplog.set_level(logging.INFO)
    proxy = await start_proxy()
    assert await post(proxy, "", path="/v1/chat/completions%0AINFO%20forged") == (404, "not_found")
    assert await post(proxy, "{", path="/v1/references?a=%0A") == (415, "unsupported_media_type")
    headers = {"Origin": "http://a.b"}
    async with proxy.http.get("/v1/models%0AINFO%20forged", headers=headers) as response:
        assert response.status == 403
    told = [record.getMessage() for record in caplog.records if record.name.startswith("vista_stream")]
    assert any("%0AINFO%20forged" in line for line in told)
    assert not any("\n" in line for line in told)


@pytest.mark.parametrize("log_text", [False, True])
async def test_what_a_stage_says_of_a_text_is_logged_on_demand_only(
    log_text, start_upstream, start_proxy, caplog
):
    class Talkative(ScriptedStages):
        async def verify(self, claim, grounds):
            if "elephants" in claim.text:
                raise RuntimeError(f"cannot judge: {claim.text}")
            return await super().verify(claim, grounds)

    caplog.set_level(logging.INFO)
    proxy = await start_proxy(await start_upstream(), stages=Talkative(), log_text=log_text)
    await proxy.ask()
    assert ("elephants" in caplog.text) is log_text
    assert ("verified: The canal opened in 1914." in caplog.text) is log_text
    assert "a claim stays unresolved: RuntimeError" in caplog.text

"""A small upstream that speaks the real protocol, and a proxy in front of it, both on loopback ports."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web

from vista_stream import Category
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.proxy.application import make_app
from vista_stream_adapters.proxy.serving import make_runner
from vista_stream_adapters.proxy.settings import ProxySettings

ANSWER = "The canal opened in 1914. It was built by elephants. It is 82 kilometres long."


@dataclass
class Upstream:
    """What it answers, how it fails, and what it was asked."""

    answer: str = ANSWER
    size: int = 5
    interval: float = 0.0
    status: int = 200
    """Another one is answered with an error that repeats the key it was shown."""
    told: str = "told"
    """The code of that error."""
    location: str = ""
    """Where that error sends the client."""
    models: int | None = 200
    """The status of its list of models; None: it never answers that."""
    looks: int = 0
    """How often the list was asked for."""
    silent: bool = False
    """Whether it never answers."""
    die_after: int | None = None
    """Deltas after which the connection is cut."""
    stall_after: int | None = None
    """Deltas after which nothing more comes."""
    break_after: int | None = None
    """Deltas after which a chunk is no JSON."""
    fail_after: int | None = None
    """Deltas after which it sends an error and ends."""
    coding: str | None = None
    """How it says that its stream is encoded; None: it says nothing."""
    endless: bool = False
    """Whether its stream is one event without end."""
    done: bool = True
    """Whether a stream ends as it should."""
    marked: bool = True
    """Whether the end is marked, after the last chunk."""
    whole: dict | None = None
    """What it answers where no stream is asked for; None for its answer."""
    embedded: bytes | None = None
    """What it answers where embeddings are asked for; None for a small one."""
    raw: bytes | None = None
    """The bytes of its stream; None for its answer."""
    stays: bool = False
    """Whether it keeps its connection open after the end, or after an error."""
    bodies: list[dict] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    sent: int = 0
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a client has gone before the end."""
    url: str = ""

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/v1/models/{model:.+}", self._model)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/embeddings", self._embeddings)
        return app

    async def _model(self, request):
        return web.json_response({"id": request.match_info["model"], "object": "model"})

    async def _embeddings(self, request):
        self.bodies.append(await request.json())
        if self.embedded is not None:
            return web.Response(body=self.embedded, content_type="application/json")
        data = [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]
        return web.json_response({"object": "list", "data": data, "model": "small-model"})

    async def _models(self, request):
        self.looks += 1
        if self.models is None:
            await asyncio.sleep(3600)
        if self.models != 200:
            return web.Response(status=self.models)
        model = {"id": "small-model", "object": "model", "created": 0, "owned_by": "me"}
        return web.json_response({"object": "list", "data": [model]})

    async def _chat(self, request):
        body = await request.json()
        self.bodies.append(body)
        self.keys.append(request.headers.get("Authorization"))
        if self.silent:
            await asyncio.sleep(3600)
        if self.status != 200:
            told = {"message": f"no: {request.headers.get('Authorization')}", "code": self.told}
            return web.json_response(
                {"error": told}, status=self.status, headers={"Retry-After": "7", "Location": self.location}
            )
        answer = self.answer.replace("{question}", body["messages"][-1]["content"])
        if self.whole is not None and not body.get("stream"):
            return web.json_response(self.whole)
        if not body.get("stream"):
            message = {"role": "assistant", "content": answer}
            choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
            return web.json_response(self._frame("chat.completion", choice))
        packed = {} if self.coding is None else {"Content-Encoding": self.coding}
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **packed})
        await response.prepare(request)
        try:
            await self._write(answer, request, response)
            if self.stays:
                await asyncio.sleep(3600)
        except (ConnectionError, asyncio.CancelledError):
            self.left.set()
            raise
        return response

    async def _write(self, answer, request, response):
        while self.endless:
            await response.write(b"a" * 1_000_000)
        if self.raw is not None:
            await response.write(self.raw)
            return
        await self._send(response, {"role": "assistant", "content": ""})
        for position, start in enumerate(range(0, len(answer), self.size)):
            if position == self.die_after:
                request.transport.abort()
                return
            if position == self.stall_after:
                await asyncio.sleep(3600)
            if position == self.break_after:
                await response.write(b'data: {"choices": [{]\n\n')
                return
            if position == self.fail_after:
                await response.write(b'data: {"error": {"message": "out of memory", "code": "oom"}}\n\n')
                return
            await self._send(response, {"content": answer[start : start + self.size]})
            self.sent += 1
            self.begun.set()
            await asyncio.sleep(self.interval)
        if self.done:
            await self._send(response, {}, finish="stop")
            if self.marked:
                await response.write(b"data: [DONE]\n\n")

    async def _send(self, response, delta, finish=None):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        chunk = self._frame("chat.completion.chunk", choice)
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())

    def _frame(self, kind, choice):
        return {
            "id": "chatcmpl-1",
            "object": kind,
            "created": 1700000000,
            "model": "small-model",
            "system_fingerprint": "fp_1",
            "choices": [choice],
        }


@asynccontextmanager
async def listening(app, make_runner=web.AppRunner):
    """Serve an application on a free loopback port; its URL."""
    runner = make_runner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


class Proxy:
    """A proxy that is up: its application, its URL and a client for it."""

    def __init__(self, app, url, http):
        self.app, self.url, self.http = app, url, http

    async def ask(self, body=None, *, stream=True, headers=None):
        """POST a chat completion; the response's status and whole text."""
        asked = {"model": "small-model", "messages": [{"role": "user", "content": "When?"}], "stream": stream}
        async with self.http.post(
            "/v1/chat/completions", json={**asked, **(body or {})}, headers=headers
        ) as response:
            return response.status, await response.text()


def text_of(stream):
    """The text that a stream of chat chunks carries."""
    lines = [line[6:] for line in stream.splitlines() if line.startswith("data: {")]
    choices = [choice for line in lines for choice in json.loads(line).get("choices", ())]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


@pytest.fixture
def streamed_text():
    """`text_of`."""
    return text_of


@pytest_asyncio.fixture
async def start_upstream():
    """Start an Upstream: `await start_upstream(answer=..., ...)`."""
    async with AsyncExitStack() as stack:

        async def start(**traits):
            upstream = Upstream(**traits)
            upstream.url = await stack.enter_async_context(listening(upstream.app()))
            return upstream

        yield start


@pytest_asyncio.fixture
async def start_proxy():
    """Start a proxy: `await start_proxy(upstream, stages=..., **settings)`."""
    async with AsyncExitStack() as stack:

        async def start(upstream=None, *, stages=None, scenes=(), token=None, store=None, **settings):
            stages = stages or ScriptedStages({"elephants": Category.CONTRADICTED})
            url = None if upstream is None else f"{upstream.url.removesuffix('/v1')}/v1"
            settings = ProxySettings(upstream=url, **settings)
            app = make_app(settings, stages=stages.stages(), scenes=scenes, store=store)
            address = await stack.enter_async_context(listening(app, make_runner))
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            http = await stack.enter_async_context(aiohttp.ClientSession(address, headers=headers))
            return Proxy(app, address, http)

        yield start

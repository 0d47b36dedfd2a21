"""The server that `make_runner` makes."""

import asyncio
import gzip
import os
import signal

import aiohttp
import pytest
from aiohttp import web

from vista_stream.stores.sqlite import SqliteStore
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.proxy import ProxySettings, make_app, make_runner
from vista_stream_adapters.proxy.serving import serve
from vista_stream_adapters.proxy.state import STATE

BODY = {"model": "m", "messages": [{"role": "user", "content": "When?"}], "stream": True}

pytestmark = pytest.mark.asyncio


async def test_nothing_is_decompressed_even_where_a_body_is_read():
    async def echo(request):
        return web.Response(body=await request.read())

    app = make_app(ProxySettings(), stages=ScriptedStages().stages())
    app.router.add_post("/echo", echo)
    runner = make_runner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/echo"
        packed = gzip.compress(b"a" * 1000)
        asked = {"data": packed, "headers": {"Content-Encoding": "gzip"}}
        async with aiohttp.ClientSession() as http, http.post(url, **asked) as response:
            assert await response.read() == packed
    finally:
        await runner.cleanup()


async def test_an_answer_that_the_proxy_cuts_off_at_its_end_is_not_counted_as_left(start_upstream):
    told, ended = [], asyncio.Event()

    def observe(record):
        told.append(record.error)
        ended.set()

    upstream = await start_upstream(stall_after=3)
    app = make_app(ProxySettings(upstream=f"{upstream.url}/v1"), stages=ScriptedStages().stages())
    app[STATE].recorder._observers = [observe]
    runner = make_runner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1/chat/completions"
    async with aiohttp.ClientSession() as http, http.post(url, json=BODY) as response:
        assert response.status == 200
        await runner.cleanup()
        async with asyncio.timeout(5):
            await ended.wait()
    assert told == ["cut_off"]


async def test_what_an_answer_that_is_cut_off_showed_is_in_the_store_before_that_is_closed(
    start_upstream, tmp_path
):
    class Slow(SqliteStore):
        async def end_turn(self, conversation, turn):
            await asyncio.sleep(0.05)
            kept = await super().end_turn(conversation, turn)
            told.append([statement.text for statement in kept.statements])
            return kept

        async def aclose(self):
            told.append("closed")
            await super().aclose()

    told = []
    upstream = await start_upstream(answer="Kew has a mill. Bo has a cow.", stall_after=5)
    settings, store = ProxySettings(upstream=f"{upstream.url}/v1"), Slow(tmp_path / "a.db")
    runner = make_runner(
        make_app(settings, stages=ScriptedStages().stages(), store=store), shutdown_timeout=0.1
    )
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1/chat/completions"
    headers = {"X-Vista-Conversation": "talk"}
    async with aiohttp.ClientSession() as http, http.post(url, json=BODY, headers=headers) as response:
        async for line in response.content:
            if b"mill." in line:
                break
        await runner.cleanup()
    assert told == [["Kew has a mill."], "closed"]


async def test_a_signal_right_after_the_announcement_drains():
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    app = make_app(ProxySettings(port=0), stages=ScriptedStages().stages())
    try:
        async with asyncio.timeout(5):
            await serve(app, announce=lambda url: os.kill(os.getpid(), signal.SIGTERM))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert app[STATE].traffic.draining

"""The server that `make_runner` makes."""

import gzip

import aiohttp
import pytest
from aiohttp import web

from vista_stream.testing import ScriptedStages
from vista_stream_adapters.proxy import ProxySettings, make_app, make_runner

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

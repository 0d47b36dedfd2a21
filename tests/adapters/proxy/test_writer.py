"""The writer in a real server, with a client that does not read."""

import asyncio
import socket

import pytest
from aiohttp import web

from vista_stream_adapters.proxy.errors import error_middleware
from vista_stream_adapters.proxy.settings import Timeouts
from vista_stream_adapters.proxy.writer import EventWriter, write_middleware

pytestmark = pytest.mark.asyncio


async def test_the_end_of_an_answer_does_not_wait_for_a_client_that_does_not_read():
    over = asyncio.get_running_loop().create_future()

    async def answer(request):
        try:
            async with EventWriter(request, timeouts=Timeouts(client=0.2)) as writer:
                while request.transport.get_write_buffer_size() < 70_000:
                    await writer.send(b": " + b"x" * 4096 + b"\n\n")
        finally:
            over.set_result(None)
        return writer.response

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        with socket.create_connection(runner.addresses[0]) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            async with asyncio.timeout(5):
                await over
    finally:
        await runner.cleanup()


async def test_no_second_response_is_written_into_a_stream_that_has_begun():
    async def answer(request):
        async with EventWriter(request, timeouts=Timeouts()) as writer:
            await writer.send(b"data: 1\n\n")
            raise RuntimeError("after the beginning")

    app = web.Application(middlewares=[write_middleware(Timeouts()), error_middleware])
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        reader, writer = await asyncio.open_connection(*runner.addresses[0])
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        async with asyncio.timeout(5):
            sent = await reader.read()
        writer.close()
    finally:
        await runner.cleanup()
    assert sent.endswith(b"data: 1\n\n\r\n"), "the client can tell that it is not whole"
    assert sent.count(b"HTTP/1.1") == 1


async def test_a_whole_answer_that_nobody_reads_ends_the_connection():
    gone = asyncio.Event()

    async def answer(request):
        request.task.add_done_callback(lambda _: gone.set())
        return web.Response(body=b"x" * 20_000_000)

    app = web.Application(middlewares=[write_middleware(Timeouts(client=0.2))])
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        with socket.create_connection(runner.addresses[0]) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            async with asyncio.timeout(5):
                await gone.wait()
    finally:
        await runner.cleanup()

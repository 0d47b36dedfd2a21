import json
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import anyio
import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.responses import StreamingResponse
from starlette.routing import Route, WebSocketRoute
from websockets.sync.client import connect

from vista_stream import Category, Importance, Policy, raise_
from vista_stream.testing import ScriptedStages, replay
from vista_stream_adapters.asgi import GuardedAnswer
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.sse import SseDecoder

TEXT = "The mill is red. The moon is of cheese. It stands in Kew."
REPLACED = "The mill is red. [A statement here was withheld: it contradicts the reference.] It stands in Kew."
ASK = [{"role": "user", "content": "What of the mill?"}]
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Source:
    """An answer that notes that it was closed."""

    def __init__(self, text, interval=0.0):
        self.text, self.interval, self.closed = text, interval, threading.Event()

    async def __aiter__(self):
        try:
            async for delta in replay(self.text, size=2, interval=self.interval):
                yield delta
        finally:
            self.closed.set()


def answer(source, policy=None):
    stages = ScriptedStages({"moon": Category.CONTRADICTED}).stages()
    return GuardedAnswer(source, guard=Guard(stages=stages, policy=policy or Policy()), messages=ASK)


SLOW = Source(TEXT + " More is said." * 500, interval=0.01)
RAISES = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): raise_()})


async def endless(websocket):
    await answer(SLOW)(websocket.scope, websocket.receive, websocket.send)


async def spoken(websocket):
    await answer(Source(TEXT))(websocket.scope, websocket.receive, websocket.send)


def returned(source, policy=None):
    async def route(request):
        return answer(source, policy)

    return route


async def streamed(request):
    return StreamingResponse(answer(Source(TEXT)).body(), media_type="text/event-stream")


@pytest.fixture(scope="module")
def server():
    app = Starlette(
        routes=[
            Route("/answer", returned(Source(TEXT))),
            Route("/raises", returned(Source(TEXT), RAISES)),
            Route("/slow", returned(SLOW)),
            Route("/streamed", streamed),
            WebSocketRoute("/spoken", spoken),
            WebSocketRoute("/endless", endless),
        ]
    )
    with serving(app) as address:
        yield address


@contextmanager
def serving(app):
    """Serve an application on a free loopback port; its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", ws="websockets-sansio"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def objects(wire):
    decoder = SseDecoder()
    return [json.loads(event.data) for event in [*decoder.feed(wire), *decoder.finish()]]


@pytest.mark.parametrize("path", ["answer", "streamed"])
def test_an_answer_as_server_sent_events(server, path):
    response = httpx.get(f"http://{server}/{path}")
    got = objects(response.content)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert "".join(entry.get("text", "") for entry in got) == REPLACED
    assert "cheese" not in response.text
    assert got[-1]["type"] == "end"
    assert got[-1]["vista"]["withheld"] > 0
    assert [entry["vista"]["action"] for entry in got[:-1] if "vista" in entry] == [
        "released",
        "replaced",
        "released",
    ]


def test_a_policy_that_raises_ends_with_an_error(server):
    got = objects(httpx.get(f"http://{server}/raises").content)
    assert "".join(entry.get("text", "") for entry in got) == "The mill is red. "
    assert got[-1] == {"type": "error", "error": "TurnWithheld"}


class Broken(Source):
    """A source that yields something else than text once its text was read."""

    async def __aiter__(self):
        yield self.text
        await anyio.sleep(0.2)
        yield None


def sent(source, over):
    """The objects of an answer, over "http" or "websocket"."""

    async def speak(websocket):
        await answer(source)(websocket.scope, websocket.receive, websocket.send)

    routes = [Route("/http", returned(source)), WebSocketRoute("/websocket", speak)]
    with serving(Starlette(routes=routes)) as address:
        if over == "http":
            return objects(httpx.get(f"http://{address}/http").content)
        with connect(f"ws://{address}/websocket") as socket:
            return [json.loads(line) for line in socket]


both = pytest.mark.parametrize("over", ["http", "websocket"])


@both
def test_half_a_surrogate_pair_is_a_question_mark(over):
    got = sent(["The mill is red \ud83d. It is naïve 😀."], over)
    assert "".join(entry.get("text", "") for entry in got) == "The mill is red ?. It is naïve 😀."
    assert got[-1]["type"] == "end"


@both
def test_a_source_that_yields_no_text_ends_with_an_error(over):
    got = sent(Broken(TEXT), over)
    assert "".join(entry.get("text", "") for entry in got).startswith("The mill is red. ")
    assert got[-1] == {"type": "error", "error": "BadDelta"}


def test_an_answer_over_a_websocket(server):
    with connect(f"ws://{server}/spoken") as socket:
        got = [json.loads(line) for line in socket]
    assert "".join(entry.get("text", "") for entry in got) == REPLACED
    assert got[-1]["type"] == "end"


@pytest.mark.parametrize("way", ["slow", "endless"])
def test_a_client_that_leaves_closes_the_source(server, way):
    SLOW.closed.clear()
    if way == "slow":
        with httpx.stream("GET", f"http://{server}/slow") as response:
            next(response.iter_bytes())
    else:
        with connect(f"ws://{server}/endless") as socket:
            socket.recv()
    assert SLOW.closed.wait(5)


def test_an_answer_is_a_response_whose_headers_and_background_task_count():
    told = []

    async def noted():
        await anyio.sleep(0.05)
        told.append("after")

    async def route(request):
        given = answer(Source(TEXT))
        given.headers["x-turn"] = "7"
        given.set_cookie("seen", "yes")
        given.background = BackgroundTask(noted)
        return given

    with serving(Starlette(routes=[Route("/answer", route)])) as address:
        response = httpx.get(f"http://{address}/answer")
    assert (response.headers["x-turn"], response.cookies["seen"], told) == ("7", "yes", ["after"])
    assert objects(response.content)[-1]["type"] == "end"


def test_a_fastapi_route_returns_an_answer_as_it_is():
    fastapi = pytest.importorskip("fastapi", reason="this test needs fastapi")
    app = fastapi.FastAPI()

    @app.get("/answer")
    async def untyped():
        return answer(Source(TEXT))

    @app.get("/typed")
    async def typed() -> GuardedAnswer:
        return answer(Source(TEXT))

    with serving(app) as address:
        for path in ("answer", "typed"):
            response = httpx.get(f"http://{address}/{path}")
            assert response.headers["content-type"].startswith("text/event-stream")
            assert "".join(entry.get("text", "") for entry in objects(response.content)) == REPLACED


def test_without_starlette_an_answer_is_an_application_all_the_same():
    code = """
import sys
sys.modules["starlette"] = sys.modules["starlette.responses"] = None
from vista_stream_adapters.asgi import GuardedAnswer
print(GuardedAnswer.__mro__[1].__name__)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "object"


def test_another_scope_is_refused():
    with pytest.raises(ValueError, match="scope must be"):
        anyio.run(answer(Source("")), {"type": "lifespan"}, None, None)


def test_an_error_of_the_server_is_raised_as_it_is():
    async def send(message):
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        anyio.run(answer(Source(TEXT)), {"type": "http"}, anyio.sleep_forever, send)

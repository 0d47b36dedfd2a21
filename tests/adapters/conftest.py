"""An upstream that replays bytes over real HTTP, and streams in the form of the real protocols."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from aiohttp import web
from openai import AsyncOpenAI

from vista_stream import Category, Importance, Policy, stop
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Guard


@dataclass
class Answer:
    """What the upstream sends for the next request."""

    chunks: list[bytes]
    status: int = 200
    media: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    """Seconds between chunks."""
    ending: str = "close"
    """'close' ends properly, 'abort' breaks the connection, 'stall' sends nothing more."""


class Upstream:
    """A server in a thread of its own; `answers` are used up in order, the last one stays."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.sent: list[int] = []
        """Chunks sent of each answer."""
        self.left = threading.Event()
        """Set when a client left before the answer's end."""
        self.url = ""

    def will(self, *answers: Answer) -> None:
        self.answers = list(answers)

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        sent = await request.read()
        self.requests.append(json.loads(sent) if sent and request.content_type == "application/json" else {})
        self.headers.append(dict(request.headers))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        number = len(self.sent)
        self.sent.append(0)
        response = web.StreamResponse(
            status=answer.status, headers={"content-type": answer.media, **answer.headers}
        )
        await response.prepare(request)
        try:
            for chunk in answer.chunks:
                await response.write(chunk)
                self.sent[number] += 1
                await asyncio.sleep(answer.pause)
            if answer.ending == "stall":
                await asyncio.sleep(30)
        except (asyncio.CancelledError, ConnectionError):
            self.left.set()
            raise
        if answer.ending == "abort" and request.transport is not None:
            request.transport.abort()
        return response

    async def _serve(self, started: threading.Event, over: asyncio.Event) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._respond)
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        started.set()
        await over.wait()
        await runner.cleanup()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server, started, loops = Upstream(), threading.Event(), []

    async def run() -> None:
        over = asyncio.Event()
        loops.append((asyncio.get_running_loop(), over))
        with suppress(asyncio.CancelledError):
            await server._serve(started, over)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert started.wait(10)
    yield server
    loop, over = loops[0]
    loop.call_soon_threadsafe(over.set)
    thread.join(10)


@pytest.fixture
async def client(upstream: Upstream) -> AsyncIterator[AsyncOpenAI]:
    """The official client of the upstream, without a guard."""
    async with AsyncOpenAI(base_url=upstream.url, api_key="none", max_retries=0, timeout=10) as plain:
        yield plain


def frame(payload: dict, event: str | None = None) -> bytes:
    head = b"" if event is None else f"event: {event}\n".encode()
    return head + b"data: " + json.dumps(payload, ensure_ascii=False).encode() + b"\n\n"


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


class Chat:
    """Chunks as the chat completions API sends them."""

    base: ClassVar = {
        "id": "chatcmpl-7",
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": "replay-1",
        "service_tier": "default",
        "system_fingerprint": "fp_1",
    }
    usage: ClassVar = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}

    def chunk(self, delta: dict, *, index: int = 0, finish: str | None = None, **more) -> bytes:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
        choice |= {key: more.pop(key) for key in ("logprobs",) if key in more}
        return frame({**self.base, "choices": [choice], "usage": None, "obfuscation": "aZ3", **more})

    def stream(self, text: str, *, size: int = 3, finish: str = "stop") -> list[bytes]:
        return [
            self.chunk({"role": "assistant", "content": "", "refusal": None}),
            *[self.chunk({"content": piece}) for piece in pieces(text, size)],
            self.chunk({}, finish=finish),
            frame({**self.base, "choices": [], "usage": self.usage}),
            b"data: [DONE]\n\n",
        ]

    def body(self, *texts: str, **more) -> bytes:
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": text, "refusal": None, **more},
                "logprobs": None,
                "finish_reason": "stop",
            }
            for index, text in enumerate(texts)
        ]
        body = {**self.base, "object": "chat.completion", "choices": choices, "usage": self.usage}
        return json.dumps(body).encode()


class Responses:
    """Events as the responses API sends them."""

    item_id = "msg_1"

    def __init__(self) -> None:
        self.number = -1

    def event(self, kind: str, **fields) -> bytes:
        self.number += 1
        return frame({"type": kind, "sequence_number": self.number, **fields}, kind)

    def response(self, status: str, output: list[dict]) -> dict:
        done = status == "completed"
        usage = {
            "input_tokens": 9,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 12,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 21,
        }
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1760000000,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "model": "replay-1",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "text": {"format": {"type": "text"}},
            "usage": usage if done else None,
            "metadata": {},
        }

    def item(self, text: str | None) -> dict:
        content = [] if text is None else [self.part(text)]
        status = "in_progress" if text is None else "completed"
        return {
            "id": self.item_id,
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": content,
        }

    def part(self, text: str) -> dict:
        return {"type": "output_text", "annotations": [], "logprobs": [], "text": text}

    def stream(self, text: str, *, size: int = 3) -> list[bytes]:
        at = {"item_id": self.item_id, "output_index": 0, "content_index": 0}
        return [
            self.event("response.created", response=self.response("in_progress", [])),
            self.event("response.in_progress", response=self.response("in_progress", [])),
            self.event("response.output_item.added", output_index=0, item=self.item(None)),
            self.event("response.content_part.added", **at, part=self.part("")),
            *[
                self.event("response.output_text.delta", **at, delta=piece, logprobs=[], obfuscation="x")
                for piece in pieces(text, size)
            ],
            self.event("response.output_text.done", **at, text=text, logprobs=[]),
            self.event("response.content_part.done", **at, part=self.part(text)),
            self.event("response.output_item.done", output_index=0, item=self.item(text)),
            self.event("response.completed", response=self.response("completed", [self.item(text)])),
        ]

    def body(self, text: str) -> bytes:
        return json.dumps(self.response("completed", [self.item(text)])).encode()


@pytest.fixture
def chat() -> Chat:
    return Chat()


@pytest.fixture
def responses() -> Responses:
    return Responses()


@pytest.fixture
def answer() -> type[Answer]:
    return Answer


TEXT = "The mill is red. The moon is of cheese, naïve 😀 as that is. It stands in Kew."
NOTICE = "[A statement here was withheld: it contradicts the reference.]"
VITAL_FALSE = (Category.CONTRADICTED, Importance.VITAL)


@dataclass
class Case:
    """What a guarded answer to `text` must be under a policy."""

    guard: Guard
    expected: str
    stops: bool
    text: str = TEXT


@pytest.fixture(params=["replace", "stop"])
def case(request: pytest.FixtureRequest) -> Case:
    stages = ScriptedStages({"moon": Category.CONTRADICTED}).stages()
    if request.param == "replace":
        return Case(Guard(stages=stages), f"The mill is red. {NOTICE} It stands in Kew.", False)
    policy = Policy(rules={VITAL_FALSE: stop("[Stopped.]")})
    return Case(Guard(stages=stages, policy=policy), "The mill is red. [Stopped.]", True)

"""Sends many streams at once through the proxy: errors, mixed-up text, memory, and the latency that it adds.

    python -m benchmarks.proxy [--streams N] [--few N] [--seconds S] [--pace T] [--only zero|embedded]
    python -m benchmarks.proxy --smoke

There are three processes: an upstream that sends answers at --pace tokens a second, the proxy in front of it,
and the clients. Every stream is a conversation of its own, one answer after another until the time is up.
Each sentence of its answers holds the stream's mark. The policy releases everything, so a client must get
exactly the upstream's text: anything else is counted as mixed or lost.

Latency: from the moment when the upstream sends the last character of a sentence until the client has it.
The end of a sentence is known only by what follows it, so the latency always includes one token's time
(1 / pace). "direct" is without a proxy. "zero" is the proxy with a verifier that costs nothing, and rules
for stages. "embedded" is the proxy with the shipped models. On a small machine they cannot keep up with many
streams: claims then miss their deadline of five seconds, and their share is reported.
Memory: of the proxy's process, after a quarter of the time and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from benchmarks.record import RESULTS, save
from vista_stream import Policy
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.proxy.application import make_app
from vista_stream_adapters.proxy.serving import serve
from vista_stream_adapters.proxy.settings import Limits, ProxySettings, Timeouts

REFERENCE = (
    "The canal opened in 1914. It is 82 kilometres long. A passage takes about ten hours. Its locks lift"
    " ships by 26 metres. The work began in 1904. A third set of locks was opened in 2016."
)
IDLE_S = 300.0
"""Seconds without an answer after which the proxy may forget a conversation."""
SENTENCES = (
    "Record {mark} says that the canal opened in 1914. ",
    "By record {mark} it is 82 kilometres long. ",
    "A passage takes about ten hours, as {mark} tells. ",
    "The locks lift ships by 26 metres, says {mark}. ",
    "The work began in 1904 by {mark}. ",
    "A third set of locks was opened in 2016, says {mark}. ",
)


def answer(mark: str) -> str:
    """The upstream's answer to a stream, the same in every turn."""
    return "".join(SENTENCES).format(mark=mark)


# -- the upstream


class Upstream:
    """Sends each stream its answer, and records when it sent how much of it."""

    def __init__(self, pace: float) -> None:
        self._pace = pace
        self._sent: dict[str, list[tuple[int, float]]] = {}

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/sent/{key}", self._told)
        return app

    async def _told(self, request: web.Request) -> web.Response:
        return web.json_response(self._sent.pop(request.match_info["key"]))

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        mark, _, turn = body["messages"][-1]["content"].partition(" ")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        sent = self._sent[f"{mark}-{turn}"] = []
        with suppress(ConnectionResetError):  # the client broke the answer off
            await self._send(response, mark, sent)
        return response

    async def _send(self, response: web.StreamResponse, mark: str, sent: list[tuple[int, float]]) -> None:
        length, due = 0, time.monotonic()
        for token in re.findall(r"\s*\S{1,6}|\s+$", answer(mark)):
            length += len(token)
            sent.append((length, time.monotonic()))
            await response.write(_chunk({"content": token}))
            due += 1 / self._pace
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        await response.write(_chunk({}, finish="stop") + b"data: [DONE]\n\n")


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n".encode()


async def run_upstream(pace: float) -> None:
    runner = web.AppRunner(Upstream(pace).app(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


# -- the proxy


async def run_proxy(upstream: str, verifier: str, references: Path, *, conversations: int) -> None:
    settings = ProxySettings(
        upstream=f"{upstream}/v1",
        port=0,
        references=references,
        policy=Policy.observing(),
        limits=Limits(streams=4096, sessions=conversations),
        timeouts=Timeouts(session=IDLE_S),
        page=False,
    )
    stages = ScriptedStages().stages() if verifier == "zero" else None
    await serve(make_app(settings, stages=stages), announce=lambda url: print(url, flush=True))


@contextmanager
def started(*arguments: str) -> Iterator[tuple[str, int]]:
    """Run this module in another process, in one of its roles; gives its URL and process id."""
    command = [sys.executable, "-m", "benchmarks.proxy", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()


# -- the clients


@dataclass
class Tally:
    """What the clients saw."""

    answers: int = 0
    errors: list[str] = field(default_factory=list)
    mixed: int = 0
    latencies: list[float] = field(default_factory=list)
    claims: int = 0
    unresolved: int = 0


class Load:
    """Runs streams against one URL for some seconds."""

    def __init__(self, url: str, upstream: str, *, streams: int, seconds: float) -> None:
        self._url = url
        self._upstream = upstream
        self._streams = streams
        self._until = time.monotonic() + seconds
        self.tally = Tally()

    async def run(self) -> Tally:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as http:
            await asyncio.gather(*(self._stream(http, number) for number in range(self._streams)))
        return self.tally

    async def _stream(self, http: aiohttp.ClientSession, number: int) -> None:
        # Starts are spread over a second, as real arrivals are.
        await asyncio.sleep(number / self._streams)
        turn = 0
        while time.monotonic() < self._until:
            mark = f"m{number:03}x"
            try:
                await self._turn(http, mark, turn)
            except (aiohttp.ClientError, AssertionError, KeyError, ValueError) as error:
                self.tally.errors.append(f"{type(error).__name__}: {error}"[:200])
            turn += 1

    async def _turn(self, http: aiohttp.ClientSession, mark: str, turn: int) -> None:
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": f"{mark} {turn}"}]}
        headers = {"X-Vista-Conversation": mark}
        text, arrivals, ended = "", [], False
        async with http.post(f"{self._url}/v1/chat/completions", json=body, headers=headers) as response:
            assert response.status == 200, await response.text()
            async for line in response.content:
                if line.startswith(b"data: {"):
                    chunk = json.loads(line[6:])
                    assert "error" not in chunk, chunk
                    text += chunk["choices"][0]["delta"].get("content") or ""
                    arrivals.append((len(text), time.monotonic()))
                    self._count_claims(chunk)
                ended = ended or line.startswith(b"data: [DONE]")
        assert ended, "the stream broke off"
        self.tally.answers += 1
        self.tally.mixed += text != answer(mark)
        async with http.get(f"{self._upstream}/sent/{mark}-{turn}") as response:
            sent = await response.json()
        for end in sentence_ends(text):
            self.tally.latencies.append(time_of(arrivals, end) - time_of(sent, end))

    def _count_claims(self, chunk: dict[str, Any]) -> None:
        vista = chunk.get("vista") or {}
        if "action" in vista:
            self.tally.claims += len(vista["verdicts"]) + len(vista["unresolved"])
            self.tally.unresolved += len(vista["unresolved"])


def sentence_ends(text: str) -> list[int]:
    return [match.end() for match in re.finditer(r"\.(?= )", text)]


def time_of(marks: list[tuple[int, float]], position: int) -> float:
    return next(at for length, at in marks if length >= position)


# -- the measurement


async def measure(url: str, upstream: str, pid: int, *, streams: int, seconds: float) -> dict[str, Any]:
    memory: list[float] = []

    async def sample() -> None:
        while True:
            memory.append(resident(pid))
            await asyncio.sleep(seconds / 40)

    sampling = asyncio.create_task(sample())
    tally = await Load(url, upstream, streams=streams, seconds=seconds).run()
    sampling.cancel()
    ordered = sorted(tally.latencies)
    return {
        "streams": streams,
        "seconds": seconds,
        "answers": tally.answers,
        "errors": len(tally.errors),
        "first_error": tally.errors[0] if tally.errors else None,
        "mixed": tally.mixed,
        "sentences": len(ordered),
        "latency_p50_ms": _rank(ordered, 0.50),
        "latency_p95_ms": _rank(ordered, 0.95),
        "unresolved_share": round(tally.unresolved / tally.claims, 3) if tally.claims else None,
        "memory_quarter_mib": round(memory[len(memory) // 4], 1),
        "memory_end_mib": round(memory[-1], 1),
    }


def _rank(ordered: list[float], share: float) -> float | None:
    return round(1000 * ordered[int(share * (len(ordered) - 1))], 1) if ordered else None


def resident(pid: int) -> float:
    """Resident memory of a process in MiB; 0 if the system does not report it."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else 0.0


def run(args: argparse.Namespace) -> dict[str, Any]:
    figures: dict[str, Any] = {"pace": args.pace}
    with started("--role", "upstream", "--pace", str(args.pace)) as (upstream, pid):
        load = {"streams": args.streams, "seconds": args.seconds}
        figures["direct"] = asyncio.run(measure(upstream, upstream, pid, **load))
        for verifier in [args.only] if args.only else ["zero", "embedded"]:
            for streams in (args.few, args.streams):
                figure = through_proxy(upstream, verifier, streams=streams, seconds=args.seconds)
                figures[f"{verifier}, {streams} streams"] = figure
                print(verifier, json.dumps(figure), flush=True)
    return figures


def through_proxy(upstream: str, verifier: str, *, streams: int, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "canal.txt").write_text(REFERENCE)
        role = ("--role", "proxy", "--upstream", upstream, "--only", verifier, "--references", folder)
        with started(*role) as (url, pid):
            return asyncio.run(measure(url, upstream, pid, streams=streams, seconds=seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--few", type=int, default=10, help="streams of the run without pressure")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pace", type=float, default=5.0, help="tokens a second of each stream")
    parser.add_argument("--only", choices=("zero", "embedded"))
    parser.add_argument("--smoke", action="store_true", help="10 streams for 5 seconds; nothing is saved")
    parser.add_argument("--role", choices=("upstream", "proxy"), help=argparse.SUPPRESS)
    parser.add_argument("--upstream", help=argparse.SUPPRESS)
    parser.add_argument("--references", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--conversations", type=int, default=4096, help=argparse.SUPPRESS)
    args = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    if args.role == "upstream":
        asyncio.run(run_upstream(args.pace))
    elif args.role == "proxy":
        asyncio.run(run_proxy(args.upstream, args.only, args.references, conversations=args.conversations))
    elif args.smoke:
        args.streams, args.few, args.seconds, args.pace = 10, 2, 5.0, 20.0
        print(json.dumps(run(args), indent=2))
    else:
        save(RESULTS / "proxy.json", run(args))


if __name__ == "__main__":
    main()

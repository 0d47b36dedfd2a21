"""Runs one guard on scripted streams, in the guard's own environment, and says what came out and when.

    VENV/bin/python -P driver.py guards/PEER.py SETTING VERIFIER

Standard library only. One JSON line a request comes in on stdin, one JSON line a reply goes out on stdout;
whatever a peer prints goes to stderr. A guard file imports its peer at its top, knows this module as
`driver`, and has the literals NAME, PACKAGES, SETTINGS and OWN_VERIFIER, and

    async def open_guard(setting: str, verifier: str) -> Guard     # once; verifier is "stub" or "own"

whose guard has `stream(source, run)`, from async iterator of str to async iterator of released str, or, for
a peer without an async way, `stream_sync(source, run)`, which is driven in a thread of its own. A guard
whose verifier gives degrees may also have `score(premise, hypothesis)`: the higher, the better supported.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import importlib.util
import itertools
import json
import os
import re
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

STUB_SECONDS = 0.05
"""What each call of the stub verifier takes, as blocking work."""
HANG_SECONDS = 12.0
"""How long a hanging stub holds its caller; longer than any run with one may take."""
SHARE = 0.6
"""Of a false sentence's characters, in one piece: a text that holds so much of it is judged false."""
LIMIT = 120.0
"""Seconds a run may take where the request names no limit."""
SETTLE = 0.25
"""Seconds in which a guard that was blocked or left may still draw on its source."""
TICK = 0.005

_stub_threads = ThreadPoolExecutor(max_workers=128, thread_name_prefix="stub")


class Blocked(Exception):
    """A guard raises it where its peer stops the stream."""


class Notice(str):
    """Text that a peer delivers in the place of the source's: released, but never counted as the source's."""


class StubFailed(RuntimeError):
    """What the stub verifier raises in runs with the fault "raise"."""


class Stub:
    """The same verifier for every peer: it knows which sentences are false, and takes 50 ms a call."""

    def __init__(self, run: Run, false: Sequence[str], fault: str | None) -> None:
        self._run = run
        self._false = [_bare(text) for text in false]
        self._fault = fault

    async def check(self, text: str, *, within: str | None = None) -> bool:
        """Whether `text` is false; `within` is the source text it stands for, where a peer rewords it."""
        if self._fault == "hang":
            with self._run.scoring(text):
                await asyncio.sleep(HANG_SECONDS)
            raise StubFailed("the stub verifier did not answer")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(_stub_threads, lambda: self.check_blocking(text, within=within))

    def check_blocking(self, text: str, *, within: str | None = None) -> bool:
        """The same where the peer's extension point is a plain function; it blocks its caller."""
        with self._run.scoring(text):
            time.sleep(HANG_SECONDS if self._fault == "hang" else STUB_SECONDS)
        if self._fault is not None:
            raise StubFailed(f"the stub verifier was told to {self._fault}")
        return self.is_false(text if within is None else within)

    def is_false(self, text: str) -> bool:
        """The judgement alone: does the text hold enough of a false sentence, spaces and case aside?"""
        bare = _bare(text)
        return any(_holds(bare, false) for false in self._false)


class Run:
    """One stream: what the guard may know of it, and the clock it is measured by.

    `query` is what the user asked, `references` the texts the answer must agree with, `stub` the verifier
    to plug in where the guard was opened with "stub".
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self.id = str(request["id"])
        self.query: str | None = request.get("query")
        self.references: tuple[str, ...] = tuple(request.get("references", ()))
        self.text: str = request["text"]
        self.fault: str | None = request.get("fault")
        self.leave_after: int | None = request.get("leave_after")
        self.limit = float(request.get("limit_s") or LIMIT)
        self.rate = float(request.get("rate") or 0)
        self.deltas = cut(self.text, request.get("cut", "word"))
        spans = request.get("false", ())
        self.stub = Stub(self, [self.text[start:end] for start, end in spans], self.fault)
        self.released: list[tuple[float, str]] = []
        self.notices: list[tuple[float, str]] = []
        self.calls: list[tuple[float, float, int]] = []
        self.arrivals: list[tuple[float, int]] = []
        self.taken = 0
        self.source_closed = False
        self.left = False
        self._start = time.perf_counter()

    def begin(self) -> None:
        """Set the clock to zero."""
        self._start = time.perf_counter()

    def now(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self._start

    @contextlib.contextmanager
    def scoring(self, text: str) -> Iterator[None]:
        """Count one verifier call on `text`; for guards whose own verifier is measured."""
        begun = self.now()
        try:
            yield
        finally:
            self.calls.append((begun, self.now(), len(text)))

    def due(self, end: int) -> float:
        """Seconds at which the model has written up to character `end`, at an even pace."""
        words = len(self.text.split()) or 1
        return 0.0 if not self.rate else end / len(self.text) * words / self.rate

    def take(self, delta: str) -> None:
        """Note that the guard drew a delta: it arrived when it was due, however late it was asked for."""
        self.taken += len(delta)
        self.arrivals.append((self.due(self.taken) if self.rate else self.now(), self.taken))

    async def source(self) -> AsyncIterator[str]:
        """The model's stream."""
        try:
            for delta in self.deltas:
                await asyncio.sleep(max(0.0, self.due(self.taken + len(delta)) - self.now()))
                self.take(delta)
                yield delta
        finally:
            self.source_closed = True

    def source_blocking(self) -> Iterator[str]:
        """The same for a guard without an async way."""
        try:
            for delta in self.deltas:
                time.sleep(max(0.0, self.due(self.taken + len(delta)) - self.now()))
                self.take(delta)
                yield delta
        finally:
            self.source_closed = True

    def release(self, piece: str) -> bool:
        """Note what the consumer sees; whether the consumer leaves now."""
        (self.notices if isinstance(piece, Notice) else self.released).append((self.now(), str(piece)))
        seen = sum(len(text) for _, text in self.released)
        self.left = self.leave_after is not None and seen >= self.leave_after
        return self.left


def cut(text: str, how: str | int) -> list[str]:
    """A text as deltas: "word" for a word and the space before it, a number for so many characters."""
    if how == "word":
        return re.findall(r"\s*\S+|\s+\Z", text)
    size = int(how)
    return [text[start : start + size] for start in range(0, len(text), size)]


def _bare(text: str) -> str:
    return "".join(text.casefold().split())


def _holds(text: str, false: str) -> bool:
    length = max(1, round(SHARE * len(false)))
    return any(false[start : start + length] in text for start in range(len(false) - length + 1))


# -- one run, one request


async def drive(guard: Any, request: dict[str, Any]) -> dict[str, Any]:
    """One stream through a guard; the reply's entry for it."""
    run = Run(request)
    reason: str | None = None
    error: str | None = None
    run.begin()
    try:
        async with asyncio.timeout(run.limit):
            await (_consume_sync(guard, run) if hasattr(guard, "stream_sync") else _consume(guard, run))
    except Blocked as stop:
        reason = str(stop)
    except Exception as raised:  # what the peer raises is what is measured
        error = _described(raised)
    end = run.now()
    if end >= run.limit:  # a loop that was blocked may end otherwise than by the limit, and later
        reason, error = None, f"no end after {run.limit:g} s"
    at_end, calls = run.taken, len(run.calls)
    if reason is not None or run.left or error:
        await asyncio.sleep(SETTLE)
    return {
        "id": run.id,
        "released": run.released,
        "notices": run.notices,
        "blocked": reason is not None,
        "reason": reason,
        "left": run.left,
        "error": error,
        "calls": run.calls,
        "taken_chars": run.taken,
        "taken_after_end": run.taken - at_end,
        "calls_after_end": len(run.calls) - calls,
        "source_closed": run.source_closed,
        "arrivals": run.arrivals,
        "end_t": end,
    }


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


async def _consume(guard: Any, run: Run) -> None:
    stream = guard.stream(run.source(), run)
    try:
        async for piece in stream:
            if run.release(piece):
                break
    finally:
        if hasattr(stream, "aclose"):
            await stream.aclose()


async def _consume_sync(guard: Any, run: Run) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    raised: list[BaseException] = []
    late = threading.Event()

    def iterate() -> None:
        try:
            _iterate(guard, run, late)
        except BaseException as error:  # carried to the loop that drives the run
            raised.append(error)
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits
            loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=iterate, daemon=True).start()
    try:
        await ended.wait()
    finally:
        late.set()
    if raised:
        raise raised[0]


def _iterate(guard: Any, run: Run, late: threading.Event) -> None:
    stream = guard.stream_sync(run.source_blocking(), run)
    try:
        for piece in stream:
            if late.is_set() or run.release(piece):
                break
    finally:
        if hasattr(stream, "close"):
            stream.close()


async def serve(guard: Any, request: dict[str, Any]) -> dict[str, Any]:
    """All runs of one request, and how late the event loop was meanwhile."""
    lags: list[float] = []
    watching = asyncio.create_task(_watch(lags))
    if request.get("concurrent"):
        runs = await asyncio.gather(*(drive(guard, run) for run in request["runs"]))
    else:
        runs = [await drive(guard, run) for run in request["runs"]]
    await asyncio.sleep(2 * TICK)
    watching.cancel()
    return {"runs": runs, "lag": _lag(lags)}


def score(guard: Any, pairs: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What a guard's own verifier gives pairs of premise and hypothesis; null where it has no `score`."""
    if not hasattr(guard, "score"):
        return {"scores": None, "seconds": 0.0}
    begun = time.perf_counter()
    scores = [float(guard.score(premise, hypothesis)) for premise, hypothesis in pairs]
    return {"scores": scores, "seconds": time.perf_counter() - begun}


def _answer(guard: Any, request: dict[str, Any], runner: asyncio.Runner) -> dict[str, Any]:
    if "score" in request:
        return score(guard, request["score"])
    return runner.run(serve(guard, request))


async def _watch(lags: list[float]) -> None:
    while True:
        due = time.perf_counter() + TICK
        await asyncio.sleep(TICK)
        lags.append(max(0.0, time.perf_counter() - due))


def _lag(lags: list[float]) -> dict[str, float]:
    ordered = sorted(lags) or [0.0]
    shares = {"p50": 0.5, "p99": 0.99, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in shares.items()}


# -- the process


def load(path: Path) -> tuple[ModuleType, float]:
    """A guard file and the seconds it took to import it with its peer."""
    sys.modules.setdefault("driver", sys.modules[__name__])
    spec = importlib.util.spec_from_file_location("guard", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["guard"] = module
    begun = time.perf_counter()
    spec.loader.exec_module(module)
    return module, time.perf_counter() - begun


def describe(module: ModuleType, import_s: float) -> dict[str, Any]:
    """Name, version of the first package, how many packages are installed beside pip's own."""
    names = {distribution.name for distribution in importlib.metadata.distributions()}
    count = len(names - {"pip", "setuptools", "wheel"})
    version = None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, IndexError):
        version = importlib.metadata.version(re.split(r"[\[=]", module.PACKAGES[0])[0])
    return {"name": module.NAME, "version": version, "packages": count, "import_s": import_s}


def stay_offline() -> None:
    """From now on, connecting to another machine raises OSError, in whatever library."""
    near = ("localhost", "127.", "::1", "0.0.0.0")

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.getaddrinfo":
            host = str(arguments[0])
        elif event == "socket.connect" and isinstance(arguments[1], tuple):
            host = str(arguments[1][0])
        else:
            return
        if not host.startswith(near):
            raise OSError(f"no network in this benchmark: {host}")

    sys.addaudithook(refuse)


def main() -> None:
    """Open the guard and answer requests until stdin ends."""
    stay_offline()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    path, setting, verifier = sys.argv[1:4]

    def reply(answer: dict[str, Any]) -> None:
        out.write(json.dumps(answer) + "\n")
        out.flush()

    with asyncio.Runner() as runner:
        try:
            module, import_s = load(Path(path))
            guard = runner.run(module.open_guard(setting, verifier))
        except Exception as error:  # the parent says in one line why the peer is absent
            reply({"error": _described(error)})
            return
        reply({"ready": True, **describe(module, import_s)})
        for line in itertools.takewhile(str.strip, sys.stdin):
            request = json.loads(line)
            described = describe(module, import_s) if "describe" in request else None
            reply(described or _answer(guard, request, runner))
        os._exit(0)  # threads of a hanging stub or peer would hold up the interpreter's end


if __name__ == "__main__":
    main()

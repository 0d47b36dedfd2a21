"""Runs one guard on scripted streams, in the guard's own environment, and reports what came out and when.

    VENV/bin/python -P driver.py guards/PEER.py SETTING VERIFIER

The driver uses the standard library only. Each request is one JSON line on stdin, each reply one JSON line on
stdout; whatever a peer prints goes to stderr.

A guard file imports its peer at the top, and this module as `driver`. It has the literals NAME, PACKAGES,
SETTINGS and OWN_VERIFIER, and

    async def open_guard(setting: str, verifier: str) -> Guard     # once; verifier is "stub" or "own"

The guard has `stream(source, run)`, from an async iterator of str to an async iterator of released str. A
peer without an async interface has `stream_sync(source, run)` instead, which runs in a thread of its own. A
guard whose verifier gives a degree of support may also have `score(premise, hypothesis)`: the higher, the
better supported.
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
"""Seconds that each call of the stub verifier takes, as blocking work."""
HANG_SECONDS = 12.0
"""Seconds that a hanging stub blocks its caller; longer than any run with one may take."""
SHARE = 0.6
"""A text that holds this share of a false sentence's characters, in one piece, is judged false."""
LIMIT = 120.0
"""Seconds that a run may take if the request names no limit."""
SETTLE = 0.25
"""Seconds in which a guard that blocked, or whose consumer left, may still read from its source."""
TICK = 0.005

_stub_threads = ThreadPoolExecutor(max_workers=128, thread_name_prefix="stub")


class Blocked(Exception):
    """Raised by a guard when its peer stops the stream."""


class Notice(str):
    """Text that a peer delivers instead of the source's: released, but never counted as the source's."""


class StubFailed(RuntimeError):
    """Raised by the stub verifier in runs with the fault "raise"."""


class Stub:
    """The stub verifier, the same for every peer: it knows which sentences are false; a call takes 50 ms."""

    def __init__(self, run: Run, false: Sequence[str], fault: str | None) -> None:
        self._run = run
        self._false = [_bare(text) for text in false]
        self._fault = fault

    async def check(self, text: str, *, within: str | None = None) -> bool:
        """Whether `text` is false; `within` is the source text it stands for, if a peer rewords it."""
        if self._fault == "hang":
            with self._run.scoring(text):
                await asyncio.sleep(HANG_SECONDS)
            raise StubFailed("the stub verifier did not answer")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(_stub_threads, lambda: self.check_blocking(text, within=within))

    def check_blocking(self, text: str, *, within: str | None = None) -> bool:
        """The same as `check` for a peer whose extension point is a plain function; it blocks its caller."""
        with self._run.scoring(text):
            time.sleep(HANG_SECONDS if self._fault == "hang" else STUB_SECONDS)
        if self._fault is not None:
            raise StubFailed(f"the stub verifier was told to {self._fault}")
        return self.is_false(text if within is None else within)

    def is_false(self, text: str) -> bool:
        """Whether the text holds enough of a false sentence, apart from spaces and case; takes no time."""
        bare = _bare(text)
        return any(_holds(bare, false) for false in self._false)


class Run:
    """One stream: what the guard may know of it, and the clock by which it is measured.

    `query` is what the user asked, `references` are the texts that the answer must agree with, `stub` is the
    verifier to plug in if the guard was opened with "stub".
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
        """Seconds, from the start of the run, at which the model has written up to character `end`."""
        words = len(self.text.split()) or 1
        return 0.0 if not self.rate else end / len(self.text) * words / self.rate

    def take(self, delta: str) -> None:
        """Record that the guard read a delta; its arrival is when it was due, however late it was read."""
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
        """The model's stream, for a guard without an async interface."""
        try:
            for delta in self.deltas:
                time.sleep(max(0.0, self.due(self.taken + len(delta)) - self.now()))
                self.take(delta)
                yield delta
        finally:
            self.source_closed = True

    def release(self, piece: str) -> bool:
        """Record what the consumer sees; return whether the consumer leaves now."""
        (self.notices if isinstance(piece, Notice) else self.released).append((self.now(), str(piece)))
        seen = sum(len(text) for _, text in self.released)
        self.left = self.leave_after is not None and seen >= self.leave_after
        return self.left


def cut(text: str, how: str | int) -> list[str]:
    """A text as deltas: `how` is "word", for a word and the space before it, or a number of characters."""
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
    """Run one stream through a guard; return the reply's entry for it."""
    run = Run(request)
    reason: str | None = None
    error: str | None = None
    run.begin()
    try:
        async with asyncio.timeout(run.limit):
            await (_consume_sync(guard, run) if hasattr(guard, "stream_sync") else _consume(guard, run))
    except Blocked as stop:
        reason = str(stop)
    except Exception as raised:  # errors of the peer are part of the measurement
        error = _described(raised)
    end = run.now()
    if end >= run.limit:  # a blocked loop may end later than the limit, and by another error
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
        except BaseException as error:  # passed on to the loop that drives the run
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
    """Make all runs of one request, and measure the lag of the event loop meanwhile."""
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
    """Scores of a guard's own verifier for pairs of premise and hypothesis; null if it has no `score`."""
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
    """Import a guard file; return it with the seconds that the import took, its peer's included."""
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
    """Name, version of the first package, and how many packages are installed besides pip's own."""
    names = {distribution.name for distribution in importlib.metadata.distributions()}
    count = len(names - {"pip", "setuptools", "wheel"})
    version = None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, IndexError):
        version = importlib.metadata.version(re.split(r"[\[=]", module.PACKAGES[0])[0])
    return {"name": module.NAME, "version": version, "packages": count, "import_s": import_s}


def stay_offline() -> None:
    """Make every connection to another machine raise OSError from now on, in any library."""
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
        except Exception as error:  # the parent process reports in one line why the peer is absent
            reply({"error": _described(error)})
            return
        reply({"ready": True, **describe(module, import_s)})
        for line in itertools.takewhile(str.strip, sys.stdin):
            request = json.loads(line)
            described = describe(module, import_s) if "describe" in request else None
            reply(described or _answer(guard, request, runner))
        os._exit(0)  # threads of a hanging stub or peer would delay the interpreter's exit


if __name__ == "__main__":
    main()

"""Sources, stages and clocks that fail by script; what they hold between failures is real."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import anyio
import sniffio

from fault_plans import TurnPlan
from vista_stream.claims import Draft, Importance, Pair, Scores, Utterance
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import Overload, StageError, VerifierError
from vista_stream.stages.embedded.verify import EmbeddedVerify
from vista_stream.stages.protocols import Grounds
from vista_stream.testing import CONTRADICTED, ENTAILED, NEUTRAL

PAUSE = 0.003
"""Seconds of a call that is slow."""


class Injected(Exception):
    """What a boundary raises; nothing else raises it."""


class NoMemory(Injected, MemoryError):
    """What a boundary raises where memory runs out."""


class Script:
    """The faults of one boundary, given out call by call; `met` counts them over all boundaries."""

    def __init__(self, name: str, faults: Sequence[str], met: Counter[str]) -> None:
        self._name = name
        self._left = list(faults)
        self._met = met
        self.spent: set[str] = set()
        """The faults that were given out."""

    def next(self) -> str:
        """The fault of this call; "ok" for none."""
        fault = self._left.pop(0) if self._left else "ok"
        if fault != "ok":
            self._met[f"{self._name}: {fault}"] += 1
            self.spent.add(fault)
        return fault

    def note(self, what: str) -> None:
        """Count what a fault led to."""
        self._met[f"{self._name}: {what}"] += 1

    def stop(self) -> None:
        """Let all further calls go well."""
        self._left.clear()

    async def call(self, refusal: type[Exception]) -> str:
        """Do what any awaited call may do; return a fault that only the boundary itself can act out."""
        match fault := self.next():
            case "raises":
                raise Injected(self._name)
            case "refuses":
                raise refusal(self._name)
            case "no memory":
                raise NoMemory(self._name)
            case "hangs":
                await anyio.sleep_forever()
            case "pauses":
                await anyio.sleep(PAUSE)
            case "cancelled":
                await cancelled_elsewhere()
            case _:
                return fault
        return "ok"


async def cancelled_elsewhere() -> None:
    """Await a task that something else cancelled; trio has no such thing."""
    if sniffio.current_async_library() == "asyncio":
        task = asyncio.ensure_future(asyncio.sleep(60))
        task.cancel()
        await task


class FaultySource:
    """A source of deltas, in any of the forms that a turn takes, that fails before its delta number `at`."""

    def __init__(self, plan: TurnPlan, text: str, met: Counter[str]) -> None:
        self._plan = plan
        self._met = met
        self.deltas = list(_cut(_halved(text), plan.sizes))
        self.given: list[str] = []
        self.raised = False
        self.open = 0
        """Iterations that began and were not closed yet."""

    def form(self) -> Any:
        """The source as the plan wants it; kept here, so that closing it is all that ends it."""
        self._kept = self._made()
        return self._kept

    def _made(self) -> Any:
        match self._plan.source:
            case "generator":
                return self._generate()
            case "iterator":
                return _Iterator(self, self._plan.closing)
            case "threaded":
                return self._in_a_thread()
        if self._plan.source_fault in ("none delta", "bytes delta"):
            return [*self.deltas[: self._plan.at], self._wrong(), *self.deltas[self._plan.at :]]
        return self.deltas

    async def _generate(self) -> AsyncIterator[str]:
        self.open += 1
        try:
            for number, delta in enumerate([*self.deltas, ""]):
                await anyio.lowlevel.checkpoint()
                if number == self._plan.at:
                    match self._fault():
                        case "ends":
                            return
                        case "hangs":
                            await anyio.sleep_forever()
                        case "pauses":
                            await anyio.sleep(PAUSE)
                        case "cancelled":
                            await cancelled_elsewhere()
                        case "none delta" | "bytes delta":
                            yield self._wrong()
                self.given.append(delta)
                yield delta
        finally:
            self.open -= 1

    def _in_a_thread(self) -> Iterator[str]:
        self.open += 1
        try:
            for number, delta in enumerate([*self.deltas, ""]):
                if number == self._plan.at:
                    match self._fault():
                        case "ends" | "cancelled":
                            return
                        case "hangs" | "pauses":
                            time.sleep(PAUSE)
                        case "none delta" | "bytes delta":
                            yield self._wrong()
                self.given.append(delta)
                yield delta
        finally:
            self.open -= 1

    def _fault(self) -> str:
        fault = self._plan.source_fault
        if fault != "none":
            self._met[f"source: {fault}"] += 1
        if fault in ("raises", "no memory"):
            self.raised = True
            raise Injected("source") if fault == "raises" else NoMemory("source")
        return fault

    def _wrong(self) -> Any:
        return None if self._plan.source_fault == "none delta" else b"bytes"


class _Iterator:
    """The generator as an object of its own, which may fail to close."""

    def __init__(self, source: FaultySource, closing: str) -> None:
        self._inner = source._generate()
        self._closing = closing

    def __aiter__(self) -> _Iterator:
        return self

    async def __anext__(self) -> str:
        return await anext(self._inner)

    async def aclose(self) -> None:
        await self._inner.aclose()  # type: ignore[attr-defined]
        if self._closing == "raises":
            raise Injected("closing")
        if self._closing == "hangs":
            await anyio.sleep_forever()


def _halved(text: str) -> str:
    """The text with each character beyond U+FFFF as two surrogates, as UTF-16 counts it."""
    units = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(int.from_bytes(units[at : at + 2], "little")) for at in range(0, len(units), 2))


def _cut(text: str, sizes: Sequence[int]) -> Iterator[str]:
    start = turn = 0
    while start < len(text):
        size = sizes[turn % len(sizes)]
        yield text[start : start + size]
        start, turn = start + size, turn + 1


class FaultyVerifier:
    """Says the truth of a hypothesis, or fails; `in_threads` counts its calls that still run in a thread."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.in_threads = 0

    async def score(self, pairs: Sequence[Pair]) -> Any:
        true = [_truth(pair.hypothesis) for pair in pairs]
        match await self._script.call(VerifierError):
            case "overload":
                raise Overload("full")
            case "nan":
                return [Scores(float("nan"), 0.0, 0.0) for _ in pairs]
            case "too few":
                return true[1:]
            case "none":
                return None
            case "words":
                return ["entailment" for _ in pairs]
            case "in a thread":
                await anyio.to_thread.run_sync(self._work, abandon_on_cancel=True)
            case "raises in a thread":
                await anyio.to_thread.run_sync(self._break, abandon_on_cancel=True)
            case "worker dies":
                await anyio.to_thread.run_sync(self._ask_a_dying_worker, abandon_on_cancel=True)
        return true

    def _ask_a_dying_worker(self) -> None:
        """Hand pairs to a process that is killed; raises BrokenPipeError."""
        self.in_threads += 1
        try:
            with subprocess.Popen(["cat"], stdin=subprocess.PIPE, bufsize=0) as worker:
                assert worker.stdin is not None
                worker.kill()
                worker.wait()
                worker.stdin.write(b"pairs")
        finally:
            self.in_threads -= 1

    def _work(self) -> None:
        self.in_threads += 1
        time.sleep(PAUSE)
        self.in_threads -= 1

    def _break(self) -> None:
        raise Injected("thread")


def _truth(hypothesis: str) -> Scores:
    if "Z" in hypothesis:
        return CONTRADICTED
    return NEUTRAL if "Doe" in hypothesis else ENTAILED


class FaultyVerify(EmbeddedVerify):
    """The embedded stage around a verifier; `prepare` may fail before it does its work."""

    script: Script

    async def prepare(self, grounds: Grounds) -> None:
        await self.script.call(VerifierError)
        await super().prepare(grounds)


class FaultyDecompose:
    """Each sentence is one claim, word for word; Decompose and Discourse in one."""

    def __init__(self, hear: Script, decompose: Script, foresee: Script) -> None:
        self._hear, self._decompose, self._foresee = hear, decompose, foresee

    def begin(self) -> FaultyDecompose:
        return self

    async def hear(self, utterance: Utterance) -> None:
        await self._hear.call(StageError)

    async def foresee(self, sentence: Segment) -> Any:
        return _spoilt(self._drafts(sentence), await self._foresee.call(StageError), lost=[None])

    async def decompose(self, sentence: Segment) -> Any:
        return _spoilt(self._drafts(sentence), await self._decompose.call(StageError), lost=[None])

    def _drafts(self, sentence: Segment) -> list[Draft]:
        return [Draft(text=sentence.text, span=sentence.span)] if sentence.text.strip("-# \n") else []


class FaultyRank:
    """False claims are vital; of the others, each third one."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def rank(self, drafts: Sequence[Draft], query: str | None, *, position: int) -> Any:
        ranks = await self.rank_ahead(drafts, query, position=position)
        return _spoilt(ranks, await self._script.call(StageError), lost=[])

    async def rank_ahead(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> list[Importance]:
        vital = position % 3 == 0
        return [Importance.VITAL if "Z" in d.text or vital else Importance.OKAY for d in drafts]


def _spoilt(given: list[Any], fault: str, *, lost: list[Any]) -> Any:
    """A stage's answer, made wrong in its type; never wrong in its content, which nobody could notice."""
    match fault:
        case "none":
            return None
        case "wrong members":
            return ["vital"]
        case "too few":
            return lost
    return given


class JumpingClock:
    """`time.monotonic`, 100 seconds ahead from its reading number `at` on."""

    def __init__(self, at: int | None) -> None:
        self._at = at
        self._readings = 0

    def __call__(self) -> float:
        self._readings += 1
        ahead = self._at is not None and self._readings > self._at
        return time.monotonic() + (100.0 if ahead else 0.0)

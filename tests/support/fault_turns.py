"""Runs the turns of a fault plan on a real session, and writes down all that can be seen of them."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

import anyio
import anyio.lowlevel
import sniffio

from fault_parts import (
    PAUSE,
    FaultyDecompose,
    FaultyRank,
    FaultySource,
    FaultyVerifier,
    FaultyVerify,
    Injected,
    JumpingClock,
    NoMemory,
    Script,
    cancelled_elsewhere,
)
from fault_plans import SCRIPTS, Plan, TurnPlan
from fault_stores import FaultySharedStore, FaultySqliteStore, PlainStore
from vista_stream.claims import Category, Importance, Span
from vista_stream.core.judge import Thresholds
from vista_stream.events import Event
from vista_stream.policy import Action, Policy, annotate, raise_, stop, withhold
from vista_stream.policy import replace as replaced
from vista_stream.report import TurnReport
from vista_stream.session import Session
from vista_stream.stages.admission import Admission
from vista_stream.stages.embedded.categorise import EmbeddedCategorise
from vista_stream.stages.stages import Stages
from vista_stream.stores.sqlite import SqliteStore
from vista_stream.verifiers.batching import BatchingVerifier

SOON = 0.06
"""Seconds of the deadline of a conversation in which something hangs."""
LIMIT = 60.0
"""Seconds within which every turn must end, whatever else the machine does."""
PATIENCE = 0.1
"""Seconds that a reader waits for a source that never ends."""
LAST = TurnPlan(
    parts=("Ann {n} is at home. ", "Zed {n} is at home. "),
    sizes=(7,),
    source="generator",
    source_fault="none",
    at=0,
    closing="ok",
    consumer="events",
    leaves=0,
)
"""The turn after all faults: it must go as if none had happened."""
STORING = "vista_stream.stores.session_memory._STORING", 0.1
CLOSING = "vista_stream.source._CLOSING", 0.05
"""Time-outs of the product that need not be waited out in full where a store or a closing source hangs."""


class ConsumerError(Exception):
    """What the consumer raises inside the turn's block."""


@dataclass
class Told:
    """What was seen of one turn."""

    plan: TurnPlan
    text: str
    false: list[Span]
    """Where the source's text has its false sentences."""
    source: FaultySource
    emitted: list[Event] = field(default_factory=list)
    """What the first callback got, which is called for every event."""
    read: list[Any] = field(default_factory=list)
    """Events, or pieces of text, as the reader got them."""
    ended: bool = False
    """Whether the reader came to the end of what it iterated, and no error was raised there."""
    error: BaseException | None = None
    cancelled: bool | None = None
    """Whether the cancellation came out of the turn's block; None where nobody asked for one."""
    report: TurnReport | None = None
    seconds: float = 0.0


@dataclass
class Conversation:
    """What was seen of a plan's turns, the undisturbed last one included, and of what they left behind."""

    plan: Plan
    turns: list[Told] = field(default_factory=list)
    met: Counter[str] = field(default_factory=Counter)
    spent: dict[str, set[str]] = field(default_factory=dict)
    session: Session | None = None
    kept: list[str] | None = None
    """Texts of the statements in a store that sessions share, as it has them in the end."""
    tasks_left: int = 0
    threads_left: int = 0
    sources_open: int = 0
    files_left: int = 0


def run(plan: Plan, backend: str, options: dict[str, Any]) -> Conversation:
    """Run the plan's turns on an event loop of their own."""
    seen = Conversation(plan)
    anyio.run(anyio.lowlevel.checkpoint, backend=backend, backend_options=options)  # opens what stays open
    files = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as patched:
        if plan.store == "plain" and "hangs" in plan.storing:
            patched.enter_context(patch(*STORING))
        if any(turn.closing == "hangs" for turn in plan.turns):
            patched.enter_context(patch(*CLOSING))
        patched.enter_context(patch("vista_stream.clock.monotonic", JumpingClock(plan.jump)))
        anyio.run(_Runner(seen, Path(folder)).run, backend=backend, backend_options=options)
    if files:
        seen.files_left = _files_over(files)
    return seen


def _files_over(files: int) -> int:
    """Open files beyond `files`; an abandoned thread that only now begins may have its own for a moment."""
    until = time.monotonic() + 2
    while (left := len(os.listdir("/proc/self/fd")) - files) > 0 and time.monotonic() < until:
        time.sleep(0.01)
    return left


class _Runner:
    def __init__(self, seen: Conversation, folder: Path) -> None:
        self._seen = seen
        self._plan = seen.plan
        self._scripts = {name: Script(name, getattr(seen.plan, name), seen.met) for name in SCRIPTS}
        seen.spent = {name: script.spent for name, script in self._scripts.items()}
        self._verifier = FaultyVerifier(self._scripts["verifier"])
        self._store = self._make_store(folder)
        self._number = 0
        self._told: Told | None = None

    async def run(self) -> None:
        before = _tasks()
        self._seen.session = session = self._session()
        for turn in self._plan.turns:
            await self._turn(session, turn)
        for script in self._scripts.values():
            script.stop()
        session.policy = replace(session.policy, deadline=1000.0)  # the clock may still jump
        await self._turn(session, LAST)
        await _until(lambda: not self._left(before))
        self._seen.tasks_left = _tasks() - before
        self._seen.threads_left = self._verifier.in_threads
        self._seen.sources_open = sum(told.source.open for told in self._seen.turns)
        if isinstance(self._store, FaultySharedStore | SqliteStore):
            kept = await self._store.read("c")
            self._seen.kept = [statement.text for statement in kept.said]
            await self._store.aclose()

    def _left(self, before: int) -> bool:
        open_ = any(told.source.open for told in self._seen.turns)
        return _tasks() > before or self._verifier.in_threads > 0 or open_

    # -- the session

    def _make_store(self, folder: Path) -> Any:
        match self._plan.store:
            case "plain":
                return PlainStore(self._scripts["storing"])
            case "shared":
                return FaultySharedStore(
                    self._scripts["storing"], attempt=0.03 if self._plan.hangs else LIMIT
                )
            case "sqlite":
                return FaultySqliteStore(
                    self._scripts["storing"],
                    folder / "store.db",
                    attempt=0.3 if "hangs" in self._plan.storing else LIMIT,
                )
        return None

    def _session(self) -> Session:
        verifier = BatchingVerifier(self._verifier) if self._plan.batched else self._verifier
        verify = FaultyVerify(verifier, rules=False)
        verify.script = self._scripts["prepare"]
        stages = Stages(
            decompose=FaultyDecompose(*(self._scripts[name] for name in ("hear", "decompose", "foresee"))),
            rank=FaultyRank(self._scripts["rank"]),
            verify=verify,
            categorise=EmbeddedCategorise(Thresholds()),
        )
        session = Session(
            stages=Admission().stages(stages) if self._plan.admitted else stages,
            policy=self._policy(),
            store=self._store,
            conversation="c",
        )
        session.add_reference("The town has a list of who is at home.")
        for kind in get_args(Event):
            session.on(kind, self._note)
            session.on(kind, self._call_back)
        return session

    def _policy(self) -> Policy:
        false = {(Category.CONTRADICTED, rank): self._action() for rank in Importance}
        rules = {(Category.LACKING_EVIDENCE, Importance.OKAY): annotate("*")}
        base = {"strict": Policy.strict(), "grounded": Policy.grounded()}.get(self._plan.policy, Policy())
        released_first = self._plan.policy in ("optimistic", "retract")
        return replace(
            base,
            rules={**base.rules, **false, **({} if released_first else rules)},
            mode="optimistic" if released_first else "verify_first",
            deadline=SOON if self._plan.hangs else LIMIT,
            on_verifier_error=self._plan.on_verifier_error,
            on_store_error=self._plan.on_store_error,
        )

    def _action(self) -> Action:
        match self._plan.policy:
            case "stop" | "optimistic":
                return stop(self._wording)
            case "raise":
                return raise_()
            case "withhold":
                return withhold()
        return replaced(self._wording)

    def _wording(self, verdict: object) -> Any:
        match self._scripts["wording"].next():
            case "raises":
                raise Injected("wording")
            case "no text":
                return None
        return "[gone]"

    # -- callbacks

    def _note(self, event: Event) -> None:
        assert self._told is not None
        self._told.emitted.append(event)

    async def _call_back(self, event: Event) -> None:
        match self._scripts["callbacks"].next():
            case "raises":
                raise Injected("callback")
            case "no memory":
                raise NoMemory("callback")
            case "pauses":
                await anyio.sleep(PAUSE)
            case "stop iteration":
                raise StopAsyncIteration
            case "exits":
                raise SystemExit(3)
            case "cancelled":
                await cancelled_elsewhere()

    # -- one turn

    async def _turn(self, session: Session, plan: TurnPlan) -> None:
        text, false = self._answer(plan)
        told = self._told = Told(plan, text, false, FaultySource(plan, text, self._seen.met))
        self._seen.turns.append(told)
        begun = time.monotonic()
        try:
            with anyio.fail_after(LIMIT):
                await self._consume(session, told)
        except (Exception, SystemExit) as error:
            told.error = error
        told.seconds = time.monotonic() - begun

    def _answer(self, plan: TurnPlan) -> tuple[str, list[Span]]:
        parts = []
        for part in plan.parts:
            self._number += 1
            parts.append(part.format(n=self._number))
        text = "".join(parts)
        return text, [Span(*found.span()) for found in re.finditer(r"Z[^.]*\.", text)]

    async def _consume(self, session: Session, told: Told) -> None:
        plan = told.plan
        if plan.consumer == "cancelled task" and sniffio.current_async_library() == "asyncio":
            await self._in_a_cancelled_task(session, told)
        elif plan.consumer in ("cancelled scope", "cancelled task"):
            await self._in_a_cancelled_scope(session, told)
        elif plan.source_fault == "hangs":
            with anyio.move_on_after(PATIENCE):
                await self._read(session, told)
        else:
            await self._read(session, told)

    async def _in_a_cancelled_scope(self, session: Session, told: Told) -> None:
        async with anyio.create_task_group() as tasks:
            scope = anyio.CancelScope()
            tasks.start_soon(_after_steps, told.plan.leaves, scope.cancel)
            with scope:
                try:
                    await self._read(session, told)
                except (Exception, SystemExit) as error:
                    told.error = error
            if scope.cancel_called and told.error is None and not told.ended:
                told.cancelled = scope.cancelled_caught
            tasks.cancel_scope.cancel()

    async def _in_a_cancelled_task(self, session: Session, told: Told) -> None:
        reading = asyncio.ensure_future(self._read_for_exits(session, told))
        await _after_steps(told.plan.leaves, lambda: None)
        asked = reading.cancel()
        await asyncio.wait([reading])
        if reading.cancelled():
            told.cancelled = True
        elif (error := reading.exception()) is not None:
            told.error = error
        elif told.error is None:
            told.cancelled = False if asked else None

    async def _read_for_exits(self, session: Session, told: Told) -> None:
        try:
            await self._read(session, told)
        except SystemExit as error:  # asyncio would end the whole loop
            told.error = error

    async def _read(self, session: Session, told: Told) -> None:
        turn = session.turn(told.source.form(), query="Who is at home?")
        try:
            async with turn:
                await self._iterate(turn, told)
        finally:
            if told.emitted and told.emitted[-1].type == "turn.ended":
                told.report = turn.report

    async def _iterate(self, turn: Any, told: Told) -> None:
        plan = told.plan
        if plan.consumer == "absent":
            return await _after_steps(plan.leaves, lambda: None)
        if plan.consumer == "drain":
            await turn.drain()
        else:
            text = plan.consumer == "text" and self._plan.policy not in ("optimistic", "retract")
            async for each in turn.text() if text else turn:
                told.read.append(each)
                if plan.consumer == "slow":
                    await anyio.sleep(PAUSE)
                elif len(told.read) > plan.leaves % 10 and plan.consumer in ("breaks", "raises"):
                    if plan.consumer == "raises":
                        raise ConsumerError
                    return None
        told.ended = True
        return None


async def _after_steps(steps: int, act: Callable[[], Any]) -> None:
    """Act after so many turns of the event loop."""
    for _ in range(steps):
        await anyio.lowlevel.checkpoint()
    act()


async def _until(true: Callable[[], bool], *, seconds: float = 5.0) -> None:
    with anyio.move_on_after(seconds):
        while not true():  # noqa: ASYNC110 - what ends in a thread sets no event
            await anyio.sleep(0.001)


def _tasks() -> int:
    """Tasks that live on this event loop."""
    if sniffio.current_async_library() == "asyncio":
        return len(asyncio.all_tasks())
    import trio

    return trio.lowlevel.current_statistics().tasks_living

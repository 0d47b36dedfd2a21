"""Records the time and the calls of each stage in one turn, and the versions of the prompts used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from time import monotonic

from vista_stream.report import StageTime, TurnReport, total_times


class _Entry:
    """A stage that is running in this task, and the seconds spent in stages inside it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.inner = 0.0


_RUNNING: ContextVar[_Entry | None] = ContextVar("vista_stream_running_stage", default=None)


class Ledger:
    """One turn's times. `stage` is entered around each call of a stage, in any number of tasks."""

    def __init__(self) -> None:
        self._times: dict[str, StageTime] = {}
        self._prompts: dict[str, str] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time one call, including one that raises or is cancelled. `name` is one of `report.STAGES`.

        The time of a stage inside this one counts for the inner stage only.
        """
        outer, entry = _RUNNING.get(), _Entry(self)
        token = _RUNNING.set(entry)
        began = monotonic()
        try:
            yield
        finally:
            seconds = monotonic() - began
            _RUNNING.reset(token)
            own = StageTime(1, max(0.0, seconds - entry.inner))
            self._times[name] = self._times.get(name, StageTime()) + own
            if outer is not None:
                outer.inner += seconds

    def note_prompt(self, name: str, version: str) -> None:
        """Record that a prompt was used."""
        self._prompts[name] = version

    def entered_in(self, report: TurnReport) -> TurnReport:
        """The report with this ledger's times and prompt versions."""
        return replace(report, stage_times=total_times([self._times]), prompts=dict(self._prompts))


@contextmanager
def inner_stage(name: str) -> Iterator[None]:
    """Time a stage that runs inside another, in the other's ledger; outside any stage it is not timed."""
    running = _RUNNING.get()
    if running is None:
        yield
        return
    with running.ledger.stage(name):
        yield


def running_ledger() -> Ledger | None:
    """The ledger of the turn whose stage is running in this task; None outside any stage."""
    running = _RUNNING.get()
    return None if running is None else running.ledger


@dataclass(slots=True)
class Tokens:
    """Tokens of a language model."""

    prompt: int = 0
    completion: int = 0


_TOKENS: ContextVar[Tokens | None] = ContextVar("vista_stream_tokens", default=None)


@contextmanager
def counting_tokens() -> Iterator[Tokens]:
    """Count the tokens that `note_tokens` notes in the block."""
    tokens = Tokens()
    token = _TOKENS.set(tokens)
    try:
        yield tokens
    finally:
        _TOKENS.reset(token)


def note_tokens(prompt: int, completion: int) -> None:
    """Add tokens that a reply cost to the block that counts them; outside any, do nothing."""
    tokens = _TOKENS.get()
    if tokens is not None:
        tokens.prompt += prompt
        tokens.completion += completion


def note_prompt(name: str, version: str) -> None:
    """Record a prompt's version in the ledger of the running stage; outside any stage, do nothing."""
    running = _RUNNING.get()
    if running is not None:
        running.ledger.note_prompt(name, version)

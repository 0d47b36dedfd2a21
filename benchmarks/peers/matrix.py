"""Runs every guard in every setting, one after another; shows progress, and gives a row of figures each."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.peers import summary
from benchmarks.peers.install import CannotInstall, Home, Peer, install
from benchmarks.peers.plan import Batch, Pairs, own_plan, smoke_plan, stub_plan
from benchmarks.peers.runner import Driver, DriverFailed
from benchmarks.peers.summary import Ran

_RESTARTS = 3
"""How often a guard that died or did not answer is opened again for the remaining batches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One guard in one setting with one verifier."""

    peer: Peer
    setting: str
    verifier: Literal["stub", "own"]

    @property
    def title(self) -> str:
        """Its name in the progress line."""
        return f"{self.peer.name}/{self.setting}/{self.verifier}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much is run."""

    seconds: float
    """Most seconds for one cell; what is left then is not run."""
    answers: int
    """Most pairs of each kind that a guard's own verifier judges."""
    smoke: bool
    here: bool
    """Whether to use this interpreter instead of each guard's own environment."""


def cells(peers: Sequence[Peer], settings: Sequence[str] | None, *, own: bool = True) -> list[Cell]:
    """Each guard in each setting with the stub; with `own`, its first setting with its own verifier too."""
    found = []
    for peer in peers:
        chosen = [name for name in peer.settings if settings is None or name in settings]
        found += [Cell(peer=peer, setting=name, verifier="stub") for name in chosen]
        if own and peer.own_verifier is not None:
            found += [Cell(peer=peer, setting=name, verifier="own") for name in chosen[:1]]
    return found


def rows(todo: Sequence[Cell], pairs: Pairs, venvs: Path, bounds: Bounds) -> Iterator[dict[str, Any]]:
    """A row of figures for each cell, as soon as it is done; it has `absent` if the guard cannot be run."""
    begun = time.perf_counter()
    homes: dict[str, Home] = {}
    for number, cell in enumerate(todo):
        place = f"[{number + 1}/{len(todo)}] {cell.title}"
        _say(place)
        head = {"peer": cell.peer.name, "setting": cell.setting, "verifier": cell.verifier}
        try:
            if cell.peer.name not in homes:
                _say(f"{place}: installing, where that was not done before")
                homes[cell.peer.name] = _home(cell.peer, venvs, here=bounds.here)
            row = _measured(cell, homes[cell.peer.name], pairs, bounds, place)
        except (CannotInstall, DriverFailed) as error:
            row = {"absent": str(error)}
            _say(f"{place}: absent: {error}")
        spent = time.perf_counter() - begun
        left = spent / (number + 1) * (len(todo) - number - 1)
        _say(f"{place}: done; {_clock(spent)} so far, about {_clock(left)} left", end="\n")
        yield head | {"means": cell.peer.settings[cell.setting]} | row


def _home(peer: Peer, venvs: Path, *, here: bool) -> Home:
    return Home(python=Path(sys.executable), size_mb=0.0, install_s=0.0) if here else install(peer, venvs)


def _measured(cell: Cell, home: Home, pairs: Pairs, bounds: Bounds, place: str) -> dict[str, Any]:
    plan = _plan(cell, pairs, bounds)
    runs, described, failed = _run(cell, home, plan, bounds.seconds, place)
    judged = {"judgement": summary.judgement(runs)}
    figures = judged if cell.verifier == "own" else _stub_figures(runs, [batch for batch, _ in failed])
    cost = {key: described[key] for key in ("version", "packages", "import_s")}
    return {
        **figures,
        "cost": cost | {"size_mb": home.size_mb, "install_s": home.install_s},
        "streams run": len(runs),
        "streams planned": sum(len(batch.runs) for batch in plan),
        "failures": [f"{batch.phase}: {why}" for batch, why in failed],
    }


def _plan(cell: Cell, pairs: Pairs, bounds: Bounds) -> list[Batch]:
    if bounds.smoke:
        return smoke_plan(pairs)
    return own_plan(pairs, bounds.answers) if cell.verifier == "own" else stub_plan(pairs)


def _stub_figures(runs: Sequence[Ran], failed: Sequence[Batch]) -> dict[str, Any]:
    return {
        "gate": summary.gate(runs),
        "pace": summary.pace(runs),
        "load": summary.load(runs, [len(batch.runs) for batch in failed if batch.phase == "load"]),
        "trouble": summary.trouble(runs),
    }


def _run(
    cell: Cell, home: Home, plan: Sequence[Batch], seconds: float, place: str
) -> tuple[list[Ran], dict[str, Any], list[tuple[Batch, str]]]:
    """Run all batches within the time; a guard that dies is opened again for the next batch."""
    runs: list[Ran] = []
    failed: list[tuple[Batch, str]] = []
    described: dict[str, Any] = {}
    spent = 0.0
    left = list(plan)
    while left and len(failed) <= _RESTARTS:
        with Driver(home.python, cell.peer.path, setting=cell.setting, verifier=cell.verifier) as driver:
            described = driver.described
            _warm(driver, plan[0])
            begun = time.perf_counter()  # the time of importing the peer is reported separately
            while left and spent + time.perf_counter() - begun < seconds:
                batch = left.pop(0)
                _say(f"{place}: {batch.phase}, {len(plan) - len(left)} of {len(plan)}")
                try:
                    runs += _asked(driver, batch)
                except DriverFailed as error:
                    failed.append((batch, str(error)))
                    spent += time.perf_counter() - begun
                    break
            else:
                break
    return runs, described, failed


def _warm(driver: Driver, batch: Batch) -> None:
    """Run one stream that does not count: some guards import much of their code at the first one."""
    with suppress(DriverFailed):  # the batches that count will show the failure
        driver.ask(batch.requests()[:1], concurrent=False)


def _asked(driver: Driver, batch: Batch) -> list[Ran]:
    reply = driver.ask(batch.requests(), concurrent=batch.concurrent)
    return [
        Ran(
            phase=batch.phase,
            stream=stream,
            how=how,
            record=record,
            crowd=len(batch.runs) if batch.concurrent else 1,
            lag=reply["lag"],
        )
        for (stream, how), record in zip(batch.runs, reply["runs"], strict=True)
    ]


def _say(text: str, end: str = "") -> None:
    """Show progress: one line that is overwritten on a terminal, separate lines elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end=end, file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"

"""Summarises the runs of one guard in one setting as one row of figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from benchmarks.peers import measures
from benchmarks.peers.plan import CROWDS, RATES
from benchmarks.peers.streams import Stream

_GATE = ("pace", "rates", "cuts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One stream that went through a guard."""

    phase: str
    stream: Stream
    how: dict[str, Any]
    record: measures.Record
    crowd: int
    """How many streams ran at the same time."""
    lag: dict[str, float]
    """Lag of the event loop during its request, in seconds."""


def gate(runs: Sequence[Ran]) -> dict[str, Any]:
    """Leak, integrity, and sameness under different cuts: what must hold with any verifier."""
    tried = [run for run in runs if run.phase in _GATE]
    wrong = [run for run in tried if run.stream.false]
    right = [run for run in tried if not run.stream.false]
    harm = [measures.damage(run.stream, run.record) for run in right]
    return {
        "leak": _leak(wrong),
        "leak by cut": {str(cut): _leak(group) for cut, group in _by(wrong, "cut", phase="cuts").items()},
        "right streams": len(right),
        "right streams whole": sum(not any(each.values()) for each in harm),
        "bytes": sum(len(run.stream.text.encode()) for run in right),
        **{f"bytes {kind}": sum(each[kind] for each in harm) for kind in ("lost", "added", "changed")},
        **_sameness(run for run in tried if run.phase == "cuts"),
        "true text kept beside a false sentence": _mean(
            measures.true_kept(run.stream, run.record) for run in wrong
        ),
        "answer not drawn after a block": _mean(measures.saved(run.stream, run.record) for run in wrong),
        "errors": sorted({run.record["error"] for run in tried if run.record["error"]}),
    }


def pace(runs: Sequence[Ran]) -> dict[str, Any]:
    """Latency and effort, of streams that ran one at a time."""
    paced = [run for run in runs if run.phase == "pace"]
    right = [run for run in paced if not run.stream.false]
    alone = [run for run in runs if run.phase in ("pace", "rates")]
    efforts = [measures.effort(run.stream, run.record) for run in right]
    first = [measures.first_text(run.record) for run in right]
    return {
        "first text ms": _milliseconds(measures.median(first)),
        "no text at all": sum(at is None for at in first),
        "held ms": _held(paced),
        "held ms by rate": {str(rate): _held(_at(alone, rate)) for rate in RATES if _at(alone, rate)},
        "calls per 1,000 characters": _mean(calls for calls, _ in efforts),
        "characters scored per character": _mean(chars for _, chars in efforts),
        "loop lag ms": _lag(paced),
    }


def load(runs: Sequence[Ran], unanswered: Iterable[int] = ()) -> dict[str, Any]:
    """Many streams at once: seconds until the last is over, and the lag of the event loop.

    `unanswered` are crowds that got no reply, because the whole process stood still; none of theirs finished.
    """
    found: dict[str, Any] = {
        str(crowd): {"seconds": None, "not finished": crowd, "not whole": crowd} for crowd in unanswered
    }
    for crowd in CROWDS:
        group = [run for run in runs if run.phase == "load" and run.crowd == crowd]
        if group:
            ends = [run.record["end_t"] for run in group]
            found[str(crowd)] = {
                "seconds": round(max(ends), 2),
                "median seconds": round(measures.median(ends) or 0.0, 2),
                "not finished": sum(run.record["error"] is not None for run in group),
                "not whole": sum(any(measures.damage(run.stream, run.record).values()) for run in group),
                "first text ms": _milliseconds(measures.median(measures.first_text(r.record) for r in group)),
                "held ms": _held(group),
                "loop lag ms": _lag(group),
            }
    return found


def trouble(runs: Sequence[Ran]) -> dict[str, str]:
    """What happens when the verifier raises or hangs, or the consumer leaves."""
    found = {}
    for run in runs:
        if run.phase in ("raise", "hang"):
            found[run.phase] = measures.ending(run.stream, run.record)
        elif run.phase == "leave":
            found[run.phase] = measures.leaving(run.record)
    return found


def judgement(runs: Sequence[Ran]) -> dict[str, Any]:
    """With a guard's own verifier: how many false answers it stops, and how many right ones."""
    found = {}
    for kind in ("vital", "bump"):
        group = [run for run in runs if run.phase == "judgement" and run.stream.id.startswith(kind)]
        wrong = [run for run in group if run.stream.false]
        right = [run for run in group if not run.stream.false]
        if wrong and right:
            found[kind] = {
                "pairs": min(len(wrong), len(right)),
                "false answers caught": _mean(_caught(run) for run in wrong),
                "leak": _leak(wrong),
                "right answers disturbed": _mean(measures.released(r.record) != r.stream.text for r in right),
                "held ms": _held(group),
            }
    return found


def _caught(run: Ran) -> bool:
    """Whether some of its false text was held back."""
    return measures.leaked(run.stream, run.record) < _false_size(run)


def _leak(wrong: Sequence[Ran]) -> dict[str, Any] | None:
    if not wrong:
        return None
    leaks = [measures.leaked(run.stream, run.record) for run in wrong]
    return {
        "streams": len(wrong),
        "streams that leaked": sum(leak > 0 for leak in leaks),
        "characters": sum(leaks),
        "of false characters": sum(map(_false_size, wrong)),
        "share": round(sum(leaks) / sum(map(_false_size, wrong)), 4),
    }


def _false_size(run: Ran) -> int:
    return sum(end - start for start, end in run.stream.false)


def _sameness(runs: Iterable[Ran]) -> dict[str, int]:
    """How many streams came out the same for every cut, of those that were cut in more than one way."""
    outcomes = defaultdict(list)
    for run in runs:
        outcomes[run.stream.id].append(measures.outcome(run.record))
    compared = [found for found in outcomes.values() if len(found) > 1]
    same = sum(len(set(found)) == 1 for found in compared)
    return {"streams cut in several ways": len(compared), "same for every cut": same}


def _by(runs: Iterable[Ran], key: str, *, phase: str) -> dict[Any, list[Ran]]:
    groups = defaultdict(list)
    for run in runs:
        if run.phase == phase:
            groups[run.how[key]].append(run)
    return dict(groups)


def _at(runs: Iterable[Ran], rate: int) -> list[Ran]:
    return [run for run in runs if run.how["rate"] == rate]


def _held(runs: Iterable[Ran]) -> dict[str, float] | None:
    return measures.quantiles(at for run in runs for at in measures.hold_backs(run.stream, run.record))


def _lag(runs: Sequence[Ran]) -> dict[str, float] | None:
    if not runs:
        return None
    return {name: round(1000 * max(run.lag[name] for run in runs), 1) for name in ("p50", "p99", "max")}


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(1000 * seconds, 1)


def _mean(values: Iterable[float]) -> float | None:
    there = list(values)
    return round(mean(there), 4) if there else None

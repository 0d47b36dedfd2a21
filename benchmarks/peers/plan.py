"""The plan of runs for each guard: the same streams in the same order, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peers.streams import Stream

CUTS: tuple[str | int, ...] = ("word", 50, 3, 1)
RATES = (20, 50, 200)
CROWDS = (1, 20, 100)
_PACED = 50
"""Tokens a second in phases that do not vary the rate."""
_LEAVE_AFTER = 40
"""Characters that the consumer sees before it leaves."""
Pairs = dict[str, list[tuple[Stream, Stream]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Runs that are sent in one request."""

    phase: str
    """pace, rates, cuts, load, raise, hang, leave or judgement."""
    runs: list[tuple[Stream, dict[str, Any]]]
    """Each stream with its `cut`, `rate`, `limit_s`, `fault`, `leave_after`."""
    concurrent: bool = field(default=False)

    def requests(self) -> list[dict[str, Any]]:
        """The runs in the form that the driver reads."""
        return [stream.request(**how) for stream, how in self.runs]


def stub_plan(pairs: Pairs) -> list[Batch]:
    """All runs with the stub verifier, the most important ones first, in case time runs out."""
    long, short, listed = pairs["vital"], pairs["bump"], pairs["listed"]
    batches = [_one("pace", stream, rate=_PACED) for stream in _both(long[:2] + short[:3] + listed[:2])]
    batches += _trouble(short[5][1], long[3][0])
    cuts = [_many("cuts", _both(short[3:5] + listed[2:3]), cut=cut, rate=200) for cut in CUTS]
    crowds = [_many("load", [_copy(short[6][0], number) for number in range(size)]) for size in CROWDS]
    batches += [*cuts[:2], *crowds[:2], *cuts[2:]]
    others = _both(short[7:9])
    batches += [_one("rates", stream, rate=rate) for rate in RATES if rate != _PACED for stream in others]
    return [*batches, *crowds[2:]]


def own_plan(pairs: Pairs, answers: int) -> list[Batch]:
    """Up to `answers` pairs of each kind, judged by the guard's own verifier, at a model's pace."""
    judged = _both([one for kind in ("vital", "bump") for one in pairs[kind][:answers]])
    return [_one("judgement", stream, rate=200) for stream in judged]


def smoke_plan(pairs: Pairs) -> list[Batch]:
    """Two short streams, by the word and by the character, to check that the guard runs at all."""
    both = list(pairs["bump"][0])
    return [_one("pace", stream, rate=200) for stream in both] + [
        _many("cuts", both, cut=cut, rate=200) for cut in ("word", 1)
    ]


def _both(pairs: Sequence[tuple[Stream, Stream]]) -> list[Stream]:
    return [stream for one in pairs for stream in one]


def _one(phase: str, stream: Stream, **how: Any) -> Batch:
    return Batch(phase=phase, runs=[(stream, {"cut": "word", "limit_s": 45.0, **how})])


def _many(phase: str, streams: Sequence[Stream], **how: Any) -> Batch:
    each = {"cut": "word", "rate": _PACED, "limit_s": 60.0, **how}
    return Batch(phase=phase, runs=[(stream, dict(each)) for stream in streams], concurrent=True)


def _copy(stream: Stream, number: int) -> Stream:
    """A copy of the stream, for one of many users who get the same answer."""
    return Stream(
        id=f"{stream.id}/{number}",
        text=stream.text,
        query=stream.query,
        references=stream.references,
        false=stream.false,
    )


def _trouble(wrong: Stream, right: Stream) -> list[Batch]:
    return [
        _one("raise", wrong, rate=_PACED, fault="raise", limit_s=15.0),
        _one("hang", wrong, rate=_PACED, fault="hang", limit_s=10.0),
        _one("leave", right, rate=_PACED, leave_after=_LEAVE_AFTER, limit_s=15.0),
    ]

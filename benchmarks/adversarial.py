"""Streams answers that try to slip a false fact past the guard, and harmless ones that look like it.

    python -m benchmarks.adversarial [--family NAME …] [--wrong] [--floors] [--first-chunking]

The cases are `tests/adversarial/cases/*.jsonl`, a family a file, all written by hand: references (by their
names in `references.json`), an answer, and the right outcome. `blocked`: no text in `false` may be shown
whole. `passes`: the answer is released unchanged. Each case runs through `Session` with the default policy
(its deadline aside) in every chunking. It is right where each of them gives the right outcome. `--wrong`
names the cases that are not. `--floors` writes what is right now as the least that the tests accept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Literal

import anyio

from benchmarks.record import RESULTS, save
from vista_stream import Policy, Reference, Session, TextReleased, TextReplaced, TextWithheld, TurnEnded
from vista_stream.events import Event
from vista_stream.verifiers.protocol import Verifier

SUITE = Path(__file__).parents[1] / "tests" / "adversarial"
FLOORS = SUITE / "floors.json"
CHUNKINGS: Mapping[str, tuple[int, ...]] = {
    "whole": (1 << 20,),
    "uneven": (3, 1, 7, 2, 13, 5, 1, 29),
    "characters": (1,),
}
"""Sizes of the deltas, in code points, which are repeated to the end of the answer."""
_DEADLINE = 120.0
"""Seconds; so long that a slow machine changes no outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One answer, what it is checked against, and the right outcome."""

    id: str
    family: str
    references: tuple[str, ...]
    """Names in `references.json`."""
    answer: str
    outcome: Literal["blocked", "passes"]
    query: str | None = None
    false: tuple[str, ...] = field(default=())
    """The false parts of the answer, each by its first occurrence; empty where it passes."""

    def is_right(self, events: Iterable[Event]) -> bool:
        """Whether these events, of the whole turn, are the right outcome."""
        released = shown(events)
        if self.outcome == "passes":
            return len(released) == len(self.answer)
        starts = [self.answer.index(part) for part in self.false]
        return not any(
            released.issuperset(range(start, start + len(part)))
            for start, part in zip(starts, self.false, strict=True)
        )


def shown(events: Iterable[Event]) -> set[int]:
    """The offsets of the answer's characters that were released."""
    return {at for each in events if isinstance(each, TextReleased) for at in range(*each.span)}


def outcome_of(events: Iterable[Event]) -> list[tuple[str, int, int]]:
    """What happened to which span of the answer, neighbours joined: no chunking of it changes this."""
    found: list[tuple[str, int, int]] = []
    for event in events:
        if isinstance(event, TextReleased | TextWithheld | TextReplaced):
            start, end = event.span
            if found and found[-1][0] == event.type and found[-1][2] == start:
                start = found.pop()[1]
            found.append((event.type, start, end))
    return found


def read_cases(families: Sequence[str] = ()) -> list[Case]:
    """The cases of these families, or of all."""
    paths = sorted((SUITE / "cases").glob("*.jsonl"))
    lines = (
        line
        for path in paths
        if not families or path.stem in families
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    return [_case(json.loads(line)) for line in lines]


def _case(row: dict[str, object]) -> Case:
    lists = {key: tuple(value) for key, value in row.items() if isinstance(value, list)}
    return Case(**row | lists)  # type: ignore[arg-type]  # the names and types are the file's


@cache
def _references() -> Mapping[str, Reference]:
    texts = json.loads((SUITE / "references.json").read_text(encoding="utf-8"))
    return {name: Reference(text, name=name) for name, text in texts.items()}


def deltas(answer: str, sizes: Sequence[int]) -> Iterator[str]:
    """The answer in deltas of these sizes, repeated."""
    start = 0
    for size in cycle(sizes):
        if start >= len(answer):
            return
        yield answer[start : start + size]
        start += size


async def stream(case: Case, sizes: Sequence[int], *, verifier: Verifier | None = None) -> list[Event]:
    """The events of a case's turn, in a session of its own; None takes the shipped verifier."""
    session = Session(verifier, policy=Policy.default(deadline=_DEADLINE))
    for name in case.references:
        session.add_reference(_references()[name])
    async with session.turn(deltas(case.answer, sizes), query=case.query) as turn:
        return [event async for event in turn]


async def right_in(case: Case, chunkings: Iterable[str]) -> bool:
    """Whether a case is right in each of these chunkings, and ends in all of them alike."""
    turns = [await stream(case, CHUNKINGS[name]) for name in chunkings]
    ended = all(isinstance(events[-1], TurnEnded) for events in turns)
    alike = len({str(outcome_of(events)) for events in turns}) == 1
    return ended and alike and all(case.is_right(events) for events in turns)


async def measure(cases: Sequence[Case], chunkings: Sequence[str]) -> dict[str, bool]:
    """Whether each case, by its id, is right; prints progress."""
    right: dict[str, bool] = {}
    for number, case in enumerate(cases, 1):
        right[case.id] = await right_in(case, chunkings)
        print(f"\r{number}/{len(cases)} cases, {sum(right.values())} right", end="", file=sys.stderr)
    print(file=sys.stderr)
    return right


def by_family(cases: Sequence[Case], right: Mapping[str, bool]) -> dict[str, dict[str, int]]:
    """For each family, the cases of both outcomes, and how many are right."""
    found: dict[str, Counter[str]] = {}
    for case in cases:
        row = found.setdefault(case.family, Counter())
        row[case.outcome] += 1
        row[f"{case.outcome}, right"] += right[case.id]
    return {family: dict(row) for family, row in found.items()}


def floors(figures: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """For each family, how many of its cases are right."""
    return {family: sum(_right(row)) for family, row in figures.items()}


def _right(row: Mapping[str, int]) -> tuple[int, int]:
    return row.get("blocked, right", 0), row.get("passes, right", 0)


def table(figures: Mapping[str, Mapping[str, int]]) -> str:
    """The figures as a Markdown table, with their sum in the last row."""
    total: Counter[str] = Counter()
    for row in figures.values():
        total.update(row)
    lines = ["| family | false facts blocked | harmless texts released |", "|---|---:|---:|"]
    for family, row in [*figures.items(), ("all", total)]:
        blocked, released = _right(row)
        name = family.replace("_", " ")
        lines.append(
            f"| {name} | {blocked} of {row.get('blocked', 0)} | {released} of {row.get('passes', 0)} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--family", action="append", default=[], help="only this family; may be repeated")
    parser.add_argument("--wrong", action="store_true", help="name the cases that are not right")
    parser.add_argument(
        "--floors", action="store_true", help="write floors.json and results/adversarial.json"
    )
    parser.add_argument("--first-chunking", action="store_true", help="each answer as one delta only")
    arguments = parser.parse_args()
    if arguments.floors and arguments.family:
        parser.error("--floors takes all families")
    cases = read_cases(arguments.family)
    chunkings = list(CHUNKINGS)[: 1 if arguments.first_chunking else None]
    right = anyio.run(measure, cases, chunkings)
    figures = by_family(cases, right)
    print(table(figures))
    for case in cases:
        if arguments.wrong and not right[case.id]:
            print(f"{case.id} ({case.outcome}): {case.answer[:150]!r}")
    if arguments.floors:
        FLOORS.write_text(json.dumps(floors(figures), indent=1) + "\n", encoding="utf-8")
        save(RESULTS / "adversarial.json", figures)


if __name__ == "__main__":
    main()

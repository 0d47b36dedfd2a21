"""Answers that try to slip a false fact past the guard: what is caught stays caught, whole and in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from zlib import crc32

import anyio
import pytest

from benchmarks.adversarial import (
    CHUNKINGS,
    FLOORS,
    SUITE,
    Case,
    by_family,
    deltas,
    floors,
    measure,
    outcome_of,
    read_cases,
    shown,
    stream,
)
from vista_stream import ClaimFound, TextReleased, TextReplaced, TextWithheld, TurnEnded
from vista_stream.claims import Pair, Scores
from vista_stream.events import Event
from vista_stream.testing import CONTRADICTED, ENTAILED, NEUTRAL

pytestmark = pytest.mark.timeout(900)  # the fixture runs every case, which on a busy machine takes minutes

CASES = read_cases()
LEAST = json.loads(FLOORS.read_text(encoding="utf-8"))


class _Arbitrary:
    """A verifier whose scores follow from the claim's wording, and from nothing that the claim means."""

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        return [
            (ENTAILED, NEUTRAL, CONTRADICTED)[crc32(pair.hypothesis.encode("utf-8", "replace")) % 3]
            for pair in pairs
        ]


def test_cases_are_whole() -> None:
    known = json.loads((SUITE / "references.json").read_text(encoding="utf-8"))
    assert len({case.id for case in CASES}) == len(CASES) >= 300
    assert all(set(case.references) <= set(known) for case in CASES)
    for case in CASES:
        assert bool(case.false) == (case.outcome == "blocked"), case.id
        assert all(part in case.answer for part in case.false), case.id
        assert all("".join(deltas(case.answer, sizes)) == case.answer for sizes in CHUNKINGS.values())
    assert {case.family for case in CASES} == set(LEAST)


@pytest.fixture(scope="module")
def caught() -> dict[str, int]:
    """How many cases of each family are right with the shipped models, each answer in one delta."""
    return floors(by_family(CASES, anyio.run(measure, CASES, ["whole"])))


@pytest.mark.parametrize("family", sorted(LEAST))
def test_each_family_stays_at_its_floor(family: str, caught: dict[str, int]) -> None:
    assert caught[family] >= LEAST[family]


@pytest.mark.parametrize("family", sorted(LEAST))
def test_promises_hold_whatever_the_verifier_says(family: str) -> None:
    async def run() -> None:
        for number, case in enumerate(case for case in CASES if case.family == family):
            first = await stream(case, CHUNKINGS["whole"], verifier=_Arbitrary())
            _check(case, first)
            chunking = "characters" if number == 0 else "uneven"
            other = await stream(case, CHUNKINGS[chunking], verifier=_Arbitrary())
            assert outcome_of(other) == outcome_of(first), (case.id, chunking)

    anyio.run(run)


def _check(case: Case, events: Sequence[Event]) -> None:
    """Text is released, withheld or replaced in order, byte for byte; spans refer to the source."""
    assert [isinstance(event, TurnEnded) for event in events] == [False] * (len(events) - 1) + [True], case.id
    at = 0
    for event in events:
        if isinstance(event, TextReleased | TextReplaced | TextWithheld):
            assert event.span.start == at, case.id
            assert event.text == case.answer[at : event.span.end], case.id
            at = event.span.end
        if isinstance(event, ClaimFound):
            start, end = event.claim.span
            assert 0 <= start < end <= len(case.answer), case.id
    assert at == len(case.answer), case.id
    report = events[-1].report if isinstance(events[-1], TurnEnded) else None
    assert report is not None
    assert report.released == len(shown(events)), case.id

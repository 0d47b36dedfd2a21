"""Load shedding: refuses sentences whose claims cannot be settled in time on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Self

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

from vista_stream.claims import Claim, Draft, Finding, Foresight, Importance, Utterance
from vista_stream.core.judge import Thresholds
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import Overload
from vista_stream.stages.protocols import (
    Decompose,
    Discourse,
    Foreseeing,
    Grounds,
    Rank,
    Verify,
)
from vista_stream.stages.stages import Stages, rank_ahead, verify_ahead, verify_at
from vista_stream.verifiers.pace import Pace
from vista_stream.verifiers.protocol import thresholds_of

_AHEAD = 4
"""Running calls up to which there is time for work ahead of time."""
_DOUBTED = 5
"""Times the expected seconds from which a call's time is doubted: the event loop may have stood still."""
_SHORT = 0.2
"""Seconds up to which no call's time is doubted."""


class Admission:
    """Admission control: accepts a sentence only where its claims can be settled before its deadline.

    Without it, an overloaded machine works a little on every sentence and finishes none in time. A sentence
    that would be late is refused with Overload before any work is done for it, and its claims are unresolved
    at once. The estimate for each stage is its latest seconds per call (`Pace`), times the calls running in
    all stages; the time until its first call has ended does not count, since models may load in it. Nor does
    the time of a call that took far longer than expected, until one that began after its end does too: a
    callback that blocks the event loop once would else count as a slow machine. The first
    sentence on an idle machine is always accepted. What is late all the same is shed in the verifier's queue,
    the less important first (`verifiers.lane`). Share one Admission between all sessions of a process.
    """

    def __init__(self) -> None:
        self._under_way: set[object] = set()
        self._ahead = 0
        self._warm: dict[Pace, float] = {}
        """When the first call of a stage ended."""
        self._doubted: dict[Pace, float] = {}
        """When the last call of a stage ended whose time was doubted."""
        self._decompose, self._rank, self._verify = self._paces = (Pace(), Pace(), Pace())

    def stages(self, inner: Stages) -> Stages:
        """The same stages, with decompose, rank and verify under admission control."""
        return replace(
            inner,
            decompose=_Decompose(inner.decompose, self),
            rank=_Rank(inner.rank, self),
            verify=_Verify(inner.verify, self),
        )

    @contextmanager
    def decomposing(self) -> Iterator[None]:
        """Time a call of decompose, made in the block; raises Overload where the sentence would be late."""
        left = anyio.current_effective_deadline() - anyio.current_time()
        before = len(self._under_way)
        if before and sum(pace.seconds(before + 1) for pace in self._paces) > left:
            raise Overload(f"with {before} calls under way, it would be late")
        with self._call(self._decompose):
            yield

    @property
    def idle(self) -> bool:
        """Whether few enough calls are running, work ahead of time among them, for more of it."""
        return len(self._under_way) + self._ahead <= _AHEAD

    @contextmanager
    def ahead(self) -> Iterator[None]:
        """Count a call ahead of time, made in the block; it refuses no sentence and is not timed."""
        self._ahead += 1
        try:
            yield
        finally:
            self._ahead -= 1

    def ranking(self) -> AbstractContextManager[None]:
        """Time a call of rank, made in the block."""
        return self._call(self._rank)

    def verifying(self) -> AbstractContextManager[None]:
        """Time a call of verify, made in the block."""
        return self._call(self._verify)

    @contextmanager
    def _call(self, pace: Pace) -> Iterator[None]:
        token, begun, note = object(), anyio.current_time(), pace.note_unfinished
        self._under_way.add(token)
        size = len(self._under_way)
        try:
            yield
            note = pace.note
        finally:
            self._under_way.discard(token)
            ended = anyio.current_time()
            if pace not in self._warm:
                self._warm[pace] = ended
            elif self._believed(pace, size, begun, ended):
                note(size, ended - max(begun, self._warm[pace]))

    def _believed(self, pace: Pace, size: int, begun: float, ended: float) -> bool:
        """Whether the time of a call that has ended tells of the stage."""
        expected = pace.mean(size)
        if not expected or ended - begun <= max(_SHORT, _DOUBTED * expected):
            return True
        before = self._doubted.get(pace)
        self._doubted[pace] = ended
        return before is not None and begun >= before


class _Decompose:
    def __init__(self, inner: Decompose, admission: Admission) -> None:
        self._inner = inner
        self._admission = admission

    def begin(self) -> Discourse:
        return _Discourse(self._inner.begin(), self._admission)


class _Discourse:
    def __init__(self, inner: Discourse, admission: Admission) -> None:
        self._inner = inner
        self._admission = admission

    async def hear(self, utterance: Utterance) -> None:
        await self._inner.hear(utterance)

    async def foresee(self, sentence: Segment) -> Sequence[Draft] | None:
        if not isinstance(self._inner, Foreseeing) or not self._admission.idle:
            return None
        with self._admission.ahead():
            return await self._inner.foresee(sentence)

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        await checkpoint_if_cancelled()  # a cancelled call is not late
        with self._admission.decomposing():
            return await self._inner.decompose(sentence)


class _Rank:
    def __init__(self, inner: Rank, admission: Admission) -> None:
        self._inner = inner
        self._admission = admission

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        with self._admission.ranking():
            return await self._inner.rank(drafts, query, position=position)

    async def rank_ahead(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance] | None:
        if not self._admission.idle:
            return None
        with self._admission.ahead():
            return await rank_ahead(self._inner, drafts, query, position=position)


class _Verify:
    def __init__(self, inner: Verify, admission: Admission) -> None:
        self._inner = inner
        self._admission = admission

    @property
    def thresholds(self) -> Thresholds:
        return thresholds_of(self._inner)

    def at(self, thresholds: Mapping[str, float]) -> Self:
        return type(self)(verify_at(self._inner, thresholds), self._admission)

    async def prepare(self, grounds: Grounds) -> None:
        await self._inner.prepare(grounds)

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        with self._admission.verifying():
            return await self._inner.verify(claim, grounds)

    async def verify_ahead(self, claim: Claim, grounds: Grounds, foresight: Foresight) -> Finding | None:
        if not self._admission.idle:
            return None
        with self._admission.ahead():
            return await verify_ahead(self._inner, claim, grounds, foresight)

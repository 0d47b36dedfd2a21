"""Work ahead of certainty: a turn's probable next sentence is judged before it has ended."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import anyio
from anyio.abc import TaskGroup

from vista_stream.claims import Claim, Draft, Finding, Foresight, Importance
from vista_stream.core.held import claim_of
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import Overload
from vista_stream.report import WorkAhead
from vista_stream.stages.protocols import Discourse, Foreseeing, Grounds
from vista_stream.stages.stages import Stages, rank_ahead, verify_ahead

logger = logging.getLogger("vista_stream")


_Named: TypeAlias = tuple[int, str]
"""A claim by the index of its sentence and its own words."""


class _Call:
    """A claim that is verified ahead, and what came of it."""

    def __init__(self, grounds: Grounds) -> None:
        self.grounds = grounds
        self.scope = anyio.CancelScope()
        self.over = anyio.Event()
        self.finding: Finding | None = None
        self.error: Exception | None = None


class _Work:
    """What is done ahead for one sentence, or for its first clauses."""

    def __init__(self, sentence: Segment, *, whole: bool) -> None:
        self.sentence = sentence
        self.whole = whole
        self.scope = anyio.CancelScope()
        self.foresight = Foresight()
        self.calls: dict[Claim, _Call] = {}


class Ahead:
    """Decomposes, ranks and verifies a turn's probable next sentence, one at a time, in tasks of the turn.

    A finding is used only for an equal claim and equal grounds, so working ahead changes nothing but times.
    Work for a sentence that does not come is cancelled. Of the first clauses of a sentence only what the
    stages keep is of use, such as scores: the claims' findings depend on the whole sentence. Stages that
    cannot work ahead are left alone.
    """

    def __init__(self, stages: Stages, discourse: Discourse, *, query: str | None) -> None:
        self._stages = stages
        self._discourse = discourse
        self._query = query
        self._work: _Work | None = None
        self._certain: dict[int, _Work] = {}
        """Work for sentences that came, by their index, until all its findings are taken."""
        self._clauses: list[_Work] = []
        self._foreseen: set[_Named] = set()
        self._kept: set[_Named] = set()
        """Claims of first clauses for which the verify stage did its work."""
        self._used: set[_Named] = set()

    @property
    def sentence(self) -> Segment | None:
        """The probable sentence that is worked for."""
        return None if self._work is None else self._work.sentence

    @property
    def told(self) -> WorkAhead:
        """How many claims were verified ahead so far."""
        foreseen, used = len(self._foreseen), len(self._used)
        return WorkAhead(foreseen=foreseen, used=used, wasted=foreseen - used)

    def knows(self, sentence: Segment) -> bool:
        """Whether a sentence, or such first clauses, are worked for."""
        return sentence == self.sentence or any(sentence == each.sentence for each in self._clauses)

    def begin(
        self, sentence: Segment, tasks: TaskGroup, *, position: int, grounds: Grounds, whole: bool = True
    ) -> None:
        """Work for a probable sentence, or for its first clauses; all sentences before it were decomposed.

        `position` is its place for the rank stage, `grounds` what its claims are compared with.
        """
        work = _Work(sentence, whole=whole)
        if whole:
            self._work = work
        else:
            self._clauses.append(work)
        tasks.start_soon(self._foresee, work, position, grounds)

    def settle(self, sentence: Segment | None) -> None:
        """The next sentence is certain, or None where no sentence is probable: drop work for another one."""
        work, self._work = self._work, None
        if sentence is not None:
            for each in self._clauses:
                each.foresight.certain = True
            self._clauses = []
        if work is None:
            return
        if work.sentence != sentence:
            work.scope.cancel()
            return
        work.foresight.certain = True
        if work.calls:
            self._certain[work.sentence.index] = work

    async def finding(self, claim: Claim, grounds: Grounds) -> Finding | None:
        """What was found ahead for a claim that came; None where it must be verified now.

        Raises what the verify stage raised, except Overload: now there may be room.
        """
        named = claim.sentence, claim.text
        if named in self._kept:
            self._used.add(named)
        work = self._certain.get(claim.sentence)
        call = None if work is None else work.calls.pop(claim, None)
        if work is None or call is None:
            return None
        if not work.calls:
            del self._certain[claim.sentence]
        if call.grounds != grounds:
            call.scope.cancel()
            return None
        try:
            await call.over.wait()
        finally:
            call.scope.cancel()
        if call.error is not None:
            raise call.error
        if call.finding is not None:
            self._used.add(named)
        return call.finding

    async def _foresee(self, work: _Work, position: int, grounds: Grounds) -> None:
        with work.scope:
            try:
                claims = await self._claims(work, position)
            except Exception as failure:
                # The error will come again when the sentence is decomposed.
                logger.warning("a sentence could not be foreseen: %s", type(failure).__name__)
                return
            if work.foresight.certain:  # the turn is doing the rest itself
                return
            work.calls = {claim: _Call(grounds) for claim in claims}
            self._foreseen.update((claim.sentence, claim.text) for claim in claims)
            async with anyio.create_task_group() as tasks:
                for claim, call in work.calls.items():
                    tasks.start_soon(self._verify, claim, call, work.foresight)
            if not work.whole:
                found = (claim for claim, call in work.calls.items() if call.finding is not None)
                self._kept.update((claim.sentence, claim.text) for claim in found)

    async def _claims(self, work: _Work, position: int) -> list[Claim]:
        """The claims that the sentence has if it comes; empty where a stage cannot tell yet."""
        drafts: Sequence[Draft] | None = None
        ranks: Sequence[Importance] | None = None
        if isinstance(self._discourse, Foreseeing):
            drafts = await self._discourse.foresee(work.sentence)
        if drafts and not work.foresight.certain:
            ranks = await rank_ahead(self._stages.rank, drafts, self._query, position=position)
        if not drafts or ranks is None:
            return []
        ranked = [replace(each, importance=rank) for each, rank in zip(drafts, ranks, strict=True)]
        return [claim_of(work.sentence, place, draft) for place, draft in enumerate(ranked)]

    async def _verify(self, claim: Claim, call: _Call, foresight: Foresight) -> None:
        try:
            with call.scope:
                call.finding = await verify_ahead(self._stages.verify, claim, call.grounds, foresight)
        except Overload:
            pass
        except Exception as error:
            call.error = error
        finally:
            call.over.set()

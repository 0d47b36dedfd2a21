"""aisafepy: a cascade of guards awaited on each chunk, with all text so far, before the chunk is released."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from aisafepy.core.decisions import GuardDecision
from aisafepy.stream import GuardPipeline
from aisafepy.stream.pipeline import Context
from driver import Blocked, Run

NAME = "aisafepy"
PACKAGES = ["aisafepy==0.1.0"]
SETTINGS = {
    "documented": "README, stream: GuardPipeline(tier2=[guard], budget_ms_p95=80).guard_stream; as the "
    "package's own classifiers do, the guard judges the whole text so far",
    "best": "the same, but the guard blocks where its verifier fails, and on_budget_exceeded='block'",
}
OWN_VERIFIER = None


class FactGuard:
    """A tier 2 guard, made as the package asks: a name, a tier, and an awaitable call."""

    name = "fact"
    tier = 2

    def __init__(self, run: Run, *, fail_closed: bool) -> None:
        self._run = run
        self._fail_closed = fail_closed

    async def __call__(self, ctx: Context) -> GuardDecision:
        try:
            false = await self._run.stub.check(ctx.buffer)
        except Exception as error:
            if not self._fail_closed:
                raise
            return self._block(f"verifier failed: {error}")
        return self._block("contradicted") if false else GuardDecision.allow(tier=self.tier)

    def _block(self, reason: str) -> GuardDecision:
        return GuardDecision.block(tier=self.tier, confidence=1.0, rationale=reason, guard_name=self.name)


class Guard:
    """One pipeline for each stream."""

    def __init__(self, *, fail_closed: bool) -> None:
        self._fail_closed = fail_closed

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """Chunks until a decision comes instead of one."""
        pipeline = GuardPipeline(
            tier2=[FactGuard(run, fail_closed=self._fail_closed)],
            budget_ms_p95=80,
            on_budget_exceeded="block" if self._fail_closed else "allow",
        )
        async with contextlib.aclosing(pipeline.guard_stream(source, prompt=run.query)) as pieces:
            async for piece in pieces:
                if isinstance(piece, GuardDecision):
                    raise Blocked(piece.fallback or piece.rationale)
                yield piece


async def open_guard(setting: str, verifier: str) -> Guard:
    return Guard(fail_closed=setting == "best")

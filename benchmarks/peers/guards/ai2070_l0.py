"""ai2070-l0: rules on the text so far, every fifteen tokens and at the end, with retries."""

from __future__ import annotations

from collections.abc import AsyncIterator

import l0
from driver import Blocked, Run
from l0.adapters import AdaptedEvent
from l0.guardrails import GuardrailRule, GuardrailViolation

NAME = "ai2070-l0"
PACKAGES = ["ai2070-l0==0.21.1"]
SETTINGS = {
    "documented": "GUARDRAILS.md, custom streaming rule, not recoverable, every 15 tokens by default; "
    "its severity is 'error', as the runtime stops for no other",
    "best": "CheckIntervals(guardrails=1), and on_violation aborts the stream (README, lifecycle callbacks)",
}
OWN_VERIFIER = None


class Pieces:
    """The adapter that CUSTOM_ADAPTERS.md asks for: it turns a stream of str into token events."""

    name = "pieces"

    def detect(self, stream: object) -> bool:
        """Never called, since the adapter is named when the stream is run."""
        return False

    async def wrap(self, stream: AsyncIterator[str], options: object = None) -> AsyncIterator[AdaptedEvent]:
        """One event for each piece."""
        async for piece in stream:
            yield AdaptedEvent(event=l0.Event(type=l0.EventType.TOKEN, text=piece), raw_chunk=piece)
        yield AdaptedEvent(event=l0.Event(type=l0.EventType.COMPLETE))


def _rule(run: Run) -> GuardrailRule:
    def check(state: l0.State) -> list[GuardrailViolation]:
        if not run.stub.check_blocking(state.content):
            return []
        return [GuardrailViolation("fact", "contradicted", severity="error", recoverable=False)]

    return GuardrailRule(name="fact", check=check, streaming=True, severity="error", recoverable=False)


class Guard:
    """One run of the runtime for each stream."""

    def __init__(self, *, best: bool) -> None:
        self._best = best

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """Token events until the runtime stops or raises."""
        violations: list[GuardrailViolation] = []

        def violated(violation: GuardrailViolation) -> None:
            violations.append(violation)
            if self._best:
                stream.abort()

        async def source_again() -> AsyncIterator[str]:
            return source

        stream = await l0.run(
            source_again,
            guardrails=[_rule(run)],
            adapter=Pieces(),
            retry=l0.Retry(attempts=0, max_retries=0),
            check_intervals=l0.CheckIntervals(guardrails=1) if self._best else None,
            on_violation=violated,
        )
        try:
            async for event in stream:
                if event.is_token:
                    yield event.text
        except l0.Error as error:
            if not violations:
                raise
            raise Blocked(str(error)) from error
        if violations:
            raise Blocked(violations[0].message)


async def open_guard(setting: str, verifier: str) -> Guard:
    return Guard(best=setting == "best")

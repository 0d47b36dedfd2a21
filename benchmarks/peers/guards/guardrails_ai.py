"""guardrails-ai: a validator that gathers the stream into sentences and judges each before it goes on."""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise litellm fetches it over the network
os.environ["GUARD_HISTORY_ENABLED"] = "false"

import guardrails
import litellm  # noqa: F401  (else the first stream waits for this import)
from driver import Blocked, Notice, Run
from guardrails.settings import settings
from guardrails.validators import (
    FailResult,
    PassResult,
    ValidationResult,
    Validator,
    register_validator,
)

settings.rc.enable_metrics = False
warnings.simplefilter("ignore")

NAME = "guardrails-ai"
PACKAGES = ["guardrails-ai==0.11.0"]
SETTINGS = {
    "documented": "page Async stream-validate LLM responses: AsyncGuard().use(validator), stream=True, the "
    "default on_fail ('exception') and the default chunking by sentence",
    "sync": "page Streaming: the same with Guard",
    "best": "Guard with on_fail='fix', which holds text back until it is validated, and the validator's own "
    "_chunking_function (page Streaming, chunk strategy), which keeps spaces between sentences; no tracing",
}
OWN_VERIFIER = None  # its provenance validators come from a hub that cannot be reached here
WITHHELD = "[A sentence was withheld.]"

# A final mark and a space, but not after abbreviations such as "Dr" or "No".
_SENTENCES = re.compile(r"(?s).*(?<!\b[A-Z][a-z])[.!?]\s+")


@register_validator(name="benchmark/fact", data_type="string")
class Fact(Validator):
    """The custom validator of the guide: a class with validate, which runs in a thread or blocks."""

    def validate(self, value: Any, metadata: dict[str, Any]) -> ValidationResult:
        """Fails a text that the run's verifier calls false."""
        if metadata["run"].stub.check_blocking(value):
            return FailResult(error_message="contradicted", fix_value=WITHHELD)
        return PassResult()


@register_validator(name="benchmark/spaced-fact", data_type="string")
class SpacedFact(Fact):
    """The same with a chunk strategy that loses no character."""

    def _chunking_function(self, chunk: str) -> list[str]:
        found = _SENTENCES.match(chunk)
        return [chunk[: found.end()], chunk[found.end() :]] if found else []


class AsyncPeer:
    """One AsyncGuard for all streams."""

    def __init__(self) -> None:
        self._guard = guardrails.AsyncGuard().use(Fact())

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """The validated output, fragment by fragment."""

        async def answer(*, messages: Any, **settings: Any) -> Any:
            return SimpleNamespace(completion_stream=_chunks(source))

        fragments = await self._guard(
            answer, messages=_messages(run), metadata={"run": run}, stream=True, temperature=0
        )
        with _blocking():
            async with contextlib.aclosing(fragments):
                async for fragment in fragments:
                    yield fragment.validated_output or ""


class SyncPeer:
    """One Guard for each concurrent stream: its validator keeps gathered text in itself, even afterwards."""

    def __init__(self, *, best: bool) -> None:
        self._best = best
        self._free = [self._made()]

    def _made(self) -> tuple[Any, Fact]:
        fact = SpacedFact(on_fail="fix") if self._best else Fact()
        return guardrails.Guard().use(fact), fact

    def stream_sync(self, source: Iterator[str], run: Run) -> Iterator[str]:
        """The validated output, fragment by fragment."""

        def answer(*, messages: Any, **settings: Any) -> Iterator[Any]:
            yield from (_chunk(delta) for delta in source)
            yield _chunk("", finished=True)

        guard, fact = self._free.pop() if self._free else self._made()
        fact.accumulated_chunks = []
        try:
            with _blocking():
                for fragment in guard(
                    answer, messages=_messages(run), metadata={"run": run}, stream=True, temperature=0
                ):
                    text = fragment.validated_output or ""
                    yield Notice(text) if text == WITHHELD else text
        finally:
            self._free.append((guard, fact))


async def _chunks(source: AsyncIterator[str]) -> AsyncIterator[Any]:
    async for delta in source:
        yield _chunk(delta)
    yield _chunk("", finished=True)


def _chunk(delta: str, *, finished: bool = False) -> Any:
    """A chat completion chunk, as far as the package reads it."""
    choice = SimpleNamespace(delta=SimpleNamespace(content=delta), finish_reason="stop" if finished else None)
    return SimpleNamespace(choices=[choice])


def _messages(run: Run) -> list[dict[str, str]]:
    return [{"role": "user", "content": run.query or "Answer."}]


@contextlib.contextmanager
def _blocking() -> Iterator[None]:
    try:
        yield
    except guardrails.errors.ValidationError as error:
        raise Blocked(str(error)) from error


async def open_guard(setting: str, verifier: str) -> AsyncPeer | SyncPeer:
    settings.disable_tracing = setting == "best"
    return AsyncPeer() if setting == "documented" else SyncPeer(best=setting == "best")

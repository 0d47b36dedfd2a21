"""director-ai: a wrapped SDK client that scores every eight chunks, or a kernel that scores every token."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

from director_ai import CoherenceScorer, GroundTruthStore, guard
from director_ai.core.exceptions import HallucinationError
from director_ai.core.runtime.async_streaming import AsyncStreamingKernel
from director_ai.core.scoring.verified_scorer import VerifiedScorer
from director_ai.core.types import CoherenceScore
from driver import Blocked, Run

NAME = "director-ai"
PACKAGES = ["director-ai[rust]==3.21.0"]
SETTINGS = {
    "documented": "README and Quickstart: guard(client, facts=…), stream=True, on_fail='raise'; the stub in "
    "the place of the scorer that guard() makes",
    "best": "AsyncStreamingKernel.stream_tokens with an async coherence callback after every token; the "
    "token on which it halts is not shown, as in its own session output",
}
OWN_VERIFIER = (
    "its heuristic scorer (use_nli=False) on the documents as facts; its NLI models come from a hub"
)


class StubScorer(CoherenceScorer):
    """A scorer that asks the run's verifier; `review` is a plain function, as in the package's own scorer."""

    def __init__(self, run: Run) -> None:
        super().__init__(use_nli=False)
        self._run = run

    def review(self, prompt: str, action: str, **others: Any) -> tuple[bool, CoherenceScore]:
        """Not approved where the verifier says false."""
        right = not self._run.stub.check_blocking(action)
        return right, CoherenceScore(score=float(right), approved=right, h_logical=0.0, h_factual=0.0)


class OwnScorer(CoherenceScorer):
    """The package's scorer; each review is counted as a verifier call."""

    def __init__(self, run: Run) -> None:
        facts = GroundTruthStore()
        for number, reference in enumerate(run.references):
            facts.add(f"document {number}", reference)
        super().__init__(threshold=0.3, ground_truth_store=facts, use_nli=False)
        self._run = run

    def review(self, prompt: str, action: str, **others: Any) -> tuple[bool, CoherenceScore]:
        """The package's review."""
        with self._run.scoring(action):
            approved, score = super().review(prompt, action, **others)
        return approved, score


class Client:
    """A client of the OpenAI shape whose answer is the run's source."""

    def __init__(self, source: AsyncIterator[str]) -> None:
        self._source = source
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    async def _create(self, **settings: Any) -> AsyncIterator[Any]:
        return self._chunks()

    async def _chunks(self) -> AsyncIterator[Any]:
        async for delta in self._source:
            yield SimpleNamespace(choices=[SimpleNamespace(delta=SimpleNamespace(content=delta))])


class GuardedClient:
    """guard(client)."""

    def __init__(self, scorer: type[StubScorer] | type[OwnScorer]) -> None:
        self._scorer = scorer

    def score(self, premise: str, hypothesis: str) -> float:
        """The package's verification of an answer against one source, without NLI, as in the guard."""
        return float(VerifiedScorer().verify(hypothesis, premise).overall_score)

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """The content of each chunk until a score is too low."""
        client = guard(Client(source), use_nli=False)
        client.chat.completions._scorer = self._scorer(run)
        messages = [{"role": "user", "content": run.query or "Answer."}]
        chunks = aiter(await client.chat.completions.create(messages=messages, stream=True))
        try:
            async with contextlib.aclosing(chunks):
                async for chunk in chunks:
                    yield chunk.choices[0].delta.content
        except HallucinationError as error:
            raise Blocked("coherence below the threshold") from error


class Kernel:
    """AsyncStreamingKernel."""

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """Tokens until the kernel halts."""

        async def coherence(accumulated: str) -> float:
            return 0.0 if await run.stub.check(accumulated) else 1.0

        events = AsyncStreamingKernel().stream_tokens(source, coherence)
        async with contextlib.aclosing(events):
            async for event in events:
                if event.halted:
                    raise Blocked(f"halted at token {event.index}")
                yield event.token


async def open_guard(setting: str, verifier: str) -> GuardedClient | Kernel:
    if setting == "best":
        return Kernel()
    return GuardedClient(OwnScorer if verifier == "own" else StubScorer)

"""Test doubles for code that uses vista_stream: scripted verifier and stages, and a source of deltas.

They replace the models only: the segmenter, the protocol and the gate are the real ones.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import anyio
import anyio.lowlevel

from vista_stream.claims import Category, Claim, Draft, Finding, Importance, Pair, Scores, Utterance
from vista_stream.core.text.segmenter import Segment
from vista_stream.stages.protocols import Grounds
from vista_stream.stages.stages import Stages

ENTAILED = Scores(0.98, 0.01, 0.01)
NEUTRAL = Scores(0.01, 0.98, 0.01)
CONTRADICTED = Scores(0.01, 0.01, 0.98)


class ScriptedVerifier:
    """A verifier that looks its scores up: the first key that occurs in the hypothesis decides.

    Args:
        script: scores by a substring of the hypothesis.
        default: scores where no key occurs.
        delay: seconds each call takes.
    """

    def __init__(
        self, script: Mapping[str, Scores] | None = None, *, default: Scores = ENTAILED, delay: float = 0.0
    ) -> None:
        self._script = dict(script or {})
        self._default = default
        self._delay = delay
        self.calls: list[Sequence[Pair]] = []
        """The pairs of each call, in order."""

    async def score(self, pairs: Sequence[Pair]) -> Sequence[Scores]:
        """The scripted scores of each pair."""
        self.calls.append(tuple(pairs))
        await anyio.sleep(self._delay)
        return [self._lookup(pair.hypothesis) for pair in pairs]

    def _lookup(self, text: str) -> Scores:
        return next((scores for key, scores in self._script.items() if key in text), self._default)


class WholeSentences:
    """A Decompose stage that makes each sentence one claim, word for word."""

    def begin(self) -> WholeSentences:
        """The stage itself: it remembers nothing, so all conversations can share it."""
        return self

    async def hear(self, utterance: Utterance) -> None:
        """Nothing is remembered."""

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        """The sentence as its one claim."""
        return [Draft(text=sentence.text, span=sentence.span)]


class ScriptedStages:
    """Rank, Verify and Categorise stages that decide by the claim's text.

    Args:
        script: category by a substring of the claim's text; the first key that occurs decides.
        default: category where no key occurs.
        importance: returns the importance of a claim's text.
        delay: returns the seconds that verifying a claim's text takes.
    """

    def __init__(
        self,
        script: Mapping[str, Category] | None = None,
        *,
        default: Category = Category.VERIFIED,
        importance: Callable[[str], Importance] = lambda text: Importance.VITAL,
        delay: Callable[[str], float] = lambda text: 0.0,
    ) -> None:
        self._script = dict(script or {})
        self._default = default
        self._importance = importance
        self._delay = delay
        self.verified: list[str] = []
        """The text of each claim that was verified, in order."""

    def stages(self) -> Stages:
        """All stages, with each sentence as one claim."""
        return Stages(decompose=WholeSentences(), rank=self, verify=self, categorise=self)

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        """The scripted importance of each draft."""
        return [self._importance(draft.text) for draft in drafts]

    async def prepare(self, grounds: Grounds) -> None:
        """Nothing is indexed."""

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        """An empty finding, after the scripted delay."""
        self.verified.append(claim.text)
        await anyio.sleep(self._delay(claim.text))
        return Finding()

    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        """The scripted category of the claim."""
        found = (category for key, category in self._script.items() if key in claim.text)
        return next(found, self._default)


async def replay(text: str, *, size: int = 1, interval: float = 0.0) -> AsyncIterator[str]:
    """Yield a text in deltas of `size` code points, `interval` seconds apart."""
    if size < 1:
        raise ValueError(f"size must be 1 or more, not {size}")
    for start in range(0, len(text), size):
        await anyio.sleep(interval)
        yield text[start : start + size]

"""Test doubles for code that uses vista_stream: scripted stages, and sources cut at will.

They replace models, never the guard: the segmenter, the protocol and the gate are the real ones.
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
    """A verifier whose scores are looked up: the first key that occurs in the hypothesis decides.

    Args:
        script: scores by a piece of the hypothesis's text.
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
        """One scripted triple a pair."""
        self.calls.append(tuple(pairs))
        await anyio.sleep(self._delay)
        return [self._lookup(pair.hypothesis) for pair in pairs]

    def _lookup(self, text: str) -> Scores:
        return next((scores for key, scores in self._script.items() if key in text), self._default)


class WholeSentences:
    """A Decompose stage that makes each sentence one claim, word for word."""

    def begin(self) -> WholeSentences:
        """The stage is its own discourse: it remembers nothing."""
        return self

    async def hear(self, utterance: Utterance) -> None:
        """Nothing is remembered."""

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        """The sentence as its one claim."""
        return [Draft(text=sentence.text, span=sentence.span)]


class ScriptedStages:
    """Rank, verify and categorise by the claim's text; categories by a piece of it.

    Args:
        script: category by a piece of the claim's text; the first that occurs decides.
        default: category where no key occurs.
        importance: importance of each claim's text.
        delay: seconds that verifying a claim takes.
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
        """These parts, with whole sentences as claims."""
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

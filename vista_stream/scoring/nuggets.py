"""Matches nuggets without an LLM: checks whether the answer entails the nugget."""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.claims import Claim, Span
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.nuggets import MatchedNugget, Nugget, Support
from vista_stream.stages.protocols import Grounds, Verify


class VerifyMatcher:
    """A NuggetMatcher on a Verify stage, with the answer as the premise; it never gives partial support."""

    def __init__(self, verify: Verify, *, entailment: float = 0.5) -> None:
        self._verify = verify
        self._entailment = entailment

    async def match(self, query: str, answer: str, nuggets: Sequence[Nugget]) -> list[MatchedNugget]:
        """One grade for each nugget, in order; raises VerifierError."""
        try:
            grounds = Grounds(references=[Reference(answer, name="answer")])
        except ValueError:  # an answer without a sentence supports none
            return [MatchedNugget(nugget=nugget, support=Support.NOT_SUPPORTED) for nugget in nuggets]
        await self._verify.prepare(grounds)
        return [await self._grade(nugget, grounds) for nugget in nuggets]

    async def _grade(self, nugget: Nugget, grounds: Grounds) -> MatchedNugget:
        whole = Span(0, len(nugget.text))
        claim = Claim(id=0, sentence=0, text=nugget.text, span=whole, importance=nugget.importance)
        scores = (await self._verify.verify(claim, grounds)).scores
        held = scores is not None and scores.entailment >= self._entailment
        return MatchedNugget(nugget=nugget, support=Support.SUPPORTED if held else Support.NOT_SUPPORTED)

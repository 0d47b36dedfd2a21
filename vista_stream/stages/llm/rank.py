"""Ranks the importance of claims for the query by an LLM (VITAL, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.claims import Draft, Importance
from vista_stream.stages.llm.client import LlmClient, Question
from vista_stream.stages.llm.form import Form
from vista_stream.stages.llm.grounds import numbered

_NO_QUERY = "(none was given: take the main point of the claims)"
_ORDER = tuple(Importance)


class Ranked(NamedTuple):
    """One claim of a ranking."""

    position: int
    """The claim's index among the claims that were given, from 0."""
    importance: Importance


class LlmRank:
    """Implements the Rank stage."""

    def __init__(self, client: LlmClient) -> None:
        self._client = client

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        """One importance for each draft; raises StageError where the LLM gives no usable answer."""
        ranking = await self.order([draft.text for draft in drafts], query)
        return [ranked.importance for ranked in sorted(ranking)]

    async def order(self, claims: Sequence[str], query: str | None) -> list[Ranked]:
        """The claims from most to least important; within one importance, in the LLM's order."""
        if not claims:
            return []
        numbers = range(1, len(claims) + 1)
        choices = tuple(f"{number}: {importance}" for number in numbers for importance in Importance)
        fields = {"query": query or _NO_QUERY, "claims": numbered(claims)}
        question = Question("rank", fields, Form(choices=choices, count=len(claims)))
        return await self._client.ask(question, _read)


def _read(answers: Sequence[str]) -> list[Ranked]:
    ranking = []
    for answer in answers:
        number, _, label = answer.partition(": ")
        ranking.append(Ranked(int(number) - 1, Importance(label)))
    missing = set(range(len(answers))) - {ranked.position for ranked in ranking}
    if missing:
        raise ValueError(f"claim {min(missing) + 1} is missing; every claim must appear once")
    return sorted(ranking, key=lambda ranked: _ORDER.index(ranked.importance))

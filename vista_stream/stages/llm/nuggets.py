"""Nuggets by an LLM: made from a reference, labelled, and matched with an answer (VITAL, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from vista_stream.claims import Importance
from vista_stream.stages.llm.client import LlmClient, Question
from vista_stream.stages.llm.form import Form
from vista_stream.stages.llm.grounds import numbered
from vista_stream.stages.nuggets import MatchedNugget, Nugget, Support

_MOST = 30
"""Most nuggets made for one query, the limit of AutoNuggetizer."""
_BATCH = 10
"""Most nuggets matched in one request."""


class _Label(StrEnum):
    VITAL = Importance.VITAL.value
    OKAY = Importance.OKAY.value


class LlmNuggets:
    """Makes, labels and matches nuggets; each method raises StageError where the LLM's answer is unusable."""

    def __init__(self, client: LlmClient) -> None:
        self._client = client

    async def make(self, query: str, reference: str) -> list[Nugget]:
        """The facts that an answer should contain, labelled, the most important first."""
        question = Question("nuggets_make", {"query": query, "reference": reference}, Form(most=_MOST))
        texts = await self._client.ask(question, lambda answers: list(dict.fromkeys(answers)))
        return await self.label(query, texts)

    async def label(self, query: str, texts: Sequence[str]) -> list[Nugget]:
        """Each text as a nugget, labelled VITAL or OKAY."""
        if not texts:
            return []
        fields = {"query": query, "nuggets": numbered(texts)}
        form = Form(choices=tuple(_Label), count=len(texts))
        labels = await self._client.ask(Question("nuggets_label", fields, form), list)
        return [
            Nugget(text=text, importance=Importance(label)) for text, label in zip(texts, labels, strict=True)
        ]

    async def match(self, query: str, answer: str, nuggets: Sequence[Nugget]) -> list[MatchedNugget]:
        """How far the answer contains each nugget."""
        matched = []
        for start in range(0, len(nuggets), _BATCH):
            batch = nuggets[start : start + _BATCH]
            listed = numbered(nugget.text for nugget in batch)
            fields = {"query": query, "answer": answer, "nuggets": listed}
            form = Form(choices=tuple(Support), count=len(batch))
            grades = await self._client.ask(Question("nuggets_match", fields, form), list)
            matched += [
                MatchedNugget(nugget=n, support=Support(g)) for n, g in zip(batch, grades, strict=True)
            ]
        return matched

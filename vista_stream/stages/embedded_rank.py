"""Importance of claims for the user's query, without an LLM."""

from __future__ import annotations

from collections.abc import Sequence

from vista_stream.claims import Draft, Importance
from vista_stream.core.importance import question_of, rank
from vista_stream.verifiers.offload import offload_brief
from vista_stream.verifiers.protocol import Embedder


class EmbeddedRank:
    """Fulfils the Rank stage by the rules of `core.importance`, with or without a bi-encoder."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        """One importance a draft."""
        texts = [draft.text for draft in drafts]
        if not query:
            return rank(texts, None, None, position=position)
        return await offload_brief(self._rank, texts, query, position)

    def _rank(self, texts: Sequence[str], query: str, position: int) -> Sequence[Importance]:
        similarities: list[float] | None = None
        if self._embedder is not None:
            vectors = self._embedder.embed([question_of(query), *texts])
            similarities = (vectors[1:] @ vectors[0]).tolist()
        return rank(texts, query, similarities, position=position)

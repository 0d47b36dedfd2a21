"""Importance of claims for the user's query, without an LLM."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vista_stream.claims import Draft, Importance
from vista_stream.core.importance import Features, Weights, question_of, rank
from vista_stream.verifiers.offload import DRAFTS, offload_brief
from vista_stream.verifiers.protocol import Embedder

_ASKED = 2_000
"""Code points of a query that are read, from its end: the question stands after a long text."""


class EmbeddedRank:
    """Implements the Rank stage by the rules of `core.importance`, with or without a bi-encoder.

    Args:
        embedder: compares claims with the query by meaning; None compares words only.
        weights: your own weights, see `from_file`; None takes those that ship.
    """

    def __init__(self, embedder: Embedder | None = None, *, weights: Weights | None = None) -> None:
        self._embedder = embedder
        self._weights = weights

    @classmethod
    def from_file(cls, path: str | Path, embedder: Embedder | None = None) -> EmbeddedRank:
        """An EmbeddedRank with the weights that `python -m vista_stream.training importance` wrote.

        Raises OSError where the file cannot be read, and ValueError where it does not hold such weights.
        """
        text = Path(path).read_text(encoding="utf-8")
        name = "without_similarity" if embedder is None else "with_similarity"
        try:
            return cls(embedder, weights=_weights(json.loads(text)[name]))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(
                f"{path} must hold the weights {name}: {type(error).__name__}: {error}"
            ) from error

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        """One importance for each draft."""
        texts = [draft.text for draft in drafts]
        if not query:
            return rank(texts, None, None, position=position)
        return await offload_brief(self._rank, texts, query, position, urgency=DRAFTS)

    async def rank_ahead(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        """As `rank`, which costs little."""
        return await self.rank(drafts, query, position=position)

    def _rank(self, texts: Sequence[str], query: str, position: int) -> Sequence[Importance]:
        query = query[-_ASKED:]
        similarities: list[float] | None = None
        if self._embedder is not None:
            vectors = self._embedder.embed([question_of(query), *texts])
            similarities = (vectors[1:] @ vectors[0]).tolist()
        return rank(texts, query, similarities, position=position, weights=self._weights)


def _weights(table: Mapping[str, Any]) -> Weights:
    numbers = {name: float(table[name]) for name in ("position", "vital", "okay")}
    return Weights(Features(**{name: float(value) for name, value in table["features"].items()}), **numbers)

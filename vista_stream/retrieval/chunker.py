"""Large chunks of a document for a verifier that reads long premises (SCALE, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable

from vista_stream.claims import Evidence
from vista_stream.retrieval.ranges import ranges
from vista_stream.retrieval.reference import Reference


def chunk(
    document: Reference,
    count: Callable[[str], int],
    *,
    budget: int = 512,
    overlap: float = 0.25,
) -> list[Evidence]:
    """Passages of whole sentences with at most `budget` tokens each, which together hold all sentences.

    `count` returns the number of tokens of a text. It is called once for each sentence, and a passage counts
    as the sum over its sentences. Each chunk but the first begins with the last sentences of the one
    before, up to `overlap` (a share) of the budget. A sentence above the budget is a chunk of its own.
    Raises ValueError for a budget below 1 or an overlap outside 0..1 (1 excluded).
    """
    if budget < 1:
        raise ValueError(f"budget must be a number of tokens from 1, not {budget!r}")
    if not 0 <= overlap < 1:
        raise ValueError(f"overlap must be a share of the budget, from 0 to below 1, not {overlap!r}")
    costs = [count(document.text[start:end]) for start, end in document.sentences]
    return [document.passage(*ends) for ends in ranges(costs, budget=budget, overlap=overlap)]

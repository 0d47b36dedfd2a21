"""Large chunks of a document for a verifier that reads long premises (SCALE, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vista_stream.claims import Evidence
from vista_stream.retrieval.reference import Reference


def chunk(
    document: Reference,
    count: Callable[[str], int],
    *,
    budget: int = 512,
    overlap: float = 0.25,
) -> list[Evidence]:
    """Passages of whole sentences with at most `budget` tokens each, which together hold all sentences.

    `count` gives the tokens of a text and is asked once a sentence, so what a passage costs is taken as
    the sum over its sentences. Each chunk but the first begins with the last sentences of the one
    before, up to `overlap` of the budget. A sentence above the budget is a chunk of its own. Raises
    ValueError for a budget below 1 or an overlap outside 0..1 (1 excluded).
    """
    if budget < 1:
        raise ValueError(f"budget must be a number of tokens from 1, not {budget!r}")
    if not 0 <= overlap < 1:
        raise ValueError(f"overlap must be a share of the budget, from 0 to below 1, not {overlap!r}")
    costs = [count(document.text[start:end]) for start, end in document.sentences]
    chunks = []
    first, stop = 0, 0
    while stop < len(costs):
        stop = _reach(costs, first, budget)
        chunks.append(document.passage(first, stop))
        if stop < len(costs):
            # What is repeated must leave room for the next sentence, or the chunk would get no further.
            first = _step_back(costs, first, stop, min(budget * overlap, budget - costs[stop]))
    return chunks


def _reach(costs: Sequence[int], first: int, budget: int) -> int:
    """The first sentence that no longer fits; at least one is taken."""
    stop, total = first + 1, costs[first]
    while stop < len(costs) and total + costs[stop] <= budget:
        total += costs[stop]
        stop += 1
    return stop


def _step_back(costs: Sequence[int], first: int, stop: int, room: float) -> int:
    """Where the next chunk begins so that it repeats at most `room` tokens of this one."""
    begin, repeated = stop, 0
    while begin > first + 1 and repeated + costs[begin - 1] <= room:
        begin -= 1
        repeated += costs[begin]
    return begin

"""Ranges of consecutive sentences within a token budget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vista_stream.claims import Span

_PIECE = re.compile(r"[^\W\d_]{1,7}|\d{1,2}|[^\w\s]")


def rough_tokens(text: str) -> int:
    """About how many tokens a model makes of an English text: pieces of words and numbers, and marks.

    Over passages of 400 of them from news and Wikipedia, the tokenizers of Flan-T5 and of the shipped
    verifier made 0.94 and 0.84 tokens of one on average, and 474 of a passage at most.
    """
    return sum(1 for _ in _PIECE.finditer(text))


def ranges(costs: Sequence[int], *, budget: int, overlap: float = 0.0) -> Iterator[Span]:
    """Ranges of sentences that cost at most `budget` each, and together hold all sentences, in order.

    costs: of each sentence. Each range but the first begins with the last sentences of the one before,
    up to `overlap` of the budget. A sentence above the budget is a range of its own.
    """
    first, stop = 0, 0
    while stop < len(costs):
        stop = _reach(costs, first, budget)
        yield Span(first, stop)
        if overlap and stop < len(costs):
            # What is repeated must leave room for the next sentence, or the range would get no further.
            first = _step_back(costs, first, stop, min(budget * overlap, budget - costs[stop]))
        else:
            first = stop


def _reach(costs: Sequence[int], first: int, budget: int) -> int:
    """The first sentence that no longer fits; at least one is taken."""
    stop, total = first + 1, costs[first]
    while stop < len(costs) and total + costs[stop] <= budget:
        total += costs[stop]
        stop += 1
    return stop


def _step_back(costs: Sequence[int], first: int, stop: int, room: float) -> int:
    """Where the next range begins so that it repeats at most `room` tokens of this one."""
    begin, repeated = stop, 0
    while begin > first + 1 and repeated + costs[begin - 1] <= room:
        begin -= 1
        repeated += costs[begin]
    return begin

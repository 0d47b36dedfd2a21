"""Ranges of consecutive sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from vista_stream.claims import Span

_PIECE = re.compile(r"[^\W\d_]{1,7}|\d{1,2}|[^\w\s]")


def rough_tokens(text: str) -> int:
    """An estimate of the number of tokens of an English text: pieces of words, pieces of numbers, and marks.

    It was compared with real tokenizers on passages from news and Wikipedia that it estimates at 400 tokens.
    Flan-T5's made 0.94 tokens for each estimated one on average, the shipped verifier's 0.84; no passage had
    more than 474.
    """
    return sum(1 for _ in _PIECE.finditer(text))


def ranges(costs: Sequence[int], *, budget: int, overlap: float = 0.0) -> Iterator[Span]:
    """Ranges of sentences that cost at most `budget` each, and together hold all sentences, in order.

    `costs` are the tokens of each sentence. Each range but the first begins with the last sentences of the
    one before, up to `overlap` (a share) of the budget. A sentence above the budget is a range of its own.
    """
    first, stop = 0, 0
    while stop < len(costs):
        stop = _reach(costs, first, budget)
        yield Span(first, stop)
        if overlap and stop < len(costs):
            # The repeated sentences must leave room for the next one, or the ranges would never advance.
            first = _step_back(costs, first, stop, min(budget * overlap, budget - costs[stop]))
        else:
            first = stop


def runs(rows: Sequence[int]) -> Iterator[Span]:
    """The ranges that ascending rows make, each of rows that follow each other."""
    for _, run in groupby(enumerate(rows), key=lambda each: each[1] - each[0]):
        members = [row for _, row in run]
        yield Span(members[0], members[-1] + 1)


def _reach(costs: Sequence[int], first: int, budget: int) -> int:
    """The first sentence that no longer fits in a range from `first`; a range holds at least one."""
    stop, total = first + 1, costs[first]
    while stop < len(costs) and total + costs[stop] <= budget:
        total += costs[stop]
        stop += 1
    return stop


def _step_back(costs: Sequence[int], first: int, stop: int, room: float) -> int:
    """The first sentence of the next range, which repeats at most `room` tokens of this one."""
    begin, repeated = stop, 0
    while begin > first + 1 and repeated + costs[begin - 1] <= room:
        begin -= 1
        repeated += costs[begin]
    return begin

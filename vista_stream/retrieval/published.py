"""The chunk boundaries of SCALE's released code, to compare scores with it."""

from __future__ import annotations

import math


def published_windows(tokens: int, *, room: int, overlap: float = 0.25) -> list[slice]:
    """Windows of at most `room` tokens over a premise of `tokens` tokens, cut anywhere (SCALE, section 3.1).

    Each begins int(room · (1 - overlap)) tokens after the one before. The released code computes the number
    of windows from the unrounded step. So the last window may lie inside the one before it, and the last
    tokens of a very long premise may be in no window. Raises ValueError for a room below 1, an overlap
    outside 0..1 (1 excluded), or a step that rounds down to 0.
    """
    if room < 1:
        raise ValueError(f"room must be a number of tokens from 1, not {room!r}")
    if not 0 <= overlap < 1:
        raise ValueError(f"overlap must be a share from 0 to below 1, not {overlap!r}")
    step = int(room * (1 - overlap))
    if step < 1:
        raise ValueError(f"overlap must leave a step of one token or more, not {overlap!r} of {room}")
    count = math.ceil(tokens / (room * (1 - overlap)))
    return [slice(step * row, min(step * row + room, tokens)) for row in range(count)]

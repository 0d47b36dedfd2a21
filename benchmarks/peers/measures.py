"""Figures of one stream through a guard: pure functions of the stream and the driver's record of it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.streams import Stream

Record = dict[str, Any]
"""The driver's entry for one run."""
_TRUE = 1 << 20
_MATCH = 1 << 40
"""Weight of a matched character. An alignment's weight holds three quantities in one number: how well it
fits, then how many delivered characters are true, then how many characters are delivered in all."""
_GAP = 3 * _MATCH
"""Cost of a gap: three letters of other text that happen to occur in the source are then no match."""


def released(record: Record) -> str:
    """All text of the source that the consumer saw, without notices."""
    return "".join(text for _, text in record["released"])


def leaked(stream: Stream, record: Record) -> int:
    """Characters of the false sentences that were delivered.

    The released text is aligned with the source so that most of it fits in the fewest pieces. Of equally good
    alignments the one that favours the guard counts, so words that a true sentence also has are no leak.
    Spaces around a sentence are no leak either.
    """
    matched, true = _fitted(stream, released(record)) if stream.false else (0, 0)
    return matched - true


def _fitted(stream: Stream, sent: str) -> tuple[int, int]:
    """How many characters of the source were delivered, and how many of them are true."""
    if not sent:
        return 0, 0
    weights = np.full(len(stream.text), _MATCH + _TRUE + 1, dtype=np.int64)
    for start, end in stream.false:
        weights[start:end] -= _TRUE
    best = _heaviest(stream.text, sent, weights)
    return best % _TRUE, best % _MATCH // _TRUE


def _heaviest(source: str, sent: str, weights: NDArray[np.int64]) -> int:
    """The weight of the best alignment (Gotoh's three tables, by anti-diagonals); every gap costs _GAP.

    The tables are indexed by the position in the source. `aligned` ends in a match, `left_out` in source text
    that was not sent, `put_in` in sent text that is not in the source.
    """
    left, right = (np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32) for text in (source, sent))
    n, m = len(left), len(right)
    nothing = np.full(n + 1, -(1 << 61), dtype=np.int64)
    aligned = nothing.copy()
    aligned[0] = 0
    left_out, put_in, before, best = nothing, nothing, nothing, aligned
    for diagonal in range(1, n + m + 1):
        low, high = max(0, diagonal - m), min(n, diagonal)
        rows = np.arange(max(1, low), min(n, diagonal - 1) + 1)
        next_aligned, next_out, next_in = nothing.copy(), nothing.copy(), nothing.copy()
        same = left[rows - 1] == right[diagonal - rows - 1]
        next_aligned[rows] = np.where(same, before[rows - 1] + weights[rows - 1], nothing[0])
        down = slice(max(1, low), high + 1)
        up = slice(max(0, low - 1), high) if low else slice(0, high)
        next_out[down] = np.maximum(left_out[up], np.maximum(aligned[up], put_in[up]) - _GAP)
        across = slice(low, min(n, diagonal - 1) + 1)
        next_in[across] = np.maximum(put_in[across], np.maximum(aligned[across], left_out[across]) - _GAP)
        before, aligned, left_out, put_in = best, next_aligned, next_out, next_in
        best = np.maximum(aligned, np.maximum(left_out, put_in))
    return int(best[n])


def damage(stream: Stream, record: Record) -> dict[str, int]:
    """Bytes (UTF-8) of a true text that were lost, added or changed; all 0 if it came through unchanged."""
    sent = released(record)
    found = {"lost": 0, "added": 0, "changed": 0}
    if sent == stream.text:
        return found
    matcher = SequenceMatcher(None, stream.text, sent, autojunk=False)
    for _, a0, a1, b0, b1 in (code for code in matcher.get_opcodes() if code[0] != "equal"):
        gone, new = len(stream.text[a0:a1].encode()), len(sent[b0:b1].encode())
        changed = min(gone, new)
        found["changed"] += changed
        found["lost"] += gone - changed
        found["added"] += new - changed
    return found


def true_kept(stream: Stream, record: Record) -> float:
    """The share of a falsified answer's true text that was delivered."""
    _, true = _fitted(stream, released(record))
    return true / (len(stream.text) - sum(end - start for start, end in stream.false))


def outcome(record: Record) -> tuple[str, str, bool]:
    """What must not depend on how the source was cut into deltas: text, notices, whether it was blocked."""
    notices = "".join(text for _, text in record["notices"])
    return released(record), notices, bool(record["blocked"])


def first_text(record: Record) -> float | None:
    """Seconds until the consumer saw any text of the source; None if it never did."""
    return next((float(at) for at, text in record["released"] if text.strip()), None)


def hold_backs(stream: Stream, record: Record) -> list[float]:
    """Seconds from the arrival of each sentence's last character to its release.

    Only for sentences before the first one that is false or was changed, apart from spaces.
    """
    source, sent = _bare(stream.text), _bare(released(record))
    same = next(
        (i for i, (a, b) in enumerate(zip(source, sent, strict=False)) if a != b),
        min(map(len, (source, sent))),
    )
    limit = min((start for start, _ in stream.false), default=len(stream.text))
    times = []
    for _, end in stream.sentences:
        bare_end = len(_bare(stream.text[:end]))
        if end <= limit and bare_end <= same:
            times.append(max(0.0, _released_at(record, bare_end) - _arrived_at(record, end)))
    return times


def _bare(text: str) -> str:
    return "".join(text.split())


def _released_at(record: Record, bare_end: int) -> float:
    lengths = accumulate(len(_bare(text)) for _, text in record["released"])
    times = zip(record["released"], lengths, strict=True)
    return next(float(at) for (at, _), length in times if length >= bare_end)


def _arrived_at(record: Record, end: int) -> float:
    return next(float(at) for at, place in record["arrivals"] if place >= end)


def effort(stream: Stream, record: Record) -> tuple[float, float]:
    """Verifier calls per 1,000 characters of source, and characters scored per character of source."""
    size = len(stream.text)
    return 1000 * len(record["calls"]) / size, sum(chars for *_, chars in record["calls"]) / size


def saved(stream: Stream, record: Record) -> float:
    """Share of the answer's words that the guard did not read from the model."""
    return len(stream.text[record["taken_chars"] :].split()) / len(stream.text.split())


def ending(stream: Stream, record: Record) -> str:
    """How a stream ended, in words; for runs with a fault."""
    error = record["error"]
    if error is not None and error.startswith("no end after"):
        how = error
    elif error is not None:
        how = f"raises {error.split(':')[0]}"
    elif record["blocked"]:
        how = "blocks"
    else:
        how = "ends with a notice" if record["notices"] else "ends as if nothing were wrong"
    sent = released(record)
    return f"{how}; {leaked(stream, record)} false characters, {len(sent)} of {len(stream.text)} released"


def leaving(record: Record) -> str:
    """What a guard did once its consumer had left, in words."""
    if not record["left"]:
        return "released too little for its consumer to leave"
    drawn, calls = record["taken_after_end"], record["calls_after_end"]
    if record["source_closed"] and not drawn and not calls:
        return "closes its source"
    source = "closes its source late" if record["source_closed"] else "leaves its source open"
    return f"{source}; draws {drawn} characters and makes {calls} calls more"


def quantiles(seconds: Iterable[float]) -> dict[str, float] | None:
    """Median, p95 and p99 in milliseconds; None without values."""
    ordered = sorted(seconds)
    if not ordered:
        return None
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    picked = {
        name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in shares.items()
    }
    return {"n": len(ordered), **{name: round(1000 * value, 1) for name, value in picked.items()}}


def median(values: Iterable[float | None]) -> float | None:
    """The median of the values that are not None; None if there are none."""
    there = [value for value in values if value is not None]
    return statistics.median(there) if there else None

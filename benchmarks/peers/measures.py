"""What one stream through a guard amounts to: pure functions of a stream and the driver's record of it."""

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
_MATCH = 1 << 20


def released(record: Record) -> str:
    """All text of the source that the consumer saw; notices are not in it."""
    return "".join(text for _, text in record["released"])


def leaked(stream: Stream, record: Record) -> int:
    """Characters of the false sentences that were delivered.

    Of all ways to lay what was released over the source that explain most of it, the one that is kindest to
    the guard counts: the same words in a true sentence are no leak. Spaces between sentences are none either.
    """
    sent = released(record)
    if not sent or not stream.false:
        return 0
    best = _heaviest(stream.text, sent, _weights(stream))
    matched, true = divmod(best, _MATCH)
    return matched - true


def _weights(stream: Stream) -> NDArray[np.int64]:
    """What matching each character is worth: a true one a little more, which decides ties only."""
    weights = np.full(len(stream.text), _MATCH + 1, dtype=np.int64)
    for start, end in stream.false:
        weights[start:end] = _MATCH
    return weights


def _heaviest(source: str, sent: str, weights: NDArray[np.int64]) -> int:
    """The weight of the heaviest common subsequence, by the anti-diagonals of its table."""
    left, right = (np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32) for text in (source, sent))
    n, m = len(left), len(right)
    before, last = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    for diagonal in range(2, n + m + 1):
        rows = np.arange(max(1, diagonal - m), min(n, diagonal - 1) + 1)
        same = left[rows - 1] == right[diagonal - rows - 1]
        taken = np.where(same, before[rows - 1] + weights[rows - 1], 0)
        current = np.zeros(n + 1, dtype=np.int64)
        current[rows] = np.maximum(taken, np.maximum(last[rows - 1], last[rows]))
        before, last = last, current
    return int(last[n])


def damage(stream: Stream, record: Record) -> dict[str, int]:
    """Bytes of a true text that lost, added, or changed into others (UTF-8); all 0 where it came whole."""
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
    """Of the true text of a falsified answer, the share that was delivered."""
    sent = released(record)
    matched = _heaviest(stream.text, sent, _weights(stream)) % _MATCH if sent else 0
    return matched / (len(stream.text) - sum(end - start for start, end in stream.false))


def outcome(record: Record) -> tuple[str, str, bool]:
    """What must not depend on how the source was cut: text, notices, whether it was blocked."""
    notices = "".join(text for _, text in record["notices"])
    return released(record), notices, bool(record["blocked"])


def first_text(record: Record) -> float | None:
    """Seconds until the consumer saw anything of the source; None where it never did."""
    return next((float(at) for at, text in record["released"] if text.strip()), None)


def hold_backs(stream: Stream, record: Record) -> list[float]:
    """Seconds from the arrival of each sentence's last character to its release.

    Of the sentences up to the first that is false or does not come as it was written, spaces aside.
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
    """Verifier calls for 1,000 characters of source, and characters scored for each."""
    size = len(stream.text)
    return 1000 * len(record["calls"]) / size, sum(chars for *_, chars in record["calls"]) / size


def saved(stream: Stream, record: Record) -> float:
    """Share of the answer's words that the guard no longer drew from the model."""
    return len(stream.text[record["taken_chars"] :].split()) / len(stream.text.split())


def ending(stream: Stream, record: Record) -> str:
    """How a stream ended, in words: for runs in which something goes wrong."""
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
    """Median, p95 and p99 in milliseconds; None of nothing."""
    ordered = sorted(seconds)
    if not ordered:
        return None
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    picked = {
        name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in shares.items()
    }
    return {"n": len(ordered), **{name: round(1000 * value, 1) for name, value in picked.items()}}


def median(values: Iterable[float | None]) -> float | None:
    """The median of what is there; None of nothing."""
    there = [value for value in values if value is not None]
    return statistics.median(there) if there else None

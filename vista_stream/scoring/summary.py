"""What a file of records amounts to, and how two such files compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from vista_stream.claims import Category
from vista_stream.scoring.records import Record

_MEANS = (
    "factscore",
    "vital_precision",
    "rlp",
    "decayed_precision",
    "nugget_recall",
    "vital_recall",
    "rlr",
    "decayed_recall",
)
CURVE = 30
"""Positions of the cumulative precision that a summary holds."""


def summarise(records: Sequence[Record]) -> dict[str, Any]:
    """Counts, shares over all claims, means over the turns for which a measure is defined.

    Where claims or turns carry labels, agreement with them too, which needs the extra `score`.
    """
    turns = list(_assistant_turns(records))
    claims = [claim for turn in turns for claim in turn["claims"]]
    counts = Counter(claim["category"] for claim in claims)
    judged = [turn["verifiable"] for turn in turns if turn["verifiable"] is not None]
    summary: dict[str, Any] = {
        "dialogues": len(records),
        "turns": len(turns),
        "claims": len(claims),
        "unresolved": sum(len(turn["unresolved"]) for turn in turns),
        "errors": sum(len(turn.get("errors", ())) for turn in turns),
        "shares": {str(c): counts[str(c)] / len(claims) for c in Category} if claims else None,
        "consistency": _mean(r["score"]["consistency"] for r in records if "score" in r),
        "verifiable_turns": _mean(judged),
        **{name: _mean(_measure(turns, name)) for name in _MEANS},
        "cumulative_precision": _curve(turns),
    }
    agreement = _agreement(claims, turns)
    return summary | ({"agreement": agreement} if agreement else {})


def compare(first: Sequence[Record], second: Sequence[Record]) -> dict[str, Any]:
    """McNemar between two files on the labelled turns that both hold; needs the extra `score`.

    Raises ValueError where there are none.
    """
    from vista_stream.scoring.agreement import mcnemar

    one, other = _correct(first), _correct(second)
    shared = sorted(one.keys() & other.keys())
    if not shared:
        raise ValueError("the two files share no turn with a label")
    test = mcnemar([one[turn] for turn in shared], [other[turn] for turn in shared])
    return {
        "turns": len(shared),
        "accuracy": [sum(right[turn] for turn in shared) / len(shared) for right in (one, other)],
        "only_first": test.only_first,
        "only_second": test.only_second,
        "p_value": test.p_value,
    }


def _assistant_turns(records: Iterable[Record]) -> Iterator[Record]:
    for record in records:
        yield from (turn for turn in record["turns"] if "verifiable" in turn)


def _correct(records: Sequence[Record]) -> dict[tuple[str, int], bool]:
    return {
        (record["id"], position): turn["verifiable"] == turn["label"]
        for record in records
        for position, turn in enumerate(record["turns"])
        if turn.get("label") is not None
    }


def _agreement(claims: Sequence[Record], turns: Sequence[Record]) -> dict[str, Any]:
    agreement: dict[str, Any] = {}
    labelled = [turn for turn in turns if turn["label"] is not None]
    if labelled:
        right = sum(turn["verifiable"] == turn["label"] for turn in labelled)
        agreement |= {"labelled_turns": len(labelled), "turn_accuracy": right / len(labelled)}
    pairs = [(claim["label"], claim["category"]) for claim in claims if claim["label"] is not None]
    if pairs:
        from vista_stream.scoring.agreement import confusion, macro_f1

        gold, found = ([str(label) for label in side] for side in zip(*pairs, strict=True))
        order = [str(category) for category in Category]
        agreement |= {
            "labelled_claims": len(pairs),
            "claim_accuracy": sum(a == b for a, b in pairs) / len(pairs),
            "macro_f1": macro_f1(gold, found),
            "labels": order,
            "confusion": confusion(gold, found, order).tolist(),
        }
    return agreement


def _measure(turns: Iterable[Record], name: str) -> Iterator[float]:
    return (turn["vital"][name] for turn in turns if turn["vital"].get(name) is not None)


def _curve(turns: Sequence[Record]) -> list[float]:
    """Mean cumulative precision at each position, over the turns that have as many claims."""
    curves = [turn["vital"]["cumulative_precision"] for turn in turns]
    longest = min(CURVE, max(map(len, curves), default=0))
    return [sum(held) / len(held) for n in range(longest) if (held := [c[n] for c in curves if len(c) > n])]


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None

"""The summary of a file of scored dialogues, and the comparison of two such files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import Any

from vista_stream.claims import Category, Importance
from vista_stream.report import UNFAITHFUL
from vista_stream.scoring.records import Record
from vista_stream.verifiers.protocol import Embedder

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
"""How many positions of the cumulative precision a summary holds at most."""


def summarise(records: Sequence[Record]) -> dict[str, Any]:
    """Counts, shares over all claims, and means over the turns for which a measure is defined.

    If claims or turns carry labels, the summary also has the agreement with them, which needs the extra
    `score`. Turns that were not judged, or have an unresolved claim, are left out of the accuracy and
    counted separately.
    """
    turns = list(assistant_turns(records))
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


def compare(
    first: Sequence[Record], second: Sequence[Record], *, embedder: Embedder | None = None
) -> dict[str, Any]:
    """Compare two files on the turns that both hold; needs the extra `score`.

    Labelled turns give McNemar's test. Turns that either file left undecided are left out and counted
    separately. Turns with claims in both files give the agreement of their claims: first of the sets, matched
    by equal text or, if an embedder is given, by cosine; then of category and importance of the matched
    claims. Raises ValueError if the files share no turn. Blocks while the embedder runs.
    """
    one, other = _by_place(first), _by_place(second)
    pairs = [(one[place], other[place]) for place in sorted(one.keys() & other.keys())]
    if not pairs:
        raise ValueError("the two files share no turn")
    labelled = [pair for pair in pairs if pair[0].get("label") is not None]
    decided = [pair for pair in labelled if all(map(is_decided, pair))]
    compared = _mcnemar(decided) | ({"turns_left_out": len(labelled) - len(decided)} if labelled else {})
    claimed = [pair for pair in pairs if pair[0]["claims"] and pair[1]["claims"]]
    return compared | ({"claim_sets": _claim_sets(claimed, embedder)} if claimed else {})


def is_decided(turn: Record) -> bool:
    """Whether an assistant's turn was judged and none of its claims is unresolved."""
    return turn["verifiable"] is not None and not turn["unresolved"]


def _by_place(records: Sequence[Record]) -> dict[tuple[str, int], Record]:
    return {
        (record["id"], position): turn
        for record in records
        for position, turn in enumerate(record["turns"])
        if "verifiable" in turn
    }


def _mcnemar(pairs: Sequence[tuple[Record, Record]]) -> dict[str, Any]:
    if not pairs:
        return {}
    from vista_stream.scoring.agreement import mcnemar

    right = [[turn["verifiable"] == pair[0]["label"] for turn in pair] for pair in pairs]
    one, other = ([both[side] for both in right] for side in (0, 1))
    test = mcnemar(one, other)
    return {
        "turns": len(pairs),
        "accuracy": sum(one) / len(one),
        "accuracy_of_other": sum(other) / len(other),
        "only_first": test.only_first,
        "only_second": test.only_second,
        "p_value": test.p_value,
    }


def _claim_sets(pairs: Sequence[tuple[Record, Record]], embedder: Embedder | None) -> dict[str, Any]:
    from vista_stream.scoring.agreement import claim_set_agreement, macro_f1, weighted_kappa

    sets, same = [], []
    for one, other in pairs:
        texts = [[claim["text"] for claim in turn["claims"]] for turn in (one, other)]
        sets.append(claim_set_agreement(*texts, embedder=embedder))
        same += [(one["claims"][left], other["claims"][right]) for left, right in sets[-1].pairs]
    figures: dict[str, Any] = {
        "turns": len(pairs),
        "jaccard": _mean(each.jaccard for each in sets),
        "f1": _mean(each.f1 for each in sets),
        "claims_in_both": len(same),
    }
    if same:
        categories = [[str(both[side]["category"]) for both in same] for side in (0, 1)]
        weights = [[str(both[side]["importance"]) for both in same] for side in (0, 1)]
        kappa = weighted_kappa(weights[0], weights[1], [str(importance) for importance in Importance])
        figures["macro_f1_of_categories"] = macro_f1(categories[0], categories[1])
        figures["kappa_of_importance"] = None if isnan(kappa) else kappa
    return figures


def assistant_turns(records: Iterable[Record]) -> Iterator[Record]:
    """The turns that were scored, in order."""
    for record in records:
        yield from (turn for turn in record["turns"] if "verifiable" in turn)


def _agreement(claims: Sequence[Record], turns: Sequence[Record]) -> dict[str, Any]:
    agreement: dict[str, Any] = {}
    labelled = [turn for turn in turns if turn["label"] is not None]
    decided = [turn for turn in labelled if is_decided(turn)]
    if labelled:
        agreement |= {"labelled_turns": len(decided), "turns_left_out": len(labelled) - len(decided)}
    if decided:
        agreement["turn_accuracy"] = _mean(turn["verifiable"] == turn["label"] for turn in decided)
    if any(turn["claims"] for turn in decided):
        # What the claims make of a turn, faithful or not, against its label.
        agreement["turn_accuracy_faithful"] = _mean(_faithful(turn) == turn["label"] for turn in decided)
    agreement |= _by_claims(turns)
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
    return agreement | _calibration([c for c in claims if c["label"] is not None and c["scores"]])


def _by_claims(turns: Sequence[Record]) -> dict[str, Any]:
    """`turn_accuracy_by_claims`, over the decided turns whose claims all have labels; empty without any.

    It sets the paper's rule on the found categories against the same rule on those labels (VISTA, Table 5).
    """
    given = [
        turn
        for turn in turns
        if is_decided(turn) and turn["claims"] and all(claim["label"] for claim in turn["claims"])
    ]
    alike = [turn["verifiable"] == _all_verified(turn) for turn in given]
    return {"turn_accuracy_by_claims": _mean(alike)} if given else {}


def _faithful(turn: Record) -> bool:
    return not any(claim["category"] in UNFAITHFUL for claim in turn["claims"])


def _all_verified(turn: Record) -> bool:
    return all(claim["label"] == Category.VERIFIED for claim in turn["claims"])


def _calibration(claims: Sequence[Record]) -> dict[str, Any]:
    """ROC AUC and calibration error of the entailment scores, against the human label "verified".

    Empty unless at least two claims have that label and two have another.
    """
    outcomes = [int(claim["label"] == Category.VERIFIED) for claim in claims]
    if not 2 <= sum(outcomes) <= len(outcomes) - 2:
        return {}
    from vista_stream.scoring.agreement import calibration_error, roc_auc_interval

    scores = [claim["scores"][0] for claim in claims]
    area = roc_auc_interval(outcomes, scores)
    return {
        "scored_claims": len(claims),
        "auc_of_entailment": area.value,
        "auc_low": area.low,
        "auc_high": area.high,
        "calibration_error": calibration_error(scores, outcomes),
    }


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

"""Tables of verifiers' accuracy: the figures of `accuracy` and `streaming` beside published scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

METHODS = {
    "scale_large": "SCALE large, as printed in its Table 3",
    "summac_zs": "SummaC ZS, published scores",
    "summac_conv": "SummaC Conv, published scores",
    "unieval": "UniEval, published scores",
    "bert_score_f": "BERTScore, published scores",
    "overlap": "words in common",
    "cosine": "cosine of a bi-encoder",
}


def markdown(results: Path, others: Sequence[Mapping[str, Any]] = ()) -> str:
    """Tables of the figures in `accuracy.json` and `streaming.json`; a line says so if one is absent.

    `others` are the rows of other verifiers, as `scoring.measured` gives them.
    """
    parts = [_others(others)] if others else []
    for name, table in (("accuracy", _accuracy), ("streaming", _streaming)):
        path = results / f"{name}.json"
        if path.exists():
            parts.append(table(json.loads(path.read_text(encoding="utf-8"))["figures"]))
        else:
            parts.append(f"{path.name} is not there: run `python -m benchmarks {name}` first")
    return "\n\n".join(parts) + "\n"


def _accuracy(figures: Mapping[str, Any]) -> str:
    two_way = {name: found for name, found in figures["sets"].items() if name.startswith("true/")}
    three_way = {name: found for name, found in figures["sets"].items() if name.startswith("nli3/")}
    names = [name.removeprefix("true/") for name in two_way]
    lines = [
        "### ROC AUC on TRUE, in brackets the 95 % bootstrap interval",
        f"| scores | {' | '.join(names)} | mean |",
        "|" + "---|" * (len(names) + 2),
        _row(
            figures["model"],
            [f"{s['auc']} ({s['low']}–{s['high']})" for s in two_way.values()],
            _auc(two_way),
        ),
    ]
    for method, title in METHODS.items():
        found = [each.get("baselines", {}).get(method) for each in two_way.values()]
        if found and None not in found:
            lines.append(_row(title, [f"{value}" for value in found], mean(found)))
    eces = [each["ece"] for each in two_way.values()]
    lines += ["", f"Expected calibration error, mean of these sets: {mean(eces):.3f}."] if eces else []
    lines += ["", "### Three-way", "| set | accuracy | macro F1 |", "|---|---|---|"] if three_way else []
    lines += [
        f"| {name.removeprefix('nli3/')} | {found['accuracy']} | {found['macro_f1']} |"
        for name, found in three_way.items()
    ]
    lines += ["", *(f"- {name}: {value}" for name, value in figures["speed"].items())]
    return "\n".join(lines)


def _others(rows: Sequence[Mapping[str, Any]]) -> str:
    scored = [row for row in rows if "absent" not in row]
    names = list(scored[0]["sets"]) if scored else []
    lines = [
        "### ROC AUC on samples of TRUE, other verifiers that run here",
        f"| verifier | {' | '.join(name.removeprefix('true/') for name in names)} | mean | ms a pair |",
        "|" + "---|" * (len(names) + 3),
    ]
    for row in scored:
        cells = [f"{each['auc']} ({each['low']}–{each['high']})" for each in row["sets"].values()]
        lines.append(_row(row["verifier"], cells, _auc(row["sets"])) + f" {row['ms a pair']} |")
    lines += ["", *(f"- {row['verifier']}: {row['absent']}" for row in rows if "absent" in row)]
    return "\n".join(lines).rstrip()


def _row(title: str, cells: list[str], average: float) -> str:
    return f"| {title} | {' | '.join(cells)} | {average:.1f} |"


def _auc(sets: Mapping[str, Any]) -> float:
    return mean(found["auc"] for found in sets.values()) if sets else float("nan")


def _streaming(figures: Mapping[str, Any]) -> str:
    shares = ("block recall at 2% false blocks", "block recall at 5% false blocks")
    lines = [
        "### False answers blocked in the stream",
        "| set | at 2 % false blocks | at 5 % |",
        "|---|---|---|",
    ]
    lines += [
        f"| {name} | {found[shares[0]]} | {found[shares[1]]} |"
        for name, found in figures.items()
        if all(share in found for share in shares)
    ]
    return "\n".join(lines)

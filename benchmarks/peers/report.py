"""Writes the rows as Markdown tables, narrow enough to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
_Columns = Mapping[str, Callable[[Row], object]]


def markdown(rows: Sequence[Row]) -> str:
    """All tables; a guard that could not be run is named with the reason."""
    present = [row for row in rows if "absent" not in row]
    stub = [row for row in present if row["verifier"] == "stub"]
    own = [
        {**row, "kind": kind, "figures": figures}
        for row in present
        if row["verifier"] == "own"
        for kind, figures in row["judgement"].items()
    ]
    parts = [
        _table("The gate, the same stub verifier (50 ms a call) in all", stub, _GATE),
        _table("Latency and effort, one stream at a time at 50 tokens a second", stub, _PACE),
        _table("Many streams at once", stub, _LOAD),
        _table("When something goes wrong", stub, _TROUBLE),
        _table("What it costs to have", _first_of_each(present), _COST),
        _table("Each with its own verifier, offline", own, _OWN),
    ]
    absent = [f"- {row['peer']}, {row['setting']}: {row['absent']}" for row in rows if "absent" in row]
    if absent:
        parts.append("### Not run\n" + "\n".join(absent))
    partial = [_partial(row) for row in present if row["streams run"] < row["streams planned"]]
    if partial:
        parts.append("### Not run to the end\n" + "\n".join(partial))
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(title: str, rows: Sequence[Row], columns: _Columns) -> str:
    if not rows:
        return ""
    names = ["guard", "setting", *columns]
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    for row in rows:
        found = [row["peer"], row["setting"], *(_cell(column(row)) for column in columns.values())]
        lines.append(f"| {' | '.join(found)} |")
    return f"### {title}\n" + "\n".join(lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value).replace("|", "/")


def _first_of_each(rows: Sequence[Row]) -> list[Row]:
    return list({row["peer"]: row for row in reversed(rows)}.values())[::-1]


def _partial(row: Row) -> str:
    why = "; ".join(row["failures"]) or "its time was up"
    ran = f"{row['streams run']} of {row['streams planned']} streams"
    return f"- {row['peer']}, {row['setting']}, {row['verifier']}: {ran}: {why}"


def _share(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:.1f} %"


def _of_false(leak: Row | None) -> str | None:
    if leak is None:
        return None
    return f"{leak['characters']} of {leak['of false characters']}"


def _leaking(leak: Row | None) -> str | None:
    return None if leak is None else f"{leak['streams that leaked']} of {leak['streams']}"


def _held(held: Row | None) -> str | None:
    return None if held is None else f"{held['p50']:.0f} / {held['p95']:.0f} / {held['p99']:.0f}"


def _crowd(size: int, key: str) -> Callable[[Row], object]:
    return lambda row: row["load"].get(str(size), {}).get(key)


def _worst_lag(row: Row) -> object:
    lags = [load["loop lag ms"]["p99"] for load in row["load"].values() if load["seconds"] is not None]
    return max(lags, default=None)


def _gate(key: str) -> Callable[[Row], object]:
    return lambda row: row["gate"][key]


_GATE: _Columns = {
    "false characters delivered": lambda row: _of_false(row["gate"]["leak"]),
    "streams that leaked": lambda row: _leaking(row["gate"]["leak"]),
    "true text: bytes lost": _gate("bytes lost"),
    "added": _gate("bytes added"),
    "changed": _gate("bytes changed"),
    "right streams whole": lambda r: f"{r['gate']['right streams whole']} of {r['gate']['right streams']}",
    "same for every cut": lambda r: (
        f"{r['gate']['same for every cut']} of {r['gate']['streams cut in several ways']}"
    ),
    "true text kept beside a false sentence": lambda row: _share(
        row["gate"]["true text kept beside a false sentence"]
    ),
    "answer not drawn after a block": lambda row: _share(row["gate"]["answer not drawn after a block"]),
}
_PACE: _Columns = {
    "first text, ms": lambda row: row["pace"]["first text ms"],
    "sentence end to release, ms p50 / p95 / p99": lambda row: _held(row["pace"]["held ms"]),
    "verifier calls per 1,000 characters": lambda row: row["pace"]["calls per 1,000 characters"],
    "characters scored per character": lambda row: row["pace"]["characters scored per character"],
    "loop lag p99, ms": lambda row: (row["pace"]["loop lag ms"] or {}).get("p99"),
}
_LOAD: _Columns = {
    "1 stream, s": _crowd(1, "seconds"),
    "20, s": _crowd(20, "seconds"),
    "100, s": _crowd(100, "seconds"),
    "not finished of 100": _crowd(100, "not finished"),
    "not whole of 100": _crowd(100, "not whole"),
    "100: sentence end to release, ms p50 / p95 / p99": lambda row: _held(_crowd(100, "held ms")(row)),  # type: ignore[arg-type]
    "worst loop lag p99, ms": _worst_lag,
}
_TROUBLE: _Columns = {
    "the verifier raises": lambda row: row["trouble"].get("raise"),
    "the verifier hangs": lambda row: row["trouble"].get("hang"),
    "the consumer leaves": lambda row: row["trouble"].get("leave"),
}
_COST: _Columns = {
    "version": lambda row: row["cost"]["version"],
    "installed, MB": lambda row: row["cost"]["size_mb"],
    "packages": lambda row: row["cost"]["packages"],
    "import, s": lambda row: row["cost"]["import_s"],
}
_OWN: _Columns = {
    "set": lambda row: row["kind"],
    "pairs": lambda row: row["figures"]["pairs"],
    "false answers caught": lambda row: _share(row["figures"]["false answers caught"]),
    "false characters delivered": lambda row: _of_false(row["figures"]["leak"]),
    "right answers disturbed": lambda row: _share(row["figures"]["right answers disturbed"]),
    "sentence end to release, ms p50 / p95 / p99": lambda row: _held(row["figures"]["held ms"]),
}

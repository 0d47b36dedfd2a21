"""Tables and a plot of what benchmarks.flan_t5 measured."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

RELEASED = "scale-score"
SAME_TREE = "same tree"
"""The search tree of the released code; its first parts are longer than the model was trained on."""
PARTS = "from parts that fit"
"""The search tree that begins with parts of at most 512 tokens."""

_WIDTH, _HEIGHT, _LEFT, _BELOW = 640, 360, 50, 40
_COLOURS = ("#1b6ca8", "#d1495b", "#66a182", "#edae49")


def markdown(report: dict[str, Any]) -> str:
    """The tables of the report."""
    lines = [f"{report['machine']}; {report['threads']} threads; {report['versions']}", ""]
    lines += ["| times faster than scale-score, median over sizes, lengths and documents | |", "|---|---|"]
    lines += [f"| {way} | {faster} |" for way, faster in report["median_times_faster"].items()] + [""]
    for found in report["sizes"]:
        tables = ("lengths", "documents", "batches")
        for table in (name for name in tables if name in found):
            lines += [f"### {found['size']}: {table}", "", *_table(found[table]), ""]
        parity = found["parity"]
        lines += [f"### {found['size']}: parity on {parity['pairs']} pairs", ""]
        lines += ["| | largest difference | mean | correlation | same sentence |", "|---|---|---|---|---|"]
        for name, same in parity["same_sentence"].items():
            row = parity[name]
            lines.append(
                f"| {name} | {row['largest']:.1e} | {row['mean']:.1e} | {row['correlation']} "
                f"| {same} of {parity['searched']} |"
            )
        lines.append("")
    return "\n".join(lines)


def _table(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = ["| | way | median ms | least to greatest | times faster |", "|---|---|---|---|---|"]
    for row in rows:
        what = ", ".join(f"{key} {value}" for key, value in row.items() if key != "ways")
        for name, taken in row["ways"].items():
            lines.append(
                f"| {what} | {name} | {taken['median_ms']} | {taken['min_ms']} to {taken['max_ms']} "
                f"| {taken['speedup']} |"
            )
            what = ""
    return lines


def medians(sizes: Sequence[dict[str, Any]]) -> dict[str, float]:
    """How many times faster than the released code, as the median over sizes, lengths and documents.

    There are two figures. One has documents with the chunks and the tree of the released code, so that the
    scores are the same. The other has chunks of 512 tokens and a tree that begins with parts of that length.
    """
    faster: dict[str, list[float]] = {}
    kinds = {"": ("published", "own"), SAME_TREE: ("published",)}
    kinds |= {"chunks of 512": ("own",), PARTS: ("own",)}
    for found in sizes:
        for row in [*found.get("lengths", []), *found.get("documents", []), *found.get("batches", [])]:
            for way, taken in row["ways"].items():
                name, _, how = way.partition(", ")
                for kind in kinds.get(how, ()) if name != RELEASED else ():
                    if kind == "published" or how or row.get("task") is None:
                        faster.setdefault(f"{name}, {kind}", []).append(taken["speedup"])
    return {name: round(statistics.median(values), 2) for name, values in faster.items()}


def plot(report: dict[str, Any]) -> str:
    """An SVG: times faster than the released code, by tokens of the premise, a line a size and precision."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for found in report["sizes"]:
        for row in found["lengths"]:
            for name, taken in row["ways"].items():
                if name != RELEASED:
                    points = lines.setdefault(f"{found['size']}, {name}", [])
                    points.append((row["premise_tokens"], taken["speedup"]))
    top = math.ceil(max(faster for points in lines.values() for _, faster in points))
    shapes = [
        _text(_WIDTH / 2, _HEIGHT - 8, "tokens of the premise"),
        _text(90, 16, "times faster than scale-score"),
    ]
    for faster in range(0, top + 1, max(top // 8, 1)):
        y = _y(faster, top)
        shapes += [
            f'<path d="M{_LEFT} {y:.0f}H{_WIDTH - 130}" stroke="#ddd"/>',
            _text(_LEFT - 14, y + 4, str(faster)),
        ]
    for tokens, _ in next(iter(lines.values())):
        shapes.append(_text(_x(tokens), _HEIGHT - _BELOW + 16, str(tokens)))
    for (name, points), colour in zip(lines.items(), _COLOURS * 4, strict=False):
        path = "L".join(f"{_x(tokens):.0f} {_y(faster, top):.0f}" for tokens, faster in points)
        shapes.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        shapes.append(_text(_WIDTH - 65, _y(points[-1][1], top) + 4, name, colour))
    body = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n'
    )


def _x(tokens: int) -> float:
    """64 to 512 tokens, on a log scale."""
    return _LEFT + (math.log2(tokens) - 6) / 3 * (_WIDTH - _LEFT - 140)


def _y(faster: float, top: float) -> float:
    return _HEIGHT - _BELOW - faster / top * (_HEIGHT - _BELOW - 30)


def _text(x: float, y: float, text: str, colour: str = "#333") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle" fill="{colour}">{text}</text>'

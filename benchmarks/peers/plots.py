"""Plots of the peers' figures: leak against latency, and load (for reliability see `benchmarks.plots`)."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.install import OURS

_MARKS = "osD^vP*X<>ph"
_FLOOR_MS = 1.0
"""Where a guard without any delay is drawn, because the time axis is logarithmic."""
Row = Mapping[str, Any]


def draw(rows: Sequence[Row], beside: Path) -> list[Path]:
    """Write the plots as SVG beside the figures; nothing where matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        return []
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = OURS  # the same figures give the same file
    stub = [row for row in rows if row["verifier"] == "stub" and "absent" not in row]
    pictures = {"leak": leak, "load": load}
    return [
        picture(stub, beside.with_name(f"{beside.stem}_{name}.svg")) for name, picture in pictures.items()
    ]


def leak_points(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Median hold-back in ms, and the percentage of false characters delivered, by guard and setting."""
    return {
        _title(row): (max(_FLOOR_MS, row["pace"]["held ms"]["p50"]), 100 * row["gate"]["leak"]["share"])
        for row in rows
        if row["gate"]["leak"] is not None and row["pace"]["held ms"] is not None
    }


def load_lines(rows: Sequence[Row]) -> dict[str, list[tuple[int, float]]]:
    """Number of concurrent streams, and streams finished per second, by guard and setting."""
    lines = {
        _title(row): [
            (int(size), (int(size) - crowd["not finished"]) / max(crowd["seconds"], 1e-3))
            for size, crowd in row["load"].items()
            if crowd["seconds"] is not None and crowd["not finished"] < int(size)
        ]
        for row in rows
    }
    return {title: points for title, points in lines.items() if points}


def leak(rows: Sequence[Row], path: Path) -> Path:
    """Plot leak against latency; guards nearer to the lower left corner are better."""
    figure, axes = _canvas()
    for number, (title, (held, share)) in enumerate(leak_points(rows).items()):
        axes.scatter([held], [share], s=_size(title), marker=_mark(number), label=title)
    axes.set(
        xscale="log",
        xlabel="sentence end to its release, median ms",
        ylabel="characters of false sentences delivered, %",
        ylim=(-4, 104),
    )
    return _write(figure, axes, path)


def load(rows: Sequence[Row], path: Path) -> Path:
    """Plot throughput against concurrent streams; guards higher on the right are better."""
    figure, axes = _canvas()
    for number, (title, points) in enumerate(load_lines(rows).items()):
        across, up = zip(*points, strict=True)
        axes.plot(across, up, marker=_mark(number), linewidth=2 if title.startswith(OURS) else 1, label=title)
    axes.set(xscale="log", yscale="log", xlabel="streams at once", ylabel="streams finished a second")
    return _write(figure, axes, path)


def _canvas() -> tuple[Any, Any]:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    return figure, axes


def _write(figure: Any, axes: Any, path: Path) -> Path:
    import matplotlib.pyplot as plt

    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return path


def _title(row: Row) -> str:
    return f"{row['peer']}, {row['setting']}"


def _mark(number: int) -> str:
    return _MARKS[number % len(_MARKS)]


def _size(title: str) -> int:
    return 90 if title.startswith(OURS) else 45

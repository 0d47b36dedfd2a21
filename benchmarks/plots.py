"""Plots the figures that `streaming`, `accuracy`, `scale` and `soak` wrote, as SVG files beside them.

    python -m benchmarks.plots [--results FOLDER]

Needs matplotlib: `pip install --group plots`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import RESULTS

_STYLES = ("-", "--", "-.", ":")
"""Lines also differ by dashes, so that the plot can be read without colours."""


def trade_off(figures: Mapping[str, Any], path: Path) -> None:
    """Plot block recall against false blocks, a line for each set, with marks at 2 % and 5 % false blocks."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    drawn = {name: found["curve"] for name, found in figures.items() if "curve" in found}
    for style, (name, points) in zip(_STYLES * len(drawn), drawn.items(), strict=False):
        falling = points[::-1]
        # No threshold blocks more than the lowest one, so the line is level from there on.
        across = [0.0, *(point["false blocks"] for point in falling), 100.0]
        up = [0.0, *(point["block recall"] for point in falling), falling[-1]["block recall"]]
        axes.step(across, up, style, where="post", label=name)
    for share in (2, 5):
        axes.axvline(share, color="grey", linewidth=0.6)
    axes.set(
        xlabel="right answers blocked, %", ylabel="false answers blocked, %", xlim=(0, 20), ylim=(0, 102)
    )
    axes.legend(loc="best")
    _write(figure, path)


def reliability(figures: Mapping[str, Any], path: Path) -> None:
    """Plot P(entailment) against the share that is entailed, one panel for each two-way set.

    The area of a dot is proportional to its rows.
    """
    import matplotlib.pyplot as plt

    sets = {name: found["bins"] for name, found in figures["sets"].items() if not name.startswith("nli3/")}
    rows = -(-len(sets) // 4)
    figure, panels = plt.subplots(
        rows, 4, figsize=(9, 2.4 * rows), layout="constrained", sharex=True, sharey=True, squeeze=False
    )
    for axes, (name, bins) in zip(panels.flat, sets.items(), strict=False):
        _panel(axes, bins)
        axes.set_title(name, fontsize=9)
    for axes in panels.flat[len(sets) :]:
        axes.set_axis_off()
    figure.supxlabel("P(entailment)")
    figure.supylabel("share entailed")
    _write(figure, path)


def _panel(axes: Any, bins: Sequence[Mapping[str, float]]) -> None:
    total = sum(each["rows"] for each in bins)
    axes.plot([0, 1], [0, 1], color="grey", linewidth=0.6)
    said, true = [each["said"] for each in bins], [each["true"] for each in bins]
    axes.plot(said, true, linewidth=0.8)
    axes.scatter(said, true, s=[8 + 150 * each["rows"] / total for each in bins])


def scale(figures: Mapping[str, Any], path: Path) -> None:
    """Plot what `scale` simulated: workers against streams, and VITAL claims in time at twice the load."""
    import matplotlib.pyplot as plt

    figure, (workers, overload) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    found: dict[str, list[tuple[int, int]]] = {}
    for row in figures["workers"]:
        if "workers" in row:
            label = f"{row['kind']}, p95 {row['hold ms']:.0f} ms"
            found.setdefault(label, []).append((row["streams"], row["workers"]))
    for style, (label, points) in zip(_STYLES * len(found), found.items(), strict=False):
        workers.loglog(*zip(*points, strict=True), style, marker="o", label=label)
    workers.set(xlabel="concurrent streams", ylabel="workers", title="simulated")
    for style, case in zip(_STYLES, figures["overload"], strict=False):
        seconds = [window["second"] for window in case["windows"]]
        settled = [window["vital in time"] for window in case["windows"]]
        overload.plot(seconds, settled, style, label=case["case"])
    overload.set(xlabel="second", ylabel="VITAL claims in time, %", ylim=(0, 102), title="simulated")
    for axes in (workers, overload):
        axes.legend(loc="best", fontsize=7)
    _write(figure, path)


def soak(figures: Mapping[str, Any], path: Path) -> None:
    """Plot memory, descriptors and latency of the proxy against the time, with the double load shaded."""
    import matplotlib.pyplot as plt

    samples = figures["samples"]
    minutes = [each["at"] / 60 for each in samples]
    twice = [each["at"] / 60 for each in samples if each["phase"] == "twice"]
    figure, panels = plt.subplots(3, 1, figsize=(7, 6), layout="constrained", sharex=True)
    for axes, (name, label) in zip(
        panels,
        (("memory", "memory, MiB"), ("descriptors", "descriptors"), ("latency_p95_ms", "latency p95, ms")),
        strict=True,
    ):
        known = [
            (at, each[name]) for at, each in zip(minutes, samples, strict=True) if each[name] is not None
        ]
        axes.plot([at for at, _ in known], [value for _, value in known], linewidth=0.9)
        axes.set(ylabel=label, ylim=(0, None))
        if twice:
            axes.axvspan(twice[0], twice[-1], color="grey", alpha=0.2, linewidth=0)
    panels[-1].set_xlabel("minutes")
    _write(figure, path)


def _write(figure: Any, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None})
    print(path)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS)
    folder = parser.parse_args().results
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is missing: pip install --group plots", file=sys.stderr)
        return 2
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "vista-stream"  # the same figures give the same file
    for name, draw, picture in (
        ("streaming", trade_off, "trade_off"),
        ("accuracy", reliability, "reliability"),
        ("scale", scale, "scale"),
        ("soak", soak, "soak"),
    ):
        path = folder / f"{name}.json"
        if path.exists():
            draw(json.loads(path.read_text(encoding="utf-8"))["figures"], folder / f"{picture}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs every guard on the same scripted streams, for comparison.

    python -m benchmarks peers [--only NAME…] [--settings NAME…] [--seconds-limit S] [--from-folder FOLDER]
                               [--venvs FOLDER] [--out FILE] [--smoke] [--accuracy]

Each guard runs in a virtual environment of its own, which is built at the first run and kept. The run writes
the figures (JSON), the tables (Markdown) and, if matplotlib is installed, the plots (SVG).
With --accuracy, the verifiers that give a degree of support are measured on `eval/true`, and listed beside
the figures of `accuracy` and `streaming`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import accuracy
from benchmarks.peers.install import OURS, VENVS, Peer, peers
from benchmarks.peers.matrix import Bounds, cells, rows
from benchmarks.peers.plots import draw
from benchmarks.peers.report import markdown
from benchmarks.peers.scoring import measured
from benchmarks.peers.streams import SEED, load
from benchmarks.record import RESULTS, data_folder, save

_SMOKED = ("passthrough", OURS)


def _arguments(words: list[str] | None) -> argparse.Namespace:
    names = [peer.name for peer in peers()]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks peers",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", choices=names, help="these guards alone")
    parser.add_argument("--settings", nargs="+", help="these settings alone: documented, best, …")
    parser.add_argument(
        "--seconds-limit", type=float, default=180.0, help="for one guard in one setting (180)"
    )
    parser.add_argument("--answers", type=int, default=15, help="pairs a set for own verifiers (15)")
    parser.add_argument("--from-folder", "--data", type=Path, help="the folder that holds eval/")
    parser.add_argument("--venvs", type=Path, default=VENVS, help="where environments are kept")
    parser.add_argument("--here", action="store_true", help="no environments: run in this interpreter's")
    parser.add_argument("--smoke", action="store_true", help="pass-through and ours on two short streams")
    parser.add_argument("--accuracy", action="store_true", help="judge pairs instead of guarding streams")
    parser.add_argument("--rows", type=int, default=200, help="pairs a set at most with --accuracy (200)")
    parser.add_argument("--out", type=Path, default=RESULTS / "peers.json")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> None:
    """Command line; `words` replaces the program's own arguments."""
    given = _arguments(words)
    if given.accuracy:
        _judge(given)
    else:
        _drive(given)


def _judge(given: argparse.Namespace) -> None:
    folder = data_folder(given.from_folder, "eval/true")
    found: list[dict[str, Any]] = []
    for row in measured(folder, _chosen(given.only), given.venvs.resolve(), given.rows):
        found.append(row)
        print(f"{row['verifier']}: done", file=sys.stderr, flush=True)
    out = given.out.with_stem(f"{given.out.stem}_accuracy")
    save(out, {"rows a set at most": given.rows, "verifiers": found})
    _tell(accuracy.markdown(RESULTS, found), out)


def _drive(given: argparse.Namespace) -> None:
    folder = data_folder(given.from_folder, "eval/vital")
    chosen = _chosen(_SMOKED if given.smoke else given.only)
    settings = ["documented"] if given.smoke else given.settings
    bounds = Bounds(
        seconds=given.seconds_limit,
        answers=given.answers,
        smoke=given.smoke,
        here=given.here or given.smoke,
    )
    found: list[dict[str, Any]] = []
    for row in rows(
        cells(chosen, settings, own=not given.smoke), load(folder), given.venvs.resolve(), bounds
    ):
        found.append(row)
        save(given.out, {"seed": SEED, "seconds limit": given.seconds_limit, "rows": found})
    _tell(markdown(found), given.out)
    for picture in draw(found, given.out) if not given.smoke else ():
        print(picture)


def _chosen(names: Sequence[str] | None) -> list[Peer]:
    return [peer for peer in peers() if names is None or peer.name in names]


def _tell(tables: str, out: Path) -> None:
    out.with_suffix(".md").write_text(tables, encoding="utf-8")
    print(tables)


if __name__ == "__main__":
    main()

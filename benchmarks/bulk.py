"""Scores many short dialogues locally and on Ray, kills the Ray run at half, and compares what comes out.

    python -m benchmarks.bulk [--dialogues N] [--workers N]

The dialogues are made by rule, and the stages go by words, so that the run measures the engine and not the
models. Three runs: a local one; one on Ray that is killed, with everything it started, as soon as half of the
parts are written; one on Ray that resumes it. Its output must be the local run's, byte for byte, and the
parts that stood at the kill must not be made again. Memory is the largest of all processes of a run together
(proportional set size, read each half second), in each half of its time: bounded memory does not grow.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from benchmarks.record import RESULTS, save
from vista_stream import Category
from vista_stream.cli import score
from vista_stream.scoring.scorer import Scorer, VistaScorer
from vista_stream.testing import ScriptedStages

PART_ROWS = 256


def dialogue(number: int) -> dict[str, Any]:
    """A short dialogue, of which every third is contradicted."""
    year = 1830 if number % 3 == 0 else 1820
    return {
        "id": f"d{number}",
        "turns": [
            {"role": "user", "text": f"When was mill number {number} built?"},
            {
                "role": "assistant",
                "text": f"Mill number {number} was built in {year}. It has {number % 7 + 1} floors.",
                "references": [f"Mill number {number} was built in 1820."],
            },
        ],
    }


def write_dialogues(path: Path, count: int) -> None:
    """A file of `count` dialogues, one a line."""
    path.write_text("".join(f"{json.dumps(dialogue(number))}\n" for number in range(count)))


def build(args: argparse.Namespace, client: object) -> Scorer:
    """A scorer whose stages go by words."""
    return VistaScorer(ScriptedStages({"1830": Category.CONTRADICTED}).stages())


def run_score(arguments: Sequence[str]) -> int:
    """`vista-stream score` with the scorer of `build`."""
    parser = argparse.ArgumentParser()
    score.add_parser(parser.add_subparsers())
    return score.run(parser.parse_args(["score", *arguments]), build=build)


def timed(arguments: Sequence[str], said: Path) -> dict[str, Any]:
    """Seconds and memory of a whole run in a process of its own, which writes its messages to `said`."""
    began, taken = time.monotonic(), list[float]()
    with said.open("wb") as messages, _started(arguments, messages) as process:
        while process.poll() is None:
            taken.append(sum(map(proportional, tree(process.pid))))
            time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"score {' '.join(arguments)} ended with {process.returncode}: {said.read_text()}")
    half = len(taken) // 2 or 1
    memory = [round(max(part, default=0.0)) for part in (taken[:half], taken[half:])]
    return {"seconds": round(time.monotonic() - began, 1), "memory_mib": memory}


def tree(root: int) -> list[int]:
    """The ids of a process and of all that it started, on Linux."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [root]
    for each in found:  # grows as it goes
        found += [child for child, parent in parents.items() if parent == each]
    return found


def proportional(process: int) -> float:
    """Memory of a process in MiB, what it shares divided by those that share it; 0 for one that has ended."""
    with suppress(OSError):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return 0.0


def killed(arguments: Sequence[str], parts: Path, at: int) -> int:
    """Kill a run and all that it started once `at` parts stand; returns how many then do."""
    process = _started(arguments, subprocess.DEVNULL)
    while len(list(parts.glob("part-*"))) < at:
        if process.poll() is not None:
            raise SystemExit(f"the run ended before {at} parts were written")
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return len(list(parts.glob("part-*")))


def _started(arguments: Sequence[str], messages: int | IO[bytes]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "benchmarks.bulk", "--score", *arguments]
    return subprocess.Popen(command, start_new_session=True, stderr=messages)


def kept(said: Path) -> int:
    """How many parts a run says that it found; raises ValueError where it says nothing of it."""
    found = re.search(r"(\d+) parts were there already", said.read_text())
    if found is None:
        raise ValueError(f"the run does not say how many parts were there: {said.read_text()}")
    return int(found[1])


def measure(folder: Path, *, count: int, workers: int) -> dict[str, Any]:
    """The figures of the three runs, and whether the outputs are identical."""
    source, local, ray = folder / "in.jsonl", folder / "local.jsonl", folder / "ray.jsonl"
    write_dialogues(source, count)
    parts = -(-count // PART_ROWS)
    on_ray = [str(source), "--out", str(ray), "--engine", "ray", "--workers", str(workers)]
    on_ray += ["--part-rows", str(PART_ROWS)]
    figures: dict[str, Any] = {"dialogues": count, "workers": workers, "parts": parts}
    said = folder / "said.txt"
    figures["local"] = timed([str(source), "--out", str(local)], said)
    figures["parts at the kill"] = killed(on_ray, Path(f"{ray}.parts"), parts // 2)
    figures["resumed"] = timed([*on_ray, "--resume"], said)
    figures["parts found"] = kept(said)
    figures["identical"] = local.read_bytes() == ray.read_bytes()
    return figures


def main() -> int:
    """Command line."""
    if sys.argv[1:2] == ["--score"]:
        return run_score(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "bulk.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), count=options.dialogues, workers=options.workers)
    print(json.dumps(figures, indent=2))
    save(options.out, figures)
    return 0 if figures["identical"] and figures["parts found"] >= figures["parts at the kill"] else 1


if __name__ == "__main__":
    sys.exit(main())

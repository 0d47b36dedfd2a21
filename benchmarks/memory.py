"""What a process takes that guards one session: memory at the end and at most, and the time to load.

    python -m benchmarks.memory [--python PYTHON]

`--python` is an interpreter with vista_stream and the extras [cpu,parse] alone: with PyTorch installed, spaCy
imports it and takes 180 MiB more. Linux only.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.record import RESULTS, save

_RUNS = 5
_GUARDED = '''
import json, time
import anyio
from vista_stream import Session
from vista_stream.testing import replay

REFERENCE = """The museum opened in 1902 in a former mill. It has three floors and a walled garden.
Entry costs 12 euros; children under six pay nothing. It is closed on Mondays."""
ANSWER = "The museum opened in 1902. It has four floors. Entry costs 12 euros. It is closed on Mondays."


def held(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


async def main():
    began = time.monotonic()
    session = Session()
    session.add_reference(REFERENCE)
    await session.prepare()
    seconds, most = time.monotonic() - began, held("VmHWM")
    async with session.turn(replay(ANSWER, size=12), query="When did the museum open?") as turn:
        report = await turn.drain()
    assert len(report.verdicts) == 4, report.verdicts
    print(json.dumps({"resident_mib": held("VmRSS"), "most_while_loading_mib": most, "loading_s": seconds}))


anyio.run(main)
'''


def measured(python: str) -> dict[str, float]:
    """The medians of some processes of an interpreter."""
    runs = []
    for _ in range(_RUNS):
        ended = subprocess.run([python, "-P", "-c", _GUARDED], capture_output=True, text=True, check=False)
        if ended.returncode:
            sys.exit(f"{python} guards no session: {ended.stderr.strip().splitlines()[-1]}")
        runs.append(json.loads(ended.stdout))
    return {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the interpreter to measure; this one")
    parser.add_argument("--out", type=Path, default=RESULTS / "memory.json")
    arguments = parser.parse_args()
    found = measured(arguments.python)
    for name, value in found.items():
        print(f"{name:<24} {value:>8}")
    save(arguments.out, found)


if __name__ == "__main__":
    main()

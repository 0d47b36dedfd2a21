"""Changes the core one place at a time (mutmut), and lists the changes that no test notices.

`[tool.mutmut]` in pyproject.toml names the modules and the tests. Each change that no test notices needs a
reason in `mutation_reasons.toml`; one without a reason fails the run. A later run tries only functions that
have changed, and what is named; without the folder `mutants` it tries all.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.record import RESULTS, save

ROOT = Path(__file__).parents[1]
REASONS = Path(__file__).with_name("mutation_reasons.toml")
NOTICED = ("killed", "timeout")
_FLOOR = 0.9


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one function."""

    name: str
    """As mutmut calls it."""
    status: str
    """What the tests made of it: one of `NOTICED`, survived, or no tests."""

    @property
    def place(self) -> str:
        """The function that it changes: "core.turn.TurnProtocol.receive_end"."""
        module, _, function = self.name.rpartition("__mutmut_")[0].rpartition(".")
        plain = function.removeprefix("xǁ").replace("ǁ", ".") if "ǁ" in function else function[2:]
        return f"{module.removeprefix('vista_stream.')}.{plain}"

    @property
    def module(self) -> str:
        """The module that it changes: "vista_stream.core.turn"."""
        return self.name.rpartition(".")[0]


def mutants(listed: str) -> list[Mutant]:
    """The mutants in the list that mutmut prints of all results."""
    pairs = (line.strip().rsplit(": ", 1) for line in listed.splitlines() if "__mutmut_" in line)
    return [Mutant(name, status) for name, status in pairs]


def change(shown: str) -> str:
    """What a mutant changes, from the difference that mutmut shows: "old lines => new lines"."""
    body = [line for line in shown.splitlines() if line[:3] not in ("---", "+++")]
    old, new = (" ".join(line[1:].strip() for line in body if line[:1] == sign) for sign in "-+")
    return f"{old} => {new}"


def reasons() -> Mapping[tuple[str, str], str]:
    """Why no test notices a change, by the function and the change."""
    entries = tomllib.loads(REASONS.read_text(encoding="utf-8"))["unnoticed"]
    return {(entry["place"], each): entry["why"] for entry in entries for each in entry["changes"]}


def figures(tried: Iterable[Mutant]) -> dict[str, dict[str, int]]:
    """How many changes there were in each module and in all, and how many the tests noticed."""
    counts: dict[str, Counter[str]] = {}
    for mutant in tried:
        for key in (mutant.module, "all"):
            counts.setdefault(key, Counter()).update(mutants=1, noticed=mutant.status in NOTICED)
    return {key: dict(counts[key]) for key in sorted(counts)}


def _mutmut(*arguments: str) -> str:
    done = subprocess.run(
        [Path(sys.executable).with_name("mutmut"), *arguments],
        cwd=ROOT,
        text=True,
        stdout=None if arguments[0] == "run" else subprocess.PIPE,
    )
    if done.returncode:
        sys.exit(f"mutmut {arguments[0]} failed; it says why above")
    return done.stdout or ""


def _unnoticed(tried: Sequence[Mutant]) -> list[dict[str, str]]:
    why = reasons()
    found = []
    for mutant in tried:
        if mutant.status not in NOTICED:
            made = change(_mutmut("show", mutant.name))
            reason = why.get((mutant.place, made), "")
            found.append({"place": mutant.place, "change": made, "status": mutant.status, "reason": reason})
    return found


def main() -> int:
    """Run mutmut, write the figures, and fail for a change that no test notices and that has no reason."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", help="mutants to try again, with * for any letters (default: new ones)"
    )
    parser.add_argument("--children", type=int, default=1, help="processes at a time (default: 1)")
    parser.add_argument("--list", action="store_true", help="try nothing, count what was tried before")
    arguments = parser.parse_args()
    try:
        tool = f"mutmut {version('mutmut')}"
    except PackageNotFoundError:
        sys.exit("mutmut is not installed: pip install --group mutation")
    if not arguments.list:
        _mutmut("run", "--max-children", str(arguments.children), *arguments.names)
    listed = mutants(_mutmut("results", "--all", "true"))
    tried = [mutant for mutant in listed if mutant.status != "not checked"]
    counted, unnoticed, untried = figures(tried), _unnoticed(tried), len(listed) - len(tried)
    found = {"tool": tool, "modules": counted, "not tried": untried, "unnoticed": unnoticed}
    save(RESULTS / "mutation.json", found)
    for module, count in counted.items():
        print(f"{module:32} {count['noticed']:5} of {count['mutants']:5} noticed")
    print(f"{untried} were not tried")
    open_ = [each for each in unnoticed if not each["reason"]]
    for each in open_:
        print(f"no reason: {each['place']} ({each['status']})\n  {each['change']}")
    return int(bool(untried or open_) or counted["all"]["noticed"] < _FLOOR * counted["all"]["mutants"])


if __name__ == "__main__":
    sys.exit(main())

"""Writes .ci/constraints.txt: the versions of all that CI installs, as they are in this environment.

Run it with the Python of an environment that holds the group `dev`, after the tests have passed in it. CI
then installs with `pip install --constraint .ci/constraints.txt --editable ".[cpu,parse]" --group dev`.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
OWN = "vista-stream"


def wanted(groups: dict[str, list[str]]) -> list[Requirement]:
    """The package itself, and the requirements of the group `dev`."""
    return [Requirement(line) for line in (OWN, *groups["dev"])]


def locked(requirements: Iterable[Requirement]) -> dict[str, str]:
    """Name and installed version of each requirement and of all that they require, by name.

    Ends the program where one is not installed.
    """
    versions: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(requirement, extra) for requirement in requirements for extra in ("", *requirement.extras)]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            package = distribution(name)
        except PackageNotFoundError:
            sys.exit(f"{name} is not installed: install the group dev first")
        versions[name] = package.version
        for needed in map(Requirement, package.requires or ()):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(needed, inner) for inner in ("", *needed.extras)]
    return versions


def main() -> None:
    """Write the file."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        versions = locked(wanted(tomllib.load(file)["dependency-groups"]))
    versions.pop(OWN)
    lines = ["# Made by .ci/lock.py.", *(f"{name}=={version}" for name, version in sorted(versions.items()))]
    (ROOT / ".ci" / "constraints.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f".ci/constraints.txt: {len(versions)} packages")


if __name__ == "__main__":
    main()

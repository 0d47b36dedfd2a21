"""Writes .ci/requirements.txt: all that CI installs, with versions and the SHA-256 of every file of them.

Run it with the Python of an environment that holds the groups `dev` and `locking`, after the tests have
passed in it: the versions are those of this environment. What only other systems or newer Pythons need is
added.
CI then installs with `make LOCKED=1`, which takes no file of another digest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / ".ci" / "requirements.txt"
OWN = "vista-stream"
OLDEST = "3.11.5"
"""The oldest Python that a locked package allows; CI takes a newer one."""
EDITABLE = "editables"
"""What hatchling needs besides for an editable installation."""


def wanted(project: dict[str, Any]) -> list[Requirement]:
    """What the package, its group `dev` and its build require, without the package itself."""
    extras = project["project"]["optional-dependencies"]
    own = [*project["project"]["dependencies"], *project["build-system"]["requires"], EDITABLE]
    found = [Requirement(line) for line in (*own, *project["dependency-groups"]["dev"])]
    inner = [extra for each in found if each.name == OWN for extra in sorted(each.extras)]
    listed = [Requirement(line) for extra in inner for line in extras[extra]]
    return [each for each in (*found, *listed) if each.name != OWN]


def installed(requirements: Iterable[Requirement]) -> dict[str, str]:
    """Name and version of each requirement and of all that they require, as far as they are installed."""
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
            continue
        versions[name] = package.version
        for needed in map(Requirement, package.requires or ()):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(needed, inner) for inner in ("", *needed.extras)]
    return versions


def compiled(requirements: Iterable[Requirement], versions: dict[str, str]) -> str:
    """The lock of these requirements at these versions, for all systems; ends the program where uv fails."""
    if (uv := shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")) is None:
        sys.exit("uv is not installed: pip install --group locking")
    with TemporaryDirectory() as folder:
        wants, pins = Path(folder, "wanted.in"), Path(folder, "pins.txt")
        wants.write_text("".join(f"{each}\n" for each in requirements), encoding="utf-8")
        pins.write_text(
            "".join(f"{name}=={version}\n" for name, version in versions.items()), encoding="utf-8"
        )
        options = ["--universal", "--generate-hashes", "--no-annotate", "--no-header", "--quiet"]
        options += ["--python-version", OLDEST, "--constraint", str(pins)]
        run = subprocess.run([uv, "pip", "compile", *options, str(wants)], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(run.returncode)
    return run.stdout


def main() -> None:
    """Write the file."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        requirements = wanted(tomllib.load(file))
    text = compiled(requirements, installed(requirements))
    LOCK.write_text(f"# Made by .ci/lock.py.\n{text}", encoding="utf-8")
    print(f"{LOCK.name}: {text.count('==')} packages")


if __name__ == "__main__":
    main()

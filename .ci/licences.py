"""Lists the licences of all installed packages; ends with 1 where one is not on the list of allowed ones."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageMetadata, distributions

ALLOWED = frozenset(
    [
        *("0bsd", "apache", "apache 2.0", "apache-2.0", "apache license, version 2.0", "apache license 2.0"),
        *("apache software license", "apache-2.0 with llvm-exception", "bsd", "bsd license", "bsd-2-clause"),
        *(
            "bsd-3-clause",
            "3-clause bsd license",
            "bsd 2-clause license",
            "bsl-1.0",
            "cc0-1.0",
            "cnri-python",
        ),
        *(
            "dfsg approved",
            "isc",
            "isc license",
            "isc license (iscl)",
            "mit",
            "mit-0",
            "mit license",
            "mpl-2.0",
        ),
        *("mozilla public license 2.0 (mpl 2.0)", "psf-2.0", "python software foundation license"),
        *("the unlicense (unlicense)", "unlicense", "zlib"),
    ]
)
"""Licences that a program under Apache-2.0 may depend on, in lower case."""

EXCEPTIONS = {"forbiddenfruit": "GPL-3.0 or MIT, taken under MIT; the tests alone need it"}
"""Packages whose licences were read by a person, and why they may be used."""


def licences(metadata: PackageMetadata) -> list[str]:
    """What a package says that it is licensed under: its expression, else its classifiers, else its words."""
    if expression := metadata.get("License-Expression"):
        return re.split(r"\s+(?:AND|OR)\s+", re.sub(r"[()]", "", expression))
    classifiers = (line.split(" :: ") for line in metadata.get_all("Classifier") or ())
    # "OSI Approved" alone names no licence.
    named = [parts[-1] for parts in classifiers if parts[0] == "License" and parts[-1] != "OSI Approved"]
    stated = metadata.get("License", "").strip().splitlines()
    return named or re.split(r"\s+(?:AND|OR)\s+", stated[0] if stated else "none stated")


def refused(installed: Iterable[Distribution]) -> list[str]:
    """One line for each package whose licences are not all allowed."""
    found = {each.metadata["Name"]: licences(each.metadata) for each in installed}
    return [
        f"{name}: {', '.join(named)}"
        for name, named in sorted(found.items())
        if name not in EXCEPTIONS and not {one.lower() for one in named} <= ALLOWED
    ]


def main() -> None:
    """Print the list, then what is refused."""
    for each in sorted(distributions(), key=lambda one: one.metadata["Name"].lower()):
        print(f"{each.metadata['Name']} {each.version}: {', '.join(licences(each.metadata))}")
    bad = refused(distributions())
    if bad:
        sys.exit("not on the list of allowed licences:\n" + "\n".join(bad))


if __name__ == "__main__":
    main()

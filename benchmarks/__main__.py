"""`python -m benchmarks NAME …`: the same as `python -m benchmarks.NAME …`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path


def main() -> None:
    """Run the benchmark that the first word names."""
    here = Path(__file__).parent
    names = sorted(path.stem for path in here.iterdir() if (path / "__main__.py").exists())
    names += sorted(
        path.stem for path in here.glob("*.py") if "__main__" in path.read_text() and path.stem[0] != "_"
    )
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        sys.exit(f"name a benchmark: {', '.join(names)}")
    del sys.argv[0]
    runpy.run_module(f"benchmarks.{sys.argv[0]}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[[Path, Iterable[tuple[str, str, Any]]], None]


@pytest.fixture
def write_set() -> Write:
    """Write (premise, hypothesis, label) as an evaluation set."""

    def write(path: Path, pairs: Iterable[tuple[str, str, Any]]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as file:
            for premise, hypothesis, label in pairs:
                row = {"premise": premise, "hypothesis": hypothesis, "label": label}
                file.write(json.dumps(row) + "\n")

    return write

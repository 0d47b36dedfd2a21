"""The evaluation sets of pairs: `eval/true`, `eval/nli3` and `eval/nli2`."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vista_stream.core.text.typography import plain

KINDS = ("true", "nli3", "nli2")
DIALOGUE = ("true/begin", "true/dialfact", "true/q2")
"""The sets whose hypotheses are turns of a dialogue."""


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled pair, its texts cleaned."""

    premise: str
    hypothesis: str
    label: str
    """entailment, neutral, contradiction or not_entailment."""
    place: int
    """Its line in the set's file, from 0."""


def sets(folder: Path, pattern: str, limit: int | None = None) -> Iterator[tuple[str, list[Row]]]:
    """Name and rows of each set whose name matches; of a set with more than `limit` rows, a fixed sample."""
    for kind in KINDS:
        for path in sorted((folder / "eval" / kind).glob("*.jsonl.gz")):
            name = f"{kind}/{path.name.removesuffix('.jsonl.gz')}"
            if re.search(pattern, name):
                yield name, sample(read(path), limit)


def read(path: Path, *, source: str | None = None) -> list[Row]:
    """All rows of one file, or those with the given source."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        values = (json.loads(line) for line in lines)
        kept = [row for row in values if source is None or row["source"] == source]
    return [_row(row, place) for place, row in enumerate(kept)]


def sample(rows: list[Row], limit: int | None) -> list[Row]:
    """At most `limit` rows, drawn with seed 0, in the file's order."""
    if limit is None or len(rows) <= limit:
        return rows
    return sorted(random.Random(0).sample(rows, limit), key=lambda row: row.place)


def published(folder: Path) -> dict[str, Any]:
    """Scores of published methods on the sets of `eval/true`, in their files' order; empty where absent."""
    path = folder / "eval" / "true" / "published.json.gz"
    return json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}


def _row(values: dict[str, Any], place: int) -> Row:
    label = values["label"]
    if not isinstance(label, str):
        label = "entailment" if label == 1 else "not_entailment"
    return Row(plain(values["premise"]), plain(values["hypothesis"]), label, place)

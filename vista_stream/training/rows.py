"""Labelled pairs: reads them from JSON Lines, and writes them so that the same rows give the same bytes."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, TypeGuard

Label = Literal["entailment", "neutral", "contradiction", "not_entailment"]

LABELS: Final[tuple[Label, ...]] = ("entailment", "neutral", "contradiction", "not_entailment")
NOT_STATED: Final = "none stated"
"""The licence of rows that shipped weights are never trained on."""
OWN: Final = "own"
"""The source of a user's own rows that name none."""


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled pair."""

    premise: str
    hypothesis: str
    label: Label
    """`not_entailment` if it is not known whether the pair is neutral or a contradiction."""
    source: str = OWN
    """The data set that the pair comes from, or `generated:<edit>`."""
    licence: str = "own"


def load(path: Path, names: Sequence[str] = ("nli", "nli_extra")) -> list[Row]:
    """Read pairs that shipped weights may be trained on.

    `path` is a folder that holds `<name>.jsonl.gz` or `<name>.jsonl` for each of `names`, or one such file.
    Each line is an object with `premise`, `hypothesis` and `label`; `source` and `licence` are optional. Rows
    with the licence NOT_STATED are left out. Raises FileNotFoundError if a file is absent, ValueError, naming
    file and line, for a line that is not such an object.
    """
    files = [path] if path.is_file() else [_find(path, name) for name in names]
    return [row for file in files for row in _read(file) if row.licence != NOT_STATED]


def write(rows: Iterable[Row], path: Path) -> int:
    """Write `rows` as gzipped JSON Lines and return how many; the same rows give the same bytes."""
    count = 0
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as text,
    ):
        for row in rows:
            text.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
            count += 1
    return count


def _find(folder: Path, name: str) -> Path:
    for ending in (".jsonl.gz", ".jsonl"):
        if (folder / f"{name}{ending}").is_file():
            return folder / f"{name}{ending}"
    raise FileNotFoundError(f"no {name}.jsonl.gz and no {name}.jsonl in {folder}")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file that are not blank, with their numbers from 1; a file may be gzipped (.gz).

    Raises ValueError, naming the file, if it is not UTF-8 or not gzip; OSError if it cannot be opened.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig") as lines:
            yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not UTF-8 text: {error}") from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise ValueError(f"{path.name} is not gzipped, or not whole: {error}") from error


def _read(path: Path) -> Iterator[Row]:
    for number, line in numbered_lines(path):
        yield _row(line, where=f"{path.name}, line {number}")


def _row(line: str, *, where: str) -> Row:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON ({error})") from error
    if not isinstance(values, dict):
        raise ValueError(f"{where}: a row must be an object, not {type(values).__name__}")
    label = values.get("label")
    if not _is_label(label):
        raise ValueError(f"{where}: label must be one of {', '.join(LABELS)}, not {label!r}")
    return Row(
        _text(values, "premise", where=where),
        _text(values, "hypothesis", where=where),
        label,
        _text(values | {"source": values.get("source", OWN)}, "source", where=where),
        _text(values | {"licence": values.get("licence", "own")}, "licence", where=where),
    )


def _is_label(value: object) -> TypeGuard[Label]:
    return value in LABELS


def _text(values: dict[str, object], name: str, *, where: str) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where}: {name} must be a string that is not empty, not {value!r}")
    return value

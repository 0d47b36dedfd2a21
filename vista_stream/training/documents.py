"""Written documents with labelled claims: each claim with its label and the lines that decide it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from vista_stream.training.rows import LABELS, Label, Row, numbered_lines

WRITTEN: Final = Path(__file__).parent / "written" / "pairs"
"""The documents and claims that were written for this project; a checkout has them, the wheel does not."""
LICENCE: Final = "Apache-2.0"
_LETTERS: Final[Mapping[str, Label]] = {"E": "entailment", "N": "neutral", "C": "contradiction"}
NUMBERED: Final = re.compile(r"(\d+)\. (.+)")
"""A line of a document, with its number."""
_CLAIM = re.compile(r"([ECN]) (\d+(?:, ?\d+)*) \| (.+)")


@dataclass(frozen=True, slots=True)
class WrittenClaim:
    """One claim about a document."""

    text: str
    label: Label
    deciding: frozenset[int]
    """Indices, from 0, of the lines that together decide it; for a neutral claim the nearest lines."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document in lines: sentences, list items, table rows or utterances."""

    id: str
    source: str
    """`written:<theme>`."""
    lines: tuple[str, ...]
    claims: tuple[WrittenClaim, ...]

    @property
    def between(self) -> str:
        """What stands between two lines: a space in prose, else a line end."""
        prose = all(line.rstrip().endswith((".", "!", "?", '"', "”")) for line in self.lines)
        return " " if prose else "\n"

    @property
    def text(self) -> str:
        """The lines joined to a text."""
        return self.between.join(self.lines)

    def rows(self) -> list[Row]:
        """The claims as pairs with the whole document."""
        return [Row(self.text, claim.text, claim.label, self.source, LICENCE) for claim in self.claims]


def read_documents(path: Path) -> list[Document]:
    """The documents of a JSON Lines file, or of the files `part-*.txt` of a folder or of its subfolders.

    Raises FileNotFoundError if there is none, ValueError, naming file and line, for an invalid document.
    """
    if path.is_file():
        return _read_rows(path)
    parts = sorted(path.glob("*/part-*.txt")) or sorted(path.glob("part-*.txt"))
    if not parts:
        raise FileNotFoundError(f"no part-*.txt in {path} or in its folders")
    return [document for part in parts for document in _read_part(part)]


def _read_rows(path: Path) -> list[Document]:
    """Read a file with one object for each claim; the claims of a document follow one another."""
    rows = [_object(line, where=f"{path.name}, line {number}") for number, line in numbered_lines(path)]
    return [
        _document(list(group)) for _, group in groupby(rows, key=lambda row: (row["source"], row["document"]))
    ]


def _document(rows: list[dict[str, Any]]) -> Document:
    claims = [WrittenClaim(row["hypothesis"], row["label"], frozenset(row["deciding"])) for row in rows]
    return Document(rows[0]["document"], rows[0]["source"], tuple(rows[0]["sentences"]), tuple(claims))


def _object(line: str, *, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
        sound = row["label"] in LABELS and isinstance(row["sentences"], list)
        whole = sound and all(isinstance(row[key], str) for key in ("hypothesis", "source", "document"))
        if whole and all(0 <= number < len(row["sentences"]) for number in row["deciding"]):
            found: dict[str, Any] = row
            return found
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{where}: no written claim: {type(error).__name__}: {error}") from error
    raise ValueError(f"{where}: a written claim has hypothesis, label, source, document, sentences, deciding")


def _read_part(path: Path) -> Iterator[Document]:
    lines: list[str] = []
    claims: list[WrittenClaim] = []
    count = 0

    def done() -> Iterator[Document]:
        if lines:
            name = f"{path.parent.name}/{path.stem}/{count}"
            yield Document(name, f"written:{path.parent.name}", tuple(lines), tuple(claims))

    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = raw.strip()
        if line.startswith("#doc"):
            yield from done()
            lines, claims, count = [], [], count + 1
        elif told := NUMBERED.fullmatch(line):
            lines.append(told[2].strip())
        elif claimed := _CLAIM.fullmatch(line):
            deciding = frozenset(int(digits) - 1 for digits in claimed[2].split(","))
            if not all(0 <= row < len(lines) for row in deciding):
                raise ValueError(f"{path.name}, line {number}: there is no such line in its document")
            claims.append(WrittenClaim(claimed[3].strip(), _LETTERS[claimed[1]], deciding))
        elif line and not line.startswith(("#claims", "#q")):
            raise ValueError(
                f"{path.name}, line {number}: neither 'N. line' nor 'E N | claim': {line[:40]!r}"
            )
    yield from done()

"""The input of a bulk run: JSON Lines or Parquet, a file or a folder, on this machine or at an fsspec URL."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from vista_stream.cli import CommandError
from vista_stream.cli.inputs import byte_lines

Check = Callable[["Row"], None]
"""Raises CommandError, naming the row, for one that the command does not take."""
_SUFFIXES = (".jsonl", ".parquet")


class Row(NamedTuple):
    """One dialogue or pair, as JSON."""

    source: str
    """The file that it stands in, without its folder."""
    number: int
    """The number of its line or row, from 1."""
    text: str

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.source}, line {self.number}"


class Part(NamedTuple):
    """Rows that follow each other in one file, and that one worker takes."""

    number: int
    """From 0, in the order of the input."""
    path: str
    """The file, as fsspec takes it."""
    first: int
    """The number of its first line or row, from 1."""
    start: int
    """Where it begins: at which byte of JSON Lines, at which row of Parquet."""
    size: int
    """How many bytes of JSON Lines, how many rows of Parquet."""
    digest: str
    """Of the rows: SHA-256, in hexadecimal."""


def cut(path: str, *, rows: int, check: Check) -> Iterator[Part]:
    """The input in parts of at most `rows` rows; blank lines are no rows.

    Reads the whole input once, a part at a time. Raises CommandError, as `check` does and for an input that
    cannot be read, is of another kind or holds no row.
    """
    number = -1
    for number, part in enumerate(_cut(path, rows, check)):
        yield part._replace(number=number)
    if number < 0:
        raise CommandError(f"{path} holds nothing to score")


def read(part: Part) -> list[Row]:
    """The rows of a part."""
    return (_read_parquet if part.path.endswith(".parquet") else _read_lines)(part)


def place(path: str) -> str:
    """A file or folder as an fsspec URL, with no slash at its end; links on this machine are followed.

    Raises CommandError for a URL that fsspec does not know.
    """
    from fsspec.core import url_to_fs
    from fsspec.implementations.local import LocalFileSystem

    try:
        files, found = url_to_fs(path)
    except (OSError, ValueError, ImportError) as error:
        raise CommandError(f"{path}: {error}") from error
    found = os.path.realpath(found) if isinstance(files, LocalFileSystem) else found.rstrip("/")
    return str(files.unstrip_protocol(found))


def is_input(path: str) -> bool:
    """Whether a file of this name, in a folder that is the input, is read."""
    return _name(path).endswith(_SUFFIXES) and not _name(path).startswith((".", "_"))


def _cut(path: str, rows: int, check: Check) -> Iterator[Part]:
    try:
        for file in _files(path):
            yield from (_cut_parquet if file.endswith(".parquet") else _cut_lines)(file, rows, check)
    except (OSError, ValueError, ImportError) as error:
        raise CommandError(f"{path}: {error}") from error


def _files(path: str) -> list[str]:
    """The files of a folder or URL in the order of their names, or the one file, as fsspec takes them."""
    from fsspec.core import url_to_fs

    files, where = url_to_fs(path)
    if not files.isdir(where):
        found = [where]
    else:
        found = sorted(filter(is_input, files.ls(where, detail=False)))
        if not found:
            raise CommandError(f"{path} is a folder without files that end in {' or '.join(_SUFFIXES)}")
    return [files.unstrip_protocol(name) for name in found]


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _cut_lines(path: str, rows: int, check: Check) -> Iterator[Part]:
    import fsspec

    with fsspec.open(path, "rb") as file:
        part, held, taken = Part(0, path, 1, 0, 0, ""), 0, hashlib.sha256()
        for number, line in enumerate(byte_lines(file), start=1):
            if held == rows:
                yield part._replace(digest=taken.hexdigest())
                part, held, taken = Part(0, path, number, part.start + part.size, 0, ""), 0, hashlib.sha256()
            part = part._replace(size=part.size + len(line))
            taken.update(line)
            if line.strip():
                check(_row(path, number, line))
                held += 1
        if held:
            yield part._replace(digest=taken.hexdigest())


def _row(path: str, number: int, line: bytes) -> Row:
    try:
        return Row(_name(path), number, line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CommandError(f"{_name(path)}, line {number}: not UTF-8") from error


def _read_lines(part: Part) -> list[Row]:
    import fsspec

    with fsspec.open(part.path, "rb") as file:
        file.seek(part.start)
        lines = byte_lines([file.read(part.size)])
    return [_row(part.path, number, line) for number, line in enumerate(lines, part.first) if line.strip()]


def _cut_parquet(path: str, rows: int, check: Check) -> Iterator[Part]:
    import fsspec
    from pyarrow import parquet

    with fsspec.open(path, "rb") as file:
        start = 0
        for batch in parquet.ParquetFile(file).iter_batches(batch_size=rows):
            found = _of_table(path, start + 1, batch.to_pylist())
            for row in found:
                check(row)
            if found:
                digest = hashlib.sha256("\n".join(row.text for row in found).encode()).hexdigest()
                yield Part(0, path, start + 1, start, len(found), digest)
            start += len(found)


def _read_parquet(part: Part) -> list[Row]:
    import fsspec
    from pyarrow import parquet

    with fsspec.open(part.path, "rb") as file:
        whole = parquet.ParquetFile(file)
        sizes = [whole.metadata.row_group(n).num_rows for n in range(whole.num_row_groups)]
        ends = list(accumulate(sizes))
        end = part.start + part.size
        groups = [n for n, size in enumerate(sizes) if ends[n] > part.start and ends[n] - size < end]
        before = ends[groups[0]] - sizes[groups[0]]
        table = whole.read_row_groups(groups).slice(part.start - before, part.size)
    return _of_table(part.path, part.first, table.to_pylist())


def _of_table(path: str, first: int, rows: Sequence[Any]) -> list[Row]:
    lines = (json.dumps(_given(row), ensure_ascii=False, default=_foreign) for row in rows)
    return [Row(_name(path), number, line) for number, line in enumerate(lines, first)]


def _foreign(value: Any) -> Any:
    """What stands for a value that JSON lacks, such as a date or bytes: no text, where text is asked for."""
    return {"type": type(value).__name__}


def _given(value: Any) -> Any:
    """A row without its nulls: Parquet has every column in every row."""
    if isinstance(value, dict):
        return {key: _given(each) for key, each in value.items() if each is not None}
    return [_given(each) for each in value] if isinstance(value, list) else value

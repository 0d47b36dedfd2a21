"""The files of `vista-stream score` and `tune`: none serves two options; one run at a time writes --out."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from vista_stream.cli import CommandError
from vista_stream.cli.inputs import parse_object, read_text
from vista_stream.core.text.surrogates import encodable
from vista_stream.scoring.records import Record, check_record

try:
    import fcntl
except ImportError:  # Windows, where --out is not locked against a second run
    fcntl = None  # type: ignore[assignment]


_INPUTS = ("dialogues", "examples")
_PAGES = ("report", "page")


def check_paths(args: argparse.Namespace) -> None:
    """Raise CommandError if two options name the same file, or the page cannot be written.

    The options are those of `score` and `tune`.
    """
    seen: dict[object, str] = {}
    for option in (*_INPUTS, "compare", "cache", *_PAGES, "out"):
        path = getattr(args, option, None)
        file = _identity(path) if path and path != "-" else None
        if file is None:
            continue
        name = "the input" if option in _INPUTS else f"--{option}"
        if file in seen:
            raise CommandError(f"{name} and {seen[file]} are one file: {path}")
        seen[file] = name
    for page in filter(None, (getattr(args, option, None) for option in _PAGES)):
        with _named(page), open(page, "ab"):
            pass


def _identity(path: str) -> object:
    """A key that is equal for two names of one file, hard links included.

    None for what is not a regular file, such as a device: several options may name it.
    """
    try:
        found = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def read_records(path: str) -> list[Record]:
    """The records of an earlier --out; raises CommandError, naming the first line that is not a record."""
    lines = enumerate(read_text(path).split("\n"), start=1)
    return [_record(f"{path}, line {number}", line) for number, line in lines if line.strip()]


def _record(where: str, line: str) -> Record:
    record = parse_object(where, line)
    try:
        check_record(record)
    except ValueError as error:
        raise CommandError(f"{where}: {error}") from error
    return record


class RecordsFile:
    """The file of --out: one record on each line, locked for this run.

    Raises CommandError, naming the file, if it cannot be opened, locked, read or written.
    """

    def __init__(self, path: str) -> None:
        device = os.path.exists(path) and not os.path.isfile(path)
        # A symbolic link is kept, and its target replaced. The target of a pipe has no path.
        self._path = Path(path if device else os.path.realpath(path))
        self._name = path
        self._file = self._opened(self._path)

    def _opened(self, path: Path) -> BinaryIO:
        with _named(self._name):
            file = open(path, "ab")  # noqa: SIM115 - held until the run ends
        if fcntl is not None and path.is_file():
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.close()
                raise CommandError(f"{self._name} is being written by another run") from error
        return file

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _named(self._name):
            self._file.close()

    def records(self) -> list[Record]:
        """The records in the file: the last one of each id, without a last line that is incomplete."""
        if not self._path.is_file():
            return []
        with _named(self._name):
            whole = self._path.read_bytes().rpartition(b"\n")[0]
        try:
            # Not splitlines: it also splits at U+2028 and the like, which may stand in JSON strings.
            lines = enumerate(whole.decode("utf-8-sig").split("\n"), start=1)
        except UnicodeDecodeError as error:
            raise CommandError(f"{self._name} is not UTF-8: byte {error.start + 1} cannot be") from error
        found = [_record(f"{self._name}, line {number}", line) for number, line in lines if line.strip()]
        return list({record["id"]: record for record in found}.values())

    def replace(self, records: Sequence[Record]) -> None:
        """Replace the file's content by these records, atomically: a crash leaves the former content."""
        if not self._path.is_file():
            return
        with _named(self._name), _beside(self._path) as beside:
            beside.write_bytes(b"".join(map(_line, records)))
            file = self._opened(beside)
            beside.replace(self._path)
            self._file.close()
        self._file = file

    def clear(self) -> None:
        """Remove all records from the file."""
        if self._path.is_file():
            self._file.truncate(0)

    def write(self, record: Record) -> None:
        """Append a record."""
        with _named(self._name):
            self._file.write(_line(record))
            self._file.flush()


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A new file in the folder of `path`, with its permissions; removed if it is still there at the end."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".tmp")
    os.close(descriptor)
    try:
        shutil.copymode(path, name)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _line(record: Record) -> bytes:
    return encodable(f"{json.dumps(record, ensure_ascii=False)}\n").encode()


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Turn an OSError of the block into a one-line CommandError that names the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error

"""The files of `vista-stream score`: each used for one thing, --out by one run at a time."""

from __future__ import annotations

import argparse
import json
import os
import stat
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
except ImportError:  # Windows: there nothing keeps two runs apart
    fcntl = None  # type: ignore[assignment]


def check_paths(args: argparse.Namespace) -> None:
    """Raise CommandError where two options name one file, or the report cannot be written."""
    seen: dict[object, str] = {}
    for option in ("dialogues", "compare", "cache", "report", "out"):
        path = getattr(args, option)
        file = _identity(path) if path and path != "-" else None
        if file is None:
            continue
        name = "the input" if option == "dialogues" else f"--{option}"
        if file in seen:
            raise CommandError(f"{name} and {seen[file]} are one file: {path}")
        seen[file] = name
    if args.report:
        with _named(args.report), open(args.report, "ab"):
            pass


def _identity(path: str) -> object:
    """The same for two names of one file, hard links included; None for a device, which takes many."""
    try:
        found = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def read_records(path: str) -> list[Record]:
    """The lines of an earlier --out; raises CommandError naming the first that is none."""
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
    """--out: one record a line; raises CommandError, naming the file, where it cannot be had or written."""

    def __init__(self, path: str) -> None:
        device = os.path.exists(path) and not os.path.isfile(path)
        # A link stays one: what it points to is replaced. A pipe's target has no path.
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
        """What the file holds, the last record of each id; a last line that broke off is left out."""
        if not self._path.is_file():
            return []
        with _named(self._name):
            whole = self._path.read_bytes().rpartition(b"\n")[0]
        try:
            # Not splitlines: JSON strings may hold U+2028 and its like, which it takes for line ends.
            lines = enumerate(whole.decode().split("\n"), start=1)
        except UnicodeDecodeError as error:
            raise CommandError(f"{self._name} is not UTF-8: byte {error.start + 1} cannot be") from error
        found = [_record(f"{self._name}, line {number}", line) for number, line in lines if line.strip()]
        return list({record["id"]: record for record in found}.values())

    def replace(self, records: Sequence[Record]) -> None:
        """Hold these records alone; at once, so that what breaks in between leaves the former ones."""
        if not self._path.is_file():
            return
        beside = self._path.with_name(f"{self._path.name}.tmp")
        file = self._opened(beside)
        with _named(self._name):
            file.truncate(0)
            file.write(b"".join(map(_line, records)))
            file.flush()
            beside.replace(self._path)
            self._file.close()
        self._file = file

    def clear(self) -> None:
        """Hold nothing."""
        if self._path.is_file():
            self._file.truncate(0)

    def write(self, record: Record) -> None:
        """Add a record."""
        with _named(self._name):
            self._file.write(_line(record))
            self._file.flush()


def _line(record: Record) -> bytes:
    return encodable(f"{json.dumps(record, ensure_ascii=False)}\n").encode()


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Make what the system says of a file one line that names it."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error

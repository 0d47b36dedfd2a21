"""The output of a bulk run: a file for each finished part, and the file that they become."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from vista_stream.cli import CommandError
from vista_stream.cli.bulk.rows import Part, is_input, place
from vista_stream.core.text.surrogates import encodable

Columns = Mapping[str, str]
"""The columns of Parquet and their types in Arrow's words, such as `string`."""
_CHUNK = 2**22
_FAILED = "-failed"
_OWN = re.compile(
    r"part-[0-9]{6,}-[0-9a-f]{16}(?:-failed)?\.(?:jsonl|parquet)|\.part-[0-9a-f]{32}|whole-[0-9a-f]{16}|\.whole"
)
"""The names of a run's files: parts, unfinished parts, that the output is whole, an unfinished output."""


@dataclass(frozen=True)
class PartFiles:
    """Where a run writes. It can be sent to another process.

    `out` is a file, whose parts stand in the folder `OUT.parts` until it is whole, or a folder, by its slash
    at the end: then the parts are the output. The name before the slash says the format: `.parquet`, else
    JSON Lines. A part's name has the digest of its rows and of the setup, so it is found again only if none
    of them has changed.
    """

    out: str
    setup: str
    """What the lines depend on besides the rows, as one text."""
    columns: Columns
    as_row: Callable[[str], Mapping[str, Any]]
    """A line as a row of these columns."""

    @property
    def parquet(self) -> bool:
        """Whether the output is Parquet."""
        return self.out.rstrip("/").endswith(".parquet")

    def check(self, source: str) -> None:
        """Raise CommandError where the output would not be found, or would change the input `source`."""
        out, given = place(self.out), place(source)
        parts = out if self.out.endswith("/") else f"{out}.parts"
        if parts != out and self._folder()[0].isdir(self._path()):
            raise CommandError(f"--out {self.out} is a folder: end it with a slash, or name a file in it")
        read_next_time = _parent(out) == given and is_input(out)
        if read_next_time or given == out or parts in (given, _parent(given)):
            raise CommandError(
                f"--out {self.out} and the input {source} are not apart: give --out another folder"
            )

    def prepare(self, parts: Sequence[Part], *, resume: bool) -> list[Part]:
        """The parts that are missing; without `resume` all of them. Removes files of parts that are no use.

        Raises CommandError if the output cannot be written.
        """
        files, folder = self._folder()
        try:
            files.makedirs(folder, exist_ok=True)
            standing = self._standing()
            whole = [self._merged(parts)] if resume and self._is_whole(parts, standing) else []
            kept = {self._name(part) for part in parts} & standing if resume else set()
            for name in standing - kept - set(whole):
                files.rm_file(f"{folder}/{name}")
        except OSError as error:
            raise CommandError(f"--out {self.out}: {error.strerror or error}") from error
        return [] if whole else [part for part in parts if self._name(part) not in kept]

    def write(self, part: Part, lines: Sequence[str], *, failed: bool) -> None:
        """Write a part whole or not at all; one where something `failed` is made again by a resumed run."""
        files, folder = self._folder()
        beside = f"{folder}/.part-{uuid4().hex}"
        with files.open(beside, "wb") as file:
            if self.parquet:
                self._write_table(file, lines)
            else:
                file.write("".join(f"{line}\n" for line in map(encodable, lines)).encode())
        files.mv(beside, f"{folder}/{self._name(part, failed=failed)}")

    def merge(self, parts: Sequence[Part]) -> None:
        """Make the output of all parts, in their order; a folder holds it already.

        The parts are removed, unless something failed in one: then a resumed run goes on with the others.
        Raises CommandError if it cannot be written.
        """
        files, folder = self._folder()
        standing = self._standing()
        if self.out.endswith("/") or self._is_whole(parts, standing):
            return
        names = [self._name(part, failed=self._name(part) not in standing) for part in parts]
        beside = f"{folder}/.whole"
        try:
            (self._join_tables if self.parquet else self._join_lines)(beside, names)
            files.mv(beside, self._path())
            if standing.issuperset(map(self._name, parts)):
                files.touch(f"{folder}/{self._merged(parts)}")
                for name in standing:
                    files.rm_file(f"{folder}/{name}")
        except OSError as error:
            raise CommandError(f"--out {self.out}: {error.strerror or error}") from error

    def _folder(self) -> tuple[Any, str]:
        """The file system and the parts' folder on it."""
        from fsspec.core import url_to_fs

        files, path = url_to_fs(self.out.rstrip("/"))
        return files, path if self.out.endswith("/") else f"{path}.parts"

    def _path(self) -> str:
        return self._folder()[1].removesuffix(".parts")

    def _standing(self) -> set[str]:
        """The names of the parts' files, unfinished ones too; no other file of the folder."""
        files, folder = self._folder()
        files.invalidate_cache()
        names = (path.rpartition("/")[2] for path in files.ls(folder, detail=False))
        return set(filter(_OWN.fullmatch, names))

    def _is_whole(self, parts: Sequence[Part], standing: set[str]) -> bool:
        """Whether the output has been made of just these parts."""
        return self._merged(parts) in standing and bool(self._folder()[0].exists(self._path()))

    def _name(self, part: Part, *, failed: bool = False) -> str:
        made = hashlib.sha256(f"{self.setup}\n{part.digest}\n{part.first}".encode()).hexdigest()[:16]
        kind = "parquet" if self.parquet else "jsonl"
        return f"part-{part.number:06}-{made}{_FAILED if failed else ''}.{kind}"

    def _merged(self, parts: Sequence[Part]) -> str:
        return f"whole-{hashlib.sha256(''.join(map(self._name, parts)).encode()).hexdigest()[:16]}"

    def _schema(self) -> Any:
        import pyarrow

        return pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in self.columns.items()])

    def _write_table(self, file: Any, lines: Sequence[str]) -> None:
        import pyarrow
        from pyarrow import parquet

        rows = [dict(self.as_row(encodable(line))) for line in lines]
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema=self._schema()), file)

    def _join_lines(self, beside: str, names: Sequence[str]) -> None:
        files, folder = self._folder()
        with files.open(beside, "wb") as whole:
            for name in names:
                with files.open(f"{folder}/{name}", "rb") as part:
                    while chunk := part.read(_CHUNK):
                        whole.write(chunk)

    def _join_tables(self, beside: str, names: Sequence[str]) -> None:
        from pyarrow import parquet

        files, folder = self._folder()
        with files.open(beside, "wb") as whole, parquet.ParquetWriter(whole, self._schema()) as writer:
            for name in names:
                with files.open(f"{folder}/{name}", "rb") as part:
                    writer.write_table(parquet.read_table(part))


def _parent(place: str) -> str:
    return place.rpartition("/")[0]


def line_of(record: Mapping[str, Any]) -> str:
    """A record as its line of JSON, as the local run writes it."""
    return json.dumps(record, ensure_ascii=False)

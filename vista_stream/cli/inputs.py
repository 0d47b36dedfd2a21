"""Reads files and standard input for the commands; raises CommandError with a one-line message."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

import anyio
from anyio import to_thread

from vista_stream.claims import Utterance
from vista_stream.cli import CommandError

_READ_BYTES = 65536


def read_text(path: str) -> str:
    """The text of a UTF-8 file; raises CommandError, naming it, if it cannot be read or is not UTF-8."""
    return _text(path, Path(path).read_bytes)


def read_input(path: str) -> str:
    """The text of a UTF-8 file, or of standard input where the path is -; raises CommandError."""
    return _text(input_name(path), standard_input().buffer.read) if path == "-" else read_text(path)


def input_name(path: str) -> str:
    """What messages call an input."""
    return "standard input" if path == "-" else path


def _text(name: str, read: Callable[[], bytes]) -> str:
    try:
        text = read().decode("utf-8-sig")
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        told = f"{name} is not UTF-8: byte {error.start + 1} is not part of a character"
        raise CommandError(told) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def byte_lines(cut_at_lf: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a binary file with their ends, cut as `read_text` does also where a CR alone ends one."""
    return (line for lines in cut_at_lf for line in lines.splitlines(keepends=True))


def standard_input() -> TextIO:
    """Standard input; raises CommandError if it is closed."""
    if sys.stdin is None:
        raise CommandError("standard input is closed")
    return sys.stdin


def standard_output() -> TextIO:
    """Standard output; raises CommandError if it is closed. Ask before the work whose results it takes."""
    if sys.stdout is None:
        raise CommandError("standard output is closed")
    return sys.stdout


def read_history(path: str) -> list[Utterance]:
    """Utterances of a JSON Lines file, oldest first.

    A line is `{"role": "user" or "assistant", "text": "..."}`; raises CommandError, naming the line, for any
    other.
    """
    return [_utterance(f"{path}, line {number}", line) for number, line in _lines(path)]


def read_background(path: str) -> list[str]:
    """The facts of a text file, one a line."""
    return [line.strip() for _, line in _lines(path)]


def _lines(path: str) -> Iterator[tuple[int, str]]:
    # Not splitlines: it also splits at U+2028 and similar characters, which may stand in JSON strings.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, line


def _utterance(where: str, line: str) -> Utterance:
    match parse_object(where, line):
        case {"role": "user" | "assistant" as role, "text": str(text)}:
            return Utterance(role=role, text=text)
    raise CommandError(f'{where}: takes {{"role": "user" or "assistant", "text": "..."}}')


def parse_object(where: str, line: str) -> dict[str, object]:
    """The JSON object of one line; raises CommandError, which begins with `where`, for anything else."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{where}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise CommandError(f"{where}: must be a JSON object, not {type(value).__name__}")
    return value


async def stream_text(
    descriptor: int, *, name: str = "standard input", chunk: int | None = None
) -> AsyncIterator[str]:
    """Text as it arrives at a file descriptor, in deltas of at most `chunk` code points.

    A byte order mark at the start is left out, as from other files.
    Raises CommandError, which begins with `name`, at the first byte that is not UTF-8, and for a descriptor
    that cannot be read, such as a folder's. The text before it has been yielded by then.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, mark = 0, "\ufeff"
    while True:
        received = await _read(descriptor, name)
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(received, final=not received)
        except UnicodeDecodeError as error:
            if before := error.object[: error.start].decode().removeprefix(mark):
                yield before
            where = offset - pending + error.start + 1
            raise CommandError(f"{name} is not UTF-8: byte {where} is not part of a character") from error
        offset += len(received)
        if text:
            text, mark = text.removeprefix(mark), ""
        for start in range(0, len(text), chunk or _READ_BYTES):
            yield text[start : start + (chunk or _READ_BYTES)]
        if not received:
            return


async def _read(descriptor: int, name: str) -> bytes:
    """The next bytes, as soon as some arrive; empty at the end of the input."""
    try:
        return await _read_ready(descriptor)
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from error


async def _read_ready(descriptor: int) -> bytes:
    try:
        await anyio.wait_readable(descriptor)
    except PermissionError:
        # The event loop cannot wait for regular files: they are always readable.
        return await to_thread.run_sync(os.read, descriptor, _READ_BYTES, abandon_on_cancel=True)
    return os.read(descriptor, _READ_BYTES)

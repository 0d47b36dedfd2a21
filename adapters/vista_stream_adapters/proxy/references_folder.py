"""A folder of reference texts: read at the start, and again when a file changes."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Awaitable, Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path

import anyio
from anyio import to_thread

from vista_stream import Reference
from vista_stream.core.text.html_text import text_of_html

logger = logging.getLogger("vista_stream.proxy")

SUFFIXES = (".txt", ".md", ".html", ".htm", ".pdf")
"""Suffixes of the files that are read; files and folders whose name begins with a dot are ignored."""
LARGEST_FILE = 64 * 1024 * 1024
"""Most bytes of a file; a larger one is left out, with a log message."""


class ReferencesFolder:
    """The reference texts below a folder, named by their path in it.

    Links that lead out of the folder are not followed. Raises ValueError where the path is not a folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        if not self._folder.is_dir():
            raise ValueError(f"references must be a folder: {folder} is none")
        self._read: dict[Path, tuple[tuple[int, int], Reference | None]] = {}

    @property
    def references(self) -> Sequence[Reference]:
        """The reference texts that the last `scan` found, sorted by path."""
        return [reference for _, (_, reference) in sorted(self._read.items()) if reference is not None]

    def scan(self) -> bool:
        """Read new and changed files, and drop those that are gone; True where anything changed. Blocking.

        A file that cannot be read as its suffix says is left out, with a log message, even if an earlier
        version of it was read.
        """
        found = {path: stamp for path in self._paths() if (stamp := _stamp(path)) is not None}
        fresh = {path: stamp for path, stamp in found.items() if self._stamp_read(path) != stamp}
        gone = self._read.keys() - found.keys()
        read = {path: kept for path, kept in self._read.items() if path not in gone}
        read |= {path: (stamp, self._reference(path, stamp[1])) for path, stamp in fresh.items()}
        # Replaced in one step: turns on other threads read it meanwhile.
        self._read = read
        return bool(fresh or gone)

    async def watch(self, *, every: float, changed: Callable[[], Awaitable[None]] | None = None) -> None:
        """Scan every `every` seconds until cancelled; errors are logged.

        `changed` is awaited after each scan that found a change.
        """
        while True:
            await anyio.sleep(every)
            try:
                if await to_thread.run_sync(self.scan, abandon_on_cancel=True):
                    logger.info("references changed: %d texts now", len(self.references))
                    if changed is not None:
                        await changed()
            except Exception as error:
                logger.error("references cannot be looked at: %s: %s", type(error).__name__, error)

    def _paths(self) -> Iterator[Path]:
        # Not rglob, which raises if a folder is removed during the scan.
        for folder, subfolders, names in os.walk(self._folder):
            subfolders[:] = [name for name in subfolders if name[0] != "."]
            inside = (Path(folder, name) for name in names if name[0] != ".")
            readable = (path for path in inside if path.suffix.lower() in SUFFIXES and path.is_file())
            yield from (path for path in readable if path.resolve().is_relative_to(self._folder))

    def _content(self, path: Path) -> bytes:
        """A file's bytes; raises ValueError where it has become something else since the scan found it."""
        target = path.resolve()
        if not target.is_relative_to(self._folder):
            raise ValueError("it leads out of the folder")
        # Without O_NONBLOCK, a pipe in its place would block until somebody writes to it.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(os.open(target, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError("it is no file")
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise ValueError("it has grown too large")
        return content

    def _below(self, path: Path) -> Path:
        return path.relative_to(self._folder)

    def _stamp_read(self, path: Path) -> tuple[int, int] | None:
        kept = self._read.get(path)
        return None if kept is None else kept[0]

    def _reference(self, path: Path, size: int) -> Reference | None:
        name = self._below(path).as_posix()
        if size > LARGEST_FILE:
            logger.warning("reference %s is left out: %d bytes are too many", name, size)
            return None
        try:
            return Reference(text_of(self._content(path), suffix=path.suffix.lower()), name=name)
        except (OSError, ValueError) as error:
            logger.warning("reference %s is left out: %s", name, error)
        except Exception as error:
            # The PDF parser raises many kinds of exceptions.
            logger.warning("reference %s is left out: %s: %s", name, type(error).__name__, error)
        return None


def text_of(content: bytes, *, suffix: str) -> str:
    """The text of a file's bytes; `suffix` is one of SUFFIXES.

    Raises ValueError where the bytes are not of the type that the suffix names.
    """
    if suffix == ".pdf":
        return _text_of_pdf(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8: {error.reason} at byte {error.start + 1}") from error
    return text_of_html(text) if suffix in (".html", ".htm") else text


def _text_of_pdf(content: bytes) -> str:
    # Imported here: pypdf is needed for PDFs only.
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        pages = [page.extract_text() for page in PdfReader(BytesIO(content)).pages]
    except (PyPdfError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise ValueError(f"it is no PDF that can be read: {type(error).__name__}") from error
    return "\n\n".join(pages)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Modification time in nanoseconds, and size in bytes; None where the file cannot be read any more."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size

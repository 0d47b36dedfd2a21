"""Writes a folder atomically: it appears complete, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_folder(to: Path) -> Iterator[Path]:
    """An empty folder beside `to`, which is renamed to `to` at the end, or removed if the block raises.

    Raises ValueError, before the block, if a rename to `to` cannot succeed; OSError if the disk fails.
    """
    target = Path(os.path.realpath(to))
    _check(target, to)
    with ExitStack() as undo:
        undo.callback(_remove, [parent for parent in target.parents if not parent.exists()])
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        undo.callback(shutil.rmtree, draft, ignore_errors=True)
        yield draft
        draft.chmod(0o755)
        draft.replace(target)
        undo.pop_all()


def _check(target: Path, to: Path) -> None:
    """Raise ValueError now for a target that the rename would refuse after the block."""
    if os.path.lexists(target) and not (target.is_dir() and not any(target.iterdir())):
        raise ValueError(f"to must be a folder that is empty or not there yet, not {to}")
    # The rename would replace the shell's working directory, or fail on a mount point.
    if target == Path.cwd() or target.is_mount():
        raise ValueError(f"to must be neither the working directory nor a mount point, as {to} is")
    above = next(parent for parent in target.parents if parent.exists())
    if not above.is_dir():
        raise ValueError(f"to must be in a folder, and {above} is none")


def _remove(parents: Sequence[Path]) -> None:
    for parent in parents:
        with suppress(OSError):  # it was not made, or another process has put files into it
            parent.rmdir()

"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_folder(to: Path) -> Iterator[Path]:
    """An empty folder beside `to`, renamed to it at the end; where the block raises, nothing stays of it.

    Raises ValueError, before the block, where `to` cannot be renamed onto, OSError where the disk fails.
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
    """Refuse at once what the rename would refuse after the block."""
    if os.path.lexists(target) and not (target.is_dir() and not any(target.iterdir())):
        raise ValueError(f"to must be a folder that is empty or not there yet, not {to}")
    # The rename would take the folder away from under the shell, or fail on a mounted disk.
    if target == Path.cwd() or target.is_mount():
        raise ValueError(f"to must be neither the working directory nor a mount point, as {to} is")
    above = next(parent for parent in target.parents if parent.exists())
    if not above.is_dir():
        raise ValueError(f"to must be in a folder, and {above} is none")


def _remove(parents: Sequence[Path]) -> None:
    for parent in parents:
        with suppress(OSError):  # it was not made, or someone else has begun to use it
            parent.rmdir()

"""A folder that appears whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_folder(to: Path) -> Iterator[Path]:
    """An empty folder beside `to`, renamed to it at the end; where the block raises, nothing stays of it.

    Raises ValueError where `to` is there already and not an empty folder, OSError where the disk fails.
    """
    if to.exists() and not (to.is_dir() and not any(to.iterdir())):
        raise ValueError(f"to must be a folder that is empty or not there yet, not {to}")
    missing = [parent for parent in to.parents if not parent.exists()]
    to.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.parent))
    try:
        yield draft
        draft.chmod(0o755)
        draft.replace(to)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        with suppress(OSError):  # someone else has begun to use it
            for parent in missing:
                parent.rmdir()
        raise

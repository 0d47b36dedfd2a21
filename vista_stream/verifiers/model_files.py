"""Checks the files of a model folder against the SHA-256 digests of its manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from vista_stream.errors import ModelLoadError

_GRAPH = ("model.onnx",)


def digest(path: Path) -> str:
    """SHA-256 of a file, as hexadecimal digits. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_files(folder: Path, files: Mapping[str, str], *, graphs: Sequence[str] = _GRAPH) -> None:
    """Check that a folder holds its graphs, a tokenizer and all other files in `files` (name to SHA-256).

    Raises ModelLoadError, naming the path, where a file is missing, has another SHA-256 or is not in `files`.
    """
    for name in sorted({*files, *graphs, "tokenizer.json"}):
        _check(folder / name, files.get(name))


def _check(path: Path, expected: str | None) -> None:
    if expected is None:
        raise ModelLoadError(f"the manifest beside {path} gives no SHA-256 for it")
    try:
        actual = digest(path)
    except OSError as error:
        raise ModelLoadError(f"model file {path} is missing; expected SHA-256 {expected}") from error
    if actual != expected:
        raise ModelLoadError(f"model file {path} is damaged: SHA-256 {actual}, expected {expected}")

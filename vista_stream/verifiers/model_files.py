"""Checks the files of a model folder against the SHA-256 digests of its manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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


def read_checked(folder: Path, name: str, *, what: str) -> tuple[Any, bytes]:
    """The manifest of a folder of one file, and that file's content; `what` it is goes into the error.

    Raises ModelLoadError, naming the path, where a file is missing or has another SHA-256 than the manifest
    gives.
    """
    path = folder / name
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        expected, content = manifest["files"][name], path.read_bytes()
    except OSError as error:
        raise ModelLoadError(f"{folder} must hold manifest.json and {name} ({error.strerror})") from error
    except (ValueError, TypeError, KeyError) as error:
        raise ModelLoadError(f"{folder} holds no {what}: {type(error).__name__}: {error}") from error
    _compare(path, hashlib.sha256(content).hexdigest(), expected)
    return manifest, content


def _check(path: Path, expected: str | None) -> None:
    if expected is None:
        raise ModelLoadError(f"the manifest beside {path} gives no SHA-256 for it")
    try:
        actual = digest(path)
    except OSError as error:
        raise ModelLoadError(f"model file {path} is missing; expected SHA-256 {expected}") from error
    _compare(path, actual, expected)


def _compare(path: Path, actual: str, expected: str) -> None:
    if actual != expected:
        raise ModelLoadError(f"model file {path} is damaged: SHA-256 {actual}, expected {expected}")

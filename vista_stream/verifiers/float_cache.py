"""Keeps graphs of floats in a cache folder, so that a model is unpacked once and not by every process.

A file is the SHA-256 of a graph, 32 bytes, and the graph. Its name holds the SHA-256 of the model that the
graph is made of, the precision, and the version of what makes it. The digest finds a damaged file. It does
not find one that somebody wrote on purpose: the folder is as trusted as the user whose it is.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vista_stream.errors import ModelLoadError

if TYPE_CHECKING:
    from vista_stream.verifiers.float_graph import FloatPrecision

logger = logging.getLogger("vista_stream")

CACHE = "VISTA_STREAM_CACHE"
"""The environment variable that names the cache folder."""
_VERSION = 1
"""Raise it when `float_graph` makes other graphs: the files written before are then not read."""
_DIGEST_SIZE = 32


def cache_folder() -> Path:
    """The folder that `VISTA_STREAM_CACHE` names, else `vista_stream` in the user's cache directory.

    That is `$XDG_CACHE_HOME` or `~/.cache`; `%LOCALAPPDATA%` on Windows.
    """
    if named := os.environ.get(CACHE):
        return Path(named)
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    own = os.environ.get(variable)
    try:
        return (Path(own) if own else Path.home() / ".cache") / "vista_stream"
    except RuntimeError as error:  # a user without a home directory
        raise ModelLoadError(f"there is no cache folder: set {CACHE} ({error})") from error


def float_model(path: Path, *, digest: str, precision: FloatPrecision, folder: Path | None = None) -> bytes:
    """The graph of floats of an int8 file, as an ONNX model; read from the cache folder if it is there.

    `digest` is the SHA-256 of the file; `folder` defaults to `cache_folder()`. A damaged file in it is made
    again. Where the folder cannot be written, the graph is made for this process alone, with a warning.
    Raises ModelLoadError as `float_graph` does, and where the package onnx is missing.
    """
    kept = (folder or cache_folder()) / f"{digest}-{precision}-{_VERSION}.graph"
    model = _read(kept)
    if model is None:
        model = _make(path, precision)
        _keep(kept, model)
    return model


def _make(path: Path, precision: FloatPrecision) -> bytes:
    try:
        from vista_stream.verifiers.float_graph import float_graph
    except ImportError as error:
        raise ModelLoadError(
            f'the {precision} graph is made with the package onnx, which is missing: pip install "onnx>=1.17"'
        ) from error
    return float_graph(path, precision)


def _read(kept: Path) -> bytes | None:
    try:
        with kept.open("rb") as file:
            digest, model = file.read(_DIGEST_SIZE), file.read()
    except OSError:
        return None
    if hashlib.sha256(model).digest() != digest:
        logger.warning("%s is damaged and is made again", kept)
        return None
    return model


def _keep(kept: Path, model: bytes) -> None:
    try:
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=kept.parent, prefix=f"{kept.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(model).digest())
                file.write(model)
            os.replace(name, kept)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        logger.warning(
            "%s cannot be written (%s), so each process makes the graph anew: name another folder with %s",
            kept,
            error.strerror or error,
            CACHE,
        )

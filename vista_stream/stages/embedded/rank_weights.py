"""Reads the weights of the embedded ranker from the file that the importance recipe writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from vista_stream.core.importance import Features, Line, Weights
from vista_stream.core.query import QUERY_KINDS
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.model_files import digest

Set: TypeAlias = Literal["with_similarity", "without_similarity"]
"""The weights for ranking with a bi-encoder, or without one."""
FILE = "importance.json"
_SHIPPED = Path(__file__).parents[2] / "models" / "importance"


def read_weights(path: Path, which: Set) -> Weights:
    """The weights of a file; raises OSError if it cannot be read, ValueError if it holds no such weights."""
    text = path.read_text(encoding="utf-8")
    try:
        table = json.loads(text)[which]["lines"]
        return {kind: _line(table[kind]) for kind in QUERY_KINDS}
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} must hold the weights {which}: {type(error).__name__}: {error}") from error


def read_model(folder: Path, which: Set) -> Weights:
    """The weights of a model folder; raises ModelLoadError if a file is missing, damaged or no such file."""
    path = folder / FILE
    try:
        expected = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"][FILE]
        actual = digest(path)
        if actual != expected:
            raise ModelLoadError(f"model file {path} is damaged: SHA-256 {actual}, expected {expected}")
        return read_weights(path, which)
    except OSError as error:
        raise ModelLoadError(f"{folder} must hold manifest.json and {FILE} ({error.strerror})") from error
    except (ValueError, TypeError, KeyError) as error:
        raise ModelLoadError(f"{folder} holds no weights: {type(error).__name__}: {error}") from error


@cache
def shipped(which: Set) -> Weights:
    """The weights that ship; read once. Raises as `read_model` does."""
    return read_model(_SHIPPED, which)


def _line(table: Mapping[str, Any]) -> Line:
    slopes = Features(**{name: float(value) for name, value in table["slopes"].items()})
    return Line(slopes, vital=float(table["vital"]), okay=float(table["okay"]))

"""The manifest of a model folder, and a check that the folder is complete."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import Pooling
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.model_files import check_files

Kind: TypeAlias = Literal["cross-encoder", "reader", "bi-encoder"]
_GRAPHS: dict[Kind, tuple[str, ...]] = {
    "cross-encoder": ("model.onnx",),
    "reader": ("words.onnx", "reader.onnx", "judge.onnx"),
    "bi-encoder": ("model.onnx",),
}
LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """`manifest.json` of a model folder; any other keys are ignored."""

    name: str
    kind: Kind
    files: Mapping[str, str]
    """SHA-256 of each file, as hexadecimal digits."""
    max_length: int = 512
    """Tokens of one input at most."""
    batch_tokens: int = 512
    """Tokens of one batch at most, padding included. Larger batches are not faster on a CPU.

    1 runs each row alone. A model with dynamically quantised activations needs that: the whole batch shares
    one scale, so a row's scores would depend on the other rows, and on how a stream was cut into deltas.
    """
    labels: tuple[str, ...] = LABELS
    """The label of each column of the logits; not used by a bi-encoder."""
    temperature: float = 1.0
    """Divides the logits before the softmax."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    """The thresholds from which this model's scores, pooled where it brings a pooling, decide a category."""
    pooling: Pooling | None = None
    """How the scores of a claim's passages become one triple; None where the deciding passage's are taken."""


def model_kind(folder: Path) -> Kind:
    """The kind of a folder's model, from its manifest; raises ModelLoadError without a readable manifest."""
    return _read(folder / "manifest.json").kind


def read_manifest(folder: Path, *, kind: Kind) -> Manifest:
    """Read a model folder's manifest and check every file that it names.

    Raises ModelLoadError, with the path and what was expected there, for a missing folder or file, a file
    with another SHA-256, or a manifest of another kind of model.
    """
    path = folder / "manifest.json"
    manifest = _read(path)
    if manifest.kind != kind:
        raise ModelLoadError(f"{path} is of a {manifest.kind}; a {kind} is needed")
    check_files(folder, manifest.files, graphs=_GRAPHS[kind])
    return manifest


def _read(path: Path) -> Manifest:
    try:
        return _build(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ModelLoadError(f"{path} is missing: a model folder holds it ({error.strerror})") from error
    except (ValueError, TypeError, KeyError) as error:
        raise ModelLoadError(f"{path} is not a manifest: {type(error).__name__}: {error}") from error


def _build(table: Any) -> Manifest:
    if not isinstance(table, dict) or not isinstance(table.get("files"), dict):
        raise ValueError("it must be an object, and its files one of name: SHA-256")
    known = {"name", "kind", "files", "max_length", "batch_tokens", "temperature"} & set(table)
    manifest = Manifest(
        **{key: table[key] for key in known},
        labels=tuple(table.get("labels", LABELS)),
        thresholds=Thresholds(**table.get("thresholds", {})),
        pooling=Pooling.of(table.get("pooling")),
    )
    if manifest.kind != "bi-encoder" and sorted(manifest.labels) != sorted(LABELS):
        raise ValueError(f"labels must be an order of {LABELS}, not {manifest.labels}")
    if not manifest.temperature > 0 or not manifest.max_length > 0 or not manifest.batch_tokens > 0:
        raise ValueError("temperature, max_length and batch_tokens must be above 0")
    return manifest

"""Chooses the device that a graph runs on, and the precision that it computes in."""

from __future__ import annotations

import logging
import sys
import threading
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from vista_stream.errors import ModelLoadError, missing_extra

logger = logging.getLogger("vista_stream")
_loading = threading.Lock()
"""Two threads that redirect stdout at once would leave it redirected."""

Device: TypeAlias = Literal["cpu", "cuda", "auto"]
Precision: TypeAlias = Literal["int8", "float16", "float32"]
CPU_PROVIDER = "CPUExecutionProvider"
CUDA_PROVIDER = "CUDAExecutionProvider"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where and how a graph runs; by default as it ships, on the CPU in int8."""

    device: Literal["cpu", "cuda"] = "cpu"
    precision: Precision = "int8"
    cache: Path | None = None
    """The folder where graphs of floats are kept; None takes the default one, see `float_cache`."""


def place(
    device: Device = "cpu", precision: Precision | None = None, *, cache: str | Path | None = None
) -> Placement:
    """Where a graph is to run: `auto` is CUDA where ONNX Runtime offers it, else the CPU.

    `precision` defaults to float16 on CUDA and to int8 on the CPU. Where `cuda` was asked for and is not
    offered, a warning says so, and the graph runs on the CPU in int8. Raises ValueError for other values, and
    for int8 on CUDA; ModelLoadError where ONNX Runtime is not installed.
    """
    if device not in get_args(Device):
        raise ValueError(f"device must be one of {get_args(Device)}, not {device!r}")
    if precision is not None and precision not in get_args(Precision):
        raise ValueError(f"precision must be one of {get_args(Precision)} or None, not {precision!r}")
    if device == "cuda" and precision == "int8":
        raise ValueError("precision int8 is for the CPU alone: ONNX Runtime computes its products there")
    folder = None if cache is None else Path(cache)
    if device == "cpu" or precision == "int8":
        return Placement(precision=precision or "int8", cache=folder)
    offered = runtime().get_available_providers()
    if CUDA_PROVIDER in offered:
        return Placement(device="cuda", precision=precision or "float16", cache=folder)
    if device == "auto":
        return Placement(precision=precision or "int8", cache=folder)
    return fall_back(f"this onnxruntime offers {', '.join(offered)} only")


def fall_back(why: str) -> Placement:
    """The placement on the CPU in int8, with a line of warning that says why it is not CUDA."""
    logger.warning("the verifier runs on the CPU, although CUDA was asked for: %s", why)
    return Placement()


def runtime() -> Any:
    """The module onnxruntime; raises ModelLoadError where it is not installed."""
    try:
        import onnxruntime
    except ImportError as error:
        raise ModelLoadError(missing_extra("ONNX Runtime is missing", "cpu")) from error
    return onnxruntime


def load_cuda() -> None:
    """Load CUDA's libraries where pip installed them: the system's loader does not look there.

    ONNX Runtime prints which ones it misses; that goes to stderr.
    """
    load = getattr(runtime(), "preload_dlls", None)  # since ONNX Runtime 1.21
    if load is not None:
        with _loading, redirect_stdout(sys.stderr):
            load()

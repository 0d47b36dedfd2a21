"""Opens ONNX Runtime sessions: of shipped graphs on the CPU, and of graphs of floats on CUDA or the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.float_cache import float_model
from vista_stream.verifiers.placement import (
    CPU_PROVIDER,
    CUDA_PROVIDER,
    Placement,
    fall_back,
    load_cuda,
    runtime,
)
from vista_stream.verifiers.threads import set_up
from vista_stream.verifiers.unpacked import Unpacked, give, keep_if_used, unpack

_SLOWER = ["SkipLayerNormFusion"]
"""Graph optimisations of ONNX Runtime (1.31) that make it slower on a CPU. The fused node of addition and
normalisation takes three times as long as the two nodes, which is a twentieth of a pair's total time."""


class BoundSession:
    """A session of any device: a run copies its inputs to the device and its outputs back, and nothing else.

    May be used from many threads. All runs are made by one: on CUDA the first run of a shape in each thread
    took 120 to 150 ms on an H100, later ones in that thread 1.4 ms and more. The weights stay on the device.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vista_stream-session")

    def get_inputs(self) -> Any:
        """The graph's inputs, as of `onnxruntime.InferenceSession`."""
        return self._session.get_inputs()

    def run(self, outputs: None, feed: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """All outputs for inputs by name, as of `onnxruntime.InferenceSession`."""
        call = self._thread.submit(self._run, feed)
        try:
            return call.result()
        finally:
            call.cancel()  # where the waiting thread was interrupted, nobody needs it any more

    def _run(self, feed: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        binding = self._session.io_binding()
        for name, values in feed.items():
            binding.bind_cpu_input(name, np.ascontiguousarray(values))
        for output in self._session.get_outputs():
            binding.bind_output(output.name)
        self._session.run_with_iobinding(binding)
        copied: list[NDArray[Any]] = binding.copy_outputs_to_cpu()
        return copied


def open_placed(
    path: Path, threads: int, placement: Placement, *, digest: str, weights: Path | None = None
) -> tuple[Any, Placement]:
    """A session of the graph at `path`, and where it runs.

    `digest` tells it, and the graph `weights` that unpacks its weights (`unpacked`), from other models.

    That is `placement`, or the CPU where CUDA cannot be started; a line of warning then says why. The session
    has `get_inputs` and `run`. Raises ModelLoadError as `open_session` and `float_model` do.
    """
    if placement.precision == "int8":
        return open_session(path, threads, weights=weights), placement
    model = float_model(path, digest=digest, precision=placement.precision, folder=placement.cache)
    if placement.device == "cpu":
        return _open(model, threads, path), placement
    try:
        return BoundSession(_open_on_cuda(model, threads)), placement
    except _CudaRefused as error:
        return open_session(path, threads, weights=weights), fall_back(str(error))


def open_session(path: Path, threads: int, *, weights: Path | None = None) -> Any:
    """An onnxruntime.InferenceSession of a graph on the CPU; `weights` is the graph that unpacks its weights.

    Raises ModelLoadError if one of them cannot be loaded.
    """
    if weights is None:
        return _open(str(path), threads, path)
    unpacked = unpack(weights)
    session = _open(str(path), threads, path, given=unpacked)
    keep_if_used(session, unpacked)
    return session


def _open(model: str | bytes, threads: int, path: Path, *, given: Unpacked | None = None) -> Any:
    options = _options(threads)
    if given is not None:
        give(options, given)
    # Where the graph itself unpacks 4-bit weights, do it once, at loading, and not in every run.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    try:
        return runtime().InferenceSession(
            model,
            options,
            providers=[CPU_PROVIDER],
            disabled_optimizers=_SLOWER,
        )
    except Exception as error:  # ONNX Runtime's exceptions share no base class but this one
        raise ModelLoadError(f"{path} is not an ONNX model: {error}") from error


class _CudaRefused(Exception):
    """ONNX Runtime offers CUDA and does not run the graph on it."""


def _open_on_cuda(model: bytes, threads: int) -> Any:
    try:
        load_cuda()
        session = runtime().InferenceSession(
            model, _options(threads), providers=[CUDA_PROVIDER, CPU_PROVIDER]
        )
    except Exception as error:  # as above
        raise _CudaRefused(" ".join(str(error).split())) from error
    # Where a driver or a library of CUDA is missing, ONNX Runtime itself falls back, and says so on stderr.
    if CUDA_PROVIDER not in session.get_providers():
        raise _CudaRefused("onnxruntime could not start it; its own message has the reason")
    return session


def _options(threads: int) -> Any:
    options = runtime().SessionOptions()
    set_up(options, threads)
    return options

"""The exported graph on ONNX Runtime: padded token rows in, answer logits out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.verifiers.placement import CPU_PROVIDER, CUDA_PROVIDER, load_cuda, runtime
from vista_stream.verifiers.sessions import BoundSession
from vista_stream.verifiers.threads import default_threads, set_up

Provider: TypeAlias = str | tuple[str, Mapping[str, Any]]


class AnswerSession:
    """A loaded graph; may be used from many threads."""

    def __init__(self, path: Path, *, providers: Sequence[Provider] | None, threads: int | None) -> None:
        """Load the graph. Blocking; raises as `load_graph`."""
        session, self.on_cpu = load_graph(path, providers=providers, threads=threads)
        self._session = BoundSession(session)

    def run(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The logits, shape (len(rows), number of answers). Blocking; raises InferenceError."""
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        # Attention kernels on a GPU want lengths that are multiples of 8.
        longest = int(lengths.max()) if self.on_cpu else -(-int(lengths.max()) // 8) * 8
        tokens = np.zeros((len(rows), longest), dtype=np.int64)
        for number, row in enumerate(rows):
            tokens[number, : len(row)] = row
        try:
            (logits,) = self._session.run(None, {"tokens": tokens, "lengths": lengths})
        except Exception as error:  # ONNX Runtime's exceptions share no base class but this one
            raise InferenceError(f"ONNX Runtime: {error}") from error
        return np.asarray(logits, dtype=np.float32)


def load_graph(path: Path, *, providers: Sequence[Provider] | None, threads: int | None) -> tuple[Any, bool]:
    """A graph's inference session, and whether it runs on the CPU. Blocking.

    Raises ModelLoadError where the file is not a graph, or where a requested provider does not run it: ONNX
    Runtime itself would fall back to the CPU. Raises ValueError for threads below 1, and for providers that
    are a single name and not a list.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be 1 or more, not {threads!r}")
    if isinstance(providers, str):
        raise ValueError(f"providers must be a list of names, not {providers!r} alone")
    onnxruntime = runtime()
    wanted = list(providers) if providers else [CPU_PROVIDER]
    names = [provider if isinstance(provider, str) else provider[0] for provider in wanted]
    _require(names, onnxruntime.get_available_providers(), "this onnxruntime offers")
    options = onnxruntime.SessionOptions()
    set_up(options, threads or default_threads())
    try:
        if CUDA_PROVIDER in names:
            load_cuda()
        session = onnxruntime.InferenceSession(str(path), options, providers=wanted)
    except Exception as error:  # ONNX Runtime's exceptions share no base class but this one
        raise ModelLoadError(f"{path} cannot be loaded: {error}") from error
    _require(names, session.get_providers(), "the session got")
    return session, names[0] == CPU_PROVIDER


def _require(names: Sequence[str], offered: Sequence[str], who: str) -> None:
    missing = [name for name in names if name not in offered]
    if missing:
        raise ModelLoadError(f"{', '.join(missing)} was asked for, but {who} {', '.join(offered)} only")

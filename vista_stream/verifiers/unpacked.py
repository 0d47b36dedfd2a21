"""Weights that a graph of their own unpacks, `weights.onnx`, given to ONNX Runtime as a model is opened.

`training/storing/splitting.py` writes that graph. It is run once, one layer after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.placement import CPU_PROVIDER, runtime

WEIGHTS: Final = "weights.onnx"
Unpacked: TypeAlias = Mapping[str, NDArray[np.int8]]
"""Weights by their names in the graph that they belong to."""
_INT8: Final = 3
"""The number of the type in ONNX."""
_TRIED: Final = 8
"""Tokens of the row that is run to see whether a session still reads what it was given."""


def unpack(path: Path) -> Unpacked:
    """Run the graph at `path`, which has no inputs; raises ModelLoadError if that fails."""
    options = runtime().SessionOptions()
    options.graph_optimization_level = runtime().GraphOptimizationLevel.ORT_DISABLE_ALL  # folds nothing
    options.enable_cpu_mem_arena = False  # it would keep the largest it ever held
    try:
        session = runtime().InferenceSession(str(path), options, providers=[CPU_PROVIDER])
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(names, {}), strict=True))
    except Exception as error:  # ONNX Runtime's exceptions share no base class but this one
        raise ModelLoadError(f"{path} does not unpack weights: {error}") from error


def give(options: Any, weights: Unpacked) -> None:
    """Have the session that is opened with `options` take the weights; it does not copy them."""
    value = runtime().OrtValue.ortvalue_from_numpy_with_onnx_type
    options.add_external_initializers(list(weights), [value(each, _INT8) for each in weights.values()])


def keep_if_used(session: Any, weights: Unpacked) -> None:
    """Keep weights alive with their session, if it reads them where they are.

    On most processors ONNX Runtime has its own copies by then, in the order of its products, and 70 MB can be
    freed. Which it is shows when they are changed.
    """
    before = _logits(session)
    for each in weights.values():
        each ^= 1
    if np.array_equal(before, _logits(session)):
        return
    for each in weights.values():
        each ^= 1
    session.vista_stream_weights = weights


def _logits(session: Any) -> NDArray[np.float32]:
    row = np.ones((1, _TRIED), np.int64)
    found: NDArray[np.float32] = session.run(None, {wanted.name: row for wanted in session.get_inputs()})[0]
    return found

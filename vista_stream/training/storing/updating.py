"""Stores a low-rank update beside four-bit weights; ONNX Runtime adds it once, when the graph is loaded.

The numbers of an update (`low_rank.py`) are mostly smaller than half a step of the int8 weights: rounding the
sum to the nearest would lose them. So a fixed pattern between 0 and 1 is added before rounding down. Over
neighbouring weights the sum is then kept on average, and the errors of one weight and the next cancel out.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from vista_stream.verifiers.unpacking import Floats, Update

LARGEST: Final = 63
"""The largest absolute value of an int8 weight that is stored; see `packing.py`."""
_LARGEST_NUMBER: Final = 127
_ROW, _COLUMN = 0.7548776662466927, 0.5698402909980532
"""Steps of the pattern along inputs and outputs. Multiples of both fill a square evenly (Roberts 2018, "The
Unreasonable Effectiveness of Quasirandom Sequences")."""
_PARTS: Final = ("narrow", "wide")


def stored(update: Update, scale: Floats) -> dict[str, NDArray[Any]]:
    """The update's tensors by the end of their names, in units of the weights' scales, (outputs,).

    Two int8 matrices, (inputs, rank) and (rank, outputs), each with a scale for each direction of the rank.
    """
    wide, narrow = update
    outer, middle = np.linalg.qr((wide / scale[:, None]).astype(np.float64))
    inner, other = np.linalg.qr(narrow.T.astype(np.float64))
    left, sizes, right = np.linalg.svd(middle @ other.T)
    # Orthogonal directions, each half as large as the product on either side, so that a scale fits all of it.
    halves = np.sqrt(sizes)
    found: dict[str, NDArray[Any]] = {}
    for part, values in zip(_PARTS, (inner @ right.T * halves, outer @ left * halves), strict=True):
        steps = np.abs(values).max(0) / _LARGEST_NUMBER
        steps[steps == 0] = 1.0
        numbers = np.rint(values / steps).astype(np.int8)
        found[part] = np.ascontiguousarray(numbers if part == "narrow" else numbers.T)
        found[f"{part}_steps"] = steps.astype(np.float32)
    return found


def pattern(inputs: int, outputs: int) -> dict[str, Floats]:
    """By name a column and a row whose sum modulo 1 is added to (inputs, outputs) weights before rounding."""
    rows, columns = np.arange(inputs) * _ROW % 1, np.arange(outputs) * _COLUMN % 1
    return {
        f"pattern_inputs_{inputs}": rows[:, None].astype(np.float32),
        f"pattern_outputs_{outputs}": columns[None].astype(np.float32),
        "pattern_one": np.ones(1, np.float32),
        "pattern_least": np.array(-LARGEST, np.float32),
        "pattern_most": np.array(LARGEST, np.float32),
    }


def updating(name: str, weights: str, inputs: int, outputs: int) -> list[onnx.NodeProto]:
    """Nodes from unpacked floats `weights` and the tensors `<name>_<part>` to int8 weights `name`."""
    node = helper.make_node

    def own(part: str) -> str:
        return f"{name}_{part}"

    return [
        node("DequantizeLinear", [own("narrow"), own("narrow_steps")], [own("narrow_whole")], axis=1),
        node("DequantizeLinear", [own("wide"), own("wide_steps")], [own("wide_whole")], axis=0),
        node("MatMul", [own("narrow_whole"), own("wide_whole")], [own("update")]),
        node("Add", [f"pattern_inputs_{inputs}", f"pattern_outputs_{outputs}"], [own("sum")]),
        node("Mod", [own("sum"), "pattern_one"], [own("pattern")], fmod=1),
        node("Add", [weights, own("update")], [own("exact")]),
        node("Add", [own("exact"), own("pattern")], [own("above")]),
        node("Floor", [own("above")], [own("rounded")]),
        node("Clip", [own("rounded"), "pattern_least", "pattern_most"], [own("clipped")]),
        node("Cast", [own("clipped")], [name], to=TensorProto.INT8),
    ]

"""Stores the weights of an int8 graph in four bits; ONNX Runtime unpacks them once, when the graph is loaded.

The int8 weights of each product are integer multiples of four-bit numbers, with one multiplier for 32 of
them. The unpacked graph is therefore an ordinary int8 graph and just as fast; ten layers take a file of the
size of six. Rounding each number to the nearest costs quality. On 400 rows of each set, ROC AUC in full
precision and packed is 83.9 and 82.2 on DialFact, 66.5 and 67.2 on Q2, 73.7 and 69.5 on PAWS. On a smaller
model, moving the errors onto the weights not yet rounded (Frantar et al. 2022, "GPTQ") was no better. A
product can have a low-rank update besides (`updating.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from vista_stream.training.storing import updating
from vista_stream.verifiers.unpacking import BLOCK, Floats, Update

LARGEST = 7
"""The largest absolute value of a four-bit number."""
_MULTIPLIERS = updating.LARGEST // LARGEST
"""Multipliers are 1 to this, 9. With 7 x 9 = 63, the sum of two products with the largest activation, 2 x 255
x 63, fits into 16 bits, in which CPUs with AVX2 or AVX-512 but no VNNI add them. With 7 x 18 these CPUs need
a slower way, and MPNet's weights are 9.6 % off instead of 9.9 %."""
_REACHES = sorted(
    {four * times for four in range(1, LARGEST + 1) for times in range(1, _MULTIPLIERS + 1)}, reverse=True
)
"""How many steps of its scale the largest weight of an output can be: first what it nearly always is."""
_OFF = 0.02
"""How far from whole steps a weight on the grid may lie: an update was added and taken away again."""
_OPSET = 21
"""The first ONNX operator set with four-bit tensors and scales by block."""


def pack(whole: Path, quantised: Path, path: Path, *, updates: Sequence[Update | None] = ()) -> None:
    """Write the int8 graph `quantised` to `path`, with the weights of its layers' products in four bits.

    `whole` is the same graph in full precision, with the updates added to its weights. `updates` has for each
    product, in the graph's order, its update or None; empty for none at all. Raises ValueError if `quantised`
    has no such products, or another number of them than `updates`.
    """
    floats = {tensor.name: tensor for tensor in onnx.load(whole).graph.initializer}
    model = onnx.load(quantised)
    products = [node.input[1] for node in model.graph.node if node.op_type == "MatMulInteger"]
    # The products of the head are small Gemm nodes and stay as they are.
    packed = [name for name in products if name.startswith("onnx::MatMul")]
    if not packed:
        raise ValueError(f"{quantised.name} has no products to pack")
    if updates and len(updates) != len(packed):
        raise ValueError(f"{quantised.name} has {len(packed)} products, not {len(updates)}")
    tensors: dict[str, TensorProto] = {}
    nodes = []
    for name, update in zip(packed, updates or [None] * len(packed), strict=True):
        weights = numpy_helper.to_array(floats[name.removesuffix("_quantized")])
        tensors |= _packed(name, weights, update)
        nodes += _unpacking(name)
        if update is None:
            nodes.append(helper.make_node("Cast", [f"{name}_unpacked"], [name], to=TensorProto.INT8))
        else:
            nodes += updating.updating(name, f"{name}_unpacked", *weights.shape)
    _replace(model.graph, {*packed, *tensors}, tensors, nodes)
    for opset in model.opset_import:
        if opset.domain in ("", "ai.onnx"):
            opset.version = _OPSET
    onnx.save(model, path)


def _packed(name: str, weights: Floats, update: Update | None) -> dict[str, TensorProto]:
    """The tensors that take the place of a product's weights, by name."""
    four, multipliers, scale = rounded(weights if update is None else weights - (update[0] @ update[1]).T)
    stored: dict[str, NDArray[Any]] = {
        f"{name}_times": multipliers,
        f"{name.removesuffix('_quantized')}_scale": scale,
    }
    if update is not None:
        stored |= {f"{name}_{part}": values for part, values in updating.stored(update, scale).items()}
        stored |= updating.pattern(*weights.shape)
    tensors = {key: numpy_helper.from_array(values, key) for key, values in stored.items()}
    return {f"{name}_4": _four_bits(four, f"{name}_4"), **tensors}


def rounded(weights: Floats) -> tuple[NDArray[np.int8], NDArray[np.int8], Floats]:
    """Four-bit numbers (inputs, outputs), multipliers (inputs / 32, outputs) and scales (outputs).

    Their product is close to `weights`, (inputs, outputs), and equal to them where they were rounded before;
    raises ValueError if 32 does not divide inputs.
    """
    inputs, outputs = weights.shape
    if inputs % BLOCK:
        raise ValueError(f"the inputs of a product must be a multiple of {BLOCK}, not {inputs}")
    scale = _scales(weights)
    blocks = (weights / scale).astype(np.float32).reshape(inputs // BLOCK, BLOCK, outputs)
    multipliers = _multipliers(blocks)
    four = _near(blocks, multipliers[:, None]).astype(np.int8).reshape(inputs, outputs)
    return four, multipliers, scale.astype(np.float32)


def _scales(weights: Floats) -> Floats:
    """For each output the scale of the grid that its weights lie on, or that which reaches the largest.

    Training with rounded weights can leave an output without a weight at the grid's end.
    """
    largest = np.abs(weights).max(0)
    scale: Floats = largest / (LARGEST * _MULTIPLIERS)
    scale[scale == 0] = 1.0
    unknown = np.flatnonzero(largest)
    for reach in _REACHES:
        tried = largest[unknown] / reach
        off = np.abs(weights[:BLOCK, unknown] / tried % 1.0 - 0.5).min(0)
        likely = unknown[off > 0.5 - _OFF]
        steps = weights[:, likely] / (largest[likely] / reach)
        whole = np.abs(steps - np.rint(steps)).max(0, initial=0.0) < _OFF
        found = likely[whole & _held(np.rint(steps).astype(np.int8))]
        scale[found] = largest[found] / reach
        unknown = np.setdiff1d(unknown, found)
    return scale


def _held(steps: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether four bits and a multiplier hold each block of an output's steps, (inputs, outputs)."""
    blocks = steps.reshape(len(steps) // BLOCK, BLOCK, steps.shape[1])
    held = np.zeros((len(blocks), steps.shape[1]), dtype=bool)
    for times in range(1, _MULTIPLIERS + 1):
        held |= ((blocks % times == 0) & (np.abs(blocks) <= LARGEST * times)).all(1)
    return np.asarray(held.all(0))


def _multipliers(blocks: Floats) -> NDArray[np.int8]:
    """The multiplier with the least squared error, for each block of each output."""
    best = np.full((blocks.shape[0], blocks.shape[2]), np.inf, dtype=np.float32)
    chosen = np.ones(best.shape, dtype=np.int8)
    for times in range(1, _MULTIPLIERS + 1):
        error = ((_near(blocks, times) * times - blocks) ** 2).sum(1)
        chosen[error < best] = times
        best = np.minimum(best, error)
    return chosen


def _near(blocks: Floats, times: NDArray[np.int8] | int) -> Floats:
    near: Floats = np.clip(np.rint(blocks / times), -LARGEST, LARGEST)
    return near


def nibbles(numbers: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Four-bit numbers as bytes, two in each, the first in the lower half: shape (size / 2,)."""
    low, high = numbers.ravel()[0::2] & 15, numbers.ravel()[1::2] & 15
    return (low | (high << 4)).astype(np.uint8)


def _four_bits(numbers: NDArray[np.int8], name: str) -> TensorProto:
    raw = nibbles(numbers).tobytes()
    return TensorProto(name=name, data_type=TensorProto.INT4, dims=numbers.shape, raw_data=raw)


def _unpacking(name: str) -> list[onnx.NodeProto]:
    """Nodes that unpack the weights as floats; ONNX Runtime folds them into constants when it loads them."""
    inputs = [f"{name}_4", f"{name}_factors"]
    return [
        helper.make_node("Cast", [f"{name}_times"], [f"{name}_factors"], to=TensorProto.FLOAT),
        helper.make_node("DequantizeLinear", inputs, [f"{name}_unpacked"], axis=0, block_size=BLOCK),
    ]


def _replace(
    graph: onnx.GraphProto,
    dropped: set[str],
    tensors: Mapping[str, TensorProto],
    nodes: Sequence[onnx.NodeProto],
) -> None:
    kept = [tensor for tensor in graph.initializer if tensor.name not in dropped]
    del graph.initializer[:]
    graph.initializer.extend([*kept, *tensors.values()])
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend([*nodes, *rest])

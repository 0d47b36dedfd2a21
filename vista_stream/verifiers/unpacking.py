"""Reads the weights of an int8 graph that `training/storing` wrote back as floats; needs the package onnx.

The weights keep what was stored and no more: the four-bit numbers with their multipliers and scales, the
update in full, and the channels that were set apart. The int8 graph rounds the sum of the first two again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, numpy_helper
from onnx.external_data_helper import load_external_data_for_tensor

from vista_stream.verifiers.unpacked import WEIGHTS

TABLES = "tables.bin"
"""The file of a model's large tables, which ONNX Runtime maps into memory."""
BLOCK = 32
"""How many four-bit weights along the input share a multiplier."""
_LARGEST = 7
"""The largest absolute value of a four-bit number."""

Floats = NDArray[np.float32]
Update = tuple[Floats, Floats]
"""Wide, (outputs, rank), and narrow, (rank, inputs); their product is added to a product's weights."""
Tensors = Mapping[str, TensorProto]
"""The constants of a graph by name."""


class Product(NamedTuple):
    """What a matrix product of the graph multiplies by."""

    weights: Floats
    """(inputs, outputs), with the update added."""
    update: Update | None


def load_whole(path: Path) -> ModelProto:
    """The graph at `path` with its tables and what unpacks its weights, which may be in files beside it.

    Raises OSError and protobuf's errors, as `onnx.load` does.
    """
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        if any(entry.value == TABLES for entry in tensor.external_data):
            load_external_data_for_tensor(tensor, str(path.parent))
            tensor.data_location = TensorProto.DEFAULT
            del tensor.external_data[:]
    beside = path.with_name(WEIGHTS)
    if not beside.is_file():
        return model
    unpacking, graph = onnx.load(beside).graph, model.graph
    given = {output.name for output in unpacking.output}
    constants = {tensor.name: tensor for tensor in (*graph.initializer, *unpacking.initializer)}
    nodes = [*unpacking.node, *graph.node]
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(tensor for name, tensor in constants.items() if name not in given)
    graph.node.extend(nodes)
    return model


def is_packed(stored: Tensors, name: str) -> bool:
    """Whether the weights `name` of a product are stored in four bits."""
    return f"{name}_4" in stored


def packed_product(stored: Tensors, name: str) -> Product:
    """A product whose weights are in four bits; `name` is theirs in the int8 graph."""
    plain = plain_name(name)
    scale = _array(stored, f"{plain}_scale")
    times = np.repeat(_array(stored, f"{name}_times"), BLOCK, 0)
    weights: Floats = _four_bits(stored[f"{name}_4"]) * times * scale
    update = update_of(stored, name, scale)
    if update is not None:
        weights += (update[0] @ update[1]).T
    if f"apart/{plain}/rows" in stored:
        channels = numpy_helper.to_array(stored[f"apart/{plain}/channels"])
        weights[channels] = _array(stored, f"apart/{plain}/rows")
    return Product(weights, update)


def eight_bit_weights(stored: Tensors, name: str) -> Floats:
    """A product's weights in eight bits, (inputs, outputs); `name` is theirs in the int8 graph."""
    plain = plain_name(name)
    numbers, point = _array(stored, name), _array(stored, f"{plain}_zero_point")
    weights: Floats = (numbers - point) * _array(stored, f"{plain}_scale")
    return weights


def table(stored: Tensors, name: str) -> Floats | None:
    """The table of vectors that is stored as `name`, in 8 or 16 bits; None where `name` is no such table."""
    plain = plain_name(name)
    if name == f"{plain}_8" and f"{plain}_scales" in stored:
        vectors: Floats = _array(stored, name) * _array(stored, f"{plain}_scales")
        return vectors
    return _array(stored, name) if name == f"{plain}_16" else None


def plain_name(name: str) -> str:
    """The name that stored weights have in the graph of full precision."""
    for end in ("_quantized", "_8", "_16"):
        if name.endswith(end):
            return name.removesuffix(end)
    return name


def update_of(stored: Tensors, name: str, scale: Floats) -> Update | None:
    """The update of the product `name`, in full; None where it has none. `scale`: of its outputs."""
    if f"{name}_wide" not in stored:
        return None
    wide = _array(stored, f"{name}_wide") * _array(stored, f"{name}_wide_steps")[:, None]
    narrow = _array(stored, f"{name}_narrow") * _array(stored, f"{name}_narrow_steps")
    return wide.T * scale[:, None], narrow.T


def four_bit_numbers(raw: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Four-bit numbers of bytes with two in each, the first in the lower half; shape (2 x bytes,)."""
    numbers = np.empty(raw.size * 2, np.int8)
    numbers[0::2], numbers[1::2] = raw & 15, raw >> 4
    numbers[numbers > _LARGEST] -= 16
    return numbers


def _four_bits(tensor: TensorProto) -> Floats:
    numbers = four_bit_numbers(np.frombuffer(tensor.raw_data, np.uint8))
    return numbers[: int(np.prod(tensor.dims))].reshape(tensor.dims).astype(np.float32)


def _array(stored: Tensors, name: str) -> Floats:
    return numpy_helper.to_array(stored[name]).astype(np.float32)

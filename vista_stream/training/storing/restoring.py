"""Reads a model folder that `exporting` wrote back into torch weights, so that training can continue.

Weights that were rounded stay rounded. The relative position bias is left out, because it is folded into the
graph: the base model's is used instead, which no run changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from onnx import TensorProto, numpy_helper
from torch import Tensor

from vista_stream.training.encoder import PRODUCTS
from vista_stream.verifiers.unpacking import Floats, Product, is_packed, load_whole, packed_product

_GRAPHS: Final = (("model.onnx",), ("words.onnx", "reader.onnx", "judge.onnx"))
_OUTER: Final = ("verifier.model.", "verifier.", "model.")
"""Prefixes of weight names in the graphs, from the traced modules; the weight's own name follows."""


def restored(folder: Path) -> dict[str, Tensor]:
    """The weights of a model folder by their names in a `CrossEncoder`.

    Raises FileNotFoundError where the folder holds no graphs that `exporting` writes.
    """
    graphs = _graphs(folder)
    found = {f"{name}.weight": product.weights.T for name, product in _products(graphs)}
    for graph in graphs:
        found |= dict(_named(graph))
    return {name: torch.tensor(np.ascontiguousarray(values)) for name, values in found.items()}


def restored_updates(folder: Path) -> dict[str, tuple[Tensor, Tensor]]:
    """The low-rank updates that `restored` weights contain: (wide, narrow) by the name of a weight.

    Raises FileNotFoundError like `restored`.
    """
    return {
        f"{name}.weight": (torch.from_numpy(product.update[0]), torch.from_numpy(product.update[1]))
        for name, product in _products(_graphs(folder))
        if product.update is not None
    }


def _graphs(folder: Path) -> list[onnx.GraphProto]:
    for names in _GRAPHS:
        if all((folder / name).is_file() for name in names):
            return [load_whole(folder / name).graph for name in names]
    raise FileNotFoundError(f"{folder} holds neither model.onnx nor words.onnx, reader.onnx and judge.onnx")


def _products(graphs: Sequence[onnx.GraphProto]) -> Iterator[tuple[str, Product]]:
    """The layers' products by name, in order."""
    found = (product for graph in graphs for product in _unpacked(graph))
    for number, product in enumerate(found):
        layer, part = divmod(number, len(PRODUCTS))
        yield f"encoder.layers.{layer}.{PRODUCTS[part]}", product


def _unpacked(graph: onnx.GraphProto) -> Iterator[Product]:
    stored = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "MatMulInteger" and is_packed(stored, node.input[1]):
            yield packed_product(stored, node.input[1])


def _named(graph: onnx.GraphProto) -> Iterator[tuple[str, Floats]]:
    """The weights that keep their names in a graph: biases, normalisation, tables, the head."""
    stored = {
        tensor.name: numpy_helper.to_array(tensor)
        for tensor in graph.initializer
        if tensor.data_type != TensorProto.INT4
    }
    for name, values in stored.items():
        if name.endswith("_8") and f"{name[:-2]}_scales" in stored:
            yield _own(name[:-2]), values * stored[f"{name[:-2]}_scales"]
        elif name.endswith("_16"):
            yield _own(name[:-3]), values.astype(np.float32)
        elif name.endswith("_Transposed_quantized"):
            whole = name.removesuffix("_quantized")
            point, scale = stored[f"{whole}_zero_point"], stored[f"{whole}_scale"]
            yield _own(whole.removesuffix("_Transposed")), ((values.astype(np.float32) - point) * scale).T
        elif name.endswith((".weight", ".bias")):
            yield _own(name), values.astype(np.float32)


def _own(name: str) -> str:
    for outer in _OUTER:
        if name.startswith(outer):
            return name.removeprefix(outer)
    return name

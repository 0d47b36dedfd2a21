"""Small graphs, stored as `training/storing` stores a model: without torch, which the exporter needs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from vista_stream.training.storing.lookups import shrink_tables
from vista_stream.training.storing.outliers import set_apart
from vista_stream.training.storing.packing import pack
from vista_stream.training.storing.quantising import quantise
from vista_stream.verifiers.unpacking import Floats, Update

WIDTH = 64


def product_graph(weights: Floats, bias: Floats) -> onnx.ModelProto:
    """y = x w + b, x of (1, length, inputs), named as the exporter names a layer's product."""
    return _model(
        [
            helper.make_node("MatMul", ["x", "onnx::MatMul_1"], ["product"], name="MatMul"),
            helper.make_node("Add", ["bias", "product"], ["y"], name="Add"),
        ],
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, "length", weights.shape[0]])],
        {"onnx::MatMul_1": weights, "bias": bias},
    )


def stored_product(
    folder: Path,
    weights: Floats,
    bias: Floats,
    *,
    update: Update | None = None,
    sample: np.ndarray | None = None,
) -> Path:
    """`product_graph` in int8, weights in four bits; with a sample, its largest channels are set apart."""
    whole, eight, packed = (folder / f"{name}.onnx" for name in ("whole", "eight", "packed"))
    onnx.save(product_graph(weights, bias), whole)
    quantise(whole, eight)
    pack(whole, eight, packed, updates=[update] if update else ())
    if sample is not None:
        assert set_apart(whole, packed, [{"x": sample}]) == 1
    return packed


def stored_table(folder: Path, vectors: Floats) -> Path:
    """y = the vectors of ids, their table in eight bits or in 16."""
    model = _model(
        [helper.make_node("Gather", ["words.weight", "x"], ["y"])],
        [helper.make_tensor_value_info("x", TensorProto.INT64, [1, "length"])],
        {"words.weight": vectors},
    )
    assert shrink_tables(model.graph) == 1
    onnx.save(model, folder / "table.onnx")
    return folder / "table.onnx"


def _model(nodes: list, inputs: list, constants: dict[str, np.ndarray]) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "small",
        inputs,
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, "length", "width"])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

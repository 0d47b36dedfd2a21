"""Makes a graph of floats from an int8 graph that `training/storing` wrote; needs the package onnx.

The int8 graph is made for CPUs: it quantises the input of each product at run time, and unpacks its weights
when it is loaded. With CUDA, ONNX Runtime computes such nodes on the CPU (microsoft/onnxruntime#7745). Here
each group of them becomes one product, or one look-up, with weights in floats.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.unpacking import (
    Floats,
    Tensors,
    eight_bit_weights,
    is_packed,
    load_whole,
    packed_product,
    plain_name,
    table,
)

FloatPrecision: TypeAlias = Literal["float16", "float32"]

_OPSET = 17
"""The operator set that models are exported with. Four-bit tensors raised it to 21, for which ONNX Runtime
lacks CUDA kernels of Shape, Transpose and others (microsoft/onnxruntime#26065)."""
_QUANTISED = frozenset({"DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger", "QuantizeLinear"})
_OTHER = "has quantised nodes that training does not write, and cannot be unpacked"
_LARGEST = float(np.finfo(np.float16).max)


def float_graph(path: Path, precision: FloatPrecision) -> bytes:
    """The graph of an int8 file with weights and products in floats, as an ONNX model; takes seconds.

    Inputs and outputs stay as they are. Raises ModelLoadError where the file is not an ONNX model, or where
    it has quantised nodes that `training/storing` does not write.
    """
    try:
        model = load_whole(path)
    except Exception as error:  # protobuf's exceptions share no base class but this one
        raise ModelLoadError(f"{path} is not an ONNX model: {error}") from error
    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    try:
        _look_up_floats(graph, stored)
        _multiply_floats(graph, stored)
    except (KeyError, IndexError) as error:
        raise ModelLoadError(f"{path} {_OTHER}: {error}") from error
    _drop_unused(graph)
    if left := _QUANTISED & {node.op_type for node in graph.node}:
        raise ModelLoadError(f"{path} {_OTHER}: {', '.join(sorted(left))}")
    if any(tensor.data_type == TensorProto.INT4 for tensor in stored.values()):
        _lower_opset(model)
    if precision == "float16":
        _halve(graph)
    unpacked: bytes = model.SerializeToString()
    return unpacked


def _multiply_floats(graph: GraphProto, stored: Tensors) -> None:
    """Let one node do what four do now: quantise the input, multiply, make the product a float, scale it."""
    makers, users = _makers(graph.node), _users(graph.node)
    weights: dict[str, Floats] = {}
    for node in [node for node in graph.node if node.op_type == "MatMulInteger"]:
        name, plain = node.input[1], plain_name(node.input[1])
        packed = is_packed(stored, name)
        weights[plain] = packed_product(stored, name).weights if packed else eight_bit_weights(stored, name)
        source, apart = makers[node.input[0]].input[0], f"apart/{plain}"
        scaled = users[users[node.output[0]].output[0]]
        if source == f"{apart}/rest":  # `weights` has the channels that were set apart
            source = makers[source].input[0]
            joined = users[f"{apart}/most"]
            makers[f"{apart}/most"].output[0], joined.output[0] = joined.output[0], f"{apart}/unused"
        _become(scaled, "MatMul", source, plain)
    _add_constants(graph, weights.items())


def _look_up_floats(graph: GraphProto, stored: Tensors) -> None:
    """Let one node look up the vectors of a table that are now looked up in few bits and made floats."""
    users = _users(graph.node)
    tables: dict[str, Floats] = {}
    for node in [node for node in graph.node if node.op_type == "Gather"]:
        vectors = table(stored, node.input[0]) if node.input[0] in stored else None
        if vectors is not None:
            last = users[node.output[0]]
            if f"{plain_name(node.input[0])}_scales" in stored:
                last = users[last.output[0]]
            tables[plain_name(node.input[0])] = vectors
            _become(last, "Gather", plain_name(node.input[0]), node.input[1])
    _add_constants(graph, tables.items())


def _become(node: NodeProto, kind: str, *inputs: str) -> None:
    """Make a node another one with the same output."""
    node.op_type = kind
    del node.input[:], node.attribute[:]
    node.input.extend(inputs)


def _add_constants(graph: GraphProto, constants: Iterable[tuple[str, Floats]]) -> None:
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants)


def _makers(nodes: Iterable[NodeProto]) -> dict[str, NodeProto]:
    return {output: node for node in nodes for output in node.output}


def _users(nodes: Iterable[NodeProto]) -> dict[str, NodeProto]:
    return {name: node for node in nodes for name in node.input}


def _drop_unused(graph: GraphProto) -> None:
    """Drop the nodes and constants that no output needs, and the stored shapes, which name some of them."""
    needed = {output.name for output in graph.output}
    kept: list[NodeProto] = []
    for node in reversed(graph.node):
        if needed & set(node.output):
            needed |= set(node.input)
            kept.append(node)
    constants = [tensor for tensor in graph.initializer if tensor.name in needed]
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(reversed(kept))
    graph.initializer.extend(constants)


def _lower_opset(model: ModelProto) -> None:
    for opset in model.opset_import:
        if opset.domain in ("", "ai.onnx"):
            opset.version = min(opset.version, _OPSET)


def _halve(graph: GraphProto) -> None:
    """Compute in half precision; what the graph puts out becomes single precision again."""
    for tensor in graph.initializer:
        _halve_tensor(tensor)
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                _halve_tensor(attribute.t)
            elif node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.FLOAT16
    for output in graph.output:
        if output.type.tensor_type.elem_type == TensorProto.FLOAT:
            half = f"{output.name}_half"
            for names in (names for node in graph.node for names in (node.input, node.output)):
                names[:] = [half if name == output.name else name for name in names]
            graph.node.append(helper.make_node("Cast", [half], [output.name], to=TensorProto.FLOAT))


def _halve_tensor(tensor: TensorProto) -> None:
    if tensor.data_type == TensorProto.FLOAT:
        values = np.clip(numpy_helper.to_array(tensor), -_LARGEST, _LARGEST).astype(np.float16)
        tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))

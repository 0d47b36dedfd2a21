"""Tables of vectors that are looked up, words above all: eight bits a number, a scale for each vector.

With one scale a table, which is what ONNX Runtime's quantiser gives, the few vectors that are ten times
larger than the others decide it: MPNet's words are then 7 % off, before the first layer. With a scale a
vector it is 0.9 %.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from vista_stream.training.packing import Floats

_LARGEST: Final = 127
_WORTH: Final = 100_000
"""Numbers of a table from which on it is stored so; smaller ones stay as they are."""


def shrink_tables(graph: onnx.GraphProto) -> int:
    """Store the large tables of a graph in eight bits, as a scale a vector allows; return how many."""
    tables = {tensor.name: tensor for tensor in graph.initializer if _is_large(tensor)}
    nodes: list[NodeProto] = []
    stored: dict[str, list[TensorProto]] = {}
    for node in graph.node:
        if node.op_type == "Gather" and node.input[0] in tables:
            name = node.input[0]
            stored[name] = _stored(name, numpy_helper.to_array(tables[name]))
            nodes += _look_up(name, node)
        else:
            nodes.append(node)
    kept = [tensor for tensor in graph.initializer if tensor.name not in stored]
    del graph.initializer[:]
    graph.initializer.extend([*kept, *(tensor for pair in stored.values() for tensor in pair)])
    del graph.node[:]
    graph.node.extend(nodes)
    return len(stored)


def _is_large(tensor: TensorProto) -> bool:
    return (
        tensor.data_type == TensorProto.FLOAT
        and len(tensor.dims) == 2
        and int(np.prod(tensor.dims)) >= _WORTH
    )


def _stored(name: str, table: Floats) -> list[TensorProto]:
    scale = np.abs(table).max(1, keepdims=True) / _LARGEST
    scale[scale == 0] = 1.0
    eight = np.rint(table / scale).astype(np.int8)
    return [
        numpy_helper.from_array(eight, f"{name}_8"),
        numpy_helper.from_array(scale.astype(np.float32), f"{name}_scales"),
    ]


def _look_up(name: str, node: NodeProto) -> list[NodeProto]:
    """The vectors as floats: only those that are looked up are unpacked."""
    at, found = node.input[1], node.output[0]
    return [
        helper.make_node("Gather", [f"{name}_8", at], [f"{found}_8"]),
        helper.make_node("Gather", [f"{name}_scales", at], [f"{found}_scale"]),
        helper.make_node("Cast", [f"{found}_8"], [f"{found}_wide"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{found}_wide", f"{found}_scale"], [found]),
    ]

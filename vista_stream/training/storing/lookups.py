"""Tables of vectors that are looked up, words above all: eight bits a number, a scale for each vector.

With one scale a table, which is what ONNX Runtime's quantiser gives, the few vectors that are ten times
larger than the others decide it: MPNet's words are then 7 % off, before the first layer. With a scale a
vector it is 0.9 %. Its places have a few numbers in each vector that are a hundred times the others, and stay
8 % off; such a table takes 16 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from vista_stream.training.storing.packing import Floats

_LARGEST: Final = 127
_WORTH: Final = 100_000
"""Numbers of a table from which on it is stored so; smaller ones stay as they are."""
_OFF: Final = 0.03
"""How far off a table's numbers may be in eight bits, at the mean and in parts of them; else it takes 16."""


def shrink_tables(graph: onnx.GraphProto) -> int:
    """Store the large tables of a graph in eight bits, as a scale a vector allows; return how many."""
    tables = {tensor.name: tensor for tensor in graph.initializer if _is_large(tensor)}
    nodes: list[NodeProto] = []
    stored: dict[str, list[TensorProto]] = {}
    for node in graph.node:
        if node.op_type == "Gather" and node.input[0] in tables:
            name = node.input[0]
            stored[name] = _stored(name, numpy_helper.to_array(tables[name]))
            nodes += _look_up(stored[name], node)
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
    if np.abs(eight * scale - table).mean() > _OFF * np.abs(table).mean():
        return [numpy_helper.from_array(table.astype(np.float16), f"{name}_16")]
    return [
        numpy_helper.from_array(eight, f"{name}_8"),
        numpy_helper.from_array(scale.astype(np.float32), f"{name}_scales"),
    ]


def _look_up(tensors: Sequence[TensorProto], node: NodeProto) -> list[NodeProto]:
    """The vectors as floats: only those that are looked up are unpacked."""
    at, found = node.input[1], node.output[0]
    numbers, *scales = (tensor.name for tensor in tensors)
    wide = f"{found}_wide" if scales else found
    nodes = [
        helper.make_node("Gather", [numbers, at], [f"{found}_stored"]),
        helper.make_node("Cast", [f"{found}_stored"], [wide], to=TensorProto.FLOAT),
    ]
    for scale in scales:
        nodes += [
            helper.make_node("Gather", [scale, at], [f"{found}_scale"]),
            helper.make_node("Mul", [wide, f"{found}_scale"], [found]),
        ]
    return nodes

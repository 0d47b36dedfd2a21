"""Stores embedding tables in eight bits, with a scale for each vector.

ONNX Runtime's quantiser gives a table one scale. It is set by the few vectors that are ten times larger than
the others: MPNet's word embeddings then have an error of 7 %, before the first layer. With a scale for each
vector it is 0.9 %. Each vector of MPNet's position embeddings has a few numbers that are a hundred times the
others, which leaves an error of 8 %; such a table takes 16 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from vista_stream.verifiers.unpacking import Floats

_LARGEST: Final = 127
_WORTH: Final = 100_000
"""Least count of numbers in a table that is stored this way; smaller tables stay as they are."""
_OFF: Final = 0.03
"""Largest mean error of a table in eight bits, relative to its mean number; above it, it takes 16 bits."""


def shrink_tables(graph: onnx.GraphProto) -> int:
    """Store a graph's large tables in eight bits with a scale for each vector, or in 16; return how many."""
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
    """Nodes that look up vectors and turn only these into floats."""
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

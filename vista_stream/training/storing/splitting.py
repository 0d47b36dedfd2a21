"""Parts of a model that have files of their own, so that loading it takes little memory.

The nodes that unpack weights become a graph, which is run once when the model is loaded. ONNX Runtime folds
such nodes into constants too, and keeps what each of them gives until all are folded: with ten layers that is
1.5 GB for seconds. A graph that is run frees it as it goes.

Tables of vectors become a file of bytes, which ONNX Runtime maps into memory: of 30,000 words a text has few.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from vista_stream.verifiers.unpacked import WEIGHTS
from vista_stream.verifiers.unpacking import TABLES

_LEAST: Final = 1 << 20
"""Bytes of a table that is worth a place in a file of its own."""
_PAGE: Final = 4096
"""Tables begin at a multiple of so many bytes; others cannot be mapped."""
_NO_FILE: Final = "given-at-loading"
"""Where ONNX Runtime would look for the weights if nobody gave them: there is no such file."""


def split(path: Path) -> None:
    """Write what makes the weights of the int8 graph at `path` to `weights.onnx` beside it, the rest back.

    Weights that no node makes stay as they are. Raises ValueError where no node makes any.
    """
    model = onnx.load(path)
    graph = model.graph
    made_by = {output: node for node in graph.node for output in node.output}
    products = [node.input[1] for node in graph.node if node.op_type == "MatMulInteger"]
    names = list(dict.fromkeys(name for name in products if name in made_by))
    if not names:
        raise ValueError(f"{path.name} has no weights that its nodes unpack")
    shapes = {tensor.name: tensor.dims for tensor in graph.initializer}
    outputs = [helper.make_tensor_value_info(name, TensorProto.INT8, shapes[f"{name}_4"]) for name in names]
    needed = _needed(graph, names)
    onnx.save(_part(model, "weights", needed, outputs), path.with_name(WEIGHTS))
    done = {output for node in needed for output in node.output}
    rest = [node for node in graph.node if done.isdisjoint(node.output)]
    whole = _part(model, graph.name, rest, graph.output)
    whole.graph.input.extend(graph.input)
    whole.graph.initializer.extend(_given(name, shapes[f"{name}_4"]) for name in names)
    path.write_bytes(whole.SerializeToString())  # `onnx.save` would look for the file of the weights


def map_tables(path: Path) -> None:
    """Write the large tables of the graph at `path` to `tables.bin` beside it, and the rest back."""
    model = onnx.load(path, load_external_data=False)
    with path.with_name(TABLES).open("wb") as file:
        for tensor in model.graph.initializer:
            if tensor.data_location == TensorProto.EXTERNAL or len(tensor.raw_data) < _LEAST:
                continue
            file.write(bytes(-file.tell() % _PAGE))
            place = {"location": TABLES, "offset": file.tell(), "length": len(tensor.raw_data)}
            file.write(tensor.raw_data)
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in place.items():
                tensor.external_data.add(key=key, value=str(value))
    path.write_bytes(model.SerializeToString())


def _needed(graph: GraphProto, names: list[str]) -> list[NodeProto]:
    """The nodes that make the tensors `names`, in their order."""
    wanted, found = set(names), list[NodeProto]()
    for node in reversed(graph.node):
        if not wanted.isdisjoint(node.output):
            wanted.update(node.input)
            found.append(node)
    return found[::-1]


def _part(
    model: ModelProto, name: str, nodes: list[NodeProto], outputs: Sequence[ValueInfoProto]
) -> ModelProto:
    """A model of some of its nodes and the constants that they take."""
    taken = {name for node in nodes for name in node.input}
    constants = [tensor for tensor in model.graph.initializer if tensor.name in taken]
    graph = helper.make_graph(nodes, name, [], outputs, constants)
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def _given(name: str, shape: list[int]) -> TensorProto:
    """The place of weights in a graph that has not got them."""
    tensor = TensorProto(
        name=name, data_type=TensorProto.INT8, dims=shape, data_location=TensorProto.EXTERNAL
    )
    tensor.external_data.add(key="location", value=_NO_FILE)
    return tensor

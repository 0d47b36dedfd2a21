"""Writes an ONNX graph node by node."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

# The contrib operators are onnxruntime's own; both sets are as old as the runtimes that we accept.
_OPSETS = {"": 21, "com.microsoft": 1}
_IR_VERSION = 10


class GraphWriter:
    """Collects nodes and constants; every call that adds a node returns the name of its output."""

    def __init__(self) -> None:
        self._model = helper.make_model(
            helper.make_graph([], "vista_stream", [], []),
            opset_imports=[helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()],
            ir_version=_IR_VERSION,
            producer_name="vista_stream",
        )
        self._numbers = itertools.count()

    def constant(self, values: NDArray[Any] | np.generic) -> str:
        """Add a constant tensor and return its name."""
        name = f"constant_{next(self._numbers)}"
        # Added straight to the model: a copy of a large model's weights takes gigabytes.
        tensor = self._model.graph.initializer.add()
        tensor.CopyFrom(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def integers(self, *values: int) -> str:
        """Add a one-dimensional int64 constant, as shapes and axes are given."""
        return self.constant(np.asarray(values, np.int64))

    def integer(self, value: int) -> str:
        """Add an int64 scalar."""
        return self.constant(np.asarray(value, np.int64))

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node of the standard operator set with one output; an empty input name is left out."""
        return self.node(kind, inputs, **attributes)[0]

    def fused(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node of onnxruntime's contrib operator set with one output."""
        return self.node(kind, inputs, domain="com.microsoft", **attributes)[0]

    def node(self, kind: str, inputs: tuple[str, ...], *, outputs: int = 1, **attributes: Any) -> list[str]:
        """Add a node with any number of outputs and return their names."""
        names = [f"{kind}_{next(self._numbers)}" for _ in range(outputs)]
        node = helper.make_node(kind, list(inputs), names, name=names[0], **attributes)
        self._model.graph.node.append(node)
        return names

    def cast(self, value: str, to: int) -> str:
        """Add a cast to an element type of TensorProto."""
        return self.op("Cast", value, to=to)

    def model(
        self, inputs: dict[str, list[str]], output: tuple[str, str, list[str | int]]
    ) -> onnx.ModelProto:
        """Close the graph.

        inputs: int64 tensors by name, with their symbolic shapes. output: the inner name, the outer
        name and the shape of the one float32 output.
        """
        inner, outer, shape = output
        graph = self._model.graph
        graph.node.append(helper.make_node("Identity", [inner], [outer], name=outer))
        for name, dims in inputs.items():
            graph.input.append(helper.make_tensor_value_info(name, TensorProto.INT64, dims))
        graph.output.append(helper.make_tensor_value_info(outer, TensorProto.FLOAT, shape))
        return self._model

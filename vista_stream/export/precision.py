"""Writes the matrix products of the exported graph in fp32, int8 or fp16."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from vista_stream.export.writer import GraphWriter

Matrix = NDArray[np.float32]


class Precision(Protocol):
    """Writes matrix products in one precision; the residual stream and the norms are always fp32."""

    def embedding(self, writer: GraphWriter, table: Matrix, tokens: str) -> str:
        """Rows of the table, as fp32."""
        ...

    def project(self, writer: GraphWriter, x: str, *weights: Matrix) -> list[str]:
        """x (…, in) times each weight (in, out), in the precision that attention runs in."""
        ...

    def contract(self, writer: GraphWriter, x: str, weight: Matrix) -> str:
        """x times the feed-forward output weight, as fp32; x (fp32) may hold T5's very large values."""
        ...

    def project_row(self, writer: GraphWriter, x: str, weight: Matrix) -> str:
        """x (batch, 1, in) times weight, as fp32; for the decoder, which has one token."""
        ...

    def narrow(self, writer: GraphWriter, x: str) -> str:
        """fp32 to the precision that attention runs in."""
        ...

    def widen(self, writer: GraphWriter, x: str) -> str:
        """The precision that attention runs in to fp32."""
        ...


class Fp32:
    """Plain products."""

    def embedding(self, writer: GraphWriter, table: Matrix, tokens: str) -> str:
        """See Precision."""
        return writer.op("Gather", writer.constant(table), tokens)

    def project(self, writer: GraphWriter, x: str, *weights: Matrix) -> list[str]:
        """See Precision."""
        return [writer.op("MatMul", x, writer.constant(weight)) for weight in weights]

    def contract(self, writer: GraphWriter, x: str, weight: Matrix) -> str:
        """See Precision."""
        return self.project(writer, x, weight)[0]

    def project_row(self, writer: GraphWriter, x: str, weight: Matrix) -> str:
        """See Precision."""
        return self.project(writer, x, weight)[0]

    def narrow(self, writer: GraphWriter, x: str) -> str:
        """See Precision."""
        return x

    def widen(self, writer: GraphWriter, x: str) -> str:
        """See Precision."""
        return x


class Fp16(Fp32):
    """Half-precision products, for CUDA; two parts of the model stay fp32.

    T5 was trained in bfloat16, and its values exceed the range of fp16 in the residual stream and in the
    output of the feed-forward layers. Both stay fp32, as in the published model code.
    """

    def embedding(self, writer: GraphWriter, table: Matrix, tokens: str) -> str:
        """See Precision."""
        return self.widen(writer, writer.op("Gather", writer.constant(table.astype(np.float16)), tokens))

    def project(self, writer: GraphWriter, x: str, *weights: Matrix) -> list[str]:
        """See Precision."""
        half = self.narrow(writer, x)
        return [writer.op("MatMul", half, writer.constant(weight.astype(np.float16))) for weight in weights]

    def contract(self, writer: GraphWriter, x: str, weight: Matrix) -> str:
        """See Precision."""
        return writer.op("MatMul", x, writer.constant(weight))

    def project_row(self, writer: GraphWriter, x: str, weight: Matrix) -> str:
        """See Precision."""
        return self.widen(writer, self.project(writer, x, weight)[0])

    def narrow(self, writer: GraphWriter, x: str) -> str:
        """See Precision."""
        return writer.cast(x, TensorProto.FLOAT16)

    def widen(self, writer: GraphWriter, x: str) -> str:
        """See Precision."""
        return writer.cast(x, TensorProto.FLOAT)


class Int8(Fp32):
    """Eight-bit weights with a scale for each column; activations are quantised at run time."""

    _BLOCK = 32

    def embedding(self, writer: GraphWriter, table: Matrix, tokens: str) -> str:
        """See Precision."""
        half = writer.op("Gather", writer.constant(table.astype(np.float16)), tokens)
        return writer.cast(half, TensorProto.FLOAT)

    def project(self, writer: GraphWriter, x: str, *weights: Matrix) -> list[str]:
        """See Precision."""
        eight, scale, zero = writer.node("DynamicQuantizeLinear", (x,), outputs=3)
        return [self._product(writer, (eight, scale, zero), weight) for weight in weights]

    def contract(self, writer: GraphWriter, x: str, weight: Matrix) -> str:
        """See Precision. Each row is scaled to unit length first, so that one row of large values does not
        cost the others resolution."""
        unit = writer.constant(np.ones(weight.shape[0], np.float32))
        rows, inverse = writer.node(
            "SimplifiedLayerNormalization", (x, unit), outputs=2, axis=-1, epsilon=1e-12
        )
        return writer.op("Div", self.project(writer, rows, weight)[0], inverse)

    def project_row(self, writer: GraphWriter, x: str, weight: Matrix) -> str:
        """See Precision. Done in blocks, which costs no time here: reading the weights takes all of it."""
        rows, columns = weight.shape
        blocks = np.ascontiguousarray(weight.T).reshape(columns, rows // self._BLOCK, self._BLOCK)
        eight, scales = _quantise(blocks, axis=2)
        return writer.fused(
            "MatMulNBits",
            x,
            writer.constant((eight.astype(np.int16) + 128).astype(np.uint8)),
            writer.constant(scales),
            K=rows,
            N=columns,
            bits=8,
            block_size=self._BLOCK,
            accuracy_level=4,
        )

    def _product(self, writer: GraphWriter, x: tuple[str, str, str], weight: Matrix) -> str:
        eight, scales = _quantise(weight, axis=0)
        values, scale, zero = x
        return writer.fused(
            "MatMulIntegerToFloat", values, writer.constant(eight), scale, writer.constant(scales), zero
        )


def _quantise(weight: Matrix, *, axis: int) -> tuple[NDArray[np.int8], Matrix]:
    """Symmetric eight-bit values and the scales along one axis."""
    scales = np.maximum(np.abs(weight).max(axis=axis), 1e-12).astype(np.float32) / np.float32(127)
    eight = np.rint(weight / np.expand_dims(scales, axis))
    return np.clip(eight, -127, 127).astype(np.int8), scales

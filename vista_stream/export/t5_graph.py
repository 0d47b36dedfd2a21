"""Flan-T5 as one graph for one question: from tokens to the logits of the answer tokens.

Three exact rewritings make the graph smaller than the model:

- The decoder takes one step over one token, so its self-attention is a product with (value · output).
- Its cross-attention has a single query. The key weights are therefore applied to the query, and the value
  weights to the attended mean, instead of to every token of the premise.
- The head has only the rows of the answer tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx

from vista_stream.export.precision import Matrix, Precision
from vista_stream.export.writer import GraphWriter

_MASKED = np.float32(-1e4)
"""Added to the attention score of a padding token: e^-1e4 is 0, and the number fits into fp16."""

_BLOCK = 16
"""Positions of the bias that are copied together: one cache line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class T5Shape:
    """Sizes of the model that the graph is built from."""

    layers: int
    decoder_layers: int
    heads: int
    head_width: int
    epsilon: float
    """Epsilon of the norms."""
    start_token: int
    """The token that the decoder begins with."""
    head_scale: float
    """Factor before the head: 1 where the head is untied (Flan-T5)."""


def write_t5(
    shape: T5Shape,
    weights: Mapping[str, Matrix],
    *,
    distances: Matrix,
    answers: Sequence[int],
    precision: Precision,
) -> onnx.ModelProto:
    """Build the graph.

    Inputs `tokens` (batch, length) and `lengths` (batch), int64, padded on the right; output `logits`
    (batch, len(answers)), float32. weights: by the names of the published checkpoint. distances:
    (heads, 2·d+1), the encoder's position bias for the distances -d…d, constant beyond.
    """
    build = _T5(shape, weights, precision)
    encoded, mask = build.encoder(distances)
    logits = build.decoder(encoded, mask, answers)
    return build.writer.model(
        {"tokens": ["batch", "length"], "lengths": ["batch"]}, (logits, "logits", ["batch", len(answers)])
    )


class _T5:
    """The graph under construction."""

    def __init__(self, shape: T5Shape, weights: Mapping[str, Matrix], precision: Precision) -> None:
        self.writer = GraphWriter()
        self._shape = shape
        self._weights = weights
        self._precision = precision

    def _weight(self, name: str) -> Matrix:
        """A linear layer's weight as (in, out)."""
        return self._weights[f"{name}.weight"].T

    def _following(self, stack: str, layer: int, layers: int) -> str:
        """The norm that stands before a layer, or after the last one."""
        inside = f"{stack}.block.{layer}.layer.0.layer_norm"
        return inside if layer < layers else f"{stack}.final_layer_norm"

    def _norm(self, x: str, name: str) -> str:
        scale = self.writer.constant(self._weights[f"{name}.weight"])
        return self.writer.op(
            "SimplifiedLayerNormalization", x, scale, axis=-1, epsilon=self._shape.epsilon, stash_type=1
        )

    def _add_norm(self, update: str, residual: str, name: str) -> tuple[str, str]:
        """The norm of the sum, and the sum."""
        scale = self.writer.constant(self._weights[f"{name}.weight"])
        names = self.writer.node(
            "SkipSimplifiedLayerNormalization",
            (update, residual, scale),
            outputs=4,
            domain="com.microsoft",
            epsilon=self._shape.epsilon,
        )
        return names[0], names[3]

    def encoder(self, distances: Matrix) -> tuple[str, str]:
        """The encoded tokens (batch, length, width) and the mask to add (batch, 1, length)."""
        mask = self._mask()
        bias = self._position_bias(distances, mask)
        residual = self._precision.embedding(self.writer, self._weights["shared.weight"], "tokens")
        normed = self._norm(residual, "encoder.block.0.layer.0.layer_norm")
        for layer in range(self._shape.layers):
            block = f"encoder.block.{layer}.layer"
            update = self._self_attention(normed, bias, f"{block}.0.SelfAttention")
            normed, residual = self._add_norm(update, residual, f"{block}.1.layer_norm")
            update = self._feed_forward(normed, f"{block}.1.DenseReluDense")
            following = self._following("encoder", layer + 1, self._shape.layers)
            normed, residual = self._add_norm(update, residual, following)
        return normed, mask

    def _mask(self) -> str:
        writer = self.writer
        length = writer.op("Squeeze", writer.op("Shape", "tokens", start=1, end=2))
        places = writer.op("Range", writer.integer(0), length, writer.integer(1))
        places = writer.op("Unsqueeze", places, writer.integers(0, 1))
        present = writer.op("Less", places, writer.op("Unsqueeze", "lengths", writer.integers(1, 2)))
        return writer.op("Where", present, writer.constant(np.float32(0)), writer.constant(_MASKED))

    def _position_bias(self, distances: Matrix, mask: str) -> str:
        """The position bias of each pair of tokens plus the mask: (batch, heads, length, length).

        Each row is the row before it, shifted by one position. A gather for every element would cost as much
        as a layer. Rows are therefore assembled from blocks of _BLOCK shifted copies of one row.
        """
        writer = self.writer
        length = writer.op("Squeeze", writer.op("Shape", "tokens", start=1, end=2))
        last = writer.op("Sub", length, writer.integer(1))
        blocks = writer.op("Add", writer.op("Div", last, writer.integer(_BLOCK)), writer.integer(1))
        stride = writer.op("Mul", blocks, writer.integer(2))
        shifted = self._shifted_rows(distances, last, stride)

        # Row i begins at position `last - i` of the unshifted row.
        begin = writer.op("Range", last, writer.integer(-1), writer.integer(-1))
        copy = writer.op("Mod", begin, writer.integer(_BLOCK))
        first = writer.op("Div", begin, writer.integer(_BLOCK))
        first = writer.op("Add", writer.op("Mul", copy, stride), first)
        along = writer.op("Range", writer.integer(0), blocks, writer.integer(1))
        index = writer.op("Add", writer.op("Unsqueeze", first, writer.integers(1)), along)
        bias = writer.op("Gather", shifted, index, axis=1)
        bias = writer.op("Reshape", bias, writer.integers(0, 0, -1))
        end = writer.op("Unsqueeze", length, writer.integers(0))
        bias = writer.op("Slice", bias, writer.integers(0), end, writer.integers(2))
        bias = writer.op("Unsqueeze", bias, writer.integers(0))
        masked = writer.op("Add", bias, writer.op("Unsqueeze", mask, writer.integers(1)))
        return self._precision.narrow(writer, masked)

    def _shifted_rows(self, distances: Matrix, last: str, stride: str) -> str:
        """The biases from distance -last on, in _BLOCK copies that each begin one position later.

        Shape (heads, _BLOCK * stride, _BLOCK): `stride` blocks for each copy.
        """
        writer, reach = self.writer, distances.shape[1] // 2
        width = writer.op("Mul", stride, writer.integer(_BLOCK))
        places = writer.op("Range", writer.integer(0), width, writer.integer(1))
        distance = writer.op(
            "Add", writer.op("Sub", places, last), writer.constant(np.arange(_BLOCK)[:, None])
        )
        near = writer.op("Clip", distance, writer.integer(-reach), writer.integer(reach))
        rows = writer.op(
            "Gather", writer.constant(distances), writer.op("Add", near, writer.integer(reach)), axis=1
        )
        return writer.op("Reshape", rows, writer.integers(0, -1, _BLOCK))

    def _self_attention(self, x: str, bias: str, name: str) -> str:
        qkv = [self._weight(f"{name}.{part}") for part in "qkv"]
        query, key, value = self._precision.project(self.writer, x, *qkv)
        attended = self.writer.fused(
            "MultiHeadAttention", query, key, value, "", "", bias, num_heads=self._shape.heads, scale=1.0
        )
        (out,) = self._precision.project(self.writer, attended, self._weight(f"{name}.o"))
        return self._precision.widen(self.writer, out)

    def _feed_forward(self, x: str, name: str) -> str:
        weights = self._weight(f"{name}.wi_0"), self._weight(f"{name}.wi_1")
        gate, linear = self._precision.project(self.writer, x, *weights)
        gate = self._precision.widen(self.writer, self.writer.fused("FastGelu", gate))
        hidden = self.writer.op("Mul", gate, self._precision.widen(self.writer, linear))
        return self._precision.contract(self.writer, hidden, self._weight(f"{name}.wo"))

    def decoder(self, encoded: str, mask: str, answers: Sequence[int]) -> str:
        """The answers' logits (batch, len(answers))."""
        writer, rows = self.writer, self._weights["lm_head.weight"][list(answers)]
        start = self._weights["shared.weight"][self._shape.start_token]
        residual = writer.constant(start[None, None, :])
        normed = self._norm(residual, "decoder.block.0.layer.0.layer_norm")
        for layer in range(self._shape.decoder_layers):
            block = f"decoder.block.{layer}.layer"
            update = self._first_token(normed, f"{block}.0.SelfAttention")
            normed, residual = self._add_norm(update, residual, f"{block}.1.layer_norm")
            update = self._cross_attention(normed, (encoded, mask), f"{block}.1.EncDecAttention")
            normed, residual = self._add_norm(update, residual, f"{block}.2.layer_norm")
            update = self._feed_forward_row(normed, f"{block}.2.DenseReluDense")
            following = self._following("decoder", layer + 1, self._shape.decoder_layers)
            normed, residual = self._add_norm(update, residual, following)
        head = writer.constant(rows.T * np.float32(self._shape.head_scale))
        return writer.op("Squeeze", writer.op("MatMul", normed, head), writer.integers(1))

    def _first_token(self, x: str, name: str) -> str:
        """Self-attention over a single token: its softmax is 1."""
        value, out = (self._weight(f"{name}.{part}").astype(np.float64) for part in "vo")
        return self._precision.project_row(self.writer, x, (value @ out).astype(np.float32))

    def _cross_attention(self, x: str, memory: tuple[str, str], name: str) -> str:
        """Attention of the decoder's single query over the encoded tokens, in the encoder's width."""
        writer, (encoded, mask) = self.writer, memory
        heads, width = self._shape.heads, self._shape.head_width
        key, value = (self._weights[f"{name}.{part}.weight"] for part in "kv")
        query = self._precision.project_row(writer, x, self._weight(f"{name}.q"))
        query = writer.op("Reshape", query, writer.integers(0, heads, width))
        query = writer.op("Transpose", query, perm=[1, 0, 2])
        wide = writer.op("MatMul", query, writer.constant(key.reshape(heads, width, -1)))
        scores = writer.op("MatMul", encoded, writer.op("Transpose", wide, perm=[1, 2, 0]))
        scores = writer.op("Add", writer.op("Transpose", scores, perm=[0, 2, 1]), mask)
        mean = writer.op("MatMul", writer.op("Softmax", scores, axis=-1), encoded)
        by_head = value.reshape(heads, width, -1).transpose(0, 2, 1)
        attended = writer.op("MatMul", writer.op("Transpose", mean, perm=[1, 0, 2]), writer.constant(by_head))
        attended = writer.op("Transpose", attended, perm=[1, 0, 2])
        joined = writer.op("Reshape", attended, writer.integers(0, 1, heads * width))
        return self._precision.project_row(writer, joined, self._weight(f"{name}.o"))

    def _feed_forward_row(self, x: str, name: str) -> str:
        gate = self.writer.fused(
            "FastGelu", self._precision.project_row(self.writer, x, self._weight(f"{name}.wi_0"))
        )
        linear = self._precision.project_row(self.writer, x, self._weight(f"{name}.wi_1"))
        hidden = self.writer.op("Mul", gate, linear)
        return self._precision.project_row(self.writer, hidden, self._weight(f"{name}.wo"))

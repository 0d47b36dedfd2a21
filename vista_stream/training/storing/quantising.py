"""Quantises a graph in full precision to int8; it needs no torch."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

from vista_stream.training.storing.lookups import shrink_tables


def quantise(whole: Path, path: Path) -> None:
    """Quantise weights to int8, a scale for each channel, and activations at run time; tables: `lookups`."""
    quantize_dynamic(
        whole,
        path,
        op_types_to_quantize=["MatMul"],
        weight_type=QuantType.QInt8,
        per_channel=True,
        extra_options={"MatMulConstBOnly": True},
    )
    model = onnx.load(path)
    shrink_tables(model.graph)
    onnx.save(model, path)

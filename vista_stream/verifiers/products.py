"""Detects whether ONNX Runtime's 8-bit integer products overflow on this CPU.

On a CPU with AVX2 or AVX-512 and without VNNI, the sum of two 8-bit products saturates at 16 bits, silently.
ONNX Runtime has a setting that avoids this. But the setting applies to CPUs without overflow too: with AMX,
where nothing overflows, it disables AMX, and a pair takes three times as long. So this module computes the
largest product once; if any product overflows on this CPU, this one does.
"""

from __future__ import annotations

import functools

import numpy as np

_ROWS, _DEPTH, _WEIGHT = 2, 4, 127
_MODEL = (
    b'\x08\x08:X\n\x18\n\x01x\n\x01w\x12\x01y"\rMatMulInteger\x12\x01p*\x0f\x08\x04\x08\x01\x10\x03B\x01wJ\x04'
    + bytes([_WEIGHT] * _DEPTH)
    + b"Z\x13\n\x01x\x12\x0e\n\x0c\x08\x02\x12\x08\n\x02\x08\x02\n\x02\x08\x04"
    + b"b\x13\n\x01y\x12\x0e\n\x0c\x08\x06\x12\x08\n\x02\x08\x02\n\x02\x08\x01B\x04\n\x00\x10\x11"
)
"""An ONNX model, y = x w: x uint8 of shape (2, 4), w int8 of shape (4, 1), y int32 of shape (2, 1)."""


@functools.cache
def overflow() -> bool:
    """Whether ONNX Runtime's default settings get the largest products wrong. Takes milliseconds, once."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(_MODEL, options, providers=["CPUExecutionProvider"])
    (products,) = session.run(None, {"x": np.full((_ROWS, _DEPTH), 255, dtype=np.uint8)})
    return bool((products != 255 * _WEIGHT * _DEPTH).any())

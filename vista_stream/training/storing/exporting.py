"""A fitted model as the folder that is shipped: int8 ONNX, tokenizer, manifest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn

from vista_stream.training.storing.lookups import shrink_tables
from vista_stream.training.storing.outliers import set_apart
from vista_stream.training.storing.packing import pack
from vista_stream.verifiers.model_files import digest

OPSET = 17
_OUTPUTS = {"cross-encoder": "logits", "bi-encoder": "embedding"}


def export(
    model: nn.Module,
    base: Path,
    folder: Path,
    manifest: dict[str, Any],
    *,
    sample: Sequence[NDArray[np.int32]] = (),
) -> None:
    """Write model.onnx, tokenizer.json and manifest.json.

    `model` takes ids and mask of (batch, length), both dynamic, and gives one tensor. Both kinds run in int8;
    a cross-encoder, which is large, is stored in four bits, and what would spoil the scale of its activations
    is multiplied apart (`outliers.py`), as `sample`, token ids of some texts, tells. Beside the folder lie
    `<folder>_fp32.onnx` and, for a cross-encoder, `<folder>_int8.onnx`, to measure against.
    """
    if manifest["kind"] == "cross-encoder" and not sample:
        raise ValueError("a cross-encoder's export needs a sample: token ids of some texts")
    folder.mkdir(parents=True, exist_ok=True)
    whole, eight = (folder.parent / f"{folder.name}_{form}.onnx" for form in ("fp32", "int8"))
    to_onnx(model, whole, output=_OUTPUTS[manifest["kind"]])
    if manifest["kind"] == "cross-encoder":
        quantise(whole, eight)
        pack(whole, eight, folder / "model.onnx")
        set_apart(whole, folder / "model.onnx", [_inputs(ids) for ids in sample])
    else:
        quantise(whole, folder / "model.onnx")
    shutil.copyfile(base / "tokenizer.json", folder / "tokenizer.json")
    write_manifest(folder, manifest)


def _inputs(ids: NDArray[np.int32]) -> dict[str, NDArray[np.int64]]:
    row = ids[None].astype(np.int64)
    return {"input_ids": row, "attention_mask": np.ones_like(row)}


def to_onnx(model: nn.Module, path: Path, *, output: str) -> None:
    """Trace the model into an ONNX file of full precision."""
    ids = torch.randint(2, 5, (2, 16))
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "batch", 1: "length"} for name in names} | {output: {0: "batch"}}
    torch.onnx.export(
        model.eval().cpu().float(),
        (ids, torch.ones_like(ids)),
        str(path),
        input_names=names,
        output_names=[output],
        dynamic_axes=axes,
        opset_version=OPSET,
        custom_opsets={"com.microsoft": 1},
        dynamo=False,
    )


def quantise(whole: Path, path: Path) -> None:
    """Weights to int8, a scale a channel; activations are quantised as they come. Tables: `lookups.py`."""
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


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write manifest.json with the SHA-256 of every other file of the folder."""
    files = {
        path.name: digest(path)
        for path in sorted(folder.iterdir())
        if path.name != "manifest.json" and path.is_file()
    }
    text = json.dumps({**manifest, "files": files}, indent=2, sort_keys=True, ensure_ascii=False)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")

"""Exports a fitted model to a folder that can ship: int8 ONNX, tokenizer, manifest."""

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
from torch import nn

from vista_stream.training.reading import Judge, Reader, ReadingVerifier, Words
from vista_stream.training.storing.lookups import shrink_tables
from vista_stream.training.storing.outliers import set_apart
from vista_stream.training.storing.packing import pack
from vista_stream.training.storing.quantising import quantise
from vista_stream.training.storing.splitting import map_tables, split
from vista_stream.verifiers.model_files import digest
from vista_stream.verifiers.unpacking import Update

OPSET = 17
_OUTPUTS = {"cross-encoder": "logits", "bi-encoder": "embedding"}


def export(
    model: nn.Module,
    base: Path,
    folder: Path,
    manifest: dict[str, Any],
    *,
    sample: Sequence[NDArray[np.int32]] = (),
    updates: Sequence[Update | None] = (),
) -> None:
    """Write model.onnx, tables.bin, tokenizer.json and manifest.json; of a cross-encoder also weights.onnx.

    `model` takes ids and mask of (batch, length), both dynamic, and gives one tensor. Both a bi-encoder and a
    cross-encoder run in int8. The weights of a cross-encoder, which is large, are stored in four bits, and
    its largest input channels are multiplied separately (`outliers.py`). `sample`, token ids of some texts,
    is used to find these channels; raises ValueError for a cross-encoder without it. `updates` are those that
    the model's weights contain (`low_rank.py`), and are stored besides the four bits; see `pack`.

    Beside the folder, `<folder>_fp32.onnx` and, for a cross-encoder, `<folder>_int8.onnx` are written for
    comparison.
    """
    if manifest["kind"] == "cross-encoder" and not sample:
        raise ValueError("a cross-encoder's export needs a sample: token ids of some texts")
    folder.mkdir(parents=True, exist_ok=True)
    whole, eight = (folder.parent / f"{folder.name}_{form}.onnx" for form in ("fp32", "int8"))
    to_onnx(model, whole, output=_OUTPUTS[manifest["kind"]])
    if manifest["kind"] == "cross-encoder":
        quantise(whole, eight)
        pack(whole, eight, folder / "model.onnx", updates=updates)
        set_apart(whole, folder / "model.onnx", [_inputs(ids) for ids in sample])
        split(folder / "model.onnx")
    else:
        quantise(whole, folder / "model.onnx")
    map_tables(folder / "model.onnx")
    shutil.copyfile(base / "tokenizer.json", folder / "tokenizer.json")
    write_manifest(folder, manifest)


def export_reading(
    verifier: ReadingVerifier,
    base: Path,
    folder: Path,
    manifest: dict[str, Any],
    *,
    sample: Sequence[tuple[Sequence[NDArray[np.int32]], NDArray[np.int32]]],
) -> None:
    """Write words.onnx, reader.onnx, judge.onnx, tokenizer.json and manifest.json.

    `sample` has token ids of windows and of a claim about them, for some texts; see `export`. Beside the
    folder, `<folder>_<part>_fp32.onnx` are written for comparison. Raises ValueError without a sample.
    """
    if not sample:
        raise ValueError("an export needs a sample: token ids of some windows and claims")
    folder.mkdir(parents=True, exist_ok=True)
    verifier.eval().cpu().float()
    words, reader, judge = Words(verifier), Reader(verifier), Judge(verifier)
    ids = torch.randint(2, 5, (1, 16))
    places = torch.arange(16)[None]
    states = words(ids, places)
    seen = reader(states, _nothing(verifier))[:-1].half()
    axes = {name: {1: "length"} for name in ("ids", "places", "states", "reading", "joined")}
    axes |= {"seen": {1: "before"}}
    parts = {
        "words": (words, {"ids": ids, "places": places}, "states"),
        "reader": (reader, {"states": states, "seen": seen}, "reading"),
        "judge": (judge, {"joined": torch.cat([states, states], 1)}, "logits"),
    }
    feeds = _reading_feeds(verifier, sample)
    for part, (module, inputs, output) in parts.items():
        whole, eight = (folder.parent / f"{folder.name}_{part}_{form}.onnx" for form in ("fp32", "int8"))
        _trace(module, inputs, whole, output=output, axes=axes)
        if part == "words":
            model = onnx.load(whole)
            shrink_tables(model.graph)
            onnx.save(model, folder / "words.onnx")
        else:
            quantise(whole, eight)
            pack(whole, eight, folder / f"{part}.onnx")
            set_apart(whole, folder / f"{part}.onnx", feeds[part])
    shutil.copyfile(base / "tokenizer.json", folder / "tokenizer.json")
    write_manifest(folder, manifest)


@torch.no_grad()
def _reading_feeds(
    verifier: ReadingVerifier, sample: Sequence[tuple[Sequence[NDArray[np.int32]], NDArray[np.int32]]]
) -> dict[str, list[dict[str, NDArray[Any]]]]:
    """The inputs of the graphs reader and judge for the sample."""
    words, reader = Words(verifier), Reader(verifier)
    feeds: dict[str, list[dict[str, NDArray[Any]]]] = {"reader": [], "judge": []}

    def read(ids: NDArray[np.int32], seen: torch.Tensor) -> torch.Tensor:
        places = torch.arange(seen.shape[1], seen.shape[1] + len(ids))[None]
        states = words(torch.from_numpy(ids[None].astype(np.int64)), places)
        feeds["reader"].append({"states": states.numpy(), "seen": seen.numpy().astype(np.float16)})
        reading: torch.Tensor = reader(states, seen)
        return reading

    for windows, claim in sample:
        seen = torch.cat([read(window, _nothing(verifier)) for window in windows], 1)
        said = read(claim, seen[:-1])
        feeds["judge"].append({"joined": torch.cat([seen[-1:], said[-1:]], 1).numpy()})
    return feeds


def _nothing(verifier: ReadingVerifier) -> torch.Tensor:
    """The keys and values that a window attends to besides its own: none, as an empty tensor."""
    return torch.zeros(2 * verifier.apart, 0, verifier.model.encoder.shape.width)


def _inputs(ids: NDArray[np.int32]) -> dict[str, NDArray[np.int64]]:
    row = ids[None].astype(np.int64)
    return {"input_ids": row, "attention_mask": np.ones_like(row)}


def to_onnx(model: nn.Module, path: Path, *, output: str) -> None:
    """Trace the model into an ONNX file of full precision."""
    ids = torch.randint(2, 5, (2, 16))
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "batch", 1: "length"} for name in names} | {output: {0: "batch"}}
    model.eval().cpu().float()
    _trace(model, dict(zip(names, (ids, torch.ones_like(ids)), strict=True)), path, output=output, axes=axes)


def _trace(
    model: nn.Module,
    inputs: dict[str, torch.Tensor],
    path: Path,
    *,
    output: str,
    axes: dict[str, dict[int, str]],
) -> None:
    torch.onnx.export(
        model,
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=[output],
        dynamic_axes={name: axes[name] for name in (*inputs, output) if name in axes},
        opset_version=OPSET,
        custom_opsets={"com.microsoft": 1},
        dynamo=False,
    )


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write manifest.json with the SHA-256 of every other file of the folder."""
    files = {
        path.name: digest(path)
        for path in sorted(folder.iterdir())
        if path.name != "manifest.json" and path.is_file()
    }
    text = json.dumps({**manifest, "files": files}, indent=2, sort_keys=True, ensure_ascii=False)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")

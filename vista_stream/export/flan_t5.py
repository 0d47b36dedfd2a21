"""Exports a published Flan-T5 as one graph for SCALE's question, with its tokenizer and a manifest."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import onnx

from vista_stream.export.checkpoint import Checkpoint, read_checkpoint
from vista_stream.export.folder import whole_folder
from vista_stream.export.precision import Fp16, Fp32, Int8, Precision
from vista_stream.export.t5_graph import write_t5
from vista_stream.verifiers.flan_t5_manifest import FlanT5Manifest, Quantization
from vista_stream.verifiers.flan_t5_question import ANSWERS, TEMPLATES, answer_tokens
from vista_stream.verifiers.model_files import digest

PRECISIONS: dict[Quantization, type[Precision]] = {"none": Fp32, "int8": Int8, "fp16": Fp16}
_EXTERNAL_FROM = 1 << 30
"""From this many bytes on, weights get a file of their own, since a graph's file must stay below 2 GB."""


def export_flan_t5(model: str, to: str | Path, *, quantization: Quantization = "none") -> FlanT5Manifest:
    """Export a model of the hub, or of a folder, to the folder `to`, and return its manifest. Blocking.

    int8 is for CPUs, fp16 for CUDA. Raises ModelLoadError, with a one-line message, if the model cannot be
    loaded or is not a Flan-T5; ValueError if `to` is not an empty or new folder, or the quantization is not
    in PRECISIONS; OSError if the disk fails. On failure nothing is left at `to`.
    """
    if quantization not in PRECISIONS:
        raise ValueError(f"quantization must be one of {', '.join(PRECISIONS)}, not {quantization!r}")
    with whole_folder(Path(to)) as folder:
        checkpoint = read_checkpoint(model)
        answers = answer_tokens(
            checkpoint.tokenizer, known=len(checkpoint.weights["lm_head.weight"]), name=checkpoint.name
        )
        graph = write_t5(
            checkpoint.shape,
            checkpoint.weights,
            distances=checkpoint.distances,
            answers=answers,
            precision=PRECISIONS[quantization](),
        )
        _save(graph, folder / "model.onnx")
        (folder / "tokenizer.json").write_text(checkpoint.tokenizer.to_str(), encoding="utf-8")
        manifest = _manifest(checkpoint, answers, quantization, folder)
        (folder / "manifest.json").write_text(manifest.to_json(), encoding="utf-8")
    return manifest


def _save(graph: onnx.ModelProto, path: Path) -> None:
    size = sum(len(constant.raw_data) for constant in graph.graph.initializer)
    external = size >= _EXTERNAL_FROM
    onnx.save_model(
        graph,
        path,
        save_as_external_data=external,
        all_tensors_to_one_file=True,
        location=f"{path.name}.data",
    )


def _manifest(
    checkpoint: Checkpoint, answers: tuple[int, int], quantization: Quantization, folder: Path
) -> FlanT5Manifest:
    packages = ("vista-stream", "torch", "transformers", "onnx", "numpy", "tokenizers")
    return FlanT5Manifest(
        name=checkpoint.name,
        revision=checkpoint.revision,
        licence=checkpoint.licence,
        quantization=quantization,
        files={path.name: digest(path) for path in sorted(folder.iterdir())},
        answers=ANSWERS,
        answer_tokens=answers,
        end_token=checkpoint.end_token,
        templates=TEMPLATES,
        max_length=checkpoint.max_length,
        versions={name: version(name) for name in packages},
    )

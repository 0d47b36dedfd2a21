"""Exports a published Flan-T5 by optimum's own API. Extra: `optimum`."""

from __future__ import annotations

import warnings
from pathlib import Path

from vista_stream.errors import ModelLoadError
from vista_stream.export.folder import whole_folder
from vista_stream.verifiers.flan_t5_manifest import FlanT5Manifest
from vista_stream.verifiers.flan_t5_optimum import optimum_graphs, read_optimum

TASK = "text2text-generation"
"""Without past: a verdict needs the decoder's first step alone."""


def export_by_optimum(model: str, to: str | Path) -> FlanT5Manifest:
    """Export a model of the hub, or of a folder, to the folder `to` as optimum does, in fp32. Blocking.

    Returns what `FlanT5Verifier` reads of it. Raises ModelLoadError, with a one-line message, if the model
    cannot be exported or is not a Flan-T5; ValueError if `to` is not an empty or new folder; OSError if the
    disk fails. On failure nothing is left at `to`.
    """
    from optimum.exporters.onnx import main_export

    with whole_folder(Path(to)) as folder:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of torch's tracer, about shapes that are constant in T5
                main_export(model, folder, task=TASK, do_validation=False)
        except Exception as error:  # optimum, torch and the hub raise errors of many types
            line = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise ModelLoadError(f"optimum cannot export {model}: {line}") from error
        graphs = optimum_graphs(folder)
        if graphs is None:
            raise ModelLoadError(f"optimum made no encoder and decoder of {model}: it is not a Flan-T5")
        manifest, _ = read_optimum(folder, graphs)
    return manifest

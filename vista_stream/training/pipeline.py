"""Packs an installed spaCy pipeline into the one file that ships."""

from __future__ import annotations

import hashlib
import importlib
import json
from pathlib import Path

from vista_stream.stages.embedded.pipeline import FILE, weights


def pack(package: str, out: Path, *, exclude: tuple[str, ...] = ("senter",)) -> Path:
    """Write a pipeline package's components, but for `exclude`, with weights in half precision.

    Returns `out`. Raises ValueError where no such package is installed.
    """
    try:
        language = importlib.import_module(package).load(exclude=list(exclude))
    except ModuleNotFoundError as error:
        raise ValueError(f"the spaCy pipeline {package} is not installed") from error
    for model, name in weights(language):
        model.set_param(name, model.get_param(name).astype("float16"))
    data = language.to_bytes()
    told = language.meta
    out.mkdir(parents=True, exist_ok=True)
    (out / FILE).write_bytes(data)
    manifest = {
        "name": f"{told['lang']}_{told['name']}-{told['version']}-float16",
        "kind": "parser",
        "base": f"spaCy's pipeline {told['lang']}_{told['name']} {told['version']} by {told['author']}, "
        f"without {', '.join(exclude)}; weights unchanged but for half precision",
        "licence": told["license"],
        "files": {FILE: hashlib.sha256(data).hexdigest()},
    }
    (out / "manifest.json").write_text(
        json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return out

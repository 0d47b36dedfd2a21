"""Finds the evaluation sets of benchmarks, and writes what they measured."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vista_stream.verifiers.placement import runtime

DEFAULT_FOLDER = Path(__file__).parents[1] / ".." / "shared" / "data"
RESULTS = Path(__file__).parent / "results"
_PACKAGES = ("vista-stream", "tokenizers", "numpy", "anyio")


def data_folder(given: Path | None, holds: str) -> Path:
    """The folder of the evaluation sets; ends the program with one line if `holds` is not in it."""
    folder = (given or DEFAULT_FOLDER).resolve()
    if not (folder / holds).exists():
        sys.exit(f"skipped: {holds} is not in the data folder; name the folder with --from-folder")
    return folder


def save(path: Path, figures: Any) -> None:
    """Write figures as JSON, with the machine and the versions that they were measured on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine(), "figures": figures}, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")  # half a surrogate pair


def machine() -> dict[str, Any]:
    """The processor, its int8 instructions, the number of cores, and the versions of Python and packages."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "int8 instructions": _vnni(),
        "python": platform.python_version(),
        # Its distribution has another name where it is the one for GPUs.
        "onnxruntime": runtime().__version__,
        **{name: version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    return _told("model name") or platform.processor()


def _vnni() -> str:
    """The CPU's instructions that halve the time of int8 products or better; empty if it has none."""
    flags = _told("flags").split()
    return " ".join(flag for flag in flags if "vnni" in flag or flag == "amx_int8")


def _told(key: str) -> str:
    """A field of the first processor in Linux's /proc/cpuinfo; empty on other systems."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), "")

"""A run's weights in a file small enough for the sources: four bits, and low-rank updates of them.

Fine-tuning moves most weights by less than half the distance between two four-bit numbers, and rounding them
again undoes that. What low-rank fine-tuning adds (Hu et al. 2021, "LoRA") is therefore stored separately.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from vista_stream.training.storing.packing import nibbles, rounded
from vista_stream.verifiers.unpacking import BLOCK, four_bit_numbers

_FOUR, _TIMES, _SCALE, _NARROW, _WIDE = "four", "times", "scale", "narrow", "wide"


def write(weights: Mapping[str, Tensor], updates: Mapping[str, tuple[Tensor, Tensor]], path: Path) -> None:
    """Write weights by name: those of products, `layers.….weight`, in four bits, others in half precision.

    `updates` has for a product (wide, narrow), (outputs, rank) and (rank, inputs), whose product is added to
    its weight. Leave out what training does not change: `verifier.py` takes it from the base model.
    """
    stored: dict[str, Tensor] = {}
    for name, tensor in weights.items():
        if ".layers." in f".{name}" and tensor.ndim == 2:
            four, times, scale = rounded(tensor.float().cpu().numpy().T)
            stored[f"{name}:{_FOUR}"] = torch.from_numpy(nibbles(four))
            stored[f"{name}:{_TIMES}"] = torch.from_numpy(times)
            stored[f"{name}:{_SCALE}"] = torch.from_numpy(scale)
        else:
            stored[name] = tensor.half().cpu().contiguous()
    for name, (wide, narrow) in updates.items():
        stored[f"{name}:{_WIDE}"] = wide.half().cpu().contiguous()
        stored[f"{name}:{_NARROW}"] = narrow.half().cpu().contiguous()
    save_file(stored, path)


def is_packed(path: Path) -> bool:
    """Whether `write` wrote this file, rather than `CrossEncoder.save`."""
    with safe_open(path, "pt") as file:
        return any(":" in name for name in file.keys())  # noqa: SIM118  the file is no mapping


def read(path: Path) -> dict[str, Tensor]:
    """The weights that `write` stored, by name, with their updates added."""
    stored = load_file(path)
    found = {name: tensor for name, tensor in stored.items() if ":" not in name}
    for name in sorted({name.rpartition(":")[0] for name in stored if ":" in name}):
        found[name] = _weight(stored, name)
    return found


def updates_of(path: Path) -> dict[str, tuple[Tensor, Tensor]]:
    """The updates in a file that `write` wrote: (wide, narrow) by the name of a weight."""
    stored = load_file(path)
    names = [name.removesuffix(f":{_WIDE}") for name in stored if name.endswith(f":{_WIDE}")]
    return {name: (stored[f"{name}:{_WIDE}"].float(), stored[f"{name}:{_NARROW}"].float()) for name in names}


def _weight(stored: Mapping[str, Tensor], name: str) -> Tensor:
    times, scale = (stored[f"{name}:{part}"].float() for part in (_TIMES, _SCALE))
    numbers = four_bit_numbers(stored[f"{name}:{_FOUR}"].numpy())
    blocks = torch.from_numpy(numbers.astype(np.float32)).view(-1, BLOCK, len(scale))
    weight = (blocks * times[:, None]).flatten(0, 1).T * scale[:, None]
    if f"{name}:{_WIDE}" in stored:
        weight = weight + stored[f"{name}:{_WIDE}"].float() @ stored[f"{name}:{_NARROW}"].float()
    return weight.contiguous()

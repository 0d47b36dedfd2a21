"""The training loop: fits a model to labels, or to labels and a teacher, and resumes from checkpoints."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vista_stream.training.batches import Batch
from vista_stream.training.cross_encoder import CrossEncoder, label_loss, twin_loss
from vista_stream.training.storing.rounding import Rounding


class OnDevice(Protocol):
    """A batch."""

    def to(self, device: torch.device) -> Self:
        """The same on a device."""
        ...


ModelT = TypeVar("ModelT", bound=nn.Module)
BatchT = TypeVar("BatchT", bound=OnDevice)

_RENEWED = 200
"""Steps between two updates of the rounding grid; the weights change little in so many steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The settings of a fit."""

    steps: int
    rate: float = 4e-5
    """Peak learning rate, after a linear rise over `warmup` of the steps, then a linear fall."""
    update_rate: float | None = None
    """The same of low-rank updates, where another than `rate`."""
    warmup: float = 0.06
    decay: float = 0.01
    average: float = 0.999
    """Decay of the running average of the weights, which is what the fit returns."""
    rounded: bool = False
    """Whether training is quantisation-aware: layers' weights rounded as they are stored (`rounding.py`)."""
    seed: int = 0
    rests_on: str = ""
    """A digest of the run's rows and initial weights: checkpoints of runs with other ones are ignored."""
    checkpoint_every: int = 100


def mixed(device: torch.device) -> bool:
    """Whether training uses mixed precision: on CUDA, and on CPUs with bfloat16 instructions."""
    return device.type == "cuda" or (device.type == "cpu" and torch.cpu._is_avx512_bf16_supported())


def fit(
    model: ModelT,
    epoch: Callable[[int], Iterable[BatchT]],
    recipe: Recipe,
    *,
    folder: Path,
    loss_of: Callable[[ModelT, BatchT], Tensor],
    say: Callable[[str], None] = print,
) -> ModelT:
    """Fit the model in place, on its device, and return a second model with the averaged weights.

    `epoch` gives the batches of an epoch by its number, from 0; `loss_of` gives the loss of a batch. If
    `folder`/checkpoint.pt is from a run with the same recipe, the fit resumes from it.
    """
    device = next(model.parameters()).device
    optimiser = _optimiser(model, recipe)
    average = copy.deepcopy(model).eval().requires_grad_(False)
    done = _resume(folder, recipe, model, average, optimiser)
    rounding = Rounding(model) if recipe.rounded else None
    model.train()
    started = time.monotonic()
    for step, batch in enumerate(_stream(epoch, recipe, skip=done), start=done):
        _set_rate(optimiser, recipe, step)
        if rounding and step > done and step % _RENEWED == 0:
            rounding.renew()
        with rounding.applied() if rounding else nullcontext():
            with torch.autocast(device.type, torch.bfloat16, enabled=mixed(device)):
                loss = loss_of(model, batch.to(device))
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        _blend(average, model, min(recipe.average, (1 + step) / (10 + step)))
        if step % 50 == 0:
            speed = (step - done + 1) / (time.monotonic() - started)
            say(f"step {step}/{recipe.steps} loss {loss.item():.4f} {speed:.1f} steps/s")
        if (step + 1) % recipe.checkpoint_every == 0:
            _checkpoint(folder, recipe, step + 1, model, average, optimiser)
    return average


def taught(
    teacher: CrossEncoder | None, *, soft: float = 0.7, twins: float = 0.3
) -> Callable[[CrossEncoder, Batch], Tensor]:
    """A loss on labels and twins or, with a teacher, on its probabilities and labels.

    `soft` is the weight of the probabilities, 1 - `soft` that of labels beside them; `twins` that of twins.
    """

    def loss(model: CrossEncoder, batch: Batch) -> Tensor:
        if teacher is None:
            logits = model(batch.ids, batch.mask)
            found = label_loss(logits, batch.labels)
            return found + twins * twin_loss(logits, batch.labels, batch.twins) if len(batch.twins) else found
        with torch.no_grad():
            wanted = teacher(batch.ids, batch.mask)
        logits = model(batch.ids, batch.mask)
        near = F.kl_div(
            F.log_softmax(logits.float(), dim=-1),
            F.log_softmax(wanted.float(), dim=-1),
            log_target=True,
            reduction="batchmean",
        )
        return soft * near + (1 - soft) * label_loss(logits, batch.labels)

    return loss


def _stream(epoch: Callable[[int], Iterable[BatchT]], recipe: Recipe, *, skip: int) -> Iterator[BatchT]:
    """The batches of as many epochs as the steps need, without the first `skip`."""
    step, number = 0, 0
    while step < recipe.steps:
        for batch in epoch(number):
            if step >= skip:
                yield batch
            step += 1
            if step >= recipe.steps:
                return
        number += 1


def _optimiser(model: nn.Module, recipe: Recipe) -> torch.optim.AdamW:
    trained = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    updates = [p for name, p in trained if name.endswith((".wide", ".narrow"))]
    plain = [p for name, p in trained if p.ndim < 2]
    other = [p for name, p in trained if p.ndim >= 2 and not name.endswith((".wide", ".narrow"))]
    raised = recipe.rate if recipe.update_rate is None else recipe.update_rate
    groups = [
        {"params": other, "weight_decay": recipe.decay, "peak": recipe.rate},
        {"params": plain, "weight_decay": 0.0, "peak": recipe.rate},
        {"params": updates, "weight_decay": recipe.decay, "peak": raised},
    ]
    kept = [group for group in groups if group["params"]]
    return torch.optim.AdamW(kept, lr=recipe.rate, betas=(0.9, 0.98), eps=1e-6, fused=True)


def _set_rate(optimiser: torch.optim.Optimizer, recipe: Recipe, step: int) -> None:
    rise = max(1, math.ceil(recipe.steps * recipe.warmup))
    share = (step + 1) / rise if step < rise else (recipe.steps - step) / (recipe.steps - rise)
    for group in optimiser.param_groups:
        group["lr"] = group["peak"] * share


@torch.no_grad()
def _blend(average: nn.Module, model: nn.Module, keep: float) -> None:
    trained = [p for p in zip(average.parameters(), model.parameters(), strict=True) if p[1].requires_grad]
    torch._foreach_lerp_([a for a, _ in trained], [m for _, m in trained], 1 - keep)


def _checkpoint(
    folder: Path,
    recipe: Recipe,
    step: int,
    model: nn.Module,
    average: nn.Module,
    optimiser: torch.optim.Optimizer,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        "recipe": repr(recipe),
        "step": step,
        "model": model.state_dict(),
        "average": average.state_dict(),
        "optimiser": optimiser.state_dict(),
    }
    # Written to another file and renamed, so that a killed run leaves the last complete checkpoint.
    torch.save(state, folder / "checkpoint.tmp")
    (folder / "checkpoint.tmp").replace(folder / "checkpoint.pt")


def _resume(
    folder: Path,
    recipe: Recipe,
    model: nn.Module,
    average: nn.Module,
    optimiser: torch.optim.Optimizer,
) -> int:
    path = folder / "checkpoint.pt"
    if not path.exists():
        return 0
    state = torch.load(path, map_location="cpu", weights_only=True)
    if state["recipe"] != repr(recipe):
        return 0
    model.load_state_dict(state["model"])
    average.load_state_dict(state["average"])
    optimiser.load_state_dict(state["optimiser"])
    return int(state["step"])

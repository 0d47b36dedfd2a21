"""Low-rank updates: a product of two narrow matrices is learnt beside each product of the upper layers (Hu et
al. 2021, "LoRA"), which itself stays as it is stored, or is learnt as it is rounded.

Fine-tuning moves most weights by less than half the distance between two four-bit numbers, so rounding the
sum again undoes what was learnt. An update is therefore stored by itself (`storing/checkpoints.py` for
training, `storing/packing.py` for the model that ships).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vista_stream.training.cross_encoder import CrossEncoder
from vista_stream.training.encoder import PRODUCTS
from vista_stream.training.storing.rounding import rounded_to, steps_of

Updates = Mapping[str, tuple[Tensor, Tensor]]
"""By the name of a weight, (outputs, inputs): wide, (outputs, rank), and narrow, (rank, inputs)."""


class _Rounded(torch.autograd.Function):
    """Weights rounded to their steps, with the gradient passed on as it is (`storing/rounding.py`)."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, steps: Tensor) -> Tensor:
        return rounded_to(weight, steps)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0], None


class LowRank(nn.Module):
    """A linear layer with a learnt bias and a learnt update of rank `rank`; 0 for none.

    The weights are fixed or, with `learnt`, learnt too: used as they are rounded to `steps`, (outputs,
    inputs / 32, 1), which stay.
    """

    steps: Tensor

    def __init__(self, whole: nn.Linear, rank: int, steps: Tensor, *, learnt: bool = False) -> None:
        super().__init__()
        self.weight = whole.weight.requires_grad_(learnt)
        self.bias = whole.bias
        self.learnt = learnt
        self.register_buffer("steps", steps, persistent=False)
        self.narrow = nn.Parameter(torch.empty(rank, whole.in_features))
        self.wide = nn.Parameter(torch.zeros(whole.out_features, rank))
        if rank:
            nn.init.kaiming_uniform_(self.narrow, a=math.sqrt(5))

    def forward(self, states: Tensor) -> Tensor:
        """(…, inputs) to (…, outputs)."""
        if self.learnt:  # on a GPU one product of their sum takes less time than three
            weight = _Rounded.apply(self.weight, self.steps)
            return F.linear(states, weight + self.wide @ self.narrow, self.bias)
        found = F.linear(states, self.weight, self.bias)
        return found + F.linear(F.linear(states, self.narrow), self.wide) if len(self.narrow) else found


def adapt(
    model: CrossEncoder, rank: int, *, frozen: int, known: Updates | None = None, whole: bool = False
) -> None:
    """Give the products above the lowest `frozen` layers updates of rank `rank`, and freeze their weights.

    The weights of these products are rounded as they will be stored, less the update in them. Biases and
    normalisation above the frozen layers and the head are learnt too, all else is frozen. With `whole` the
    weights of all products are learnt as well, rounded, and all layers' biases and normalisation and the
    position embeddings; then `frozen` layers only have no updates. `known` are updates of an earlier run that
    the weights contain, to go on from; raises ValueError where one has a higher rank than `rank`, or belongs
    to no product that is adapted.
    """
    left = dict(known or {})
    model.freeze(layers=0 if whole else len(model.encoder.layers))
    for number, layer in enumerate(model.encoder.layers):
        if number < frozen and not whole:
            continue
        for values in layer.parameters():
            values.requires_grad_(values.ndim == 1)
        for part in PRODUCTS:
            name = f"encoder.layers.{number}.{part}.weight"
            own = rank if number >= frozen else 0
            update = left.pop(name, None) if own else None
            setattr(layer, part, _adapted_from(getattr(layer, part), own, name, update, learnt=whole))
    if left:
        raise ValueError(f"{', '.join(left)}: updates of frozen layers; freeze fewer layers")


@torch.no_grad()
def settle(model: CrossEncoder) -> None:
    """Round the weights that `adapt` with `whole` let a run learn, as the run used them."""
    for _, part in _adapted(model):
        if part.learnt:
            part.weight.copy_(rounded_to(part.weight, part.steps))


@torch.no_grad()
def _adapted_from(
    product: nn.Linear, rank: int, name: str, known: tuple[Tensor, Tensor] | None, *, learnt: bool
) -> LowRank:
    if known is not None:
        wide, narrow = _balanced(*(values.to(product.weight) for values in known))
        product.weight -= wide @ narrow
    steps = steps_of(product.weight)
    product.weight.copy_(rounded_to(product.weight, steps))
    adapted = LowRank(product, rank, steps, learnt=learnt)
    if known is not None:
        if wide.shape[1] > rank:
            raise ValueError(f"{name} has an update of rank {wide.shape[1]}; adapt with at least that")
        adapted.wide[:, : wide.shape[1]] = wide
        adapted.narrow[: wide.shape[1]] = narrow
    return adapted


def _balanced(wide: Tensor, narrow: Tensor) -> tuple[Tensor, Tensor]:
    """The same update with both matrices of one size.

    A model folder stores the two in units that serve rounding, one some hundred times the other. Adam moves
    all values by about the rate, whatever their size, and a run from such matrices diverges.
    """
    times = torch.sqrt(narrow.std() / wide.std().clamp_min(torch.finfo(wide.dtype).tiny))
    return (wide * times, narrow / times) if times > 0 else (wide, narrow)


def products(model: CrossEncoder) -> list[str]:
    """The names of the layers' products' weights, in the order in which they are computed."""
    return [
        f"encoder.layers.{number}.{part}.weight"
        for number in range(len(model.encoder.layers))
        for part in PRODUCTS
    ]


def updates(model: CrossEncoder) -> dict[str, tuple[Tensor, Tensor]]:
    """What `adapt` added and training changed."""
    return {
        f"{name}.weight": (part.wide.detach(), part.narrow.detach())
        for name, part in _adapted(model)
        if len(part.narrow)
    }


def fixed(model: CrossEncoder) -> dict[str, Tensor]:
    """All weights without the updates, by name."""
    return {
        name: values for name, values in model.state_dict().items() if not name.endswith((".wide", ".narrow"))
    }


@torch.no_grad()
def merge(model: CrossEncoder) -> None:
    """Add the updates to the weights; the model has plain products afterwards."""
    for name, part in list(_adapted(model)):
        whole = nn.Linear(part.weight.shape[1], part.weight.shape[0], device=part.weight.device)
        whole.weight.copy_(part.weight + part.wide @ part.narrow)
        whole.bias.copy_(part.bias)
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, whole)


def _adapted(model: CrossEncoder) -> Iterator[tuple[str, LowRank]]:
    return ((name, part) for name, part in model.named_modules() if isinstance(part, LowRank))

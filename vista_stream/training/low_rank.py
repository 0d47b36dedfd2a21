"""Low-rank updates: the products of the upper layers stay as they are stored, and a product of two narrow
matrices is learnt beside each (Hu et al. 2021, "LoRA").

Fine-tuning moves most weights by less than half the distance between two four-bit numbers, so rounding the
sum again undoes what was learnt. An update is therefore stored by itself (`storing/checkpoints.py` for
training, `storing/packing.py` for the model that ships).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vista_stream.training.cross_encoder import CrossEncoder
from vista_stream.training.encoder import PRODUCTS
from vista_stream.training.storing.packing import rounded
from vista_stream.verifiers.unpacking import BLOCK

Updates = Mapping[str, tuple[Tensor, Tensor]]
"""By the name of a weight, (outputs, inputs): wide, (outputs, rank), and narrow, (rank, inputs)."""


class LowRank(nn.Module):
    """A linear layer of fixed weights and a learnt bias, plus a learnt update of rank `rank`."""

    def __init__(self, whole: nn.Linear, rank: int) -> None:
        super().__init__()
        self.weight = whole.weight.requires_grad_(False)
        self.bias = whole.bias
        self.narrow = nn.Parameter(torch.empty(rank, whole.in_features))
        self.wide = nn.Parameter(torch.zeros(whole.out_features, rank))
        nn.init.kaiming_uniform_(self.narrow, a=math.sqrt(5))

    def forward(self, states: Tensor) -> Tensor:
        """(…, inputs) to (…, outputs)."""
        return F.linear(states, self.weight, self.bias) + F.linear(F.linear(states, self.narrow), self.wide)


def adapt(model: CrossEncoder, rank: int, *, frozen: int, known: Updates | None = None) -> None:
    """Give the products above the lowest `frozen` layers updates of rank `rank`, and freeze their weights.

    The weights of these products are rounded as they will be stored, less the update in them. Biases and
    normalisation above the frozen layers and the head are learnt too, all else is frozen. `known` are updates
    of an earlier run that the weights contain, to go on from; raises ValueError where one has a higher rank
    than `rank`, or belongs to no product that is adapted.
    """
    left = dict(known or {})
    model.freeze(layers=len(model.encoder.layers))
    for number, layer in list(enumerate(model.encoder.layers))[frozen:]:
        for values in layer.parameters():
            values.requires_grad_(values.ndim == 1)
        for part in PRODUCTS:
            name = f"encoder.layers.{number}.{part}.weight"
            setattr(layer, part, _adapted_from(getattr(layer, part), rank, name, left.pop(name, None)))
    if left:
        raise ValueError(f"{', '.join(left)}: updates of frozen layers; freeze fewer layers")


@torch.no_grad()
def _adapted_from(product: nn.Linear, rank: int, name: str, known: tuple[Tensor, Tensor] | None) -> LowRank:
    if known is not None:
        wide, narrow = _balanced(*(values.to(product.weight) for values in known))
        product.weight -= wide @ narrow
    four, times, scale = rounded(product.weight.cpu().numpy().T)
    steps = torch.from_numpy(times).repeat_interleave(BLOCK, 0) * torch.from_numpy(scale)
    product.weight.copy_((torch.from_numpy(four) * steps).T)
    adapted = LowRank(product, rank)
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
    return {f"{name}.weight": (part.wide.detach(), part.narrow.detach()) for name, part in _adapted(model)}


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

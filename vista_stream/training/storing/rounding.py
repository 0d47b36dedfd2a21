"""Quantisation-aware training: the model is fitted with its weights rounded as they will be stored.

The products use rounded weights. Their gradients update the weights in full precision, from which the rounded
ones are made (the straight-through estimate of Bengio et al. 2013).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from vista_stream.training.storing.packing import LARGEST, rounded
from vista_stream.verifiers.unpacking import BLOCK


class Rounding:
    """Rounds the weights of a model's layers; holds the steps between the numbers they can be stored as."""

    def __init__(self, model: nn.Module) -> None:
        self._weights = [
            module.weight
            for name, module in model.named_modules()
            if isinstance(module, nn.Linear) and ".layers." in f".{name}"
        ]
        self._steps: list[Tensor] = []
        self.renew()

    @torch.no_grad()
    def renew(self) -> None:
        """Choose the steps anew for the current weights; takes seconds for ten layers of MPNet."""
        self._steps = [steps_of(weight) for weight in self._weights]

    @contextmanager
    def applied(self) -> Iterator[None]:
        """A context in which the model has rounded weights; gradients computed in it are kept after it."""
        whole = [weight.data for weight in self._weights]
        for weight, steps in zip(self._weights, self._steps, strict=True):
            weight.data = rounded_to(weight.data, steps)
        try:
            yield
        finally:
            for weight, data in zip(self._weights, whole, strict=True):
                weight.data = data


def steps_of(weight: Tensor) -> Tensor:
    """The steps, (outputs, inputs / 32, 1), by which four bits hold a weight, (outputs, inputs), best."""
    _, multipliers, scale = rounded(weight.detach().cpu().numpy().T)
    return torch.from_numpy((multipliers * scale).T.copy())[..., None].to(weight.device)


def rounded_to(weight: Tensor, steps: Tensor) -> Tensor:
    """Weights, (outputs, inputs), as multiples of steps, (outputs, inputs / 32, 1), that four bits hold."""
    blocks = weight.view(weight.shape[0], -1, BLOCK) / steps
    return blocks.round_().clamp_(-LARGEST, LARGEST).mul_(steps).view_as(weight)

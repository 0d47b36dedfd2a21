"""Fitting with the weights rounded as they will be stored: the model learns to live with the rounding.

The products see rounded weights; their gradients move the weights in full precision that lie behind them
(the straight-through estimate of Bengio et al. 2013).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from vista_stream.training.storing.packing import BLOCK, LARGEST, rounded


class Rounding:
    """The products of a model's layers, and how far apart the numbers lie that a weight may be stored as."""

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
        """Choose the distances again for the weights as they are now: seconds for ten layers of MPNet."""
        self._steps = []
        for weight in self._weights:
            _, multipliers, scale = rounded(weight.detach().cpu().numpy().T)
            steps = torch.from_numpy((multipliers * scale).T.copy())[..., None]
            self._steps.append(steps.to(weight.device))

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Within it the model has rounded weights; gradients that come within it stay after it."""
        whole = [weight.data for weight in self._weights]
        for weight, steps in zip(self._weights, self._steps, strict=True):
            weight.data = _rounded(weight.data, steps)
        try:
            yield
        finally:
            for weight, data in zip(self._weights, whole, strict=True):
                weight.data = data


def _rounded(weight: Tensor, steps: Tensor) -> Tensor:
    blocks = weight.view(weight.shape[0], -1, BLOCK) / steps
    return blocks.round_().clamp_(-LARGEST, LARGEST).mul_(steps).view_as(weight)

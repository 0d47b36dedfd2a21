"""The bi-encoder as a torch module: a text's vector is the mean of its token states, scaled to length 1."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from vista_stream.training.encoder import Encoder


class BiEncoder(nn.Module):
    """From (batch, length) ids and mask to (batch, width) vectors of length 1."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One vector for each text."""
        states = self.encoder(ids, mask)
        share = mask[:, :, None].to(states.dtype)
        return F.normalize((states * share).sum(1) / share.sum(1), dim=-1)

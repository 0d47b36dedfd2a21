"""The verifier that reads a text once: windows are encoded by themselves, and claims attend to them.

In the lower layers a window of a text attends only to itself, so its keys and values can be kept and used for
any claim. A claim attends to the windows and to itself. The upper layers read windows and claim together.

The weights are those of a `CrossEncoder`, from which training continues. With six of ten layers apart,
version 0.8 keeps 70 % of its labels on development pairs before any training step.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vista_stream.training.cross_encoder import CrossEncoder
from vista_stream.training.encoder import Layer, unseen


@dataclass(frozen=True, slots=True)
class Readings:
    """A batch: windows, claims, and the windows that each claim is read with."""

    windows: Tensor
    """(windows, length) ids."""
    windows_mask: Tensor
    claims: Tensor
    """(claims, length) ids."""
    claims_mask: Tensor
    seen: Tensor
    """(claims, most): for each claim, indices of its windows' tokens in the flattened `windows`."""
    seen_mask: Tensor
    joined: Tensor
    """(claims, longest): the same, followed by the claim's own tokens, whose indices follow the windows'."""
    joined_mask: Tensor
    labels: Tensor
    """(claims,) label numbers."""

    def to(self, device: torch.device) -> Readings:
        """The same on a device."""
        return Readings(*(getattr(self, name).to(device) for name in self.__slots__))


class ReadingVerifier(nn.Module):
    """From a batch of windows and claims to (claims, 3) logits."""

    def __init__(self, model: CrossEncoder, *, apart: int) -> None:
        super().__init__()
        if not 0 < apart < len(model.encoder.layers):
            raise ValueError(f"apart must be from 1 to {len(model.encoder.layers) - 1} layers, not {apart!r}")
        self.model = model
        self.apart = apart

    @property
    def lower(self) -> list[Layer]:
        """The layers in which windows do not attend to claims."""
        return list(self.model.encoder.layers)[: self.apart]  # type: ignore[arg-type]

    @property
    def upper(self) -> list[Layer]:
        """The layers that read windows and claim together."""
        return list(self.model.encoder.layers)[self.apart :]  # type: ignore[arg-type]

    def forward(self, batch: Readings) -> Tensor:
        """One row of logits for each claim."""
        encoder = self.model.encoder
        order = torch.arange(batch.windows.shape[1], device=batch.windows.device)
        windows = encoder.embedded(batch.windows, order[None])
        first = batch.seen_mask.sum(1)
        claims = encoder.embedded(batch.claims, first[:, None] + _order(batch.claims))
        among = (encoder.by_distance(order[None, :] - order[:, None])[None]) + unseen(batch.windows_mask)
        towards = self._towards(batch, first)
        kind = (
            torch.get_autocast_dtype(windows.device.type)
            if torch.is_autocast_enabled(windows.device.type)
            else windows.dtype
        )
        among, towards = among.to(kind), towards.to(kind)
        for layer in self.lower:
            q, k, v = layer.projected(windows)
            own_q, own_k, own_v = layer.projected(claims)
            keys = torch.cat([F.embedding(batch.seen, k.flatten(0, 1)), own_k], 1)
            values = torch.cat([F.embedding(batch.seen, v.flatten(0, 1)), own_v], 1)
            windows = layer.attended(windows, q, k, v, among)
            claims = layer.attended(claims, own_q, keys, values, towards)
        tokens = torch.cat([windows.flatten(0, 1).to(kind), claims.flatten(0, 1).to(kind)])
        return self.judged(F.embedding(batch.joined, tokens), unseen(batch.joined_mask))

    def _towards(self, batch: Readings, first: Tensor) -> Tensor:
        """The attention bias from each claim's tokens to its windows' tokens and to its own."""
        own = _order(batch.claims)
        seen = _order(batch.seen)
        distances = torch.cat(
            [
                seen[:, None, :] - (first[:, None, None] + own[:, :, None]),
                (own[:, None, :] - own[:, :, None]).expand(len(first), -1, -1),
            ],
            -1,
        )
        mask = torch.cat([batch.seen_mask, batch.claims_mask], 1)
        return self.model.encoder.by_distance(distances) + unseen(mask)

    def judged(self, states: Tensor, bias: Tensor) -> Tensor:
        """Logits of joined windows and claims, (claims, length, width); `bias` masks the padding."""
        order = torch.arange(states.shape[1], device=states.device)
        bias = (self.model.encoder.by_distance(order[None, :] - order[:, None])[None] + bias).to(states.dtype)
        *between, last = self.upper
        for layer in between:
            states = layer(states, bias)
        return self.model.answered(last(states, bias, tokens=1))

    def save(self, path: Path) -> None:
        """Write the weights as a `CrossEncoder` does."""
        self.model.save(path)


class Words(nn.Module):
    """For export: from (1, length) ids and places to embeddings, (1, length, width)."""

    def __init__(self, verifier: ReadingVerifier) -> None:
        super().__init__()
        self.encoder = verifier.model.encoder

    def forward(self, ids: Tensor, places: Tensor) -> Tensor:
        """The sum of word and position embeddings, normalised."""
        return self.encoder.embedded(ids, places)


class Reader(nn.Module):
    """For export: the lower layers, from embedded tokens (1, length, width) to their reading.

    `seen` (2 x apart, before, width) has the keys and values of windows that were read before, which the
    tokens attend to; for a window it is empty. The reading (2 x apart + 1, length, width) has the keys and
    values of each lower layer, then the states that the upper layers begin with.
    """

    def __init__(self, verifier: ReadingVerifier) -> None:
        super().__init__()
        self.verifier = verifier

    def forward(self, states: Tensor, seen: Tensor) -> Tensor:
        """The reading of one window, or of one claim."""
        seen = seen.to(states.dtype)
        before, own = seen.shape[1], states.shape[1]
        order = torch.arange(before + own, device=states.device)
        bias = self.verifier.model.encoder.by_distance(order[None, :] - order[before:, None])[None]
        kept = []
        for number, layer in enumerate(self.verifier.lower):
            q, k, v = layer.projected(states)
            kept += [k, v]
            keys = torch.cat([seen[2 * number][None], k], 1)
            values = torch.cat([seen[2 * number + 1][None], v], 1)
            states = layer.attended(states, q, keys, values, bias)
        return torch.cat([*kept, states])


class Judge(nn.Module):
    """For export: the upper layers, from joined states of windows and a claim to (1, 3) logits.

    The states have the shape (1, length, width); those of the claim come last.
    """

    def __init__(self, verifier: ReadingVerifier) -> None:
        super().__init__()
        self.verifier = verifier

    def forward(self, states: Tensor) -> Tensor:
        """The logits of one claim, (1, 3)."""
        return self.verifier.judged(states, torch.zeros((), device=states.device))


def _order(ids: Tensor) -> Tensor:
    return torch.arange(ids.shape[1], device=ids.device)[None]

"""The three-way verifier as a torch module: an encoder over premise and claim, a head on its first token."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from vista_stream.training.encoder import Encoder

LABELS = ("entailment", "neutral", "contradiction")
NOT_ENTAILMENT = 3
"""Label number of rows that do not say whether they are neutral or a contradiction."""


class CrossEncoder(nn.Module):
    """From (batch, length) ids and mask to (batch, 3) logits, in the order of LABELS."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        width = encoder.shape.width
        self.encoder = encoder
        self.dense = nn.Linear(width, width)
        self.answer = nn.Linear(width, len(LABELS))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """One row of logits for each pair."""
        return self.answered(self.encoder(ids, mask, tokens=1))

    def answered(self, states: Tensor) -> Tensor:
        """Logits of (batch, 1 or more, width) states; only the first token's state is used."""
        hidden = torch.tanh(self.dense(states[:, 0]))
        logits: Tensor = self.answer(F.dropout(hidden, self.encoder.dropout, self.training))
        return logits

    def freeze(self, *, layers: int = 0) -> None:
        """Freeze the embeddings and the lowest `layers` layers.

        There are too few pairs to train embeddings; on a CPU the lowest layers are not worth their time.
        """
        encoder = self.encoder
        encoder.words.requires_grad_(False)
        if encoder.relative is not None:
            encoder.relative.requires_grad_(False)
        if layers:
            encoder.places.requires_grad_(False)
            encoder.norm.requires_grad_(False)
        for layer in list(encoder.layers)[:layers]:
            layer.requires_grad_(False)

    def save(self, path: Path) -> None:
        """Write the weights as half precision safetensors."""
        save_file({k: v.half().contiguous() for k, v in self.state_dict().items()}, path)

    def load(self, *paths: Path) -> None:
        """Load weights that `save` wrote; of several files, their mean (Wortsman et al. 2022, "Model soups").

        Raises ValueError if the files hold different weights.
        """
        runs = [load_file(path) for path in paths]
        if any(run.keys() != runs[0].keys() for run in runs):
            raise ValueError(f"{', '.join(map(str, paths))}: only runs of one shape can be averaged")
        self.load_state_dict({name: sum(run[name].float() for run in runs) / len(runs) for name in runs[0]})


def label_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean cross entropy; for a row of NOT_ENTAILMENT, neutral and contradiction count as one label."""
    logs = F.log_softmax(logits.float(), dim=-1)
    refused = torch.logsumexp(logs[:, 1:], dim=-1)
    by_class = torch.cat([logs, refused[:, None]], dim=-1)
    return -by_class.gather(1, labels[:, None]).mean()


def twin_loss(logits: Tensor, labels: Tensor, twins: Tensor) -> Tensor:
    """Softplus of how much more the other of two twins is entailed than the entailed one, a row's mean.

    `twins` (twins, 2) rows of `logits`. How much a row is entailed is the logit of entailment less that of
    the other twin's label, so that what both claims share cancels out.
    """
    sure = logits.float()
    rival = labels[twins[:, 1]][:, None]
    margins = [sure[rows, 0] - sure[rows].gather(1, rival)[:, 0] for rows in twins.T]
    return F.softplus(margins[1] - margins[0]).sum() / len(labels)

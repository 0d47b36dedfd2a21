"""Fits a verifier that reads windows once, on rows and written documents."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from vista_stream.training.batches import tokenizer
from vista_stream.training.cross_encoder import CrossEncoder, label_loss
from vista_stream.training.documents import Document, read_documents
from vista_stream.training.fit import Recipe, fit, mixed
from vista_stream.training.measure import Worth, worth
from vista_stream.training.reading import Readings, ReadingVerifier
from vista_stream.training.readings import Group, Grouper, batched
from vista_stream.training.rows import Row
from vista_stream.training.storing.rounding import Rounding

DOCUMENTS, ROWS = 450, 3_500
"""What an epoch holds at most: written documents, each with its claims, and rows of other sources."""
_DEVELOPMENT = 18
"""Of 256 documents, so many are development documents, chosen by a digest of their first line."""
_SAMPLED = 40
_UNCUT = 100_000
"""Token limit of the tokenizer, so high that no text is truncated; windows have limits of their own."""
_EVALUATED = 12_000
"""Tokens of a batch in evaluation, without gradients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """The training and development data of a run."""

    base: Path
    """Folder of the base model, whose tokenizer is used."""
    tokens: int
    """Tokens of a batch: each claim counts with its windows."""
    documents: Sequence[Document]
    rows: Sequence[Row]
    held_documents: Sequence[Document]
    held_rows: Sequence[Row]


def divided(written: Sequence[Path]) -> tuple[list[Document], list[Document]]:
    """The written documents of files and folders, split into training and development documents.

    Raises ValueError if either part is empty.
    """
    documents = [document for path in written for document in read_documents(path)]
    held = [document for document in documents if _is_held(document)]
    kept = [document for document in documents if not _is_held(document)]
    if not kept or not held:
        raise ValueError(
            f"written must give documents to learn from and to develop on, not {len(kept)} and {len(held)}"
        )
    return kept, held


def _is_held(document: Document) -> bool:
    return hashlib.sha256(document.lines[0].encode()).digest()[0] < _DEVELOPMENT


def fitted(
    model: CrossEncoder,
    taught: Lessons,
    recipe: Recipe,
    *,
    apart: int,
    folder: Path,
    say: Callable[[str], None] = print,
) -> ReadingVerifier:
    """Fit a cross-encoder's weights to read windows apart; return the running average of the weights."""
    grouper = Grouper(_words(taught))

    def epoch(number: int) -> Iterator[Readings]:
        chance = random.Random(recipe.seed * 1_000 + number)
        documents = chance.sample(taught.documents, min(DOCUMENTS, len(taught.documents)))
        rows = chance.sample(taught.rows, min(ROWS, len(taught.rows)))
        groups = grouper.of_documents(documents, chance) + grouper.of_rows(rows, chance)
        return batched(groups, tokens=taught.tokens, seed=recipe.seed + number)

    verifier = ReadingVerifier(model, apart=apart)
    return fit(verifier, epoch, recipe, folder=folder, loss_of=_loss, say=say)


def _words(taught: Lessons) -> Tokenizer:
    return tokenizer(taught.base, length=_UNCUT)


def _loss(verifier: ReadingVerifier, batch: Readings) -> Tensor:
    return label_loss(verifier(batch), batch.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """Logits and label numbers of development claims, with weights rounded as they are stored."""

    logits: NDArray[np.float32]
    labels: NDArray[np.int64]

    @property
    def worth(self) -> Worth:
        """Accuracy and ROC AUC."""
        return worth(self.logits, self.labels)


def watched(verifier: ReadingVerifier, taught: Lessons) -> dict[str, Watched]:
    """The verifier's logits for the development documents and rows."""
    grouper = Grouper(_words(taught))
    groups = {
        "written": grouper.whole(taught.held_documents),
        "rows": grouper.of_rows(taught.held_rows, random.Random(0)),
    }
    with Rounding(verifier).applied():
        return {name: _watched(verifier, group) for name, group in groups.items() if group}


@torch.no_grad()
def _watched(verifier: ReadingVerifier, groups: Sequence[Group]) -> Watched:
    device = next(verifier.parameters()).device
    logits, labels = [], []
    verifier.eval()
    for batch in batched(groups, tokens=_EVALUATED, seed=0):
        with torch.autocast(device.type, torch.bfloat16, enabled=mixed(device)):
            logits.append(verifier(batch.to(device)).float().cpu().numpy())
        labels.append(batch.labels.numpy())
    return Watched(logits=np.concatenate(logits), labels=np.concatenate(labels))


def sample(taught: Lessons) -> list[tuple[list[NDArray[np.int32]], NDArray[np.int32]]]:
    """Token ids of windows and of a claim about them, from development documents; the export needs them."""
    groups = Grouper(_words(taught)).whole(taught.held_documents)[:_SAMPLED]
    return [(list(group.windows), group.claims[0][0]) for group in groups]


def manifest_of(found: dict[str, Watched]) -> dict[str, object]:
    """The development figures for the manifest."""
    return {name: asdict(each.worth) for name, each in found.items()}

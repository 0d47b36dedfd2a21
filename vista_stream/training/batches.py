"""Turns rows into padded batches of similar length."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from vista_stream.training.cross_encoder import LABELS, NOT_ENTAILMENT
from vista_stream.training.rows import Row

NUMBERS = {**{label: number for number, label in enumerate(LABELS)}, "not_entailment": NOT_ENTAILMENT}


@dataclass(frozen=True, slots=True)
class Encoded:
    """One row as token ids."""

    ids: np.ndarray
    label: int


@dataclass(frozen=True, slots=True)
class Batch:
    """(batch, length) ids and mask, (batch,) labels, (twins, 2) rows of twins, the entailed ones first."""

    ids: Tensor
    mask: Tensor
    labels: Tensor
    twins: Tensor

    def to(self, device: torch.device) -> Batch:
        """The same on a device."""
        parts = (self.ids, self.mask, self.labels, self.twins)
        return Batch(*(part.to(device, non_blocking=True) for part in parts))


def tokenizer(folder: Path, *, length: int) -> Tokenizer:
    """The base model's tokenizer; it truncates pairs to `length` tokens, in the premise only."""
    loaded = Tokenizer.from_file(str(folder / "tokenizer.json"))
    loaded.no_padding()
    loaded.enable_truncation(length, strategy="only_first")
    return loaded


def encode(rows: Sequence[Row], words: Tokenizer, *, slice_size: int = 20_000) -> list[Encoded]:
    """Token ids of every row whose hypothesis is short enough to leave room for a premise."""
    encoded: list[Encoded] = []
    for start in range(0, len(rows), slice_size):
        part = [row for row in rows[start : start + slice_size] if fits(row, words)]
        pairs = [(row.premise, row.hypothesis) for row in part]
        for row, coded in zip(part, words.encode_batch_fast(pairs), strict=True):
            encoded.append(Encoded(np.asarray(coded.ids, dtype=np.int32), NUMBERS[row.label]))
    return encoded


def fits(row: Row, words: Tokenizer) -> bool:
    """Whether the row's hypothesis is short enough to leave room for a premise."""
    limit = (words.truncation or {"max_length": 512})["max_length"] // 2
    return len(row.hypothesis.split()) < limit // 2


def batches(encoded: Sequence[Encoded], *, tokens: int, pad: int) -> Iterator[Batch]:
    """Batches of about `tokens` tokens, in order of length."""
    yield from unit_batches([(row,) for row in encoded], tokens=tokens, pad=pad)


def unit_batches(
    units: Sequence[Sequence[Encoded]], *, tokens: int, pad: int, seed: int | None = None
) -> Iterator[Batch]:
    """Batches of about `tokens` tokens, of rows alone and of twins, two in one batch, the entailed one first.

    They are shuffled by `seed`, or in order of length if it is None.
    """
    lengths = [max(len(row.ids) for row in unit) for unit in units]
    for group in grouped(lengths, tokens=tokens, seed=seed, rows=[len(unit) for unit in units]):
        yield _padded([units[index] for index in group], pad)


def grouped(
    lengths: Sequence[int], *, tokens: int, seed: int | None, rows: Sequence[int] | None = None
) -> list[list[int]]:
    """Groups of indices of similar length, each with at most `tokens` tokens after padding, or one index.

    An index counts as so many `rows`, by default as one.
    """
    noise = random.Random(seed)
    # A little noise on the length, so that an epoch does not repeat the batches of the one before.
    keys = [length * (noise.uniform(0.9, 1.1) if seed is not None else 1.0) for length in lengths]
    order = sorted(range(len(lengths)), key=keys.__getitem__)
    groups: list[list[int]] = [[]]
    longest = held = 0
    for index in order:
        longest, held = max(longest, lengths[index]), held + (rows[index] if rows else 1)
        if groups[-1] and longest * held > tokens:
            groups.append([])
            longest, held = lengths[index], rows[index] if rows else 1
        groups[-1].append(index)
    if seed is not None:
        noise.shuffle(groups)
    return [group for group in groups if group]


def _padded(units: Sequence[Sequence[Encoded]], pad: int) -> Batch:
    rows = [row for unit in units for row in unit]
    starts = np.cumsum([0, *(len(unit) for unit in units)])
    twins = [(start, start + 1) for start, unit in zip(starts, units, strict=False) if len(unit) == 2]
    longest = max(len(row.ids) for row in rows)
    length = -(-longest // 8) * 8  # attention kernels are fastest at multiples of eight
    ids = np.full((len(rows), length), pad, dtype=np.int64)
    mask = np.zeros((len(rows), length), dtype=np.int64)
    for position, row in enumerate(rows):
        ids[position, : len(row.ids)] = row.ids
        mask[position, : len(row.ids)] = 1
    labels = np.asarray([row.label for row in rows], dtype=np.int64)
    paired = torch.tensor(twins, dtype=torch.int64).reshape(-1, 2)
    return Batch(torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(labels), paired)

"""What each epoch of a verifier that reads pairs whole has to learn from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from torch.utils.data import Dataset

from vista_stream.training.batches import Encoded, encode, fits, tokenizer
from vista_stream.training.documents import Document
from vista_stream.training.made.scenes import Scene, scene_units
from vista_stream.training.rows import Row
from vista_stream.training.talk_units import talk_units
from vista_stream.training.talks import Talk
from vista_stream.training.units import Unit, dressed, units

OTHERS: Final = 0.5
"""With written documents: rows of other sources that an epoch has for each row about them."""
SCENES: Final = 0.12
"""Rows of scenes for each row about documents, or for each other row where there are none. So many version
0.19 learnt from: each claim of the project's scenes comes some twenty times an epoch, with other values."""
TALKS: Final = 0.3
"""Rows of talks for each row about documents, or for each other row where there are none."""
EncodedUnit: TypeAlias = tuple[Encoded, ...]


@dataclass(frozen=True, kw_only=True)
class Epochs(Dataset[list[EncodedUnit]]):
    """Endless epochs by their number, from 0: item n is epoch n, rows alone and twins, encoded.

    Each is the same in every process. Without documents every epoch has the same rows. With documents an
    epoch has each document once, other parts of it each time, and a sample of the rows. With scenes it has
    some of them besides, with other values each time; with talks some of these, other sentences each time.
    """

    rows: Sequence[Row]
    documents: Sequence[Document]
    base: Path
    """Folder of the base model, whose tokenizer is used."""
    length: int
    """Tokens a pair at most."""
    seed: int
    scenes: Sequence[Scene] = ()
    talks: Sequence[Talk] = ()

    @property
    def repeated(self) -> bool:
        """Whether all epochs are the same."""
        return not (self.documents or self.scenes or self.talks)

    def __len__(self) -> int:
        return 1 << 30

    def __getitem__(self, number: int) -> list[EncodedUnit]:
        chance = random.Random(self.seed * 1_000 + number)
        found: list[Unit] = [
            dressed(unit, chance) for each in self.documents for unit in units(each, self.documents, chance)
        ]
        about = sum(map(len, found))
        count = round(OTHERS * about) if found else len(self.rows)
        found += [(row,) for row in chance.sample(self.rows, min(len(self.rows), count))]
        if self.scenes:
            found += _drawn(self._of_scenes(chance), round(SCENES * (about or len(self.rows))))
        if self.talks:
            found += _drawn(self._of_talks(chance), round(TALKS * (about or len(self.rows))))
        words = tokenizer(self.base, length=self.length)
        found = [unit for unit in found if all(fits(row, words) for row in unit)]
        encoded = iter(encode([row for unit in found for row in unit], words))
        return [tuple(islice(encoded, len(unit))) for unit in found]

    def _of_scenes(self, chance: random.Random) -> Iterator[list[Unit]]:
        while True:
            yield [dressed(unit, chance) for unit in scene_units(chance.choice(self.scenes), chance)]

    def _of_talks(self, chance: random.Random) -> Iterator[list[Unit]]:
        while True:
            yield talk_units(chance.choice(self.talks), chance)


def _drawn(groups: Iterator[list[Unit]], count: int) -> Iterator[Unit]:
    """Groups of units, until they have given so many rows."""
    given = 0
    while given < count:
        group = next(groups)
        given += sum(map(len, group))
        yield from group

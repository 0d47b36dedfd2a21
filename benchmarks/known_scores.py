"""A cache on disk of one model's scores by pair, so that an interrupted run resumes where it stopped."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import vista_stream
from vista_stream.claims import Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import Pooling
from vista_stream.core.text.typography import plain, said
from vista_stream.retrieval.search import Rounds
from vista_stream.verifiers.embedded import EmbeddedVerifier
from vista_stream.verifiers.protocol import Reader

CACHE = Path(".work") / "scores"
"""The default folder for scores; git ignores it."""
SHIPPED = Path(vista_stream.__file__).parent / "models" / "verifier"
_TOGETHER = 128
T = TypeVar("T")
_SCORED_BY = ("files", "labels", "temperature", "max_length", "batch_tokens")


class KnownScores:
    """A verifier that scores each pair once: later runs with the same model take the score from the disk."""

    def __init__(self, verifier: EmbeddedVerifier, model: Path, cache: Path) -> None:
        self._verifier = verifier
        cache.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(cache / f"{digest(model)}.sqlite")
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS scores (pair BLOB PRIMARY KEY, e REAL, n REAL, c REAL)"
        )
        self.scored = 0
        """Pairs that the model had to score itself."""

    @classmethod
    def of(cls, model: Path | None, cache: Path) -> KnownScores:
        """The cache for a model folder; for the shipped model if it is None."""
        folder = model or SHIPPED
        return cls(EmbeddedVerifier.from_pretrained(folder), folder, cache)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._verifier.name

    @property
    def thresholds(self) -> Thresholds:
        """The model's thresholds."""
        return self._verifier.thresholds

    @property
    def pooling(self) -> Pooling | None:
        """The model's pooling."""
        return self._verifier.pooling

    @property
    def reader(self) -> Reader | None:
        """The verifier's reader, if it reads windows once."""
        return self._verifier.reader

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        """The same as `score_sync`, blocking too: nothing else runs beside a benchmark."""
        return self.score_sync(pairs)

    def score_sync(self, pairs: Sequence[Pair]) -> list[Scores]:
        """One triple of scores for each pair, in the same order. Blocking."""
        keys = [_key(pair) for pair in pairs]
        known = {key: scores for key in keys if (scores := self._look_up(key)) is not None}
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        for part in batched(missing.items(), _TOGETHER):
            scored = self._verifier.score_sync([pair for _, pair in part])
            found = {key: scores for (key, _), scores in zip(part, scored, strict=True)}
            rows = [(key, *scores) for key, scores in found.items()]
            self._base.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?)", rows)
            self._base.commit()
            known |= found
            self.scored += len(part)
        return [known[key] for key in keys]

    def drive(self, rounds: Rounds[T]) -> T:
        """Run a search, scoring the pairs that it asks for; return what it finds. Blocking."""
        try:
            pairs = next(rounds)
            while True:
                pairs = rounds.send(self.score_sync(pairs))
        except StopIteration as end:
            found: T = end.value
            return found

    def _look_up(self, key: bytes) -> Scores | None:
        row = self._base.execute("SELECT e, n, c FROM scores WHERE pair = ?", (key,)).fetchone()
        return None if row is None else Scores(*row)


def digest(model: Path) -> str:
    """A digest of a model folder, under which its scores are kept."""
    manifest = json.loads((model / "manifest.json").read_text(encoding="utf-8"))
    kept = json.dumps({name: manifest.get(name) for name in _SCORED_BY}, sort_keys=True)
    return hashlib.sha256(kept.encode()).hexdigest()[:16]


def batched(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """The items in groups of at most `size`."""
    rest = iter(items)
    while group := tuple(islice(rest, size)):
        yield group


def _key(pair: Pair) -> bytes:
    """The key of a pair, from the text that the model reads: if cleaning changes, the pair is scored anew."""
    premise = "\x1e".join(map(plain, pair.windows or (pair.premise,)))
    return hashlib.sha256(f"{premise}\0{said(pair.hypothesis, beside=premise)}".encode()).digest()[:16]

"""The models that ship with the package: a three-way cross-encoder and a bi-encoder, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from vista_stream.claims import Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.core.text.typography import plain, said
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.manifest import LABELS
from vista_stream.verifiers.offload import offload
from vista_stream.verifiers.onnx import OnnxModel, load

_MODELS = Path(__file__).parent.parent / "models"


class EmbeddedVerifier:
    """Scores pairs with a cross-encoder in this process; one may be shared by all sessions."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._columns = [model.manifest.labels.index(label) for label in LABELS]

    @classmethod
    def from_pretrained(cls, path: str | Path | None = None, *, threads: int | None = None) -> Self:
        """A verifier from a model folder; without one, the one that ships. Blocking.

        Raises ModelLoadError, see `onnx.load`.
        """
        return cls(load(path or _MODELS / "verifier", kind="cross-encoder", threads=threads))

    @property
    def name(self) -> str:
        """The model's name, from its manifest."""
        return self._model.manifest.name

    @property
    def thresholds(self) -> Thresholds:
        """From where on this model's scores decide, from its manifest."""
        return self._model.manifest.thresholds

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        """One score triple a pair, in the same order; runs in a thread, batch by batch."""
        encodings = await offload(self._encode, pairs)
        logits = np.empty((len(pairs), len(LABELS)), dtype=np.float32)
        for rows in self._model.batches(encodings):
            logits[rows] = await offload(self._model.run, [encodings[row] for row in rows])
        return self._scores(logits)

    def score_sync(self, pairs: Sequence[Pair]) -> list[Scores]:
        """As `score`, for scripts. Blocking."""
        encodings = self._encode(pairs)
        logits = np.empty((len(pairs), len(LABELS)), dtype=np.float32)
        for rows in self._model.batches(encodings):
            logits[rows] = self._model.run([encodings[row] for row in rows])
        return self._scores(logits)

    def _encode(self, pairs: Sequence[Pair]) -> list[Encoding]:
        premises = [plain(pair.premise) for pair in pairs]
        return [
            self._model.encode(premise, said(pair.hypothesis, beside=premise))
            for premise, pair in zip(premises, pairs, strict=True)
        ]

    def _scores(self, logits: NDArray[np.float32]) -> list[Scores]:
        scaled = logits[:, self._columns].astype(np.float64) / self._model.manifest.temperature
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return [Scores(*triple) for triple in (powers / powers.sum(axis=1, keepdims=True)).tolist()]


class EmbeddedEmbedder:
    """Turns texts into unit vectors with a bi-encoder in this process; remembers the last ones."""

    def __init__(self, model: OnnxModel, *, remember: int = 16_384) -> None:
        self._model = model
        self._known: Lru[str, NDArray[np.float32]] = Lru(remember)

    @classmethod
    def from_pretrained(cls, path: str | Path | None = None, *, threads: int | None = None) -> Self:
        """An embedder from a model folder; without one, the one that ships. Blocking.

        Raises ModelLoadError, see `onnx.load`.
        """
        return cls(load(path or _MODELS / "encoder", kind="bi-encoder", threads=threads))

    @property
    def name(self) -> str:
        """The model's name, from its manifest."""
        return self._model.manifest.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), width); each row has length 1. Blocking; raises InferenceError."""
        vectors = {text: self._known.get(text) for text in texts}
        missing = [text for text, vector in vectors.items() if vector is None]
        encodings = [self._model.encode(text) for text in missing]
        for rows in self._model.batches(encodings):
            output = self._model.run([encodings[row] for row in rows])
            for row, vector in zip(rows, output, strict=True):
                vectors[missing[row]] = vector
                self._known.put(missing[row], vector)
        return np.array([vectors[text] for text in texts], dtype=np.float32)

"""The verifier and the embedder that run in this process, on ONNX Runtime; models for both ship."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vista_stream.claims import Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import Pooling
from vista_stream.core.text.typography import plain, said
from vista_stream.retrieval.reference import split_windows
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.manifest import LABELS, model_kind
from vista_stream.verifiers.offload import offload, offload_long
from vista_stream.verifiers.onnx import CUDA_TOKENS, OnnxModel, load
from vista_stream.verifiers.placement import Device, Placement, Precision, fall_back, place
from vista_stream.verifiers.protocol import Reader
from vista_stream.verifiers.reading import Held, ReadingModel, load_reader
from vista_stream.verifiers.threads import default_threads

_MODELS = Path(__file__).parent.parent / "models"
_LONG = 16
"""Texts from which a call is embedded by several threads: windows of a reference, not a sentence's claims."""


class EmbeddedVerifier:
    """Scores pairs in this process; one object may be shared by all sessions.

    The model is either a cross-encoder, which encodes premise and hypothesis of each pair together, or one
    that reads windows once (`reading.py`). The model that ships is a cross-encoder.
    """

    def __init__(self, model: OnnxModel | ReadingModel) -> None:
        self._model = model
        self._columns = [model.manifest.labels.index(label) for label in LABELS]

    @classmethod
    def from_pretrained(
        cls,
        path: str | Path | None = None,
        *,
        threads: int | None = None,
        device: Device = "cpu",
        precision: Precision | None = None,
        cache: str | Path | None = None,
    ) -> Self:
        """A verifier from a model folder; without a path, the one that ships. Blocking.

        device: `cpu`, `cuda`, or `auto`, which is CUDA where ONNX Runtime offers it. Where `cuda` cannot be
        had, a line of warning says why, and the verifier runs on the CPU. precision: `int8`, the default on
        the CPU; `float16`, the default on CUDA; or `float32`. Graphs of floats are made once with the package
        onnx and kept in the folder `cache`, by default `vista_stream` in the user's cache directory.

        Raises ModelLoadError and ValueError as `onnx.load` and `place` do.
        """
        folder = Path(path or _MODELS / "verifier")
        if model_kind(folder) == "reader":
            if precision in ("float16", "float32"):
                raise ValueError(f"precision must be int8 for a model that reads windows, such as {folder}")
            if device == "cuda":
                fall_back("a model that reads windows has graphs for the CPU alone")
            return cls(load_reader(folder, threads=threads))
        placement = place(device, precision, cache=cache)
        return cls(load(folder, kind="cross-encoder", threads=threads, placement=placement))

    @property
    def name(self) -> str:
        """The model's name, from its manifest."""
        return self._model.manifest.name

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds from which this model's scores decide a category, from its manifest."""
        return self._model.manifest.thresholds

    @property
    def pooling(self) -> Pooling | None:
        """How the scores of a claim's passages become one triple, from the manifest; else None."""
        return self._model.manifest.pooling

    @property
    def placement(self) -> Placement:
        """The device that the model runs on, and the precision that it computes in."""
        return self._model.placement if isinstance(self._model, OnnxModel) else Placement()

    @property
    def batch_tokens(self) -> int | None:
        """Tokens that a `BatchingVerifier` should gather for one call; None on the CPU: few are enough."""
        return CUDA_TOKENS if self.placement.device == "cuda" else None

    @property
    def reader(self) -> Reader | None:
        """This verifier where its model reads windows once, else None."""
        return self if isinstance(self._model, ReadingModel) else None

    @property
    def held(self) -> Held:
        """How many readings are kept; all zero for a cross-encoder, which keeps none."""
        return self._model.held if isinstance(self._model, ReadingModel) else Held(windows=0, bytes=0, read=0)

    async def read(self, windows: Sequence[str]) -> None:
        """Read windows ahead of the claims about them, in threads, one at a time."""
        for window in windows:
            await offload_long(self._read, window)

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        """One score triple for each pair, in the same order; runs in threads, batch by batch."""
        asked = await offload(self._asked, pairs)
        logits = np.empty((len(pairs), len(LABELS)), dtype=np.float32)
        for rows in self._batches(asked):
            logits[rows] = await offload(self._logits, [asked[row] for row in rows])
        return self._scores(logits)

    def score_sync(self, pairs: Sequence[Pair]) -> list[Scores]:
        """As `score`, but blocking, for scripts."""
        asked = self._asked(pairs)
        logits = np.empty((len(pairs), len(LABELS)), dtype=np.float32)
        for rows in self._batches(asked):
            logits[rows] = self._logits([asked[row] for row in rows])
        return self._scores(logits)

    def _asked(self, pairs: Sequence[Pair]) -> Sequence[Any]:
        """The pairs as the model's inputs: encodings, or windows and claim for a model that reads windows."""
        if isinstance(self._model, ReadingModel):
            return [_windows_and_claim(pair) for pair in pairs]
        premises = [plain(pair.premise) for pair in pairs]
        return [
            self._model.encode(premise, said(pair.hypothesis, beside=premise))
            for premise, pair in zip(premises, pairs, strict=True)
        ]

    def _batches(self, asked: Sequence[Any]) -> Iterable[list[int]]:
        if isinstance(self._model, ReadingModel):
            return ([row] for row in range(len(asked)))
        return self._model.batches(asked)

    def _logits(self, asked: Sequence[Any]) -> NDArray[np.float32]:
        if isinstance(self._model, ReadingModel):
            return np.stack([self._model.logits(windows, claim) for windows, claim in asked])
        return self._model.run(asked)

    def _read(self, window: str) -> None:
        assert isinstance(self._model, ReadingModel)
        self._model.read([plain(window)])

    def _scores(self, logits: NDArray[np.float32]) -> list[Scores]:
        scaled = logits[:, self._columns].astype(np.float64) / self._model.manifest.temperature
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return [Scores(*triple) for triple in (powers / powers.sum(axis=1, keepdims=True)).tolist()]


def _windows_and_claim(pair: Pair) -> tuple[list[str], str]:
    windows = [plain(window) for window in pair.windows or split_windows(pair.premise)]
    return windows, said(pair.hypothesis, beside="\n".join(windows))


class EmbeddedEmbedder:
    """Turns texts into unit vectors with a bi-encoder in this process; caches up to `remember` vectors.

    `threads`: how many runs of a long call go side by side; each run has one thread. Raises ValueError for
    threads below 1.
    """

    def __init__(self, model: OnnxModel, *, threads: int = 1, remember: int = 16_384) -> None:
        if threads < 1:
            raise ValueError(f"threads must be 1 or more, not {threads!r}")
        self._model = model
        self._threads = threads
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        """The process that made it, whose threads a fork leaves behind, and the threads."""
        self._known: Lru[str, NDArray[np.float32]] = Lru(remember)

    @classmethod
    def from_pretrained(cls, path: str | Path | None = None, *, threads: int | None = None) -> Self:
        """An embedder from a model folder; without a path, the one that ships. Blocking.

        `threads` is by default the CPUs that this process may use, at most 4. Raises ModelLoadError as
        `onnx.load` does, and ValueError for threads below 1.
        """
        # One thread a run: a second one saves less than it takes to wake. After a pause the two short texts
        # of a claim take 7 ms with two threads and 3 with one.
        model = load(path or _MODELS / "encoder", kind="bi-encoder", threads=1)
        return cls(model, threads=default_threads() if threads is None else threads)

    @property
    def name(self) -> str:
        """The model's name, from its manifest."""
        return self._model.manifest.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), width); each row has length 1. Blocking; raises InferenceError."""
        if not texts:
            return self.embed([""])[:0]
        vectors = {text: self._known.get(text) for text in texts}
        missing = [text for text, vector in vectors.items() if vector is None]
        encodings = [self._model.encode(text) for text in missing]
        batches = list(self._model.batches(encodings))
        inputs = [[encodings[row] for row in rows] for rows in batches]
        outputs = (self._workers().map if len(missing) >= _LONG else map)(self._model.run, inputs)
        for rows, output in zip(batches, outputs, strict=True):
            for row, vector in zip(rows, output, strict=True):
                vectors[missing[row]] = vector
                self._known.put(missing[row], vector)
        return np.array([vectors[text] for text in texts], dtype=np.float32)

    def _workers(self) -> ThreadPoolExecutor:
        if self._pool is None or self._pool[0] != os.getpid():
            workers = ThreadPoolExecutor(self._threads, thread_name_prefix="vista_stream-embedder")
            self._pool = os.getpid(), workers
        return self._pool[1]

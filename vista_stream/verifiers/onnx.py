"""An encoder on ONNX Runtime: texts in, one row of the graph's output for each out."""

from __future__ import annotations

import ctypes
import math
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from vista_stream.core.text.surrogates import encodable
from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.manifest import Kind, Manifest, read_manifest
from vista_stream.verifiers.placement import Placement
from vista_stream.verifiers.sessions import open_placed
from vista_stream.verifiers.threads import default_threads
from vista_stream.verifiers.unpacked import WEIGHTS

ModelT = TypeVar("ModelT")
_PADDING = 0.25
"""Share of padding above which a shorter text starts a new batch."""
_ENCODINGS = 2048
_SHIPPED = Placement()
CUDA_TOKENS = 16_384
"""Tokens of one run on CUDA at most, padding included."""
_CUDA_LENGTHS = (16, 32, 48, 64, 96, 128, 192, 256, 384, 512)
"""What rows are padded to on CUDA, so that there are few shapes: the first run of each takes 125 to 150 ms on
an H100, later ones of up to 100 pairs 2 to 24 ms."""

_loaded: dict[tuple[Path, Kind, int, Placement], Any] = {}
_loading = threading.Lock()


def load(
    folder: str | Path, *, kind: Kind, threads: int | None = None, placement: Placement = _SHIPPED
) -> OnnxModel:
    """The model of a folder, loaded once per process for each number of threads and placement. Blocking.

    `threads` defaults to the CPUs that this process may use, at most 4. Raises ModelLoadError where a file
    is missing or damaged or ONNX Runtime is not installed, and where a graph of floats is asked for and
    cannot be made; ValueError for threads below 1.
    """
    return load_once(
        lambda path, count: OnnxModel(path, kind, count, placement),
        folder,
        kind=kind,
        threads=threads,
        placement=placement,
    )


def load_once(
    build: Callable[[Path, int], ModelT],
    folder: str | Path,
    *,
    kind: Kind,
    threads: int | None = None,
    placement: Placement = _SHIPPED,
) -> ModelT:
    """The model that `build` makes from a folder and a number of threads, once per process; see `load`."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be 1 or more, not {threads!r}")
    key = (Path(folder).resolve(), kind, threads or default_threads(), placement)
    with _loading:
        if key not in _loaded:
            _loaded[key] = build(key[0], key[2])
            give_back_memory()
        model: ModelT = _loaded[key]
        return model


def give_back_memory() -> None:
    """Return what loading a model took to the system; after the verifier glibc would keep 160 MiB of it."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
        if trim is not None:
            trim(0)


class OnnxModel:
    """A tokenizer and a graph; may be used from many threads. Make one with `load`."""

    def __init__(self, folder: Path, kind: Kind, threads: int, placement: Placement = _SHIPPED) -> None:
        self.manifest: Manifest = read_manifest(folder, kind=kind)
        files = self.manifest.files
        weights = folder / WEIGHTS if WEIGHTS in files else None
        digest = files["model.onnx"] if weights is None else f"{files['model.onnx']}-{files[WEIGHTS]}"
        self._session, self.placement = open_placed(
            folder / "model.onnx", threads, placement, digest=digest, weights=weights
        )
        self._on_cuda = self.placement.device == "cuda"
        self._takes = {wanted.name for wanted in self._session.get_inputs()}
        self._tokenizer = open_tokenizer(folder / "tokenizer.json")
        padding = self._tokenizer.padding
        self._pad = padding["pad_id"] if padding else 0
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._known: Lru[str, Encoding] = Lru(_ENCODINGS)

    def encode(self, first: str, second: str | None = None) -> Encoding:
        """The tokens of a text, or of a premise and a hypothesis; where too long, the premise is truncated.

        Tokens of recent texts are cached. Raises InferenceError where the hypothesis leaves no room for a
        premise.
        """
        room = self.manifest.max_length - self._tokenizer.num_special_tokens_to_add(second is not None)
        if second is None:
            return self._tokenizer.post_process(self._tokenise(first, room))
        hypothesis = self._tokenise(second)
        if len(hypothesis) >= room:
            raise InferenceError(
                f"the hypothesis has {len(hypothesis)} tokens: too long for the {self.manifest.max_length}"
                f" of {self.manifest.name}: {second[:60]!r}…"
            )
        return self._tokenizer.post_process(self._tokenise(first, room - len(hypothesis)), hypothesis)

    def batches(self, encodings: Sequence[Encoding]) -> Iterator[list[int]]:
        """Batches as indices of encodings, at most the manifest's batch_tokens in each, padded.

        The lengths in a batch are similar. On CUDA, where few runs matter more than little padding, they may
        differ, and a batch may have more tokens. A single encoding that is longer is a batch alone.
        """
        most = CUDA_TOKENS if self._on_cuda else self.manifest.batch_tokens
        padding = 1.0 if self._on_cuda else _PADDING
        lengths = [len(encoding) for encoding in encodings]
        batch: list[int] = []
        for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
            longest = lengths[batch[0]] if batch else 0
            full = math.prod(self._padded(len(batch) + 1, longest)) > most
            if batch and (full or lengths[row] < (1 - padding) * longest):
                yield batch
                batch = []
            batch.append(row)
        if batch:
            yield batch

    def run(self, encodings: Sequence[Encoding]) -> NDArray[np.float32]:
        """The graph's output for one batch; shape (number of encodings, width). Blocking.

        Raises InferenceError where ONNX Runtime raises.
        """
        rows, width = self._padded(len(encodings), max(map(len, encodings)))
        feed = _arrays([*encodings, *[encodings[0]] * (rows - len(encodings))], self._pad, width)
        try:
            (output,) = self._session.run(None, {name: feed[name] for name in self._takes})
        except Exception as error:  # ONNX Runtime's exceptions share no base class but this one
            raise InferenceError(f"{self.manifest.name}: {error}") from error
        return np.asarray(output[: len(encodings)], dtype=np.float32)

    def _padded(self, rows: int, longest: int) -> tuple[int, int]:
        """The rows and the tokens of each that a batch is padded to: on CUDA one of few shapes."""
        if not self._on_cuda:
            return rows, longest
        most = max(longest, self.manifest.max_length)
        width = next((length for length in _CUDA_LENGTHS if longest <= length <= most), most)
        return 1 << (rows - 1).bit_length(), width

    def _tokenise(self, text: str, most: int | None = None) -> Encoding:
        """The tokens of a text, at most the first `most`."""
        encoding = self._known.get(text)
        if encoding is None:
            encoding = self._tokenizer.encode(encodable(text), add_special_tokens=False)
            self._known.put(text, encoding)
        if most is not None and len(encoding) > most:
            encoding = self._tokenizer.encode(encodable(text), add_special_tokens=False)  # not the kept one
            encoding.truncate(most)
        return encoding


def _arrays(encodings: Sequence[Encoding], pad: int, width: int) -> dict[str, NDArray[np.int64]]:
    lengths = np.array([len(encoding) for encoding in encodings])
    real = np.arange(width) < lengths[:, None]

    def padded(rows: list[list[int]], fill: int) -> NDArray[np.int64]:
        array = np.full(real.shape, fill, dtype=np.int64)
        array[real] = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
        return array

    return {
        "input_ids": padded([encoding.ids for encoding in encodings], pad),
        "attention_mask": real.astype(np.int64),
        "token_type_ids": padded([encoding.type_ids for encoding in encodings], 0),
    }


def open_tokenizer(path: Path) -> Tokenizer:
    """Read tokenizer.json; raises ModelLoadError where it is not a tokenizer.

    A text that spells a special token ("</s>") is read as words: it cannot end a premise or a claim.
    """
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the tokenizers library raises bare Exception
        raise ModelLoadError(f"{path} is not a tokenizer: {error}") from error
    tokenizer.encode_special_tokens = True
    return tokenizer

"""A verifier model that reads each window of a reference once, with a key-value cache of what it read.

To read a window is to encode it alone in the lower layers and to keep its keys and values there: the
reading. A claim then passes through the same layers and attends to the readings of its windows. The upper
layers process the claim and its windows together. So a further claim about the same windows costs its own
tokens in the lower layers, and one pass of the upper layers. The graphs run on ONNX Runtime.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vista_stream.core.text.surrogates import encodable
from vista_stream.errors import InferenceError
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.manifest import Manifest, read_manifest
from vista_stream.verifiers.onnx import load_once, open_tokenizer
from vista_stream.verifiers.sessions import open_session

WINDOW_TOKENS = 160
"""Tokens of a window that are read at once; a longer window is read in pieces of this length."""
HELD = 96 * 2**20
"""Bytes of readings that a model keeps by default: 4,000 to 5,000 tokens, each 20 kB in half precision."""
_TOKENISED = 4096

Reading = NDArray[np.float16]
"""Shape (2 x lower layers + 1, tokens, width): keys and values of each lower layer, then the states of the
last lower layer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The size of the cache of readings."""

    windows: int
    """Readings that are kept now, one for each window or piece of a long window."""
    bytes: int
    """Bytes that they take."""
    read: int
    """Readings made so far; one that was dropped and made again counts twice."""


class Readings:
    """A cache of readings by their tokens, of at most `size` bytes; drops the least recently used first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._taken = 0
        self._read = 0
        self._entries: OrderedDict[tuple[int, ...], Reading] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, tokens: tuple[int, ...]) -> Reading | None:
        """The reading, which becomes the most recently used; None where it is not kept."""
        with self._lock:
            if tokens in self._entries:
                self._entries.move_to_end(tokens)
            return self._entries.get(tokens)

    def put(self, tokens: tuple[int, ...], reading: Reading) -> None:
        """Keep a reading; one larger than the whole cache is not kept."""
        with self._lock:
            self._read += 1
            before = self._entries.pop(tokens, None)
            self._taken -= 0 if before is None else before.nbytes
            if reading.nbytes > self._size:
                return
            self._entries[tokens] = reading
            self._taken += reading.nbytes
            while self._taken > self._size:
                self._taken -= self._entries.popitem(last=False)[1].nbytes

    @property
    def held(self) -> Held:
        """A snapshot of the cache's size."""
        with self._lock:
            return Held(windows=len(self._entries), bytes=self._taken, read=self._read)


def load_reader(folder: str | Path, *, threads: int | None = None) -> ReadingModel:
    """The reading model of a folder, loaded once per process for each number of threads; see `onnx.load`."""
    return load_once(ReadingModel, folder, kind="reader", threads=threads)


class ReadingModel:
    """A tokenizer and three graphs; may be used from many threads. Make one with `load_reader`."""

    def __init__(self, folder: Path, threads: int, *, held: int = HELD) -> None:
        self.manifest: Manifest = read_manifest(folder, kind="reader")
        self._words, self._reader, self._judge = (
            open_session(folder / f"{part}.onnx", threads) for part in ("words", "reader", "judge")
        )
        self._tokenizer = open_tokenizer(folder / "tokenizer.json")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        opening, closing = self._tokenizer.encode("").ids
        self._opening, self._closing = opening, closing
        layers, _, width = self._reader.get_inputs()[1].shape
        self._nothing: Reading = np.zeros((layers, 0, width), dtype=np.float16)
        self._known: Lru[str, tuple[int, ...]] = Lru(_TOKENISED)
        self._readings = Readings(held)

    @property
    def held(self) -> Held:
        """The size of the cache of readings."""
        return self._readings.held

    def read(self, windows: Sequence[str]) -> list[Reading]:
        """The readings of windows, one for each piece of a window; kept readings are reused. Blocking.

        Raises InferenceError where ONNX Runtime raises.
        """
        return [self._read(piece) for window in windows for piece in self._pieces(window)]

    def logits(self, windows: Sequence[str], claim: str) -> NDArray[np.float32]:
        """Logits of a claim about windows, in the manifest's order of labels; shape (labels,). Blocking.

        Windows are taken in order until one does not fit beside the claim; that one and the rest are left
        out. Raises InferenceError where the claim leaves no room for a window, and where ONNX Runtime raises.
        """
        said = (self._closing, *self._tokens(claim), self._closing)
        room = self.manifest.max_length - len(said)
        pieces = [piece for window in windows for piece in self._pieces(window)]
        if room < 3:
            raise InferenceError(
                f"the hypothesis has {len(said) - 2} tokens: too long for the {self.manifest.max_length}"
                f" of {self.manifest.name}: {claim[:60]!r}…"
            )
        readings = [self._read(piece) for piece in _fitting(pieces, room)]
        seen = np.concatenate(readings, axis=1) if len(readings) > 1 else readings[0]
        told = self._run_reader(said, seen[:-1])
        joined = np.concatenate([seen[-1:].astype(np.float32), told[-1:]], axis=1)
        (output,) = self._run(self._judge, {"joined": joined})
        logits: NDArray[np.float32] = output[0].astype(np.float32)
        return logits

    def _pieces(self, window: str) -> list[tuple[int, ...]]:
        tokens = self._tokens(window)
        starts = range(0, max(len(tokens), 1), WINDOW_TOKENS)
        return [(self._opening, *tokens[start : start + WINDOW_TOKENS], self._closing) for start in starts]

    def _read(self, piece: tuple[int, ...]) -> Reading:
        reading = self._readings.get(piece)
        if reading is None:
            reading = self._run_reader(piece, self._nothing).astype(np.float16)
            reading.flags.writeable = False
            self._readings.put(piece, reading)
        return reading

    def _run_reader(self, tokens: Sequence[int], seen: Reading) -> NDArray[np.float32]:
        ids = np.array([tokens], dtype=np.int64)
        places = np.arange(seen.shape[1], seen.shape[1] + len(tokens), dtype=np.int64)[None]
        (states,) = self._run(self._words, {"ids": ids, "places": places})
        (reading,) = self._run(self._reader, {"states": states, "seen": seen})
        found: NDArray[np.float32] = reading
        return found

    def _run(self, session: Any, feed: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
        try:
            output: list[NDArray[Any]] = session.run(None, feed)
        except Exception as error:  # ONNX Runtime's exceptions share no base class but this one
            raise InferenceError(f"{self.manifest.name}: {error}") from error
        return output

    def _tokens(self, text: str) -> tuple[int, ...]:
        tokens = self._known.get(text)
        if tokens is None:
            tokens = tuple(self._tokenizer.encode(encodable(text), add_special_tokens=False).ids)
            self._known.put(text, tokens)
        return tokens


def _fitting(pieces: Sequence[tuple[int, ...]], room: int) -> list[tuple[int, ...]]:
    """The first pieces that fit into `room` tokens; a first piece that does not fit is truncated."""
    fitting: list[tuple[int, ...]] = []
    for piece in pieces:
        if len(piece) > room:
            return fitting or [(*piece[: room - 1], piece[-1])]
        fitting.append(piece)
        room -= len(piece)
    return fitting

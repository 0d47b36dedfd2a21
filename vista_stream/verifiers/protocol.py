"""The protocols of verifiers, of readers and of embedders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vista_stream.claims import Pair, Scores


@runtime_checkable
class Verifier(Protocol):
    """Scores pairs of premise and hypothesis.

    Implementations must not block the event loop: heavy work belongs in a thread. What they raise,
    and scores that are not scores, become InferenceError.
    """

    async def score(self, pairs: Sequence[Pair]) -> Sequence[Scores]:
        """One score triple a pair, in the same order."""
        ...


@runtime_checkable
class Reader(Protocol):
    """What a verifier may be besides: one that reads a window once, for all claims about it.

    `Pair.windows` names the windows of a premise, which are then read together, in this order. A wrapper
    around a verifier tells by its property `reader` which reader is inside, or None.
    """

    async def read(self, windows: Sequence[str]) -> None:
        """Read windows ahead of the claims about them; `score` reads again what is not kept any longer."""
        ...


def reader_of(verifier: Verifier) -> Reader | None:
    """What reads windows once in a verifier or inside of it; None where nothing does."""
    reader = getattr(verifier, "reader", None)
    return reader if isinstance(reader, Reader) else None


class Embedder(Protocol):
    """Turns texts into unit vectors; blocking, so call it in a thread."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), width); each row has length 1."""
        ...

"""The protocols of verifiers, of readers and of embedders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from vista_stream.claims import Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import Pooling
from vista_stream.errors import InferenceError, VerifierError, kind_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class Verifier(Protocol):
    """Scores pairs of premise and hypothesis.

    Implementations must not block the event loop: heavy work belongs in a thread. The caller turns any
    exception that is not a VerifierError, and any invalid scores, into InferenceError.
    """

    async def score(self, pairs: Sequence[Pair]) -> Sequence[Scores]:
        """One score triple for each pair, in the same order."""
        ...


@runtime_checkable
class Reader(Protocol):
    """An optional second protocol of a verifier: it encodes a window once, for all claims about it.

    `Pair.windows` holds the windows of a premise, which are read together in this order. A verifier, or a
    wrapper around one, gives its reader in the property `reader`, or None.
    """

    async def read(self, windows: Sequence[str]) -> None:
        """Read windows ahead of the claims about them; `score` reads a window again if it is not kept."""
        ...


def check_verifier(name: str, given: object, hint: str = "") -> None:
    """Raise ValueError, with the argument's name, unless it is an object with a method `score`."""
    if isinstance(given, type) or not isinstance(given, Verifier):
        raise ValueError(f"{name} must be an object with an async method score, not {kind_of(given)}{hint}")


def reader_of(verifier: Verifier) -> Reader | None:
    """The reader of a verifier or of the verifier that it wraps; None where there is none."""
    reader = getattr(verifier, "reader", None)
    return reader if isinstance(reader, Reader) else None


def pooling_of(verifier: Verifier) -> Pooling | None:
    """The pooling that a verifier, or the one that it wraps, gives in its property `pooling`; or None."""
    pooling = getattr(verifier, "pooling", None)
    return pooling if isinstance(pooling, Pooling) else None


def thresholds_of(part: object) -> Thresholds:
    """The thresholds that a verifier or a Verify stage gives in `thresholds`; the defaults where it has none.

    Raises ValueError where they are no Thresholds.
    """
    thresholds = getattr(part, "thresholds", None)
    if thresholds is None:
        return Thresholds()
    if not isinstance(thresholds, Thresholds):
        raise ValueError(f"thresholds of {type(part).__name__} must be a Thresholds, not {thresholds!r}")
    return thresholds


def name_of(verifier: Verifier) -> str:
    """The name that a verifier gives in `name`; one without goes by its class."""
    kind = type(verifier)
    return str(getattr(verifier, "name", f"{kind.__module__}.{kind.__qualname__}"))


def checked_scores(scored: Any, count: int) -> list[Scores]:
    """What a verifier gave for `count` pairs; raises InferenceError unless it is a score triple for each."""
    try:
        triples = [Scores(*map(float, triple)).check() for triple in scored]  # NumPy's are no JSON
    except (TypeError, ValueError) as error:
        raise InferenceError(f"the verifier must give score triples: {error}") from error
    if len(triples) != count:
        raise InferenceError(f"the verifier gave {len(triples)} scores for {count} pairs")
    return triples


@contextmanager
def inference(part: str) -> Iterator[None]:
    """Turn an exception of a verifier or embedder into InferenceError; a VerifierError stays."""
    try:
        yield
    except VerifierError:
        raise
    except Exception as error:
        raise InferenceError(f"the {part} raised {type(error).__name__}: {error}") from error


class Embedder(Protocol):
    """Turns texts into unit vectors. `embed` is blocking: call it in a thread."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), width); each row has length 1."""
        ...

"""What a verifier around another one passes on."""

from __future__ import annotations

from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import Pooling
from vista_stream.verifiers.protocol import (
    Reader,
    Verifier,
    check_verifier,
    name_of,
    pooling_of,
    reader_of,
    thresholds_of,
)


class Wrapper:
    """The base of verifiers around another one: what is optional in a verifier is that of the inner one.

    Raises ValueError for what is no verifier.
    """

    def __init__(self, inner: Verifier) -> None:
        check_verifier("inner", inner)
        self._inner = inner

    @property
    def name(self) -> str:
        """The inner verifier's name, or that of its class."""
        return name_of(self._inner)

    @property
    def thresholds(self) -> Thresholds:
        """The inner verifier's thresholds, or the defaults."""
        return thresholds_of(self._inner)

    @property
    def reader(self) -> Reader | None:
        """The inner verifier's reader, or None."""
        return reader_of(self._inner)

    @property
    def pooling(self) -> Pooling | None:
        """The inner verifier's pooling, or None."""
        return pooling_of(self._inner)

    @property
    def batch_tokens(self) -> int | None:
        """Most tokens of a batch that the inner verifier names, or None."""
        tokens: int | None = getattr(self._inner, "batch_tokens", None)
        return tokens

    async def aclose(self) -> None:
        """Close the inner verifier where it can be closed, such as a pool's connections."""
        if (close := getattr(self._inner, "aclose", None)) is not None:
            await close()

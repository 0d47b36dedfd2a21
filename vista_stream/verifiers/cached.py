"""A verifier that remembers: each pair is scored once while it is remembered."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from anyio.lowlevel import RunVar

from vista_stream.claims import Pair, Scores
from vista_stream.errors import InferenceError
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.protocol import Reader, Verifier, reader_of


class CachedVerifier:
    """Keeps the scores of the last `size` pairs by premise and hypothesis; may be shared by sessions.

    Identical pairs of one call are scored once. A pair that another call is having scored is waited
    for; should that call fail or be cancelled, one of those that wait asks the inner verifier itself.
    Raises ValueError for a size below 1; `score` raises what the inner verifier raises.
    """

    def __init__(self, inner: Verifier, size: int = 4096) -> None:
        if size < 1:
            raise ValueError(f"size must be a number of pairs from 1, not {size!r}")
        self._inner = inner
        self._known: Lru[Pair, Scores] = Lru(size)
        self._flying: RunVar[dict[Pair, anyio.Event]] = RunVar("vista_stream.cached")
        """Pairs that a call on this event loop is having scored, and what is set when it is over."""

    @property
    def reader(self) -> Reader | None:
        """The inner verifier's, where it reads windows once."""
        return reader_of(self._inner)

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        """One score triple a pair, in the same order."""
        flying = self._flights()
        found: dict[Pair, Scores] = {}
        while missing := self._look_up(pairs, found):
            mine = [pair for pair in missing if pair not in flying]
            if mine:
                found |= await self._have_scored(mine, flying)
            else:
                await flying[missing[0]].wait()
        return [found[pair] for pair in pairs]

    def _flights(self) -> dict[Pair, anyio.Event]:
        flying = self._flying.get(None)
        if flying is None:
            flying = {}
            self._flying.set(flying)
        return flying

    def _look_up(self, pairs: Sequence[Pair], found: dict[Pair, Scores]) -> list[Pair]:
        """Add what is remembered to `found`; the pairs, each once, that are still missing."""
        missing = dict.fromkeys(pair for pair in pairs if pair not in found)
        for pair in list(missing):
            scores = self._known.get(pair)
            if scores is not None:
                found[pair] = scores
                del missing[pair]
        return list(missing)

    async def _have_scored(self, pairs: list[Pair], flying: dict[Pair, anyio.Event]) -> dict[Pair, Scores]:
        over = anyio.Event()
        flying.update(dict.fromkeys(pairs, over))
        try:
            scored = await self._inner.score(pairs)
            if len(scored) != len(pairs):
                raise InferenceError(f"the verifier gave {len(scored)} scores for {len(pairs)} pairs")
            found = dict(zip(pairs, scored, strict=True))
            for pair, scores in found.items():
                self._known.put(pair, scores)
            return found
        finally:
            for pair in pairs:
                del flying[pair]
            over.set()

"""A verifier with a cache: a pair is scored once while its scores are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import anyio
from anyio.lowlevel import current_token

from vista_stream.amounts import check_count
from vista_stream.caching import current_scope
from vista_stream.claims import Pair, Scores
from vista_stream.verifiers.lane import FORESEEN, due_of, rank_of
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.protocol import Verifier, checked_scores
from vista_stream.verifiers.wrapper import Wrapper

Flight: TypeAlias = tuple[object, str, Pair]
"""An event loop, a cache scope, and a pair that is being scored for it there."""


class _Call(NamedTuple):
    """A call that is having a pair scored."""

    pair: Pair
    """The pair as this call asks it."""
    due: float
    """Event-loop time."""
    over: anyio.Event
    """Set when the call ends."""

    def comes_in_time(self, pair: Pair) -> bool:
        """Whether no queue serves the call later than it would serve an equal pair that is asked now."""
        rank = rank_of(self.pair)
        if rank == FORESEEN and self.pair.foresight is not pair.foresight:
            return False  # even for a foreseen pair: its own sentence may come first
        return rank <= rank_of(pair) and self.due <= due_of(pair, anyio.current_time())


class CachedVerifier(Wrapper):
    """Caches the scores of the `size` most recently used pairs; may be shared by sessions.

    Sessions in different cache scopes (`cache_scope`) share neither scores nor calls.

    Pairs are equal where premise, hypothesis and windows are. Identical pairs of one call are scored once. A
    pair that another call on this event loop is having scored is waited for, unless a queue may serve it
    later than the call's own: where it is less important, has a later deadline, or may not come. If that call
    fails or is cancelled, a waiting call asks the inner verifier itself. Raises ValueError unless the size is
    a whole number from 1; `score` raises what the inner verifier raises, and InferenceError for what is no
    score triple a pair.
    """

    def __init__(self, inner: Verifier, size: int = 4096) -> None:
        check_count("size", size, of="pairs", least=1)
        super().__init__(inner)
        self._known: Lru[Pair, Scores] = Lru(size)
        self._flying: dict[Flight, _Call] = {}
        """Pairs that are being scored, and the latest call that asks for it."""

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        """One score triple for each pair, in the same order."""
        here, scope = current_token(), current_scope()
        found: dict[Pair, Scores] = {}
        while missing := self._look_up(pairs, found):
            calls = {pair: self._flying.get((here, scope, pair)) for pair in missing}
            mine = [pair for pair, call in calls.items() if call is None or not call.comes_in_time(pair)]
            if mine:
                found |= await self._have_scored([(here, scope, pair) for pair in mine])
            else:
                await self._flying[here, scope, missing[0]].over.wait()
        return [found[pair] for pair in pairs]

    def _look_up(self, pairs: Sequence[Pair], found: dict[Pair, Scores]) -> list[Pair]:
        """Add cached scores to `found`; returns the pairs that are still missing, each once."""
        missing = dict.fromkeys(pair for pair in pairs if pair not in found)
        for pair in list(missing):
            scores = self._known.get(pair)
            if scores is not None:
                found[pair] = scores
                del missing[pair]
        return list(missing)

    async def _have_scored(self, own: Sequence[Flight]) -> dict[Pair, Scores]:
        over, pairs, now = anyio.Event(), [pair for _, _, pair in own], anyio.current_time()
        calls = {flight: _Call(flight[2], due_of(flight[2], now), over) for flight in own}
        self._flying |= calls
        try:
            scored = checked_scores(await self._inner.score(pairs), len(pairs))
            found = dict(zip(pairs, scored, strict=True))
            for pair, scores in found.items():
                self._known.put(pair, scores)
            return found
        finally:
            for flight, call in calls.items():
                if self._flying.get(flight) is call:  # a more urgent call may have taken its place
                    del self._flying[flight]
            over.set()

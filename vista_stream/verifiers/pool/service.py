"""What a replica answers, whichever server carries it: requests in the wire format, scored in one queue."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio

from vista_stream.amounts import check_count, check_seconds
from vista_stream.caching import cache_scope
from vista_stream.claims import Pair, Scores
from vista_stream.members import check_tokens
from vista_stream.verifiers.batching import BatchingVerifier, check_batching
from vista_stream.verifiers.cached import CachedVerifier
from vista_stream.verifiers.pool.wire import (
    STATUS,
    VERSION,
    Description,
    Refusal,
    WindowTexts,
    decode_pairs,
    decode_scope,
    decode_windows,
    encode_scores,
)
from vista_stream.verifiers.protocol import Verifier, checked_scores, reader_of

logger = logging.getLogger("vista_stream.pool")

Answer: TypeAlias = tuple[int, dict[str, Any]]
"""An HTTP status and a JSON object."""
_HELD = 64 * 2**20
"""Characters of windows that a replica holds by digest."""
_PROBE = Pair("The doors are open.", "The doors are open.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaSettings:
    """How a replica serves. Raises ValueError, which names it, for a value of the wrong type or too small."""

    tokens: frozenset[str] = field(default=frozenset(), repr=False)
    """Bearer tokens of which a client must send one; empty admits every client."""
    max_tokens: int | None = None
    """Most tokens of a batch, as `BatchingVerifier` takes it; None leaves it to the verifier."""
    max_wait: float = 0.002
    """Most seconds that a pair waits for others to fill its batch."""
    max_queue: int = 512
    """Most pairs that wait; over it, the less important are shed."""
    cache: int = 4096
    """Pairs whose scores are kept; 0 keeps none."""
    max_body: int = 4 * 2**20
    """Most bytes of a request."""
    drain: float = 30.0
    """Seconds for calls to end after SIGTERM."""

    def __post_init__(self) -> None:
        check_tokens(self.tokens)
        check_batching(self.max_tokens, self.max_wait, self.max_queue)
        check_count("cache", self.cache, of="pairs", least=0)
        check_count("max_body", self.max_body, of="bytes", least=1)
        check_seconds("drain", self.drain, zero=True)


class Service:
    """A verifier as a replica serves it. Pairs of all requests share one queue, the most urgent first."""

    def __init__(self, verifier: Verifier, settings: ReplicaSettings) -> None:
        self.settings = settings
        self.description = Description.of(verifier)
        self._inner = verifier
        self._batching = BatchingVerifier(
            verifier,
            max_tokens=settings.max_tokens,
            max_wait=settings.max_wait,
            max_queue=settings.max_queue,
        )
        cached = CachedVerifier(self._batching, settings.cache) if settings.cache else self._batching
        self.verifier: Verifier = cached
        self._windows = WindowTexts(_HELD)
        self._suspect = False
        self.draining = False
        self.running = 0
        """Calls under way."""
        self.idle = asyncio.Event()
        self.idle.set()
        self._routes: Mapping[tuple[str, str], Callable[[Any], Awaitable[Answer]]] = {
            ("POST", "/score"): self._score,
            ("POST", "/read"): self._read,
            ("GET", "/verifier"): self._describe,
            ("GET", "/healthz"): self._health,
            ("GET", "/readyz"): self._ready,
            ("GET", "/stats"): self._stats,
        }

    @property
    def too_large(self) -> Refusal:
        """The refusal of a request with more than `max_body` bytes."""
        return Refusal("too_large", f"the request's body has more than {self.settings.max_body:,} bytes")

    def admit(self, path: str, authorization: str) -> None:
        """Raise Refusal unless the header shows a token; probes and servers without tokens need none."""
        tokens = self.settings.tokens
        scheme, _, token = authorization.partition(" ")
        shown = token.strip().encode("utf-8", "surrogateescape")
        if not tokens or path in ("/healthz", "/readyz"):
            return
        known = any(hmac.compare_digest(shown, each.encode()) for each in tokens)
        if scheme.lower() != "bearer" or not known:
            raise Refusal("unauthorized", "give one of the pool's tokens: Authorization: Bearer TOKEN")

    def parse(self, content: bytes) -> Any:
        """The JSON of a request's body, None for an empty one; raises Refusal for what is none."""
        try:
            return json.loads(content) if content else None
        except (ValueError, RecursionError) as error:
            raise Refusal("bad_request", f"the body is not JSON: {error}") from error

    async def answer(self, method: str, path: str, body: Any) -> Answer:
        """The status and the JSON object for a request with a JSON body; a refusal is an answer too."""
        try:
            route = self._routes.get((method, path))
            if route is None:
                raise Refusal("not_found", f"there is no {method} {path}")
            return await route(body)
        except Refusal as refusal:
            return STATUS[refusal.code], refusal.to_json()

    async def scored(self, pairs: Sequence[Pair]) -> Sequence[Scores]:
        """The scores of one request's pairs, in its cache scope; a subclass may gather requests first."""
        return await self.verifier.score(pairs)

    async def check(self) -> None:
        """Score a sentence where the verifier raised lately; raises what that raises."""
        if self._suspect:
            checked_scores(await self._inner.score([_PROBE]), 1)
            self._suspect = False

    async def _score(self, body: Any) -> Answer:
        pairs = decode_pairs(body, anyio.current_time(), held=self._windows)
        due, client = max(pair.deadline for pair in pairs), decode_scope(body)
        with self._counted(), cache_scope(client), anyio.CancelScope(deadline=due) as scope:
            scores = checked_scores(await self.scored(pairs), len(pairs))
        if scope.cancelled_caught:
            raise Refusal("deadline", "the deadline passed before all pairs were scored")
        return 200, encode_scores(scores, self.description)

    async def _read(self, body: Any) -> Answer:
        windows = decode_windows(body, held=self._windows)
        reader = reader_of(self._inner)
        if reader is None:
            raise Refusal("bad_request", f"{self.description.name} does not read windows ahead")
        with self._counted():
            await reader.read(windows)
        return 200, {"version": VERSION}

    async def _describe(self, body: Any) -> Answer:
        return 200, self.description.to_json()

    async def _health(self, body: Any) -> Answer:
        try:
            await self.check()
        except Exception as error:
            logger.error("the verifier raised %s", type(error).__name__)
            return 500, {"status": "the verifier raises"}
        return 200, {"status": "ok"}

    async def _ready(self, body: Any) -> Answer:
        return (503, {"status": "draining"}) if self.draining else (200, {"status": "ready"})

    async def _stats(self, body: Any) -> Answer:
        stats = self._batching.stats
        row = {"waiting": stats.depth, "batches": stats.batches, "pairs": stats.pairs, "shed": stats.shed}
        return 200, {"version": VERSION, "calls": self.running, **row}

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count a call, made in the block, and refuse it with the code of what it raises."""
        if self.draining:
            raise Refusal("draining", "the replica is ending")
        self.running += 1
        self.idle.clear()
        try:
            yield
        except Exception as error:
            raise self._told(error) from error
        finally:
            self.running -= 1
            if not self.running:
                self.idle.set()

    def _told(self, error: Exception) -> Refusal:
        refusal = Refusal.of(error)
        if refusal.code == "inference":
            self._suspect = True
            logger.error("the verifier raised %s", type(error).__name__)  # its message may quote the texts
        return refusal

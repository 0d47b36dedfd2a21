"""The replicas of a pool as one event loop sees them: circuit breakers, calls under way, windows told."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any, Protocol

from vista_stream.errors import VerifierError
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.pace import Pace
from vista_stream.verifiers.pool.breaker import Breaker
from vista_stream.verifiers.pool.race import Unanswered
from vista_stream.verifiers.pool.settings import PoolSettings

logger = logging.getLogger("vista_stream.pool")

_TOLD = 65_536
"""Most windows that a replica is remembered to hold; one that it dropped is sent again when it says so."""


class Transport(Protocol):
    """Carries requests to one replica."""

    def __call__(self, path: str, body: Any, *, within: float) -> Awaitable[Any]:
        """The JSON that the replica answers to a JSON body, None for a GET, within so many seconds.

        Raises Unanswered where it does not answer, or answers what no replica would; Refusal where it refuses
        the request.
        """
        ...


class Replica:
    """One server of a pool."""

    def __init__(self, name: str, ask: Transport, settings: PoolSettings) -> None:
        self.name = name
        """What error messages call it."""
        self._ask = ask
        self._attempt = settings.attempt
        self.told: Lru[str, bool] = Lru(_TOLD)
        """Digests of the windows that it was sent."""
        self.breaker = Breaker(failures=settings.failures, pause=settings.pause)
        self.calls = 0
        """Calls under way."""
        self.last = 0.0
        """When the last call began, on the monotonic clock."""

    def ask(self, path: str, body: Any = None, *, within: float = inf) -> Awaitable[Any]:
        """As `Transport`, within the settings' `attempt` at most."""
        return self._ask(path, body, within=min(within, self._attempt))

    @contextmanager
    def call(self, *, lost: float) -> Iterator[None]:
        """Count a call, made in the block, and tell the breaker how it ended.

        A call that is cancelled counts as failed where the replica had been silent for `lost` seconds. Where
        the breaker opens or closes, that is logged.
        """
        self.calls += 1
        self.last = begun = time.monotonic()
        probe = self.breaker.begin(begun)
        answered, failure = False, ""
        try:
            yield
            answered = True
        except Unanswered as error:
            failure = str(error)
            raise
        except VerifierError:
            answered = True
            raise
        finally:
            now = time.monotonic()
            self.calls -= 1
            left_alone = not self.breaker.closed
            if answered:
                self.breaker.succeed()
            elif failure or now - begun >= lost:
                self.breaker.fail(now, probe=probe)
            else:
                self.breaker.drop(probe=probe)
            if left_alone and self.breaker.closed:
                logger.info("replica %s answers again", self.name)
            elif not left_alone and not self.breaker.closed:
                logger.warning("replica %s is left alone for a while: %s", self.name, failure or "silent")


class Replicas:
    """The replicas of one event loop."""

    def __init__(self, replicas: Sequence[Replica]) -> None:
        self._replicas = replicas
        self.pace = Pace()
        """Seconds that answers took, by number of pairs."""

    def available(self, *, last_resort: bool = False) -> list[Replica]:
        """The replicas that may be asked now: first one to be probed, then those with the fewest calls.

        With `last_resort` those that are left alone follow: where no other answers, one may live again.
        """
        now = time.monotonic()
        ranked = sorted(self._replicas, key=lambda each: (each.breaker.closed, each.calls, each.last))
        admitted = [replica for replica in ranked if replica.breaker.admits(now)]
        return admitted + [each for each in ranked if last_resort and each not in admitted]

    async def close(self) -> None:
        """Close the connections, where there are any."""

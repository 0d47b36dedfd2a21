"""The replicas of a pool as one event loop sees them: connections, circuit breakers, windows told."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any

from vista_stream.errors import VerifierError, missing_extra
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.pace import Pace
from vista_stream.verifiers.pool.breaker import Breaker
from vista_stream.verifiers.pool.race import Unanswered
from vista_stream.verifiers.pool.settings import PoolSettings
from vista_stream.verifiers.pool.wire import Refusal

try:
    import aiohttp
except ImportError as error:
    raise ImportError(missing_extra("RemoteVerifier needs aiohttp", "pool")) from error

_JSON = {"Content-Type": "application/json"}
_TOLD = 65_536
"""Most windows that a replica is remembered to hold; one that it dropped is sent again when it says so."""


class Replica:
    """One server of a pool."""

    def __init__(self, url: str, settings: PoolSettings) -> None:
        self.url = url
        self.told: Lru[str, bool] = Lru(_TOLD)
        """Digests of the windows that it was sent."""
        self.breaker = Breaker(failures=settings.failures, pause=settings.pause)
        self.calls = 0
        """Calls under way."""
        self.last = 0.0
        """When the last call began, on the monotonic clock."""
        self.failure = ""
        """How the last failed call failed."""

    @contextmanager
    def call(self, *, lost: float) -> Iterator[None]:
        """Count a call, made in the block, and tell the breaker how it ended.

        A call that is cancelled counts as failed where the replica had been silent for `lost` seconds.
        """
        self.calls += 1
        self.last = begun = time.monotonic()
        self.breaker.begin()
        answered = failed = False
        try:
            yield
            answered = True
        except Unanswered as error:
            failed, self.failure = True, str(error)
            raise
        except VerifierError:
            answered = True
            raise
        finally:
            now = time.monotonic()
            self.calls -= 1
            if answered:
                self.breaker.succeed()
            elif failed or now - begun >= lost:
                self.breaker.fail(now)
            else:
                self.breaker.drop()


class Replicas:
    """The replicas of one event loop, and its connections to them."""

    def __init__(self, urls: Sequence[str], settings: PoolSettings) -> None:
        self._settings = settings
        self._replicas = [Replica(url, settings) for url in urls]
        self.pace = Pace()
        """Seconds that answers took, by number of pairs."""
        headers = {} if settings.token is None else {"Authorization": f"Bearer {settings.token}"}
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            headers=headers,
        )

    @property
    def left_alone(self) -> Unanswered:
        """The error of a call for which no replica is available."""
        told = "; ".join(replica.failure for replica in self._replicas if replica.failure)
        return Unanswered(f"all replicas of the pool failed lately and are left alone for a while: {told}")

    def available(self) -> list[Replica]:
        """The replicas that may be asked now: first one to be probed, then those with the fewest calls."""
        now = time.monotonic()
        admitted = [replica for replica in self._replicas if replica.breaker.admits(now)]
        return sorted(admitted, key=lambda each: (each.breaker.closed, each.calls, each.last))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def get(self, replica: Replica, path: str) -> Any:
        """The JSON that a replica answers; raises as `post`."""
        return await self._ask("GET", replica, path, None, inf)

    async def post(self, replica: Replica, path: str, body: Any, *, within: float = inf) -> Any:
        """The JSON that a replica answers to a body, within so many seconds and the settings' `attempt`.

        Raises Unanswered where it does not answer, or answers what no replica would; Refusal where it refuses
        the request.
        """
        return await self._ask("POST", replica, path, json.dumps(body).encode(), within)

    async def _ask(
        self, method: str, replica: Replica, path: str, payload: bytes | None, within: float
    ) -> Any:
        wait = aiohttp.ClientTimeout(
            total=min(within, self._settings.attempt), sock_connect=self._settings.connect
        )
        try:
            async with self._client.request(
                method, replica.url + path, data=payload, headers=_JSON, timeout=wait
            ) as answer:
                content, status = await answer.read(), answer.status
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise Unanswered(f"{replica.url}: {_told(error)}") from error
        try:
            body = json.loads(content)
            refusal = None if status == 200 else Refusal.from_json(body)
        except ValueError as error:
            raise Unanswered(f"{replica.url} answers {status}, and not as a replica does: {error}") from error
        if refusal is not None:
            raise refusal
        return body


def _told(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error) or type(error).__name__

"""A verifier that asks the replicas of a pool over HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self
from urllib.parse import urlsplit

import anyio

from vista_stream.errors import missing_extra
from vista_stream.verifiers.pool.asking import PoolVerifier, agreed
from vista_stream.verifiers.pool.race import Unanswered
from vista_stream.verifiers.pool.replicas import Replica, Replicas
from vista_stream.verifiers.pool.settings import PoolSettings
from vista_stream.verifiers.pool.wire import Description, Refusal
from vista_stream.verifiers.protocol import Verifier

try:
    import aiohttp
except ImportError as error:
    raise ImportError(missing_extra("RemoteVerifier needs aiohttp", "pool")) from error


class RemoteVerifier(PoolVerifier):
    """Asks a pool over HTTP, such as replicas of `vista-stream verifier-serve`. Make one with `connect`."""

    def __init__(
        self,
        urls: Sequence[str],
        description: Description,
        *,
        fallback: Verifier | None = None,
        settings: PoolSettings | None = None,
    ) -> None:
        super().__init__(description, fallback=fallback, settings=settings)
        self._urls = _checked(urls)

    @classmethod
    async def connect(
        cls,
        urls: Sequence[str],
        *,
        fallback: Verifier | None = None,
        settings: PoolSettings | None = None,
    ) -> Self:
        """A verifier for the replicas at base URLs, such as `http://10.0.0.5:8800`; asks what they serve.

        Without an answer it goes on asking for `patience` seconds. Then the fallback says what the pool is to
        serve; without one VerifierUnreachable is raised. The fallback must decide at the pool's thresholds,
        which the same model does. Raises ValueError where it does not, and for URLs that are none.
        """
        settings = PoolSettings() if settings is None else settings
        replicas = _HttpReplicas(_checked(urls), settings)
        try:
            description = await agreed(replicas, fallback, settings)
        finally:
            with anyio.CancelScope(shield=True):
                await replicas.close()
        return cls(urls, description, fallback=fallback, settings=settings)

    def _open(self) -> Replicas:
        return _HttpReplicas(self._urls, self._settings)


class _HttpReplicas(Replicas):
    def __init__(self, urls: Sequence[str], settings: PoolSettings) -> None:
        token = settings.token
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            headers={} if token is None else {"Authorization": f"Bearer {token}"},
        )
        super().__init__([Replica(url, _Http(self._client, url, settings), settings) for url in urls])

    async def close(self) -> None:
        await self._client.close()


class _Http:
    """The Transport to one base URL."""

    def __init__(self, client: aiohttp.ClientSession, url: str, settings: PoolSettings) -> None:
        self._client = client
        self._url = url
        self._connect = settings.connect

    async def __call__(self, path: str, body: Any, *, within: float) -> Any:
        method, payload = ("GET", None) if body is None else ("POST", json.dumps(body).encode())
        try:
            async with self._client.request(
                method,
                self._url + path,
                data=payload,
                headers={"Content-Type": "application/json"},
                timeout=aiohttp.ClientTimeout(total=within, sock_connect=self._connect),
            ) as answer:
                content, status = await answer.read(), answer.status
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            told = "no answer in time" if isinstance(error, TimeoutError) else str(error)
            raise Unanswered(f"{self._url}: {told or type(error).__name__}") from error
        try:
            found = json.loads(content)
            refusal = None if status == 200 else Refusal.from_json(found)
        except (ValueError, RecursionError) as error:
            raise Unanswered(f"{self._url} answers {status}, and not as a replica does: {error}") from error
        if refusal is not None:
            raise refusal
        return found


def _checked(urls: Sequence[str]) -> list[str]:
    if isinstance(urls, str) or not urls:
        raise ValueError("urls must be a list of at least one base URL, such as ['http://10.0.0.5:8800']")
    for url in urls:
        parts = urlsplit(url)
        if parts.password is not None:
            raise ValueError("urls must hold no password: give a token in the settings")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"urls must be base URLs such as http://10.0.0.5:8800, not {url!r}")
    return list(dict.fromkeys(url.rstrip("/") for url in urls))

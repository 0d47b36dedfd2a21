"""The client of the OpenAI-compatible service behind the proxy; its failures become ApiErrors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from time import monotonic
from types import TracebackType
from typing import Any, Self

import aiohttp
from aiohttp.abc import AbstractStreamWriter

from vista_stream_adapters.proxy.errors import ApiError
from vista_stream_adapters.proxy.settings import ProxySettings
from vista_stream_adapters.rewrite.wire import parse_json

_ERROR_BODY = 16 * 1024
_PIECE = 64 * 1024
_ANSWER_BODY = 64 * 1024 * 1024
"""Bytes of an answer that is not streamed: 2048 vectors of 3072 numbers in base64, and as much again."""
_MESSAGE = 500
_LOOK = 1.0
"""Seconds for which a probe of the upstream is cached; `/readyz` answers from it meanwhile."""
_SECRET = 16
"""Characters from which a key counts as a secret; shorter ones are placeholders, such as "ollama"."""


class Upstream:
    """Sends requests on with the proxy's own key: `async with Upstream(settings) as upstream`.

    None of a client's headers is sent on, redirects are not followed and no cookie is kept. Failures raise
    ApiError:

    - 504 where connecting or answering takes too long;
    - 502 where the upstream cannot be reached, its answer breaks off or is malformed, it refuses the proxy's
      key (401, 403), it answers with a status below 400 other than 200, or with a 5xx other than 503;
    - any other 4xx, and 503, with the upstream's own status and message, with the key replaced;
    - 503 where no upstream is configured.
    """

    def __init__(self, settings: ProxySettings) -> None:
        self._settings = settings
        self._base = (settings.upstream or "").rstrip("/")
        self._http: aiohttp.ClientSession | None = None
        self._looking = asyncio.Lock()
        self._looked = float("-inf")
        self._answered = False

    async def __aenter__(self) -> Self:
        timeouts = self._settings.timeouts
        key = self._settings.upstream_key
        self._http = aiohttp.ClientSession(
            # No limit of connections here: `limits.streams` limits the answers.
            connector=aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None,
                connect=timeouts.connect,
                sock_connect=timeouts.connect,
                sock_read=timeouts.upstream,
            ),
            headers={
                "User-Agent": "vista-stream",
                # Compressed streams arrive in large pieces and late.
                "Accept-Encoding": "identity",
                **({"Authorization": f"Bearer {key}"} if key else {}),
            },
            # A few kilobytes can hold gigabytes: an answer that is compressed all the same is refused.
            auto_decompress=False,
            trust_env=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._http is not None:
            await self._http.close()

    @property
    def configured(self) -> bool:
        """Whether there is a service behind the proxy."""
        return bool(self._base)

    async def answers(self) -> bool:
        """Whether the upstream is up: it answers a request for its models in time, and not with a 5xx.

        A 404 or 401 counts as up. Probed at most once a second.
        """
        async with self._looking:
            if monotonic() - self._looked > _LOOK:
                self._answered = await self._look()
                self._looked = monotonic()
        return self._answered

    async def _look(self) -> bool:
        if self._http is None:
            return False
        try:
            async with asyncio.timeout(self._settings.timeouts.probe):
                asked = self._http.get(f"{self._base}/models", allow_redirects=False)
                async with asked as response:
                    return response.status < 500
        except (aiohttp.ClientError, TimeoutError):
            return False

    @asynccontextmanager
    async def stream(self, path: str, body: dict[str, Any]) -> AsyncIterator[UpstreamStream]:
        """POST a request and stream the answer's bytes in the block; leaving it closes the connection."""
        async with self._open("POST", path, body) as response:
            if response.content_type != "text/event-stream":
                raise ApiError(502, "the upstream answered with no stream", code="upstream_broken")
            yield UpstreamStream(response)

    async def answer(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; returns its whole answer, a JSON object."""
        async with self._open(method, path, body) as response:
            raw = bytearray()
            with _read_errors():
                await _read_into(raw, response, most=_ANSWER_BODY + 1)
            if len(raw) > _ANSWER_BODY:
                most = f"{_ANSWER_BODY >> 20} MiB"
                raise ApiError(502, f"the upstream's answer is over {most}", code="upstream_broken")
            try:
                answer = await asyncio.to_thread(parse_json, raw)
            except (ValueError, RecursionError) as error:
                raise ApiError(502, "the upstream's answer is not JSON", code="upstream_broken") from error
            if not isinstance(answer, dict):
                raise ApiError(502, "the upstream's answer is no JSON object", code="upstream_broken")
            return answer

    @asynccontextmanager
    async def _open(
        self, method: str, path: str, body: dict[str, Any] | None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        if self._http is None or not self._base:
            raise ApiError(503, "this proxy was started without an upstream", code="no_upstream")
        with _read_errors():
            response = await self._http.request(
                method,
                f"{self._base}{path}",
                data=None if body is None else _Body(body, within=self._settings.timeouts.upstream),
                allow_redirects=False,
            )
        try:
            if response.status != 200:
                raise await self._refusal(response)
            if (response.headers.get("Content-Encoding") or "identity").lower() != "identity":
                raise ApiError(502, "the upstream compresses its answer unasked", code="upstream_broken")
            yield response
        finally:
            # Closed, not released: the upstream then stops generating an answer that nobody wants.
            response.close()

    async def _refusal(self, response: aiohttp.ClientResponse) -> ApiError:
        status = response.status
        if status in (401, 403):
            told = (
                "the upstream does not accept the proxy's key"
                if self._settings.upstream_key
                else "the upstream wants a key and the proxy has none: clients' keys are not passed on"
            )
            return ApiError(502, told, code="upstream_auth")
        if status < 400 or (status >= 500 and status != 503):
            return ApiError(502, f"the upstream answered {status}", code="upstream_error")
        message, code = await self._told(response)
        return ApiError(
            status,
            message or f"the upstream answered {status}",
            code=code or "upstream_error",
            counted="upstream_error",
            retry_after=_header(response, "Retry-After"),
        )

    async def _told(self, response: aiohttp.ClientResponse) -> tuple[str | None, str | None]:
        """The upstream's own message and code, without the key, as far as they arrive."""
        raw = bytearray()
        with suppress(aiohttp.ClientError, TimeoutError):
            await _read_into(raw, response, most=_ERROR_BODY)
        try:
            told = json.loads(raw)
        except (ValueError, RecursionError):
            return None, None
        return self._error_in(told) if isinstance(told, dict) else (None, None)

    def _error_in(self, told: dict[str, Any]) -> tuple[str | None, str | None]:
        """The message and code in an error's body: `{"error": …}`, FastAPI's `{"detail": …}`, or flat."""
        error = told.get("error") or told.get("detail") or told
        if isinstance(error, list):
            error = json.dumps(error)  # FastAPI lists what is wrong with a request
        if not isinstance(error, dict):
            error = {"message": error}
        return self._short(error.get("message")), self._short(error.get("code"))

    def _short(self, text: object) -> str | None:
        return self.clean(text)[:_MESSAGE] if isinstance(text, str) else None

    def clean(self, text: str) -> str:
        """A text of the upstream with the proxy's key replaced by `[key]`; short keys are no secrets."""
        key = self._settings.upstream_key or ""
        return text.replace(key, "[key]") if len(key) >= _SECRET else text


class _Body(aiohttp.Payload):
    """A request's JSON, sent in pieces; TimeoutError where one is not taken `within` seconds.

    aiohttp's own limits begin once the whole request is sent.
    """

    _value: bytes

    def __init__(self, body: dict[str, Any], *, within: float) -> None:
        super().__init__(json.dumps(body).encode(), content_type="application/json")
        self._size = len(self._value)
        self._within = within

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self._value.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        for start in range(0, len(self._value), _PIECE):
            async with asyncio.timeout(self._within):
                await writer.write(self._value[start : start + _PIECE])


class UpstreamStream:
    """The bytes of a streamed answer as they arrive. It is no generator, so it can be closed at any point."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        with _read_errors():
            try:
                chunk = await self._response.content.readany()
            except aiohttp.ClientError:
                chunk = self._unread()
                if not chunk:
                    raise
        if not chunk:
            raise StopAsyncIteration
        return chunk

    def _unread(self) -> bytes:
        """The bytes received before the connection broke: aiohttp raises before it returns them."""
        buffered = self._response.content._buffer
        left = b"".join(buffered)
        buffered.clear()
        return left

    async def close(self) -> None:
        """Close the connection, so that the upstream stops generating."""
        self._response.close()


@contextmanager
def _read_errors() -> Iterator[None]:
    """Turn errors of the connection into ApiErrors."""
    try:
        yield
    except TimeoutError as error:
        raise ApiError(504, "the upstream did not answer in time", code="upstream_timeout") from error
    except aiohttp.ClientConnectorError as error:
        raise ApiError(502, "the upstream cannot be reached", code="upstream_unreachable") from error
    except aiohttp.ClientError as error:
        raise ApiError(502, "the upstream broke off its answer", code="upstream_broken") from error


async def _read_into(raw: bytearray, response: aiohttp.ClientResponse, *, most: int) -> None:
    """Add the rest of a response's body to `raw`, up to `most` bytes in all."""
    while len(raw) < most and (piece := await response.content.read(most - len(raw))):
        raw += piece


def _header(response: aiohttp.ClientResponse, name: str) -> str | None:
    """A header's value as it came; None where it could not be sent on."""
    value = response.headers.get(name, "")
    return value if value and value.isascii() and value.isprintable() else None

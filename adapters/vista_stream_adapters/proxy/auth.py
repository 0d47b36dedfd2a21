"""Authentication of the proxy's clients: bearer tokens, and an allow list of browser origins."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from vista_stream_adapters.proxy.errors import ApiError
from vista_stream_adapters.proxy.settings import ProxySettings, is_loopback

CLIENT = web.RequestKey("client", str)
"""Identifies the client: a short digest of its token; the same for all where no tokens are required."""

_OPEN = ("/healthz", "/readyz")
_PAGE = ("/", "/page/")
"""Paths of the page's own files, which hold nothing secret; the page's requests go to /v1 or /page/api."""
_API = "/page/api/"


def auth_middleware(settings: ProxySettings) -> Middleware:
    """Refuses a request without a known token (401), and one from another host name or web page (403)."""
    digests = [hashlib.sha256(token.encode()).digest() for token in settings.tokens]

    @web.middleware
    async def authenticate(request: web.Request, handler: Handler) -> web.StreamResponse:
        _check_host(request, settings)
        _check_origin(request, settings)
        request[CLIENT] = "local"
        if digests and not _is_open(request.path) and request.method != "OPTIONS":
            request[CLIENT] = _client(request, digests)
        return await handler(request)

    return authenticate


def _is_open(path: str) -> bool:
    return path in _OPEN or path == _PAGE[0] or (path.startswith(_PAGE[1]) and not path.startswith(_API))


def _client(request: web.Request, digests: list[bytes]) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    shown = hashlib.sha256(token.strip().encode("utf-8", "surrogateescape")).digest()
    # All tokens are compared, each in constant time, so that the time taken reveals none of them.
    known = sum(hmac.compare_digest(shown, digest) for digest in digests)
    if scheme.lower() != "bearer" or not known:
        raise ApiError(401, "show a bearer token that this proxy knows", code="invalid_api_key")
    return shown.hex()[:16]


def _check_host(request: web.Request, settings: ProxySettings) -> None:
    """Refuse a Host header that is not a loopback name: with DNS rebinding, another name points here."""
    if settings.loopback and not settings.tokens:
        host = request.host.rsplit(":", 1)[0] if not request.host.endswith("]") else request.host
        if not is_loopback(host):
            raise ApiError(403, "this proxy answers to loopback names only", code="host_not_allowed")


def _check_origin(request: web.Request, settings: ProxySettings) -> None:
    origin = request.headers.get("Origin")
    if origin is None or origin in settings.origins or _same_host(origin, request.host):
        return
    raise ApiError(403, "this proxy takes no requests from other web pages", code="origin_not_allowed")


def _same_host(origin: str, host: str) -> bool:
    try:
        return bool(host) and urlsplit(origin).netloc == host
    except ValueError:  # an origin that is no URL
        return False


def cors_middleware(settings: ProxySettings) -> Middleware:
    """Answers CORS preflight requests and adds CORS headers, for the origins in the settings only."""

    @web.middleware
    async def allow(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin", "")
        if origin not in settings.origins:
            return await handler(request)
        if request.method == "OPTIONS":
            asked = request.headers.get("Access-Control-Request-Headers", _HEADERS)
            return web.Response(status=204, headers=_allowed(origin, asked))
        request[_CORS] = _allowed(origin)
        return await handler(request)

    return allow


_CORS = web.RequestKey("cors", dict)
_HEADERS = "Authorization, Content-Type, X-Vista-Conversation"


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers of every response: no sniffing, no framing, no caching, and CORS where allowed."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers.setdefault(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    response.headers.update(request.get(_CORS, {}))


def _allowed(origin: str, headers: str = _HEADERS) -> dict[str, str]:
    """CORS headers for an allowed origin. It may send any header: SDKs add their own, none is sent on."""
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Headers": headers,
        "Access-Control-Allow-Methods": "GET, POST, DELETE",
        "Access-Control-Expose-Headers": "X-Vista-Conversation",
        "Access-Control-Max-Age": "600",
        "Vary": "Origin, Access-Control-Request-Headers",
    }

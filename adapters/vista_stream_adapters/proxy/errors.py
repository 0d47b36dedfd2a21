"""API errors in the form that OpenAI-compatible services use."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from aiohttp import web
from aiohttp.typedefs import Handler

from vista_stream import StoreError, TurnWithheld, UpstreamError, VistaError

logger = logging.getLogger("vista_stream.proxy")

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}


class ApiError(Exception):
    """An error that is sent to the client.

    Attributes:
        status: the HTTP status.
        code: a short name for programs.
        param: the field of the request that caused it, or None.
        counted: the name under which it is counted: the code, or one of the proxy's own codes where the
            code is the upstream's, since metrics must not have names that others choose.
        retry_after: seconds after which a retry makes sense, or the upstream's own header; or None.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str,
        param: str | None = None,
        counted: str | None = None,
        retry_after: int | str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.counted = counted or code
        self.retry_after = retry_after

    @property
    def body(self) -> dict[str, object]:
        """The error object, for a response's body or an event of a stream."""
        kind = _TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}}

    def response(self) -> web.Response:
        """The error as a whole response."""
        headers: Mapping[str, str] = {}
        if self.retry_after is not None:
            headers = {"Retry-After": str(self.retry_after)}
        return web.json_response(self.body, status=self.status, headers=headers)

    def frame(self) -> bytes:
        """The error as the last event of a stream that had begun; the official client raises it."""
        return f"event: error\ndata: {json.dumps(self.body, ensure_ascii=False)}\n\n".encode()


def one_line(told: str) -> str:
    """Text of a request or the upstream, made safe for a log: at most 80 characters, no line breaks."""
    return "".join(letter if letter.isprintable() else "�" for letter in told[:80])


def as_api_error(error: Exception) -> ApiError:
    """The error that a client is sent for an exception: an ApiError itself, others in the proxy's words."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ApiError):
            return cause
        cause = cause.__cause__
    if isinstance(error, TurnWithheld):
        return ApiError(403, "the guard's policy withholds this answer", code="turn_withheld")
    if isinstance(error, StoreError):
        return ApiError(503, "the store of conversations does not answer", code="store_unavailable")
    if isinstance(error, UpstreamError):
        # The words of an error that was caused by another one may quote that.
        told = "the upstream's stream cannot be read" if error.__cause__ else str(error)
        return ApiError(502, told, code="upstream_broken")
    if isinstance(error, VistaError):
        return ApiError(500, "the answer could not be checked", code="guard_failed")
    return ApiError(500, "the proxy failed", code="internal_error")


@web.middleware
async def error_middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Sends every error, on any path, as an OpenAI error object; logs its code or type, never text."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return _of_status(error).response()
    except ApiError as error:
        # The code may be the upstream's own.
        code = one_line(error.code)
        logger.info("%s %s: %d %s", request.method, request.rel_url.raw_path, error.status, code)
        return error.response()
    except ConnectionError:
        raise  # the client has disconnected
    except Exception as error:
        told = as_api_error(error)
        if told.status >= 500:
            logger.error("%s %s: %s", request.method, request.rel_url.raw_path, type(error).__name__)
        return told.response()


def _of_status(error: web.HTTPException) -> ApiError:
    words = {
        404: (
            "this proxy has no such path: it serves chat/completions, responses, models, embeddings and"
            " moderations under /v1, and passes on nothing that it cannot guard",
            "not_found",
        ),
        405: ("this path does not take this method", "method_not_allowed"),
        413: ("the request's body is larger than this proxy takes", "body_too_large"),
    }
    message, code = words.get(error.status, (error.reason or "the request cannot be served", "bad_request"))
    return ApiError(error.status, message, code=code)

"""Errors of a turn: which one the user gets, and which reason an unresolved claim is given."""

from __future__ import annotations

from vista_stream.claims import UnresolvedReason
from vista_stream.errors import LanguageUnsupported, Overload, StageError, VistaError

_REASONS: dict[type[Exception], UnresolvedReason] = {
    LanguageUnsupported: UnresolvedReason.LANGUAGE,
    Overload: UnresolvedReason.OVERLOAD,
    StageError: UnresolvedReason.STAGE_ERROR,
}


def reason_of(error: Exception) -> UnresolvedReason:
    """Why the claims that met this error stay unresolved."""
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    return UnresolvedReason.VERIFIER_ERROR


def one_error(error: BaseException) -> BaseException:
    """What an error comes down to, so that users can name what they catch.

    Of a group the first, where it has one member or all are of one kind: an outage meets many claims at once.
    An end of iteration becomes a RuntimeError: raised from an iterator it would only end it.
    """
    while isinstance(error, BaseExceptionGroup):
        first = error.exceptions[0]
        if any(type(other) is not type(first) for other in error.exceptions):
            return error
        error = first
    if isinstance(error, StopIteration | StopAsyncIteration):
        ended = RuntimeError(f"a stage or callback raised {type(error).__name__}")
        ended.__cause__ = error
        return ended
    return error


def cancelled_within() -> VistaError:
    """For a turn that ended though nobody left it: what it awaited was cancelled by others."""
    return VistaError("the source, a stage or a callback awaited something that was cancelled elsewhere")

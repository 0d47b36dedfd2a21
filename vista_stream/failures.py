"""Errors of a turn: which one the user gets, and which reason an unresolved claim is given."""

from __future__ import annotations

import anyio

from vista_stream.claims import UnresolvedReason
from vista_stream.core.gate import Decision
from vista_stream.errors import LanguageUnsupported, Overload, StageError, TurnWithheld, VistaError

_REASONS: dict[type[Exception], UnresolvedReason] = {
    LanguageUnsupported: UnresolvedReason.LANGUAGE,
    Overload: UnresolvedReason.OVERLOAD,
    StageError: UnresolvedReason.STAGE_ERROR,
}


def reason_of(error: Exception) -> UnresolvedReason:
    """The reason to give for the claims that this error leaves unresolved."""
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    return UnresolvedReason.VERIFIER_ERROR


def one_error(error: BaseException) -> BaseException:
    """A plain error in place of an exception group, so that users can write `except VerifierError`.

    A group becomes its first member where all members are of one type: one outage can hit many claims at
    once. StopIteration and StopAsyncIteration become a RuntimeError, also in a group, because raised from an
    iterator they would only end it.
    """
    while isinstance(error, BaseExceptionGroup):
        first = error.exceptions[0]
        if any(type(other) is not type(first) for other in error.exceptions):
            members = [_no_end(each) for each in error.exceptions]
            return error if members == list(error.exceptions) else error.derive(members)
        error = first
    return _no_end(error)


def _no_end(error: BaseException) -> BaseException:
    if isinstance(error, StopIteration | StopAsyncIteration):
        ended = RuntimeError(f"a stage or callback raised {type(error).__name__}")
        ended.__cause__ = error
        return ended
    return error


def apart(
    group: BaseExceptionGroup[BaseException],
) -> tuple[BaseException | None, BaseException | None]:
    """The reader's error in a group, and the cancellation that must go on; None for what is not in it.

    On trio, an error that comes while the turn is cancelled is in one group with the cancellation. What is no
    Exception, such as a callback's `sys.exit()`, comes before other errors. Call it in the event loop.
    """
    cancelled, failed = group.split(anyio.get_cancelled_exc_class())
    if failed is None:
        return None, cancelled
    _, urgent = failed.split(Exception)
    return one_error(urgent or failed), cancelled


def cancelled_within() -> VistaError:
    """The error of a turn that was not left, but ended because something it awaited was cancelled."""
    return VistaError("the source, a stage or a callback awaited something that was cancelled elsewhere")


def withheld_by(decision: Decision | None) -> TurnWithheld | None:
    """The error of a decision whose action is raise."""
    if decision is None:
        return None
    why = "an unresolved claim" if decision.verdict is None else decision.verdict.claim.text
    return TurnWithheld(f"the policy raises for: {why}", decision.verdict)

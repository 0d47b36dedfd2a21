"""The record of one answer, for metrics and traces: counts and times, never text."""

from __future__ import annotations

import logging
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias

from vista_stream import (
    Category,
    ClaimFound,
    ClaimSettled,
    ClaimUnresolved,
    Event,
    Importance,
    UnresolvedReason,
)
from vista_stream_adapters.guard import Callback, Outcome
from vista_stream_adapters.proxy.errors import as_api_error, one_line

logger = logging.getLogger("vista_stream.proxy")


TRACE_HEADERS = ("traceparent", "tracestate", "baggage")


@dataclass(kw_only=True)
class AnswerRecord:
    """One answer of the proxy: counts and times. Times are Unix time in seconds."""

    api: str
    """`chat` or `responses`."""
    model: str
    """The model, as the request names it; cut and on one line, since logs and traces tell it."""
    streamed: bool
    conversation: bool
    """Whether the request named a conversation."""
    carrier: Mapping[str, str] = field(default_factory=dict)
    """The request's trace headers (`TRACE_HEADERS`), and no other headers."""
    begun: float = field(default_factory=time.time)
    upstream_ended: float | None = None
    """When the upstream's last byte arrived; None where none did."""
    ended: float | None = None
    """When the answer ended, with everything sent to the client or an error; None before that."""
    waiting: int = 0
    """Claims found that have no outcome yet."""
    verdicts: list[tuple[Category, Importance]] = field(default_factory=list)
    unresolved: list[tuple[UnresolvedReason, Importance]] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    """Outcomes of its guarded texts, those included that were left or failed."""
    finish_reason: str = "content_filter"
    """How the answer ends if the policy stops it."""
    error: str | None = None
    """Code of the error that ended it early, one of the proxy's own; `client_left` where the client left,
    `cut_off` where the proxy ended."""

    def __post_init__(self) -> None:
        self.model = one_line(self.model)

    @property
    def added_latency(self) -> float | None:
        """Seconds from the upstream's last byte to the end of the answer; None after an error."""
        if self.error is not None or self.ended is None or self.upstream_ended is None:
            return None
        return max(0.0, self.ended - self.upstream_ended)

    @property
    def stopped(self) -> bool:
        """Whether the policy stopped one of its texts."""
        return any(outcome.report.stopped for outcome in self.outcomes)


Observer: TypeAlias = Callable[[AnswerRecord], None]
"""Called once with each answer, when it has ended."""

_CURRENT: ContextVar[AnswerRecord | None] = ContextVar("vista_stream.answer", default=None)


class Recorder:
    """Records the events of the answers in progress, and calls the observers with each finished answer."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self._observers = observers
        self._running: list[AnswerRecord] = []
        self.closing = False
        """Whether the proxy ends: answers that are cancelled from then on are cut off by it."""

    @property
    def running(self) -> int:
        """Number of answers in progress."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Number of claims that wait for their verdict now."""
        return sum(record.waiting for record in self._running)

    @property
    def callbacks(self) -> Sequence[tuple[type[Event], Callback]]:
        """The value for `Guard.callbacks`."""
        return [(ClaimFound, self._found), (ClaimSettled, self._settled), (ClaimUnresolved, self._unsettled)]

    def on_outcome(self, outcome: Outcome) -> None:
        """Record an outcome; the function for `Guard.on_outcome`."""
        if (record := _CURRENT.get()) is not None:
            record.outcomes.append(outcome)

    @contextmanager
    def answer(self, record: AnswerRecord) -> Iterator[AnswerRecord]:
        """Record what happens while the block runs, in its tasks too; exceptions are recorded and raised."""
        token = _CURRENT.set(record)
        self._running.append(record)
        try:
            yield record
        except BaseException as error:
            record.error = record.error or _code(error, closing=self.closing)
            raise
        finally:
            _CURRENT.reset(token)
            self._running.remove(record)
            record.ended = time.time()
            for observe in self._observers:
                observe(record)

    def _found(self, event: ClaimFound) -> None:
        if (record := _CURRENT.get()) is not None:
            record.waiting += 1

    def _settled(self, event: ClaimSettled) -> None:
        if (record := _CURRENT.get()) is not None:
            record.waiting -= 1
            record.verdicts.append((event.verdict.category, event.verdict.claim.importance))

    def _unsettled(self, event: ClaimUnresolved) -> None:
        if (record := _CURRENT.get()) is not None:
            record.waiting -= 1
            record.unresolved.append((event.reason, event.claim.importance))


def log_answer(record: AnswerRecord) -> None:
    """Log one line for an answer, without text, key or conversation."""
    added = record.added_latency
    logger.info(
        "%s model=%s streamed=%s claims=%d unresolved=%d withheld=%d stopped=%s added=%s error=%s",
        record.api,
        record.model,
        record.streamed,
        len(record.verdicts) + len(record.unresolved),
        len(record.unresolved),
        sum(outcome.report.withheld for outcome in record.outcomes),
        record.stopped,
        "-" if added is None else f"{added:.3f}s",
        one_line(record.error or "-"),
    )


def log_claim(event: ClaimSettled | ClaimUnresolved) -> None:
    """Log a claim with its wording; used only with `log_text`."""
    if isinstance(event, ClaimSettled):
        logger.info("%s: %s", event.verdict.category, event.verdict.claim.text)
    else:
        logger.info("unresolved, %s: %s", event.reason, event.claim.text)


def _code(error: BaseException, *, closing: bool) -> str:
    # A handler is cancelled when the client disconnects, or when the proxy shuts down.
    if closing and isinstance(error, CancelledError):
        return "cut_off"
    left = not isinstance(error, Exception) or isinstance(error, ConnectionError)
    return "client_left" if left else as_api_error(error).counted  # type: ignore[arg-type]

"""The record of one answer, for metrics and traces: counts and times, never text."""

from __future__ import annotations

import logging
import time
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
from vista_stream_adapters.proxy.errors import as_api_error

logger = logging.getLogger("vista_stream.proxy")


TRACE_HEADERS = ("traceparent", "tracestate", "baggage")


@dataclass(kw_only=True)
class AnswerRecord:
    """One answer that went through the proxy. Times are seconds of `time.time`."""

    api: str
    """`chat` or `responses`."""
    model: str
    """As the request names it."""
    streamed: bool
    conversation: bool
    """Whether the request named a conversation."""
    carrier: Mapping[str, str] = field(default_factory=dict)
    """The request's trace headers, by `TRACE_HEADERS`; never its key."""
    begun: float = field(default_factory=time.time)
    upstream_ended: float | None = None
    """When the upstream's last byte came; None where none did."""
    ended: float | None = None
    """When the client had everything."""
    waiting: int = 0
    """Claims found that have no outcome yet."""
    verdicts: list[tuple[Category, Importance]] = field(default_factory=list)
    unresolved: list[tuple[UnresolvedReason, Importance]] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    """Of its guarded texts that ended."""
    error: str | None = None
    """The code of what ended it early; `client_left` where the client did."""

    @property
    def added_latency(self) -> float | None:
        """Seconds from the upstream's last byte to the client's; None where the answer did not end well."""
        if self.error is not None or self.ended is None or self.upstream_ended is None:
            return None
        return max(0.0, self.ended - self.upstream_ended)

    @property
    def stopped(self) -> bool:
        """Whether the policy ended a text of it."""
        return any(outcome.report.stopped for outcome in self.outcomes)


Observer: TypeAlias = Callable[[AnswerRecord], None]
"""Called once with each answer, when it is over."""

_CURRENT: ContextVar[AnswerRecord | None] = ContextVar("vista_stream.answer", default=None)


class Recorder:
    """Notes what happens in the answers under way, and tells the observers of each that is over."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self._observers = observers
        self._running: list[AnswerRecord] = []

    @property
    def running(self) -> int:
        """Answers under way."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Claims that wait for their verdict now."""
        return sum(record.waiting for record in self._running)

    @property
    def callbacks(self) -> Sequence[tuple[type[Event], Callback]]:
        """For `Guard.callbacks`."""
        return [(ClaimFound, self._found), (ClaimSettled, self._settled), (ClaimUnresolved, self._unsettled)]

    def on_outcome(self, outcome: Outcome) -> None:
        """For `Guard.on_outcome`."""
        if (record := _CURRENT.get()) is not None:
            record.outcomes.append(outcome)

    @contextmanager
    def answer(self, record: AnswerRecord) -> Iterator[AnswerRecord]:
        """Note what happens while the block runs, also in its tasks; what it raises goes on."""
        token = _CURRENT.set(record)
        self._running.append(record)
        try:
            yield record
        except BaseException as error:
            record.error = record.error or _code(error)
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


def one_line(told: str) -> str:
    """What a request or the upstream says, for a log: no line of its own, and short."""
    return "".join(letter if letter.isprintable() else "�" for letter in told[:80])


def log_answer(record: AnswerRecord) -> None:
    """One line an answer: no text, no key, no conversation."""
    added = record.added_latency
    logger.info(
        "%s model=%s streamed=%s claims=%d unresolved=%d withheld=%d stopped=%s added=%s error=%s",
        record.api,
        one_line(record.model),
        record.streamed,
        len(record.verdicts) + len(record.unresolved),
        len(record.unresolved),
        sum(outcome.report.withheld for outcome in record.outcomes),
        record.stopped,
        "-" if added is None else f"{added:.3f}s",
        one_line(record.error or "-"),
    )


def log_claim(event: ClaimSettled | ClaimUnresolved) -> None:
    """A claim in its wording, for logs that were asked to carry text."""
    if isinstance(event, ClaimSettled):
        logger.info("%s: %s", event.verdict.category, event.verdict.claim.text)
    else:
        logger.info("unresolved, %s: %s", event.reason, event.claim.text)


def drop_text(record: logging.LogRecord) -> bool:
    """A logging filter that lets no exception's message through: it may quote what somebody wrote."""
    record.exc_info = record.exc_text = None
    return True


def _code(error: BaseException) -> str:
    # What ends a handler from outside is the client leaving, or the proxy shutting down.
    left = not isinstance(error, Exception) or isinstance(error, ConnectionError)
    return "client_left" if left else as_api_error(error).code  # type: ignore[arg-type]

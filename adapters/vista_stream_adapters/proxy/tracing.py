"""One OpenTelemetry span for each answer, by the conventions for generative AI. Needs the extra `tracing`.

The process's `TracerProvider` records it; without an SDK and an exporter, nothing is recorded.
"""

from __future__ import annotations

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider

from vista_stream_adapters.proxy.record import AnswerRecord

_OPERATIONS = {"chat": "chat", "responses": "chat"}


class Tracing:
    """Makes a span for each answer, with counts and times and without text.

    Each claim is an event `gen_ai.evaluation.result`; its label is the verdict's category or `unresolved`.
    """

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._tracer = trace.get_tracer("vista_stream", tracer_provider=provider)

    def observe(self, record: AnswerRecord) -> None:
        """Record one finished answer, as part of the client's trace if the request named one."""
        span = self._tracer.start_span(
            f"{_OPERATIONS[record.api]} {record.model}",
            context=propagate.extract(dict(record.carrier)),
            kind=SpanKind.SERVER,
            start_time=_nanoseconds(record.begun),
            attributes={
                "gen_ai.operation.name": _OPERATIONS[record.api],
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": record.model,
                "vista.api": record.api,
                "vista.streamed": record.streamed,
            },
        )
        _describe(span, record)
        span.end(end_time=_nanoseconds(record.ended or record.begun))


def _describe(span: Span, record: AnswerRecord) -> None:
    for category, importance in record.verdicts:
        _evaluate(span, category.value, importance.value)
    for reason, importance in record.unresolved:
        _evaluate(span, "unresolved", importance.value, reason.value)
    reports = [outcome.report for outcome in record.outcomes]
    span.set_attribute("vista.characters.released", sum(report.released for report in reports))
    span.set_attribute("vista.characters.withheld", sum(report.withheld for report in reports))
    saved = sum(outcome.tokens_saved or 0 for outcome in record.outcomes)
    span.set_attribute("vista.tokens_saved", saved)
    if record.stopped:
        span.set_attribute("gen_ai.response.finish_reasons", [record.finish_reason])
    if record.added_latency is not None:
        span.set_attribute("vista.added_latency", record.added_latency)
    if record.error is not None:
        span.set_attribute("error.type", record.error)
        span.set_status(Status(StatusCode.ERROR, record.error))


def _evaluate(span: Span, label: str, importance: str, reason: str | None = None) -> None:
    attributes = {
        "gen_ai.evaluation.name": "factuality",
        "gen_ai.evaluation.score.label": label,
        "vista.importance": importance,
    }
    if reason is not None:
        attributes["vista.unresolved.reason"] = reason
    span.add_event("gen_ai.evaluation.result", attributes)


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1_000_000_000)

"""Prometheus metrics of the proxy. Needs the extra `metrics`."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from vista_stream_adapters.proxy.record import AnswerRecord

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The proxy's metrics, in their own registry.

    Unresolved claims have a metric of their own and are never counted as settled.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._claims = Counter(
            "vista_claims", "Claims with a verdict.", ("category", "importance"), registry=self.registry
        )
        self._unresolved = Counter(
            "vista_claims_unresolved",
            "Claims without a verdict.",
            ("reason", "importance"),
            registry=self.registry,
        )
        self._answers = Counter(
            "vista_answers", "Answers that are over.", ("api", "end"), registry=self.registry
        )
        self._characters = Counter(
            "vista_characters", "Characters of guarded text.", ("fate",), registry=self.registry
        )
        self._tokens = Counter(
            "vista_tokens_saved", "Tokens not generated, since a stop; an estimate.", registry=self.registry
        )
        self._hold_back = Histogram(
            "vista_hold_back_seconds",
            "From a sentence's last character to the decision about it.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._added = Histogram(
            "vista_added_latency_seconds",
            "From the upstream's last byte to the client's.",
            ("api",),
            buckets=_SECONDS,
            registry=self.registry,
        )

    def add_gauge(self, name: str, text: str, value: Callable[[], float]) -> None:
        """Add a gauge whose value is computed whenever the metrics are read."""
        Gauge(name, text, registry=self.registry).set_function(value)

    def observe(self, record: AnswerRecord) -> None:
        """Count one finished answer."""
        for category, importance in record.verdicts:
            self._claims.labels(category.value, importance.value).inc()
        for reason, importance in record.unresolved:
            self._unresolved.labels(reason.value, importance.value).inc()
        for outcome in record.outcomes:
            self._characters.labels("released").inc(outcome.report.released)
            self._characters.labels("withheld").inc(outcome.report.withheld)
            self._tokens.inc(outcome.tokens_saved or 0)
            for seconds in outcome.report.hold_backs:
                self._hold_back.observe(seconds)
        end = record.error or ("stopped" if record.stopped else "complete")
        self._answers.labels(record.api, end).inc()
        if record.added_latency is not None:
            self._added.labels(record.api).observe(record.added_latency)

    def expose(self) -> bytes:
        """All metrics in Prometheus's text format."""
        return generate_latest(self.registry)

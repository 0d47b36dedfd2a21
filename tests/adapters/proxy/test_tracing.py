import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from vista_stream import Category, Importance, UnresolvedReason
from vista_stream_adapters.proxy.record import AnswerRecord
from vista_stream_adapters.proxy.tracing import Tracing

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def observe():
    """Record one answer; the span that it gave."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    def call(**traits):
        record = AnswerRecord(api="chat", model="small", streamed=True, conversation=True, **traits)
        Tracing(provider).observe(record)
        return exporter.get_finished_spans()[-1]

    yield call
    provider.shutdown()


def test_a_span_follows_the_conventions_and_joins_the_clients_trace(observe):
    span = observe(carrier={"traceparent": PARENT}, begun=100.0, upstream_ended=101.0, ended=101.5)
    assert span.name == "chat small"
    assert span.attributes["gen_ai.operation.name"] == "chat"
    assert span.attributes["gen_ai.request.model"] == "small"
    assert span.attributes["vista.added_latency"] == pytest.approx(0.5)
    assert f"{span.context.trace_id:032x}" in PARENT
    assert (span.start_time, span.end_time) == (100_000_000_000, 101_500_000_000)


def test_each_claim_is_an_evaluation_and_an_unresolved_one_is_named_so(observe):
    span = observe(
        verdicts=[(Category.CONTRADICTED, Importance.VITAL)],
        unresolved=[(UnresolvedReason.OVERLOAD, Importance.OKAY)],
        ended=1.0,
    )
    labels = [event.attributes["gen_ai.evaluation.score.label"] for event in span.events]
    assert labels == ["contradicted", "unresolved"]
    assert span.events[1].attributes["vista.unresolved.reason"] == "overload"


def test_an_error_is_one(observe):
    span = observe(error="upstream_timeout", ended=1.0)
    assert span.attributes["error.type"] == "upstream_timeout"
    assert not span.status.is_ok
    assert "vista.added_latency" not in span.attributes

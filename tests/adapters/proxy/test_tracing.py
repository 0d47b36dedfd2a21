import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from vista_stream import Category, Importance, UnresolvedReason
from vista_stream_adapters.proxy.observers import observers
from vista_stream_adapters.proxy.record import AnswerRecord
from vista_stream_adapters.proxy.tracing import Tracing

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def record(*, model="small", **traits):
    return AnswerRecord(api="chat", model=model, streamed=True, conversation=True, **traits)


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider
    provider.shutdown()


@pytest.fixture
def observe(provider, exporter):
    """Record one answer; the span that it gave."""

    def call(**traits):
        Tracing(provider).observe(record(**traits))
        return exporter.get_finished_spans()[-1]

    return call


def test_the_proxys_spans_go_to_the_provider_of_the_process(provider, exporter, monkeypatch):
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    for observer in observers(None):
        observer(record(ended=1.0))
    assert [span.name for span in exporter.get_finished_spans()] == ["chat small"]


def test_a_span_follows_the_conventions_and_joins_the_clients_trace(observe):
    span = observe(carrier={"traceparent": PARENT}, begun=100.0, upstream_ended=101.0, ended=101.5)
    assert span.name == "chat small"
    assert span.attributes["gen_ai.operation.name"] == "chat"
    assert span.attributes["gen_ai.request.model"] == "small"
    assert span.attributes["vista.added_latency"] == pytest.approx(0.5)
    assert f"{span.context.trace_id:032x}" in PARENT
    assert (span.start_time, span.end_time) == (100_000_000_000, 101_500_000_000)


def test_a_model_is_told_cut_and_on_one_line(observe):
    span = observe(model="gpt\nwhat a user wrote" + "x" * 1_000_000)
    told = span.attributes["gen_ai.request.model"]
    assert told.startswith("gpt\ufffdwhat")
    assert told.isprintable()
    assert len(told) == 80
    assert span.name == f"chat {told}"


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

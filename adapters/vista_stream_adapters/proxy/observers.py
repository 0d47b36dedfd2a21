"""Observers of finished answers: the log, and metrics and traces where their libraries are installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from aiohttp import web

from vista_stream_adapters.proxy.record import Observer, log_answer
from vista_stream_adapters.proxy.state import STATE

if TYPE_CHECKING:
    from vista_stream_adapters.proxy.metrics import Metrics


def make_metrics() -> Metrics | None:
    """The metrics; None where the extra `metrics` is not installed."""
    if find_spec("prometheus_client") is None:
        return None
    from vista_stream_adapters.proxy.metrics import Metrics

    return Metrics()


def observers(metrics: Metrics | None) -> Sequence[Observer]:
    """The functions that are called with each finished answer."""
    told: list[Observer] = [log_answer]
    if metrics is not None:
        told.append(metrics.observe)
    if find_spec("opentelemetry") is not None:
        from vista_stream_adapters.proxy.tracing import Tracing

        told.append(Tracing().observe)
    return told


def add_metrics(app: web.Application, metrics: Metrics) -> None:
    """Add the route `/metrics`, and gauges of the current load, to an application that holds a ProxyState."""
    from vista_stream_adapters.proxy.metrics import CONTENT_TYPE

    state = app[STATE]
    metrics.add_gauge("vista_answers_running", "Answers under way.", lambda: state.recorder.running)
    metrics.add_gauge(
        "vista_queue_depth", "Claims that wait for their verdict.", lambda: state.recorder.waiting
    )
    metrics.add_gauge("vista_conversations", "Conversations known.", lambda: len(state.conversations))

    async def serve(request: web.Request) -> web.Response:
        return web.Response(body=metrics.expose(), headers={"Content-Type": CONTENT_TYPE})

    app.router.add_get("/metrics", serve)

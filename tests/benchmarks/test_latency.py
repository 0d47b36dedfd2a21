import asyncio

from benchmarks.latency import _material, hold_backs, milliseconds, overhead, percentile


def test_the_overhead_is_measured_and_small():
    assert 0 < asyncio.run(overhead(1_500)) < 5_000


def test_hold_back_is_measured_with_the_shipped_model():
    figures = asyncio.run(hold_backs(1))
    assert figures["sentences"] >= 2
    assert figures["p50"] > 0


def test_the_references_have_two_thousand_tokens():
    assert all(len(scene.document[1].split()) >= 1_500 for scene in _material())


def test_percentiles():
    values = [float(n) for n in range(100)]
    assert (percentile(values, 0.5), percentile(values, 0.95), percentile([3.0], 0.99)) == (50.0, 95.0, 3.0)
    assert milliseconds([0.1])["p50"] == 100.0

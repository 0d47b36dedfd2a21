from dataclasses import replace

import pytest

from benchmarks.soak import Sample, recovered, summary

CALM = Sample(
    phase="load",
    at=0.0,
    memory=60.0,
    descriptors=20,
    answers=4,
    broken_off=1,
    errors=0,
    mixed=0,
    latency_p95_ms=100.0,
    unresolved_share=0.0,
)


def run(*, memory, after):
    """Samples of a minute each: eight of the first load, two of the double one, and those after it."""
    load = [replace(CALM, at=60.0 * n, memory=memory(n)) for n in range(8)]
    twice = [replace(CALM, phase="twice", at=60.0 * (8 + n), latency_p95_ms=900.0) for n in range(2)]
    calmer = [
        replace(CALM, phase="after", at=60.0 * (10 + n), latency_p95_ms=ms) for n, ms in enumerate(after)
    ]
    return [*load, *twice, *calmer]


def test_the_slope_leaves_out_what_grows_at_the_start():
    warming = run(memory=lambda n: 10.0 * n if n < 2 else 60.0, after=[100.0])
    assert summary(warming)["slope_mib_an_hour"]["load"] == 0
    growing = summary(run(memory=lambda n: 60.0 + n / 60, after=[100.0]))
    assert growing["slope_mib_an_hour"] == {"load": 1.0, "load, last third": 1.0, "after": None}
    assert growing["latency_p95_ms"] == {"load": 100.0, "twice": 900.0, "after": 100.0}
    assert (growing["answers"], growing["broken_off"], growing["errors"]) == (44, 11, 0)


@pytest.mark.parametrize(
    ("after", "seconds"), [([120.0], 60.0), ([900.0, 151.0, 149.0], 180.0), ([151.0], None)]
)
def test_recovery_is_when_the_latency_is_as_it_was(after, seconds):
    assert recovered(run(memory=lambda n: 60.0, after=after)) == seconds


def test_claims_that_stay_unresolved_are_no_recovery():
    samples = run(memory=lambda n: 60.0, after=[100.0, 100.0])
    samples[-2] = replace(samples[-2], unresolved_share=0.2)
    assert recovered(samples) == 120.0

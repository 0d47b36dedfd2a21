import time

import pytest

from vista_stream.clock import TurnClock


@pytest.fixture
def at(monkeypatch):
    """Sets the time."""
    moment = [100.0]
    monkeypatch.setattr("vista_stream.clock.monotonic", lambda: moment[0])

    def put(seconds):
        moment[0] = seconds

    return put


def test_it_stands_still_in_the_block_and_goes_on_after_it(at):
    clock = TurnClock()
    before = clock.now()
    at(101.0)
    assert clock.now() - before == 1.0
    with clock.still:
        at(105.0)
        assert clock.now() - before == 1.0
    at(105.5)
    assert clock.now() - before == 1.5


def test_it_goes_on_after_a_block_that_raised(at):
    clock = TurnClock()
    before = clock.now()
    with pytest.raises(LookupError), clock.still:
        at(101.0)
        raise LookupError
    at(102.0)
    assert clock.now() - before == 1.0


def test_it_runs_like_the_system_s():
    clock = TurnClock()
    begun, before = time.monotonic(), clock.now()
    assert clock.now() - before <= time.monotonic() - begun

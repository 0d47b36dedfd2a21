import pytest

from vista_stream.verifiers.pool.breaker import LONGEST_PAUSE, Breaker


def failed(breaker, now):
    breaker.fail(now, probe=breaker.begin(now))


def test_it_opens_after_failures_in_a_row_and_a_success_begins_the_count_anew():
    breaker = Breaker(failures=3, pause=1.0)
    for now in (0.0, 0.1):
        failed(breaker, now)
    assert not breaker.begin(0.1)
    breaker.succeed()
    for now in (0.2, 0.3):
        failed(breaker, now)
    assert breaker.closed
    assert breaker.admits(0.3)
    failed(breaker, 0.4)
    assert not breaker.closed
    assert not breaker.admits(1.39)
    assert breaker.admits(1.4)


def test_one_probe_is_let_through_and_its_success_closes_it():
    breaker = Breaker(failures=1, pause=1.0)
    failed(breaker, 0.0)
    assert breaker.begin(1.0)
    assert not breaker.admits(2.0)
    breaker.succeed()
    assert breaker.closed
    assert breaker.admits(2.0)


def test_a_probe_that_fails_doubles_the_pause_up_to_a_limit():
    breaker = Breaker(failures=1, pause=1.0)
    failed(breaker, 0.0)
    now, pauses = 1.0, []
    for _ in range(7):
        failed(breaker, now)
        pause = next(step / 2 for step in range(200) if breaker.admits(now + step / 2))
        pauses.append(pause)
        now += pause
    assert pauses == [2, 4, 8, 16, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    breaker.begin(now)
    breaker.succeed()
    failed(breaker, now)
    assert breaker.admits(now + 1.0)


def test_a_probe_that_was_given_up_leaves_room_for_another():
    breaker = Breaker(failures=1, pause=1.0)
    failed(breaker, 0.0)
    breaker.drop(probe=breaker.begin(1.0))
    assert breaker.admits(1.0)
    assert not breaker.closed


def test_a_call_that_was_not_let_through_is_no_probe_and_its_failure_changes_nothing():
    breaker = Breaker(failures=1, pause=1.0)
    failed(breaker, 0.0)
    early = breaker.begin(0.5)
    assert not early
    assert breaker.admits(1.0)
    probe = breaker.begin(1.0)
    assert probe
    breaker.fail(1.1, probe=early)
    breaker.drop(probe=early)
    assert not breaker.admits(1.2)  # the probe is still under way
    breaker.fail(1.2, probe=probe)
    assert not breaker.admits(3.1)
    assert breaker.admits(3.2)


def test_the_success_of_a_call_that_was_not_let_through_closes_it():
    breaker = Breaker(failures=1, pause=1.0)
    failed(breaker, 0.0)
    breaker.begin(0.5)
    breaker.succeed()
    assert breaker.closed


@pytest.mark.parametrize(("failures", "pause"), [(0, 1.0), (1, 0.0), (1, float("nan"))])
def test_limits_that_are_too_small_are_refused(failures, pause):
    with pytest.raises(ValueError, match="failures must be 1 or more and pause above 0"):
        Breaker(failures=failures, pause=pause)

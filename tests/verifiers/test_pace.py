import pytest

from vista_stream.verifiers.pace import BEST, MARGIN, MEASURED, Pace


def test_it_knows_nothing_before_the_first_run():
    assert Pace().seconds(100) == 0.0


def test_the_estimate_is_the_mean_by_size_with_or_without_a_margin():
    pace = Pace()
    pace.note(10, 1.0)
    pace.note(30, 1.0)
    assert pace.mean(20) == pytest.approx(20 * 2 / 40)
    assert pace.at_best(20) == pytest.approx(BEST * 20 * 2 / 40)
    assert pace.seconds(20) == pytest.approx(MARGIN * 20 * 2 / 40)


def test_only_the_last_runs_count():
    pace = Pace()
    pace.note(1, 60.0)
    for _ in range(MEASURED):
        pace.note(10, 1.0)
    assert pace.seconds(10) == pytest.approx(MARGIN)


def test_a_run_that_was_given_up_counts_where_it_was_slow():
    pace = Pace()
    pace.note(10, 1.0)
    pace.note_unfinished(10, 0.1)
    assert pace.seconds(10) == pytest.approx(MARGIN)
    pace.note_unfinished(10, 3.0)
    assert pace.seconds(10) == pytest.approx(2 * MARGIN)

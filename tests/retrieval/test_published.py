from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.retrieval.published import published_windows


def test_windows_step_by_what_does_not_overlap():
    assert published_windows(20, room=8, overlap=0.25) == [
        slice(0, 8),
        slice(6, 14),
        slice(12, 20),
        slice(18, 20),
    ]


def test_the_rounding_of_the_released_code_may_lose_the_last_tokens():
    assert published_windows(130, room=10, overlap=0.25)[-1] == slice(119, 129)


@given(st.integers(1, 5000), st.integers(10, 1000), st.floats(0, 0.8))
def test_windows_leave_no_gap_and_stay_within_the_room(tokens, room, overlap):
    windows = published_windows(tokens, room=room, overlap=overlap)
    step = int(room * (1 - overlap))
    assert [window.start for window in windows] == [row * step for row in range(len(windows))]
    assert all(0 < window.stop - window.start <= room for window in windows)
    assert all(window.stop == min(window.start + room, tokens) for window in windows)


@pytest.mark.parametrize(
    ("room", "overlap", "message"), [(0, 0.25, "room"), (9, 1.0, "overlap"), (1, 0.5, "step")]
)
def test_bounds_that_make_no_windows_are_refused(room, overlap, message):
    with pytest.raises(ValueError, match=message):
        published_windows(10, room=room, overlap=overlap)

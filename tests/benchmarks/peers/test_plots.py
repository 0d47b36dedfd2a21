"""What the plots show, and that they are drawn where matplotlib is there."""

import importlib.util

import pytest

from benchmarks.peers.plots import draw, leak_points, load_lines


def row(peer, share, held, seconds):
    load = {str(size): {"seconds": took, "not finished": 0} for size, took in seconds.items()}
    return {
        "peer": peer,
        "setting": "best",
        "verifier": "stub",
        "gate": {"leak": {"share": share}},
        "pace": {"held ms": None if held is None else {"p50": held}},
        "load": load,
    }


ROWS = [row("a", 0.5, 120.0, {1: 1.0, 20: 2.0}), row("b", 0.0, None, {}), row("c", 1.0, 0.0, {1: 0.5})]


def test_a_guard_is_a_point_of_hold_back_and_leak():
    assert leak_points(ROWS) == {"a, best": (120.0, 50.0), "c, best": (1.0, 100.0)}


def test_load_is_streams_finished_a_second():
    assert load_lines(ROWS) == {"a, best": [(1, 1.0), (20, 10.0)], "c, best": [(1, 2.0)]}
    late = row("a", 0.5, 120.0, {20: 2.0})
    late["load"]["20"]["not finished"] = 10
    assert load_lines([late]) == {"a, best": [(20, 5.0)]}


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_the_plots_are_drawn_beside_the_figures(tmp_path):
    drawn = draw([*ROWS, {"peer": "d", "verifier": "stub", "absent": "why"}], tmp_path / "peers.json")
    assert [path.name for path in drawn] == ["peers_leak.svg", "peers_load.svg"]
    assert all("a, best" in path.read_text() or path.stat().st_size > 5000 for path in drawn)

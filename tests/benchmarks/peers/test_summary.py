"""Rows of figures from a few hand-made runs."""

from benchmarks.peers import summary
from benchmarks.peers.streams import Stream
from benchmarks.peers.summary import Ran

TEXT = "The sea is deep. The moon is square."
RIGHT = Stream(id="bump/1/right", text=TEXT, query=None, references=(), false=())
WRONG = Stream(id="bump/1/wrong", text=TEXT, query=None, references=(), false=((17, 36),))
LAG = {"p50": 0.001, "p99": 0.02, "max": 0.03}


def ran(phase, stream, sent, *, cut="word", crowd=1, end=1.0, **more):
    record = {
        "released": [[0.5, sent]] if sent else [],
        "notices": [],
        "blocked": False,
        "left": False,
        "error": None,
        "calls": [[0.1, 0.2, 18]],
        "taken_chars": len(TEXT),
        "taken_after_end": 0,
        "calls_after_end": 0,
        "source_closed": True,
        "arrivals": [[0.1, 16], [0.2, 36]],
        "end_t": end,
        **more,
    }
    return Ran(phase=phase, stream=stream, how={"cut": cut, "rate": 50}, record=record, crowd=crowd, lag=LAG)


def test_the_gate_counts_leaks_damage_and_sameness():
    runs = [
        ran("pace", WRONG, TEXT),
        ran("cuts", WRONG, TEXT[:17]),
        ran("cuts", WRONG, TEXT[:20], cut=1),
        ran("cuts", RIGHT, TEXT),
        ran("cuts", RIGHT, TEXT, cut=1),
        ran("rates", RIGHT, TEXT.replace(" The moon", "The moon"), error="ValueError: x"),
        ran("load", WRONG, TEXT),
    ]
    found = summary.gate(runs)
    assert found["leak"] == {
        "streams": 3,
        "streams that leaked": 2,
        "characters": 19 + 3,
        "of false characters": 57,
        "share": round(22 / 57, 4),
    }
    assert {cut: leak["characters"] for cut, leak in found["leak by cut"].items()} == {"word": 0, "1": 3}
    assert (found["right streams"], found["right streams whole"]) == (3, 2)
    assert (found["bytes lost"], found["bytes added"], found["bytes changed"]) == (1, 0, 0)
    assert (found["streams cut in several ways"], found["same for every cut"]) == (2, 1)
    assert found["errors"] == ["ValueError: x"]


def test_the_pace_is_of_right_streams_and_of_true_sentences():
    runs = [ran("pace", RIGHT, TEXT), ran("pace", WRONG, TEXT[:17]), ran("pace", RIGHT, "")]
    found = summary.pace(runs)
    assert found["first text ms"] == 500.0
    assert found["no text at all"] == 1
    assert found["held ms"]["n"] == 3
    assert found["held ms"]["p50"] == 400.0
    assert found["held ms by rate"].keys() == {"50"}
    assert found["calls per 1,000 characters"] == round(1000 / 36, 4)
    assert found["characters scored per character"] == 0.5
    assert found["loop lag ms"] == {"p50": 1.0, "p99": 20.0, "max": 30.0}


def test_a_load_ends_with_its_last_stream():
    runs = [ran("load", RIGHT, TEXT, crowd=20, end=end) for end in (1.0, 3.0, 2.0)]
    runs.append(ran("load", RIGHT, "", crowd=20, end=60.0, error="no end after 60 s"))
    found = summary.load(runs, unanswered=[100])
    assert found["20"]["seconds"] == 60.0
    assert found["20"]["not finished"] == 1
    assert found["20"]["not whole"] == 1
    assert found["100"] == {"seconds": None, "not finished": 100, "not whole": 100}
    assert "1" not in found


def test_a_judgement_is_caught_disturbed_or_neither():
    runs = [
        ran("judgement", WRONG, TEXT[:17]),
        ran("judgement", WRONG, TEXT),
        ran("judgement", RIGHT, TEXT),
        ran("judgement", RIGHT, TEXT[:17]),
    ]
    found = summary.judgement(runs)["bump"]
    assert found["pairs"] == 2
    assert found["false answers caught"] == found["right answers disturbed"] == 0.5
    assert found["leak"]["characters"] == 19
    assert "vital" not in summary.judgement(runs)


def test_troubles_are_told_by_phase():
    runs = [ran("raise", WRONG, "", blocked=True), ran("leave", RIGHT, TEXT[:5], left=True)]
    assert summary.trouble(runs) == {
        "raise": "blocks; 0 false characters, 0 of 36 released",
        "leave": "closes its source",
    }

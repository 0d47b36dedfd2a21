"""Each measure by streams small enough to count by hand."""

import pytest

from benchmarks.peers import measures
from benchmarks.peers.streams import Stream

TEXT = "The sea is deep. The moon is square. The land is dry."
FALSE = (17, 36)  # "The moon is square."


def stream(text=TEXT, false=(FALSE,)):
    return Stream(id="a", text=text, query=None, references=("The sea is deep.",), false=false)


def record(*pieces, **more):
    """Released pieces a second apart; the source arrived at 0, 1, 2, … a sentence each."""
    plain = {
        "released": [[number + 1.0, piece] for number, piece in enumerate(pieces)],
        "notices": [],
        "blocked": False,
        "left": False,
        "error": None,
        "calls": [],
        "taken_chars": len(TEXT),
        "taken_after_end": 0,
        "calls_after_end": 0,
        "source_closed": True,
        "arrivals": [[0.0, 16], [1.0, 36], [2.0, 53]],
        "end_t": 3.0,
    }
    return plain | more


@pytest.mark.parametrize(
    ("sent", "leak"),
    [
        ("", 0),
        ("The sea is deep.", 0),
        ("The sea is deep. ", 0),
        ("The sea is deep. T", 1),
        ("The sea is deep. The moon", 8),
        (TEXT, 19),
        ("The sea is deep. The land is dry.", 0),
        ("The sea is deep. square. The land is dry.", 7),
    ],
)
def test_leak_counts_the_characters_of_the_false_sentence(sent, leak):
    assert measures.leaked(stream(), record(sent)) == leak


def test_words_that_a_true_sentence_has_too_are_no_leak():
    # "The sea is deep. The la" continues into the true sentence: laid over the false one it would be four.
    assert measures.leaked(stream(), record("The sea is deep. ", "The ", "land is dry.")) == 0


def test_letters_of_foreign_text_are_no_leak():
    assert (
        measures.leaked(stream(), record("The sea is deep. ", "[Text withheld: not so]", " The land is dry."))
        == 0
    )
    assert measures.leaked(stream(), record("Sorry, this was stopped by the moderators.")) == 0


def test_spaces_that_were_lost_do_not_hide_a_leak():
    assert measures.leaked(stream(), record("The sea is deep.The moon is square.The land is dry.")) == 19
    assert measures.leaked(stream(), record("Theseaisdeep.Themoonissquare.")) > 12


def test_all_false_sentences_count():
    both = stream(false=((0, 16), FALSE))
    assert measures.leaked(both, record(TEXT)) == 16 + 19
    assert measures.leaked(stream(false=()), record(TEXT)) == 0


TRUE = "One.\n\nTwo is ünder.\nThree"


@pytest.mark.parametrize(
    ("sent", "harm"),
    [
        (TRUE, (0, 0, 0)),
        ("One.\nTwo is ünder.\nThree", (1, 0, 0)),
        ("One.Two is ünder.\nThree", (2, 0, 0)),
        ("One.\n\nTwo is ünder.\n", (5, 0, 0)),
        ("One.\n\nTwo is nder.\nThree", (2, 0, 0)),  # ü is two bytes
        ("One.\n\nTwo is ünder.\nThree.", (0, 1, 0)),
        ("One.\n\nTwo is ünder. Three", (0, 0, 1)),
        ("", (26, 0, 0)),
    ],
)
def test_damage_counts_bytes(sent, harm):
    found = measures.damage(stream(TRUE, ()), record(sent))
    assert tuple(found[kind] for kind in ("lost", "added", "changed")) == harm


def test_true_text_kept_is_a_share_of_the_true_text():
    assert measures.true_kept(stream(), record(TEXT)) == 1.0
    assert measures.true_kept(stream(), record("The sea is deep. ", " The land is dry.")) == 1.0
    assert measures.true_kept(stream(), record("The sea is deep. ")) == pytest.approx(17 / 34)
    assert measures.true_kept(stream(), record()) == 0.0


def test_the_first_text_is_the_first_that_is_seen():
    assert measures.first_text(record("", "\n", "The")) == 3.0
    assert measures.first_text(record()) is None


def test_hold_backs_run_from_a_sentences_last_character_to_its_release():
    right = stream(false=())
    assert measures.hold_backs(
        right, record("The sea is deep. ", "The moon is square.", " The land is dry.")
    ) == [
        1.0,
        1.0,
        1.0,
    ]
    assert measures.hold_backs(right, record(TEXT[:20], TEXT[20:40], TEXT[40:])) == [1.0, 1.0, 1.0]
    assert measures.hold_backs(right, record("", "", TEXT)) == [3.0, 2.0, 1.0]


def test_hold_backs_end_at_the_false_sentence_and_at_the_first_change():
    assert measures.hold_backs(stream(), record(TEXT)) == [1.0]
    changed = record("The sea is deep. The moon is SQUARE. The land is dry.")
    assert measures.hold_backs(stream(false=()), changed) == [1.0]
    spaces = record("The sea is deep.", "The moon is square.", "The land is dry.")
    assert measures.hold_backs(stream(false=()), spaces) == [1.0, 1.0, 1.0]


def test_effort_is_for_the_length_of_the_source():
    calls, characters = measures.effort(stream(), record(calls=[[0, 1, 53], [1, 2, 53]]))
    assert calls == pytest.approx(2000 / 53)
    assert characters == 2.0


def test_what_is_not_drawn_is_saved():
    assert measures.saved(stream(), record(taken_chars=len(TEXT))) == 0.0
    assert measures.saved(stream(), record(taken_chars=36)) == pytest.approx(4 / 12)


def test_the_outcome_tells_text_notices_and_blocks_apart():
    outcomes = {
        measures.outcome(record("a", "b")),
        measures.outcome(record("ab")),
        measures.outcome(record("ab", notices=[[1.0, "x"]])),
        measures.outcome(record("ab", blocked=True)),
    }
    assert len(outcomes) == 3


def test_endings_in_words():
    assert measures.ending(stream(), record(TEXT)) == (
        "ends as if nothing were wrong; 19 false characters, 53 of 53 released"
    )
    assert measures.ending(stream(), record("The ", blocked=True)).startswith("blocks; 0 false")
    assert measures.ending(stream(), record(error="ValueError: x")).startswith("raises ValueError; 0")
    assert measures.ending(stream(), record(error="no end after 10 s")).startswith("no end after 10 s; 0")


def test_leaving_in_words():
    assert measures.leaving(record(left=True)) == "closes its source"
    draws = measures.leaving(record(left=True, taken_after_end=9, calls_after_end=1))
    assert draws == "closes its source late; draws 9 characters and makes 1 calls more"
    assert measures.leaving(record(left=True, source_closed=False)).startswith("leaves its source open")
    assert measures.leaving(record()).startswith("released too little")


def test_quantiles_and_medians():
    assert measures.quantiles([]) is None
    assert measures.quantiles([0.1] * 9 + [1.0]) == {"n": 10, "p50": 100.0, "p95": 1000.0, "p99": 1000.0}
    assert measures.median([None, 1.0, 3.0]) == 2.0
    assert measures.median([None]) is None

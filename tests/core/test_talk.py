import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Utterance
from vista_stream.core.talk import KEPT, Line, latest, lines_of, lines_of_turn, transcript

SENTENCE = st.text("abc ", min_size=1, max_size=40).map(lambda words: f"A{words.strip()}.")


def line(text, role="assistant", turn=0):
    return Line(role=role, text=text, turn=turn)


def test_a_history_is_its_messages_and_sentences_in_order():
    history = [
        Utterance(role="user", text="Where is it? And when?"),
        Utterance(role="assistant", text="It is in Bern. It opens at 9 a.m. on Sundays."),
    ]
    assert lines_of(history) == [
        line("Where is it? And when?", "user", -1),
        line("It is in Bern.", turn=-1),
        line("It opens at 9 a.m. on Sundays.", turn=-1),
    ]
    assert lines_of([Utterance(role="assistant", text=" \n")]) == []


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.lists(SENTENCE, max_size=30)), max_size=20)
)
def test_of_a_long_history_the_latest_lines_are_kept(said):
    history = [Utterance(role=role, text=" ".join(sentences)) for role, sentences in said]
    lines = lines_of(history)
    assert len(lines) <= KEPT
    words = " ".join(each.text for each in history).split()
    kept = " ".join(each.text for each in lines).split()
    # Of a longer message the last 60 words are one line, and what was said before it comes next.
    assert kept == words[len(words) - len(kept) :] or any(len(each.text.split()) > 60 for each in history)


def test_of_a_long_message_the_last_words_are_a_line_behind_what_was_said_before():
    history = [Utterance(role="user", text=text) for text in ("First.", "Word. " * 70)]
    assert [len(each.text.split()) for each in lines_of(history)] == [1, 60]


def test_a_turn_is_its_message_and_its_sentences():
    assert lines_of_turn("Why?", ["Because.", " "], turn=3) == [
        line("Why?", "user", 3),
        line("Because.", turn=3),
    ]
    assert lines_of_turn("", ["Because."], turn=0) == [line("Because.")]


@given(st.lists(st.integers(1, 60), max_size=12))
def test_a_claim_is_read_with_the_last_ninety_words_or_with_the_last_line(lengths):
    lines = [line(" ".join([str(n)] * length)) for n, length in enumerate(lengths)]
    found = latest(lines)
    assert found == lines[len(lines) - len(found) :]
    assert bool(found) == bool(lines)
    first = len(lines) - len(found)
    assert len(found) < 2 or sum(lengths[first:]) <= 90
    assert not first or sum(lengths[first - 1 :]) > 90


def test_a_transcript_says_who_said_what():
    told = transcript([line("Book it for 9.", "user"), line("It is  booked\nfor 9.")])
    assert told == "User: Book it for 9.\nAssistant: It is booked for 9."
    (long,) = lines_of_turn("word " * 70 + "end", (), turn=0)
    assert long.text.split() == ["word"] * 59 + ["end"]


@pytest.mark.parametrize(("turn", "document"), [(-1, "history"), (0, "turn 1"), (4, "turn 5")])
def test_a_line_is_cited_by_its_turn(turn, document):
    cited = line("It is in Bern.", turn=turn).cited()
    assert (cited.document, cited.text, cited.origin) == (document, "It is in Bern.", "talk")
    assert cited.text[cited.span.start : cited.span.end] == "It is in Bern."

import random
from collections.abc import Callable

import pytest
from spacy.tokens import Span

from vista_stream.training.made.edits import Edit, apply
from vista_stream.training.made.edits_paraphrase import moves, paraphrase, reworded


def said(sentence: Span, name: str) -> list[str]:
    return [apply(sentence.text, move.edits) for move in moves(sentence) if move.name == name]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("The library opened in 1990.", "front_time", "In 1990, the library opened."),
        ("In 1990, the library opened.", "unfront_time", "The library opened in 1990."),
        ("The song was written by Peter Stone.", "active", "Peter Stone wrote the song."),
        ("Peter Stone wrote the song.", "passive", "The song was written by Peter Stone."),
        (
            "The film stars Anna Brown and Peter Stone.",
            "coordination",
            "The film stars Peter Stone and Anna Brown.",
        ),
        ("Paris is the capital of France.", "copula", "The capital of France is Paris."),
        ("Paris is the capital of France.", "genitive", "Paris is France's capital."),
        ("They visited France's capital.", "possessive", "They visited the capital of France."),
        ("She was born on 4 May 1990.", "date_form", "She was born on May 4, 1990."),
        ("She was born on May 4, 1990.", "date_form", "She was born on 4 May 1990."),
        ("She has three dogs.", "digits", "She has 3 dogs."),
        ("The movie did not win.", "contraction", "The movie didn't win."),
        ("He later became a doctor.", "front_adverb", "Later, he became a doctor."),
        ("The band formed in London in 1990.", "place_time", "The band formed in 1990 in London."),
    ],
)
def test_a_move_says_the_same(sentence: Callable[[str], Span], text: str, name: str, expected: str) -> None:
    assert said(sentence(text), name) == [expected]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The film was not seen by old men and women.", "coordination"),
        ("He visited London and died in 1990.", "front_time"),
        ("Paris is a city in France.", "copula"),
    ],
)
def test_a_move_that_could_change_the_meaning_is_not_made(
    sentence: Callable[[str], Span], text: str, name: str
) -> None:
    assert not said(sentence(text), name)


def test_moves_are_combined_and_keep_is_kept(sentence: Callable[[str], Span]) -> None:
    given = sentence("The film stars Anna Brown and Peter Stone.")
    keep = (Edit(4, 8, "play"),)
    move = paraphrase(given, random.Random(0), keep=keep)
    assert move is not None
    assert apply(given.text, move.edits) == "The play stars Peter Stone and Anna Brown."


def test_a_sentence_without_moves_stays(sentence: Callable[[str], Span]) -> None:
    given = sentence("Rain fell.")
    assert paraphrase(given, random.Random(0)) is None
    assert reworded(given, random.Random(0)) == "Rain fell."

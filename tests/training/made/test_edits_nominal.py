from collections.abc import Callable

import pytest
from spacy.tokens import Span

from vista_stream.training.made import edits_nominal
from vista_stream.training.made.edits import apply


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        (
            "lists",
            "The club plays in Berlin, London and Paris.",
            "The club plays in Paris, Berlin and London.",
        ),
        (
            "participles",
            "It was written and directed by Anna Brown.",
            "It was directed and written by Anna Brown.",
        ),
        ("reduced", "It is a film directed by Anna Brown.", "It is a film that was directed by Anna Brown."),
        ("clauses", "It is a film that was directed by Anna Brown.", "It is a film directed by Anna Brown."),
        ("born", "Anna Brown (born 4 May 1990) is a singer.", "Born 4 May 1990, Anna Brown is a singer."),
        (
            "described",
            "It is a novel by American author Anna Brown.",
            "It is a novel by Anna Brown, an American author.",
        ),
        (
            "fronted",
            "After the war ended, the factory closed.",
            "The factory closed after the war ended.",
        ),
    ],
)
def test_a_move_says_the_same(sentence: Callable[[str], Span], rule: str, text: str, expected: str) -> None:
    given = sentence(text)
    assert [apply(given.text, move.edits) for move in getattr(edits_nominal, rule)(given)] == [expected]


def test_an_address_is_not_a_list(sentence: Callable[[str], Span]) -> None:
    assert not list(edits_nominal.lists(sentence("The club plays in Austin, Texas, America.")))

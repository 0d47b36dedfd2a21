"""A claim about the user, as it was said to "you"; for what pronouns stand for: test_decompose_references."""

import pytest

from vista_stream.core.extraction.resolution import as_told, in_context


@pytest.mark.parametrize(
    ("claim", "sentence", "told"),
    [
        ("The user can keep the user's seat.", "You can keep your seat.", "you can keep your seat."),
        ("The user’s seat is free.", "Your seat is free.", "your seat is free."),
        ("The user can help themselves.", "You can help yourself.", "you can help yourself."),
        ("The users can keep it.", "You and they can keep it.", "The users can keep it."),
        ("The user can keep it.", "The user can keep your seat.", ""),
        ("The user can keep it.", "Guests can keep it.", ""),
        ("Guests help themselves to your tea.", "Guests help themselves to your tea.", ""),
    ],
)
def test_a_claim_is_put_as_its_sentence_said_it(claim: str, sentence: str, told: str) -> None:
    assert as_told(claim, sentence) == told


def test_a_claim_with_a_pronoun_is_searched_with_what_was_said_before() -> None:
    before = ("The opera begins.", "When?")
    assert in_context("It starts at six.", before) == "The opera begins. When? It starts at six."
    assert in_context("That is late.", ()) == "That is late."
    assert in_context("The opera starts at six.", before) == "The opera starts at six."
    assert in_context("It ends.", ("x" * 999,)) == "x" * 160 + " It ends."

"""A claim about the user, as it was said to "you"; for what pronouns stand for: test_decompose_references."""

import pytest

from vista_stream.core.extraction.resolution import as_told


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

from collections.abc import Callable

import pytest
from spacy.tokens import Span

from vista_stream.training.made.edits import apply
from vista_stream.training.made.edits_swaps import swaps


def made(sentence: Span) -> dict[str, tuple[str, str]]:
    return {move.name: (apply(sentence.text, move.edits), label) for move, label in swaps(sentence)}


def test_agent_and_patient_change_places(sentence: Callable[[str], Span]) -> None:
    found = made(sentence("Anna Brown defeated Maria Hill in the final."))
    assert found["swap_role"] == ("Maria Hill defeated Anna Brown in the final.", "contradiction")


def test_origin_and_goal_change_places(sentence: Callable[[str], Span]) -> None:
    found = made(sentence("The train travelled from London to Vienna."))
    assert found["swap_direction"] == ("The train travelled from Vienna to London.", "contradiction")


def test_dates_names_and_adjectives_change_places(sentence: Callable[[str], Span]) -> None:
    found = made(sentence("The school moved to London in 1950 and returned to Vienna in 1960."))
    assert found["swap_date"] == (
        "The school moved to London in 1960 and returned to Vienna in 1950.",
        "contradiction",
    )
    found = made(sentence("The old town has a big harbour."))
    assert found["swap_adjective"] == ("The big town has an old harbour.", "not_entailment")


@pytest.mark.parametrize(
    "text",
    [
        "The film stars Anna Brown and Maria Hill.",
        "The border between France and Germany is long.",
        "Prices range from London to Vienna.",
    ],
)
def test_an_exchange_that_says_the_same_is_not_made(sentence: Callable[[str], Span], text: str) -> None:
    assert not {"swap_name", "swap_role", "swap_direction"} & set(made(sentence(text)))

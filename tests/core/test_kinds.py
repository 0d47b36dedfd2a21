from __future__ import annotations

import pytest

from vista_stream.claims import ClaimKind
from vista_stream.core.kinds import is_courtesy, kind_of


@pytest.mark.parametrize(
    ("wording", "kind"),
    [
        ("The bridge opened in 1932.", ClaimKind.FACT),
        ("The US won the cup.", ClaimKind.FACT),
        ('Lund said "I cannot help you".', ClaimKind.FACT),
        ("It is impossible to divide by zero.", ClaimKind.FACT),
        ("There is no information desk at the station.", ClaimKind.FACT),
        ("I don't know.", ClaimKind.REFUSAL),
        ("I’m not sure about the date.", ClaimKind.REFUSAL),
        ("I cannot help with that.", ClaimKind.REFUSAL),
        ("I do not have any specific details on the fee.", ClaimKind.REFUSAL),
        ("As an AI language model, I have no personal plans.", ClaimKind.REFUSAL),
        ("There is no information on this in the documents.", ClaimKind.REFUSAL),
        ("The provided context does not mention the price.", ClaimKind.REFUSAL),
        ("I didn't know that Lyon is in France.", ClaimKind.ASSISTANT),
        ("I was trained on books.", ClaimKind.ASSISTANT),
        ("You should book early.", ClaimKind.RECOMMENDATION),
        ("I'd recommend the museum.", ClaimKind.RECOMMENDATION),
        ("It is best to go in May.", ClaimKind.RECOMMENDATION),
        ("I love old bridges.", ClaimKind.OPINION),
        ("In my opinion, the first one wins.", ClaimKind.OPINION),
        ("The view is absolutely stunning.", ClaimKind.OPINION),
        ("That sounds great!", ClaimKind.OPINION),
        ("You have a dog.", ClaimKind.OPINION),
    ],
)
def test_the_kind_follows_the_wording(wording: str, kind: ClaimKind) -> None:
    assert kind_of(wording) is kind


@pytest.mark.parametrize(
    "wording", ["Hi!", "Sure thing!", "Of course, here is a list:", "Thank you so much.", "Goodbye!"]
)
def test_courtesies_are_known_whole(wording: str) -> None:
    assert is_courtesy(wording)


@pytest.mark.parametrize(
    "wording", ["Hi, Rome is old.", "Thanks to Ada, it works.", "Here Rome was founded."]
)
def test_a_courtesy_with_a_statement_is_none(wording: str) -> None:
    assert not is_courtesy(wording)

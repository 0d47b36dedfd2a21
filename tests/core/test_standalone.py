import pytest

from vista_stream.core.standalone import is_standalone


@pytest.mark.parametrize(
    "text",
    [
        "The clinic closes at 6 pm.",
        "Students pay 8 euros.",
        "Ten kilos are too much.",
        "At night the gate closes.",
        "What does a passport cost? 60 euros.",
        "Who wrote Hamlet? Shakespeare.",
        "Ada runs her shop.",
        "Tickets are for those under 16.",
        "The reason is that the ferry is full.",
        "The tower stood for 54 years before it fell in 226 B.C.",
    ],
)
def test_a_claim_with_a_subject_and_a_verb_stands_alone(text):
    assert is_standalone(text)


@pytest.mark.parametrize(
    "text",
    [
        "For 30 days.",
        "On Mondays and Thursdays.",
        "60 euros.",
        "Free.",
        "Is valid for a year.",
        "She works on Mondays.",
        "In summer it opens at nine.",
        "It stood for 54 years before it fell.",
        "The guide waits when it rains and she is late.",
        "Its roof is red.",
        "Have you met her?",
        "That costs 5 euros.",
        "What does that cost? 92 euros.",
        "The faster one costs 92 euros.",
        "These cost 5 euros.",
        "Paracetamol? Yes.",
        "How much? 300 euros.",
        "",
    ],
)
def test_a_phrase_or_a_claim_with_an_open_pronoun_does_not(text):
    assert not is_standalone(text)

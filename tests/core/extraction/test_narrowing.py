"""Sentences that answer a question which is only a part of one: "And on Sundays?" and "It is closed."."""

from __future__ import annotations

import pytest

from decomposing import claims
from vista_stream.claims import Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse


@pytest.mark.parametrize(
    ("question", "part", "answer", "expected"),
    [
        ("Is the museum open?", "And on Sundays?", "It is closed.", ["The museum is closed on Sundays."]),
        ("Are dogs allowed?", "In the hall?", "No, dogs are not.", ["Dogs are not in the hall."]),
        ("Are dogs allowed?", "In the hall?", "Dogs are there.", ["Dogs are in the hall."]),
        (
            "Are dogs allowed?",
            "And in the hall?",
            "Yes, they are allowed on a lead.",
            ["Dogs are allowed on a lead in the hall."],
        ),
        (
            "Is the museum open?",
            "And on Sundays?",
            "It is closed because it is cold.",
            ["The museum is closed on Sundays because it is cold.", "It is cold."],
        ),
        (
            "How much is the bus?",
            "With my dog?",
            "The bus is free.",
            ["The bus is free with the user's dog."],
        ),
        (
            "Is the museum open?",
            "On Sundays?",
            "No, it opens Mondays.",
            ["The museum is not open on Sundays.", "The museum opens Mondays."],
        ),
        ("Is the museum open?", "On Sundays?", "It is always open.", ["The museum is always open."]),
        ("Are dogs allowed?", "In the hall?", "Dogs sleep on the terrace.", ["Dogs sleep on the terrace."]),
        ("Are dogs allowed?", "In the hall?", "Cats are welcome.", ["Cats are welcome."]),
    ],
)
def test_a_sentence_is_told_of_the_part_that_was_asked(
    parse: Parse, question: str, part: str, answer: str, expected: list[str]
) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text=question))
    discourse.hear(Utterance(role="user", text=part))
    assert claims(discourse, answer) == expected


def test_only_the_sentence_that_answers_is_told_of_the_part(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="When do you open?"))
    discourse.hear(Utterance(role="user", text="And on Sundays?"))
    assert claims(discourse, "We open at ten.", "We sell books.") == [
        "We open at ten on Sundays.",
        "We sell books.",
    ]

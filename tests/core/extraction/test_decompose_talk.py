"""Loose talk: tokens apart, contractions, fillers, questions and requests among statements."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from decomposing import claims, told
from vista_stream.claims import Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse

TALK: Sequence[tuple[str, Sequence[str]]] = [
    ("I 've only heard of football .", ["The assistant has only heard of football."]),
    ("I 'm scared of it", ["The assistant is scared of it."]),
    ("im pretty tired", ["The assistant is pretty tired."]),
    ("Ive never heard of Oslo.", ["The assistant has never heard of Oslo."]),
    ("you're limited to three devices.", ["The user is limited to three devices."]),
    ("I forgot to check that out !", ["The assistant forgot to check that out."]),
    ("I would say that cheerleading started in Texas.", ["Cheerleading started in Texas."]),
    ("I guess that makes sense.", ["That makes sense."]),
    ("The mill is closed on Monday, I'm afraid.", ["The mill is closed on Monday."]),
    ("They come out in the daytime, I believe.", ["They come out in the daytime."]),
    ("Their album went to number one, I think.", ["Their album went to number one."]),
    (
        "The stones are granite, you know, and they are heavy.",
        ["The stones are granite, the user knows, and they are heavy."],
    ),
    (
        "I remembered he was scared but forgot what the play was about.",
        ["The assistant remembered he was scared.", "The assistant forgot what the play was about."],
    ),
    (
        "The oldest skis were found in Russia and date to 6000 BCE.",
        ["The oldest skis were found in Russia and date to 6000 BCE."],
    ),
    (
        "Makers answer for Zorble, which means that no one checks it.",
        ["Makers answer for Zorble, which means that no one checks it."],
    ),
    ("What kind of things do you do there.", []),
]


@pytest.mark.parametrize(("sentence", "expected"), TALK, ids=[s for s, _ in TALK])
def test_loose_talk_gives_claims_that_can_be_read(parse: Parse, sentence: str, expected: list[str]) -> None:
    assert claims(Discourse(parse), sentence) == expected


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("And if I wake up sick?", "Then stay in bed, please.", ["Then stay in bed, please."]),
        ("How much do I weigh out?", "Weigh out 300 grams of oats.", ["Weigh out 300 grams of oats."]),
        ("Who sings?", "Anna Berg.", ["Anna Berg sings."]),
        ("Are there any?", "Yeah! game night and pizza", ["There are some, game night and pizza."]),
    ],
)
def test_a_request_is_no_answer(parse: Parse, question: str, answer: str, claim: list[str]) -> None:
    assert told(parse, answer, question) == claim


@pytest.mark.parametrize(
    ("answer", "sure"),
    [("At 17:30 with Anna.", True), ("Weigh out 300 grams of oats.", True), ("Best day ever", False)],
)
def test_an_instruction_or_answer_with_a_number_is_surely_a_fact(
    parse: Parse, answer: str, sure: bool
) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="How is it?"))
    (claim,) = claims(discourse, answer)
    assert (claim in discourse.asserted) is sure
    assert claims(discourse, "The mill is old.") == ["The mill is old."]
    assert discourse.asserted == frozenset()

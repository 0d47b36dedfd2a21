"""Loose talk: tokens apart, contractions, fillers, questions and requests among statements."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from decomposing import claims, told
from vista_stream.claims import Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse

TALK: Sequence[tuple[str, Sequence[str]]] = [
    (
        "Mix the cleaner with bleach: it gives off a gas.",
        ["Mix the cleaner with bleach", "It gives off a gas."],
    ),
    ("Knead it for 40 minutes: it must be smooth.", ["Knead it for 40 minutes", "It must be smooth."]),
    ("Keep in mind: the pool closes at 9.", ["The pool closes at 9."]),
    ("Bake it at 220 °C, which takes an hour.", ["Bake it at 220 °C, which takes an hour."]),
    ("Try the mill, which opened late.", ["The mill opened late."]),
    (
        "Here's a guide to the mill, which has 90 rooms.",
        ["Here's a guide to the mill, which has 90 rooms."],
    ),
    ("Here is why dogs are allowed.", ["Here is why dogs are allowed."]),
    ("Here's a quick summary.", []),
    ("A bun has approx. 410 kcal; it is sweet.", ["A bun has approx 410 kcal.", "The bun is sweet."]),
    (
        "Users must (1) check the oil, (2) keep the keys, and (3) have the car cleaned.",
        ["Users must check the oil.", "Users must keep the keys.", "Users must have the car cleaned."],
    ),
    (
        "The firm was founded by the brothers Ole and Kai Lund in 1971.",
        ["The firm was founded by the brothers Ole and Kai Lund in 1971."],
    ),
    ("I 've only heard of football .", ["The assistant has only heard of football."]),
    ("I 'm scared of it", ["The assistant is scared of it."]),
    ("im pretty tired", ["The assistant is pretty tired."]),
    ("Ive never heard of Oslo.", ["The assistant has never heard of Oslo."]),
    ("you're limited to three devices.", ["The user is limited to three devices."]),
    ("Contrary to what I said before, the form has five pages.", ["The form has five pages."]),
    ("Sorry, I misspoke: it is two years.", ["The assistant misspoke.", "It is two years."]),
    ("I misread that: it is two years.", ["The assistant misread that.", "It is two years."]),
    ("I mixed that up: it costs 3 euros.", ["The assistant mixed that up.", "It costs 3 euros."]),
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
    # a command behind a statement
    (
        "If you are late, you can wait outside, but please do not knock.",
        ["If the user is late, the user can wait outside, but please do not knock."],
    ),
    (
        "You can take a second tablet, but please wait at least two hours.",
        ["The user can take a second tablet.", "Please wait at least two hours."],
    ),
    (
        "You can pay by card, but please don't use your Orbit card.",
        ["The user can pay by card.", "Please don't use your Orbit card."],
    ),
    (
        "Guests may use the sauna, but please bring a towel and leave by 9.",
        ["Guests may use the sauna.", "Please bring a towel and leave by 9."],
    ),
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
        ("how many months is that", "Stir it.", ["Stir it."]),  # a last "that" taken for a conjunction
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

"""Questions that are only a part of one, after a whole one."""

from __future__ import annotations

import pytest

from decomposing import claims
from vista_stream.claims import Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.follow_ups import completed, part_asked
from vista_stream.core.extraction.parsing import Parse


@pytest.mark.parametrize(
    ("question", "part", "whole"),
    [
        ("When is the pool open on weekdays?", "on weekends", "When is the pool open on weekends?"),
        ("When do you open?", "on weekends", "When do you open on weekends?"),
        ("Is the sauna open on Mondays?", "Sundays", "Is the sauna open on Sundays?"),
        ("Is the sauna open on Mondays?", "the pool", "Is the pool open on Mondays?"),
        ("Is the sauna open on Mondays?", "the pools", "Are the pools open on Mondays?"),
        ("How heavy is the Alder phone?", "the Birch phone", "How heavy is the Birch phone?"),
        ("How heavy is it?", "the Birch phone", "How heavy is the Birch phone?"),
        ("How much is a ticket for adults?", "for kids", "How much is a ticket for kids?"),
        ("How much is a ticket for adults?", "students", "How much is a ticket for students?"),
        ("How much is a ticket for adults?", "with a dog", "How much is a ticket for adults with a dog?"),
        ("Can Basic members use the sauna?", "Plus members", "Can Plus members use the sauna?"),
        ("Do you have lockers?", "a pool", "Do you have a pool?"),
        ("How much is Basic?", "Plus", "How much is Plus?"),
        ("Can I bring my dog?", "my cat", "Can I bring my cat?"),
        ("Is ibuprofen taken with food?", "paracetamol", "Is paracetamol taken with food?"),
        ("Is it sold in pharmacies?", "paracetamol", "Is paracetamol sold in pharmacies?"),
        ("Does Plus include phone support?", "Basic", "Does Basic include phone support?"),
        ("How much space does the Plus plan have?", "the Pro plan", "How much space does the Pro plan have?"),
        ("Is the pool in the garden?", "the sauna", "Is the sauna in the garden?"),
        ("Do you have lockers in the hotel?", "a pool", "Do you have a pool in the hotel?"),
        ("Does Anna live in Rome?", "Ben", "Does Ben live in Rome?"),
        ("When is it open on Mondays?", "on Sundays until when", "When is it open on Sundays?"),
        ("When is it open on Mondays?", "on Sundays for whom", ""),
        ("Is the rink open Wednesdays?", "on Sundays", "Is the rink open on Sundays?"),
        ("Is the rink open Wednesdays?", "Sundays", "Is the rink open Sundays?"),
        ("Is the rink open Wednesdays?", "the pool", "Is the pool open Wednesdays?"),
        ("Is the museum open today?", "on Mondays", "Is the museum open on Mondays?"),
        ("Is it open every Sunday?", "on Mondays", "Is it open on Mondays?"),
        ("Do buses run every hour?", "on Sundays", "Do buses run every hour on Sundays?"),
        ("When does the Sunday fair open?", "on Mondays", "When does the Sunday fair open on Mondays?"),
        ("Is it open Monday mornings?", "in the evening", ""),
        ("How many lions does the zoo have?", "tigers", "How many tigers does the zoo have?"),
        ("How many lions does it have?", "the museum", "How many lions does the museum have?"),
        ("How many sharks are in the aquarium?", "fish", "How many fish are in the aquarium?"),
        ("How much sugar does the cake need?", "butter", "How much butter does the cake need?"),
        ("How much sugar does the cake need?", "the bread", "How much sugar does the bread need?"),
        ("How many cakes do you sell?", "pies", "How many pies do you sell?"),
        ("How many calories does an apple have?", "bananas", "How many calories do bananas have?"),
        ("How many bags can I take on Basic?", "kids", ""),
        ("Who won the cup in 2019?", "in 2020", "Who won the cup in 2020?"),
        ("Who won the cup in 2019?", "2020", "Who won the cup in 2020?"),
        ("Is it open in May 2019?", "in June 2019", "Is it open in June 2019?"),
        ("Is there a train at 9 on Sundays?", "at 10", "Is there a train at 10 on Sundays?"),
        ("How much is it for 2 people?", "for 3", "How much is it for 3 people?"),
        ("Is room 12 free?", "room 14", "Is room 14 free?"),
        ("Is the pool open on Sundays?", "in summer", ""),
        ("When do you open?", "parking", ""),
        ("Is the pool open?", "now", ""),
        ("Is the pool in the garden?", "the day ticket for kids", ""),
    ],
)
def test_a_part_takes_the_place_of_its_like(parse: Parse, question: str, part: str, whole: str) -> None:
    assert completed(parse, question, part) == whole


@pytest.mark.parametrize(
    ("message", "question", "part"),
    [
        ("And the pool?", "the pool?", "the pool"),
        ("Thanks, and the pool?", "the pool?", "the pool"),
        ("What about the pool?", "What about the pool?", "the pool"),
        ("On Sundays?", "On Sundays?", "On Sundays"),
        ("And is it heated?", "is it heated?", ""),
        ("On which day is it open?", "On which day is it open?", ""),
        ("Really?", "Really?", ""),
        ("And for which day?", "for which day?", ""),
    ],
)
def test_a_message_may_ask_only_a_part(message: str, question: str, part: str) -> None:
    assert part_asked(message, question) == part


@pytest.mark.parametrize(
    "turns",
    [
        [
            ("When is the pool open on weekdays?", "From 9 am.", "The pool is open on weekdays from 9 am."),
            ("And on weekends?", "From 8 am.", "The pool is open on weekends from 8 am."),
            ("Thanks!", "At 8 am sharp it opens.", "At 8 am sharp it opens."),
            ("At noon?", "Yes.", "When is the pool open on weekends? At noon? Yes."),
        ],
        [
            ("Is the sauna open on Mondays?", "It's closed on Mondays.", "The sauna is closed on Mondays."),
            ("And the pool?", "It's closed on Mondays.", "The pool is closed on Mondays."),
        ],
        [
            ("How heavy is the Alder phone?", "It weighs 170 grams.", "The Alder phone weighs 170 grams."),
            ("How heavy is the Birch phone?", "It weighs 200 grams.", "The Birch phone weighs 200 grams."),
            ("And the Cedar phone?", "It weighs 90 grams.", "The Cedar phone weighs 90 grams."),
        ],
        [
            ("Is the pool open?", "Yes.", "The pool is open."),
            ("And the lawn in the yard?", "Yes.", "Is the pool open? The lawn in the yard? Yes."),
        ],
        [
            ("Who built the red bike?", "Anna Berg.", "Anna Berg built the red bike."),
            ("When?", "In 2019.", "Who built the red bike? When? In 2019."),
            ("Tell me of the blue bike.", "The bike is old.", "The bike is old."),
            ("How much?", "300 euros.", "Tell me of the blue bike. How much? 300 euros."),
            ("How heavy?", "12 kg.", "Tell me of the blue bike. How heavy? 12 kg."),
        ],
        [
            ("Is the pool open on Mondays?", "Yes.", "The pool is open on Mondays."),
            ("OK, are you sure?", "The pool is open.", "The pool is open."),
            ("And on Sundays?", "No.", "The pool is not open on Sundays."),
        ],
        [
            ("Set a reminder for Tuesday.", "It's set for Tuesday.", "The reminder is set for Tuesday."),
            ("And for which day?", "It's set for Tuesday.", "It's set for Tuesday."),
        ],
        [
            ("How much is it and when do you open?", "9 euros.", "It is 9 euros."),
            ("And on weekends?", "At 8 am.", "On weekends? At 8 am."),
        ],
    ],
)
def test_a_conversation_goes_on_about_what_was_asked(parse: Parse, turns: list[tuple[str, str, str]]) -> None:
    discourse = Discourse(parse)
    for question, answer, claim in turns:
        discourse.hear(Utterance(role="user", text=question))
        assert claims(discourse, answer) == [claim]
        discourse.hear(Utterance(role="assistant", text=answer))


@pytest.mark.parametrize("doubt", ["Are you sure?", "Is that so?", "Really?", "Hm, is that right?"])
def test_a_yes_to_a_doubt_is_no_claim(parse: Parse, doubt: str) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="Is the pool open?"))
    assert claims(discourse, "Yes.") == ["The pool is open."]
    discourse.hear(Utterance(role="user", text=doubt))
    assert claims(discourse, "Yes.") == []


@pytest.mark.parametrize(
    ("question", "first", "answer", "expected"),
    [
        ("How much is the pass?", "$50.", "No, $60.", ["The pass is $60."]),
        ("What time does the pool open?", "It opens at 9.", "Yes, at 10.", ["The pool opens at 10."]),
        ("What time does the pool open?", "It opens at 9.", "No.", []),
        ("How much is the pass?", "$50.", "Yes, 100%.", []),
        ("Is the pool free?", "Yes.", "No.", ["The pool is not free."]),
        ("Is the pool free?", "Yes.", "No, only on Mondays.", ["The pool is not free, only on Mondays."]),
        ("Is the pool free?", "No.", "Yes, I checked.", ["The assistant checked."]),
        ("Is the pool free?", "No.", "Yes, except on Mondays.", []),
    ],
)
def test_what_answers_a_doubt_answers_the_question_before_again(
    parse: Parse, question: str, first: str, answer: str, expected: list[str]
) -> None:
    discourse = Discourse(parse)
    for said, told in ((question, first), ("Are you sure?", None)):
        discourse.hear(Utterance(role="user", text=said))
        if told:
            claims(discourse, told)
            discourse.hear(Utterance(role="assistant", text=told))
    assert claims(discourse, answer) == expected


def test_without_a_parser_another_answer_to_a_doubt_stands_behind_the_question() -> None:
    discourse = Discourse(None)
    discourse.hear(Utterance(role="user", text="How much is the pass?"))
    discourse.hear(Utterance(role="user", text="Really?"))
    assert claims(discourse, "$60.") == ["How much is the pass? $60."]


def test_a_doubt_of_what_the_message_tells_asks_for_that(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="The pool opens at nine. Right?"))
    assert claims(discourse, "Yes.") == ["The pool opens at nine. Right? Yes."]


def test_without_a_parser_a_part_stands_behind_its_question() -> None:
    discourse = Discourse(None)
    discourse.hear(Utterance(role="user", text="When do you open?"))
    discourse.hear(Utterance(role="user", text="And on weekends?"))
    assert claims(discourse, "At 8 am.") == ["When do you open? On weekends? At 8 am."]

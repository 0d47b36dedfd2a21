"""The questions that requests wrap."""

from __future__ import annotations

import pytest

from vista_stream.core.extraction.parsing import Parse
from vista_stream.core.extraction.wrapped import stays_apart, unwrapped


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("Can you tell me when the pool opens?", "When does the pool open?"),
        ("Can you tell me what happens if I cancel late?", "What happens if I cancel late?"),
        ("Any idea how long it takes?", "How long does it take?"),
        ("Please tell me where I can park.", "Where can I park?"),
        ("Would you mind telling me who founded it?", "Who founded it?"),
        ("Do you know who Ada Berg married?", "Who did Ada Berg marry?"),
        ("Do you know how many beds the room has?", "How many beds does the room have?"),
        ("Do you know how much the sauna costs?", "How much does the sauna cost?"),
        ("Could you tell me how much a day pass is?", "How much is a day pass?"),
        ("Can you tell me what the app does?", "What does the app do?"),
        ("Can you tell me what time breakfast is?", "What time is breakfast?"),
        ("I wonder if you could tell me when the church was built.", "When was the church built?"),
        ("Could I ask why the hall isn't open?", "Why isn't the hall open?"),
        ("can you tell me how to get there, please?", "How do I get there?"),
    ],
)
def test_a_wrapped_question_has_the_words_of_a_plain_one(parse: Parse, message: str, plain: str) -> None:
    assert unwrapped(message, parse) == (plain, message)


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("I'd like to know if dogs are allowed.", "Are dogs allowed?"),
        ("I was wondering whether I need a visa.", "Do I need a visa?"),
        ("Can you confirm that breakfast is included?", "Is breakfast included?"),
        ("Can you tell me if the pool is heated or not?", "Is the pool heated?"),
        ("can you tell me if its free on sundays", "Is it free on sundays?"),
        ("do you know if theres a lift?", "Is there a lift?"),
        ("Do you know if she'd been there?", "Had she been there?"),
        ("Do you know if she moved to Rome?", "Did she move to Rome?"),
        ("Can you tell me if dogs may come and if there is a lift?", "May dogs come and is there a lift?"),
    ],
)
def test_what_wraps_a_question_for_yes_or_no_asks_nothing(parse: Parse, message: str, plain: str) -> None:
    assert unwrapped(message, parse) == (plain, "")


def test_what_stands_around_a_wrapped_question_stays(parse: Parse) -> None:
    message = "Hi, I'm a student. Could you tell me when you open and how much it costs, I come by bus?"
    plain = "Hi, I'm a student. When do you open and how much does it cost, I come by bus?"
    assert unwrapped(message, parse).text == plain
    told = unwrapped("We come by car, can you tell me where we can park?", parse).text
    assert told == "We come by car, where can we park?"


@pytest.mark.parametrize(
    "message",
    [
        "Can you tell me more about this?",
        "Could you explain the fees?",
        "Can you confirm my booking?",
        "Can you check whether my room is free?",
        "Can you tell me what to pack?",
        "Can you tell me what she's done?",
        "Can you tell me if it is open and dogs are allowed?",
        "Can you tell me, when I cancel late, what happens?",
        "Do you know Oslo?",
        "Did you know that Oslo is in Norway?",
        "Let me know if you need more.",
        "They did not tell me when it opens.",
        "I know when it opens.",
        "I want to know the height.",
    ],
)
def test_other_messages_stay(parse: Parse, message: str) -> None:
    assert unwrapped(message, parse) == (message, "")
    assert unwrapped("Can you tell me when it opens?", None).text == "Can you tell me when it opens?"


@pytest.mark.parametrize(
    ("question", "polar", "apart"),
    [
        ("Could you sum up the rules?", False, True),
        ("Could you walk me through the trip?", False, True),
        ("Can you give me an overview?", False, True),
        ("Can you give me a discount?", False, False),
        ("Can you deliver on Sundays?", False, False),
        ("Can you explain the fees?", True, False),
        ("Can you tell me if that so is?", True, True),
    ],
)
def test_a_request_to_tell_makes_no_statement_with_its_answer(
    question: str, polar: bool, apart: bool
) -> None:
    assert stays_apart(question, polar=polar) == apart

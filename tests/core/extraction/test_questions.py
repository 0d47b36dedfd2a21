"""The questions of a message, and which of them an answer fits."""

from __future__ import annotations

import pytest

from vista_stream.core.extraction.questions import Question, answered_by, heard_in, is_bare, is_factual


@pytest.mark.parametrize(
    ("message", "questions", "told"),
    [
        ("How much is it?", [("How much is it?", "money")], ""),
        (
            "hi, looking at the big one. how much is that and how long am i tied in",
            [("how much is that?", "money"), ("how long am i tied in?", "span")],
            "Looking at the big one.",
        ),
        ("im a student, whats the fee?", [("what is the fee?", "money")], "Im a student."),
        ("and where do we get on, how early", [("where do we get on?", "place"), ("how early?", "time")], ""),
        ("And on Sundays?", [("on Sundays?", "thing")], ""),
        (
            "Can I come with a friend who has no ticket?",
            [("Can I come with a friend who has no ticket?", "polar")],
            "",
        ),
        ("Tell me about ships.", [], "Tell me about ships."),
        (
            "Price? And until when is it open?",
            [("How much?", "money"), ("until when is it open?", "time")],
            "",
        ),
        (
            "We are here, which is nice. When do you open?",
            [("When do you open?", "time")],
            "We are here, which is nice.",
        ),
        ("", [], ""),
        ("Thanks!", [], ""),
        ("And Plus?", [("Plus?", "thing")], ""),
        ("And Plus members?", [("Plus members?", "thing")], ""),
        ("Great, and good for kids?", [("good for kids?", "thing")], ""),
        ("And then?", [], ""),
        ("I have a question. How much is it?", [("How much is it?", "money")], ""),
        ("Thanks for that. How much is it?", [("How much is it?", "money")], ""),
        ("Next question: how much is it?", [("how much is it?", "money")], ""),
        ("I meant the pass. How much is the pass?", [("How much is the pass?", "money")], ""),
        ("How much is it? I meant the pass.", [("How much is it?", "money")], "I meant the pass."),
        ("I have a dog. How much is it?", [("How much is it?", "money")], "I have a dog."),
    ],
)
def test_a_message_asks_and_tells(message: str, questions: list[tuple[str, str]], told: str) -> None:
    heard = heard_in(message)
    assert [tuple(each) for each in heard.questions] == questions
    assert heard.told == told


def test_a_long_message_is_not_read_with_an_answer() -> None:
    assert heard_in("I have a garden of my own. " * 20 + "When do roses bloom?").told == ""


@pytest.mark.parametrize(
    ("message", "answer", "question"),
    [
        ("how much is it and how long does it take?", "Two weeks.", "how long does it take?"),
        ("how long does it take and how much is it?", "Free for members.", "how much is it?"),
        ("Who trains us? Can we pay cash?", "No, by card.", "Can we pay cash?"),
        ("When does it end? From when can we get in?", "From eight.", "From when can we get in?"),
        ("Where is it? When is it?", "On Friday.", "When is it?"),
        ("Who trains us? Is it free?", "Ines Varga.", "Who trains us?"),
        ("Is it free?", "Ines Varga.", None),
        ("Who runs it, and since when?", "A widow from Rome, since 1990.", "Who runs it?"),
        ("Who runs it, and since when?", "Two brothers, since 1990.", "Who runs it?"),
        ("How many beds are there, and who runs it?", "A widow.", "who runs it?"),
        ("How many beds are there, and who runs it?", "A dozen.", "How many beds are there?"),
        ("Where is it, and how many beds are there?", "48.", "how many beds are there?"),
        ("How many rooms are there, and how often does it run?", "Two times.", "how often does it run?"),
        ("Are cheques accepted?", "Only with a passport.", "Are cheques accepted?"),
        ("Are cheques accepted?", "Mostly cash.", None),
        ("How do I open it, and is it safe?", "With the small key.", "How do I open it?"),
        ("Who runs it, and is it free?", "With a card, yes.", "is it free?"),
    ],
)
def test_an_answer_fits_a_question_by_its_beginning(message: str, answer: str, question: str | None) -> None:
    found = answered_by(heard_in(message).questions, answer)
    assert (found.text if found else None) == question


def test_what_an_answer_may_also_be_is_not_sure() -> None:
    questions = heard_in("When do I add it?").questions
    assert answered_by(questions, "At the very end.") == questions[0]
    assert answered_by(questions, "At the very end.", surely=True) is None


@pytest.mark.parametrize(
    ("question", "factual"),
    [
        ("Do you deliver on Sundays?", True),
        ("Is there a pool?", True),
        ("Do you like jazz?", False),
        ("Do you know Oslo?", False),
        ("Are you a robot?", False),
        ("What should I order?", False),
    ],
)
def test_what_a_shop_does_is_a_fact_and_what_the_answerer_is_or_likes_is_none(
    question: str, factual: bool
) -> None:
    assert is_factual(Question(question, "polar")) is factual


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("When?", True),
        ("How much?", True),
        ("How heavy?", True),
        ("By whom?", True),
        ("How many rooms?", True),
        ("On which day?", True),
        ("How much is it?", False),
        ("What happened?", False),
        ("How come?", False),
        ("On Sundays?", False),
    ],
)
def test_a_question_word_alone_does_not_say_what_it_is_about(question: str, bare: bool) -> None:
    assert is_bare(question) is bare

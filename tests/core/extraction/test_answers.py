import pytest

from vista_stream.core.extraction.answers import denies, in_question_order, is_polar, parts_at_limit
from vista_stream.core.extraction.parsing import Parse, Tree
from vista_stream.stages.embedded.parser import load_parse


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "No, it isn't.",
        "Yes, they are!",
        "Unfortunately not.",
        "I'm afraid not.",
        "It can't.",
        "Nope",
        "No, I'm sorry.",
        "No, I'm afraid not.",
        "No, sorry!",
        "No, unfortunately.",
        "Yes, sorry for the confusion!",
        "Yes, thanks for asking!",
        "No, you don't have to.",
        "Exactly.",
        "Yes, that's correct.",
        "That is not right.",
        "Not quite.",
    ],
)
def test_what_only_affirms_or_denies(text):
    assert is_polar(text)


@pytest.mark.parametrize(
    "text",
    [
        "Not",
        "It is free.",
        "No dogs are allowed.",
        "Yes, 24 hours a day.",
        "",
        "Sorry!",
        "No worries!",
        "It is wrong.",
    ],
)
def test_what_says_more(text):
    assert not is_polar(text)


@pytest.mark.parametrize(
    ("text", "asked", "polar"),
    [
        ("Yes, of course.", "", True),
        ("Of course!", "", False),
        ("Of course!", "Is there a pool?", True),
        ("Of course not.", "Do you have a pool?", True),
        ("Of course!", "Can you help me?", False),
        ("Exactly.", "So it has a pool?", True),
        ("Right!", "How long is the pool?", False),
    ],
)
def test_of_course_affirms_what_is_asked_unless_it_is_a_request(text: str, asked: str, polar: bool) -> None:
    assert is_polar(text, asked=asked) is polar


@pytest.mark.parametrize(
    ("text", "denied"),
    [("No, it isn't.", True), ("Of course not!", True), ("Yes.", False), ("That's wrong.", True)],
)
def test_what_denies(text: str, denied: bool) -> None:
    assert denies(text) is denied


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("What kind of things do you do with it.", True),
        ("Have you ever ridden a Royal Blue.", True),
        ("Is anyone there.", True),
        ("When I was young, I lived in Oslo.", False),
        ("What he did was right.", False),
        ("The mill is what you see.", False),
        ("Who won is known.", False),
    ],
)
def test_a_question_shows_by_its_word_order(sentence: str, asks: bool) -> None:
    parse = load_parse()
    if parse is None:
        pytest.skip("no parser is installed")
    assert in_question_order(Tree(parse(sentence))) is asks


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Yes, in May; in winter it's closed.", ("Yes, in May", "in winter it's closed.")),
        ("Yes, in summer, but in May it's closed.", ("Yes, in summer", "but in May it's closed.")),
        ("Yes, on weekdays – on Sundays it rests.", ("Yes, on weekdays", "on Sundays it rests.")),
        ("No, unless it rains; then it closes.", ("No, unless it rains", "unless it rains; then it closes.")),
        ("Yes, in the app: choose Cancel.", ("Yes, in the app", "choose Cancel.")),
        ("Yes, until 10:30, and it is free.", ("Yes, until 10:30", "and it is free.")),
        ("Yes, from May – June; July is free.", ("Yes, from May – June", "July is free.")),
        ("Yes, 9 am – 5 pm, and it is free.", ("Yes, 9 am – 5 pm", "and it is free.")),
        ("Yes, of course: it is open.", None),
        ("Yes, in winter it's open, but it is cold.", None),
        ("Yes, for dogs, and birds that are small.", None),
        ("Yes, by card – Visa and Mastercard.", None),
        ("In May; in winter it's closed.", None),
    ],
)
def test_a_yes_or_no_and_its_limit_are_one_part(
    parse: Parse, text: str, parts: tuple[str, str] | None
) -> None:
    found = parts_at_limit(text, parse)
    assert (found and (text[: found[0]], text[found[1] :])) == parts

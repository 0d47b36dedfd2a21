import pytest

from vista_stream.core.extraction.answers import answered, in_question_order, is_polar
from vista_stream.core.extraction.parsing import Tree
from vista_stream.stages.embedded.parser import load_parse


@pytest.mark.parametrize(
    "text",
    ["Yes.", "No, it isn't.", "Yes, they are!", "Unfortunately not.", "I'm afraid not.", "It can't.", "Nope"],
)
def test_what_only_affirms_or_denies(text):
    assert is_polar(text)


@pytest.mark.parametrize("text", ["Not", "It is free.", "No dogs are allowed.", "Yes, 24 hours a day.", ""])
def test_what_says_more(text):
    assert not is_polar(text)


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Is breakfast included?", "Yes, it is.", "breakfast is included."),
        ("Is breakfast included?", "No, it isn't.", "breakfast is not included."),
        ("Are dogs allowed in the rooms?", "I'm afraid not.", "dogs are not allowed in the rooms."),
        ("Does the ticket include lunch?", "No.", "the ticket does not include lunch."),
        ("Can I bring my dog?", "No, you can't.", "the user cannot bring the user's dog."),
        ("Do I need a visa?", "Yes.", "the user does need a visa."),
        ("Is it open or closed?", "Yes.", ""),
        ("Do you deliver?", "Yes.", ""),
        ("What is included?", "It is.", ""),
    ],
)
def test_an_answer_makes_a_statement_of_its_question(question, answer, statement):
    parse = load_parse()
    if parse is None:
        pytest.skip("no parser is installed")
    assert answered(question, Tree(parse(question)), answer) == statement


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

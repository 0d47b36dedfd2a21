"""The statement that a question and an answer without a verb make."""

from __future__ import annotations

import pytest

from vista_stream.core.extraction.parsing import Parse, Tree
from vista_stream.core.extraction.replies import stated


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("When do you open?", "At nine.", "We open at nine."),
        ("When does the show start?", "19:30.", "The show starts at 19:30."),
        ("When is the next one?", "Monday.", "The next one is on Monday."),
        ("Until when do I have to pay?", "By 31 March.", "The user has to pay by 31 March."),
        ("In which year did it open?", "1990", "It did open in 1990."),
        ("When do I have to use it by?", "By noon.", "The user has to use it by noon."),
        ("How long will it take?", "Half an hour.", "It will take half an hour."),
        ("How big are the groups?", "Six to eleven people.", "The groups are six to eleven people."),
        ("How much is the deposit?", "£1,200, payable now.", "The deposit is £1,200, payable now."),
        ("How much?", "€95 for you.", "It is €95 for the user."),
        ("How much for two?", "20 euros.", "It is 20 euros for two."),
        ("What's the setup fee?", "A one-off £40.", "The setup fee is a one-off £40."),
        (
            "What do I need the first time?",
            "Your card, and a towel.",
            "The user needs the user's card the first time, and a towel.",
        ),
        (
            "Where do I drop it if I come at night?",
            "At the rear door.",
            "The user drops it at the rear door if the user comes at night.",
        ),
        (
            "Who trains the beginners?",
            "Ines Varga, on Tuesdays.",
            "Ines Varga trains the beginners, on Tuesdays.",
        ),
        ("Who can do that?", "Anybody.", "Anybody can do that."),
        ("Which plan is that?", "Business.", "That is Business."),
        ("When did World War I end?", "In 1918.", "World War I did end in 1918."),
        ("Can I leave it with you?", "Gladly, for 45 euros.", "The user can leave it with us, for 45 euros."),
        ("Can we pay cash?", "No, only by card.", "The user cannot pay cash, only by card."),
        ("Does it cost anything?", "Yes, 50 cents.", "It costs something, 50 cents."),
        ("Are you open on Mondays?", "Only on holidays.", "We are open on Mondays only on holidays."),
        ("Is it open or closed?", "Open, until six.", ""),
        ("What do I do with it?", "Within 14 days.", ""),
        ("What do you think of it?", "A masterpiece.", ""),
        ("What to pack for Norway?", "Wool.", ""),
        ("What about a bike?", "9 euros.", ""),
        ("Do I need a note already?", "Not yet.", ""),
        ("Is it free?", "Yes,", "It is free."),
        ("Is it free?", "No, it isn't.", "It is not free."),
        ("Is breakfast included?", "I'm afraid not.", "Breakfast is not included."),
        ("Does the ticket include lunch?", "No.", "The ticket does not include lunch."),
        ("Can I bring my dog?", "No, you can't.", "The user cannot bring the user's dog."),
        ("Do I need a visa?", "Yes.", "The user needs a visa."),
        ("Do you deliver on Sundays?", "Yes, we do.", "We deliver on Sundays."),
        ("Do I need a card for the Wi-Fi?", "No.", "The user does not need a card for the Wi-Fi."),
        ("Is it open or closed?", "Yes.", ""),
        ("What is included?", "It is.", ""),
        ("What do you deliver?", "No, not on Sundays.", ""),
        ("How many pharmacies do you work with?", "Six, all in Hull.", "We work with six, all in Hull."),
        ("How can I contact you?", "By phone.", "The user can contact us by phone."),
        ("How much on Saturday?", "9 euros on Saturday.", "It is 9 euros on Saturday."),
        ("Are cats allowed?", "Yes, if they are old.", "Cats are allowed, if they are old."),
        ("Are dogs and cats allowed?", "Dogs, yes.", "Dogs are allowed."),
        ("Are dogs and cats allowed?", "Cats, no.", "Cats are not allowed."),
        ("Are dogs and cats allowed?", "Only dogs.", "Dogs are allowed. Cats are not allowed."),
        ("Can I bring my dog and my cat?", "The dog, yes.", "The user can bring the user's dog."),
        ("Are dogs and cats allowed?", "In the garden.", "Dogs and cats are allowed in the garden."),
        (
            "Is it open on Mondays and Wednesdays?",
            "On Wednesdays, yes.",
            "It is open on Wednesdays.",
        ),
        ("?", "Yes.", ""),
    ],
)
def test_question_and_answer_make_a_statement(
    parse: Parse, question: str, answer: str, statement: str
) -> None:
    assert stated(Tree(parse(question)), answer) == statement

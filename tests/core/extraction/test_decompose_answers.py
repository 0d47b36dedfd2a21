"""Answers that are a claim only with their question."""

from __future__ import annotations

import pytest

from decomposing import claims, told
from vista_stream.claims import Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Is Lyon the capital of France?", "Yes.", ["Lyon is the capital of France."]),
        ("Do you like France?", "Yes.", ["Do you like France? Yes."]),
        ("Who wrote Hamlet?", "William Shakespeare.", ["William Shakespeare wrote Hamlet."]),
        ("Who wrote Hamlet?", "Sure!", []),
    ],
)
def test_a_short_answer_is_a_claim_with_its_question(
    parse: Parse, question: str, answer: str, expected: list[str]
) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text=f"Hello. {question}"))
    assert claims(discourse, answer) == expected
    assert claims(discourse, "Yes.") == ([] if expected else [f"{question} Yes."])


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [
        ("what to pack for norway", "Wool.", ["What to pack for norway? Wool."]),
        ("Name the capital of Norway.", "Bergen", ["Name the capital of Norway. Bergen"]),
        ("Tell me the name of the ship", "Fram.", ["Tell me the name of the ship. Fram."]),
        ("I want to know the height.", "60 metres.", ["I want to know the height. 60 metres."]),
        ("The height, please.", "60 metres.", ["The height, please. 60 metres."]),
        ("I want to know more about it.", "Bergen", []),
        ("Name the capital of Norway.", "Yes.", []),
        ("I like ships.", "Bergen", []),
        ("Tell me about ships.", "Ships", []),
    ],
)
def test_a_question_needs_no_mark(
    parse: Parse, asked: str, answer: str, expected: list[str], parsed: bool
) -> None:
    discourse = Discourse(parse if parsed else None)
    discourse.hear(Utterance(role="user", text=asked))
    assert claims(discourse, answer) == expected


@pytest.mark.parametrize("parsed", [True, False])
def test_an_answer_may_be_long_and_without_a_full_stop(parse: Parse, parsed: bool) -> None:
    discourse = Discourse(parse if parsed else None)
    discourse.hear(Utterance(role="user", text="Which ships sailed?"))
    answer = "The Fram of Norway and the old Vega of Sweden with two masts"
    assert claims(discourse, answer) == [f"{answer} sailed." if parsed else f"Which ships sailed? {answer}"]


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("How long do you keep backups?", "For 30 days.", "We keep backups for 30 days."),
        ("Is parking free?", "2 euros an hour.", "Is parking free? 2 euros an hour."),
        ("When is breakfast?", "Yes, from 8 am.", "Breakfast is from 8 am."),
        ("When is parking?", "10 euros a day.", "Parking is 10 euros a day."),
    ],
)
def test_a_value_is_no_claim_without_its_question(
    parse: Parse, question: str, answer: str, claim: str
) -> None:
    assert told(parse, answer, question) == [claim]


def test_a_command_tells_how(parse: Parse) -> None:
    answer = "Open Settings and choose Security."
    assert told(parse, answer, "How do I reset my password?") == [answer]
    assert told(parse, "By e-mail.", "How do I reset it?") == ["The user resets it by e-mail."]


def test_a_command_stands_without_the_question(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="How many pills do I take?"))
    assert claims(discourse, "Take two when you get up.") == ["Take two when you get up."]


def test_a_sentence_whose_verb_the_parser_misses_stands_without_the_question(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="When does the ferry go and can I take my dog?"))
    answer = "On weekdays the first boat from Lorn leaves at a quarter past seven."
    assert claims(discourse, answer) == [answer]


@pytest.mark.parametrize(
    ("answer", "statement"),
    [
        ("No, except on Sundays.", "Breakfast is not included, except on Sundays."),
        ("Yes, within 60 days.", "Breakfast is included, within 60 days."),
    ],
)
def test_an_answer_that_is_no_sentence_keeps_its_yes_or_no(parse: Parse, answer: str, statement: str) -> None:
    assert told(None, answer, "Is breakfast included?") == [f"Is breakfast included? {answer}"]
    assert told(parse, answer, "Is breakfast included?") == [statement]


@pytest.mark.parametrize(
    ("message", "answer", "claim"),
    [
        ("can we light a fire? and how much are canoes", "They're 10 euros.", "Canoes are 10 euros."),
        ("How much is the pass? When does the tour start?", "It starts at nine.", "The tour starts at nine."),
        ("how much is the basic one, and can i get a bike", "It's 65 pounds.", "It's 65 pounds."),
    ],
)
def test_a_pronoun_means_the_subject_of_the_question_that_its_sentence_answers(
    parse: Parse, message: str, answer: str, claim: str
) -> None:
    assert told(parse, answer, message) == [claim]


@pytest.mark.parametrize(
    ("message", "answers", "expected"),
    [
        (
            "how much is that and how long am i tied in",
            ["18 months.", "£34 a month."],
            ["The user is tied in 18 months.", "That is £34 a month."],
        ),
        (
            "can he come? does he need a ticket? and can i pay cash",
            ["Yes, on a lead.", "No, only by card."],
            ["He can come, on a lead.", "He does not need a ticket, only by card."],
        ),
        (
            "When do you open?",
            ["At nine.", "Only with a member card."],
            ["We open at nine.", "Only with a member card."],
        ),
        ("I'm a student. How much is it?", ["9 euros."], ["I'm a student. How much is it? 9 euros."]),
        ("is it insured? last time a vase broke", ["Oh no, what a pity."], []),
        (
            "What do you think of it?",
            ["A masterpiece of its time."],
            ["What do you think of it? A masterpiece of its time."],
        ),
        (
            "Who owns it, and how many beds are there?",
            ["Greta Holm.", "48."],
            ["Greta Holm owns it.", "There are 48 beds."],
        ),
        (
            "Who cleans it, and how often?",
            ["An apprentice.", "Every evening."],
            ["An apprentice cleans it.", "It is every evening."],
        ),
    ],
)
def test_an_answer_goes_with_the_question_that_it_fits(
    parse: Parse, message: str, answers: list[str], expected: list[str]
) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text=message))
    assert [claim for answer in answers for claim in claims(discourse, answer)] == expected


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Tell me some facts about penguins.", "They cannot fly.", "Penguins cannot fly."),
        (
            "Give me a brief summary of Hamlet.",
            "It was written around 1600.",
            "Hamlet was written around 1600.",
        ),
        ("Who wrote the summary?", "It was written by Eva Holm.", "The summary was written by Eva Holm."),
        (
            "Tell me the story of the Corn Exchange.",
            "It opened in 1854.",
            "The Corn Exchange opened in 1854.",
        ),
        ("Tell me about the Bright Fund.", "It helps if you ask.", "It helps if the user asks."),
    ],
)
def test_a_question_is_about_what_it_wraps(parse: Parse, question: str, answer: str, claim: str) -> None:
    assert told(parse, answer, question) == [claim]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Is the warranty three years? Yes.", ["The warranty is three years."]),
        ("Who was first? Buzz Aldrin.", ["Buzz Aldrin was first."]),
        ("**Q: How long does it take?**\nA: Six weeks.\n", ["It takes six weeks."]),
        (
            "How do I pay? By card, because it takes no cash.",
            ["By card, because it takes no cash.", "It takes no cash."],
        ),
        ("Would you like to know more? Yes.", []),
        ("When did World War I end? In 1918.", ["World War I ended in 1918."]),
        ("## FAQ: How long does it take?\nSix weeks.\n", ["It takes six weeks."]),
        (
            "**Q: Can I bring my dog?**\n**A:** Yes, on a lead.\n",
            ["The user can bring the user's dog, on a lead."],
        ),
        ("**Q: Do you have a pool?**\n**A:** No.\n", ["We do not have a pool."]),
        ("### Can I bring a dog?\nYes.\n", ["The user can bring a dog."]),
        ("### Would you like to know more?\nYes.\n", []),
        ("Shall I book it? Yes.", []),
    ],
)
def test_an_answer_may_answer_its_own_question(parse: Parse, text: str, found: list[str]) -> None:
    assert told(parse, text) == found


def test_the_label_of_an_answer_is_no_key(parse: Parse) -> None:
    question = "Is the museum open on Monday?"
    assert told(parse, "**Short answer:** No.", question) == ["The museum is not open on Monday."]


def test_a_question_to_the_user_leaves_what_was_asked(parse: Parse) -> None:
    question = "What is the capital of France?"
    found = told(parse, "You want to know the capital of France? Paris.", question)
    assert found == ["The capital of France is Paris."]


def test_a_letter_before_a_value_is_no_label(parse: Parse) -> None:
    assert told(parse, "A: 90 to 100\n", "What are the grade ranges?") == ["A: 90 to 100"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes, it is — if you pay.", ["The motor is covered, if the user pays."]),
        ("No, it isn't, unless you pay.", ["The motor is not covered, unless the user pays."]),
        ("Yes, it is: the lamp is covered too.", ["The motor is covered.", "The lamp is covered too."]),
    ],
)
def test_a_yes_may_repeat_its_verb_before_what_it_adds(
    parse: Parse, answer: str, expected: list[str]
) -> None:
    assert told(parse, answer, "Is the motor covered?") == expected


@pytest.mark.parametrize("answer", ["In winter, no; in summer, yes.", "In winter, no. In summer, yes."])
def test_an_answer_may_say_no_to_one_part_and_yes_to_another(parse: Parse, answer: str) -> None:
    expected = ["The pool is not heated in winter.", "The pool is heated in summer."]
    assert told(parse, answer, "Is the pool heated?") == expected


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize(
    ("question", "before", "answer"),
    [
        ("Who founded it?", "Dear Tom,\n\n", "Bob Jones."),
        ("Who founded it?", "Good evening, Mr. Brown! ", "Bob Jones."),
        ("Who founded it?", "Excellent! ", "Bob Jones."),
        ("Who founded it?", "[!TIP]\n", "Bob Jones."),
        ("Is it closed on Mondays?", "Hi Bob! ", "No."),
        ("Is it closed on Mondays?", "**Short answer**\n\n", "No."),
        ("Is it closed on Mondays?", "Opening hours\n\n", "No."),
        ("Does it have a pool?", "Swimming pool\n\n", "No."),
        ("Does it have a pool?", "Good question, Bob. ", "No."),
        ("What does it cost?", "Hmm… ", "15 euros."),
        ("What does it cost?", "What a day! ", "15 euros."),
        ("What does it cost?", "Price\n\n", "15 euros"),
        ("When was it built?", "TL;DR\n", "In 1990"),
        ("When was it built?", "**Museum**\n\n", "In 1990"),
        ("What is the capital of France?", "**Capital of France**\n\n", "Paris"),
    ],
)
def test_what_stands_before_an_answer_leaves_the_question_open(
    parse: Parse, question: str, before: str, answer: str, parsed: bool
) -> None:
    read = parse if parsed else None
    assert told(read, before + answer, question) == told(read, answer, question) != []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is it closed?", "Christmas"),
        ("Is it free?", "Members only"),
        ("What year did it open?", "Nineteen ninety"),
        ("Are dogs and cats allowed?", "Dogs"),
        ("Which plan includes support, Basic or Pro?", "Basic"),
        ("How high is the risk?", "Low"),
        ("What colour is it?", "Wonderful!"),
        ("How many members are there?", "- Anna"),
        ("Which band played?", "The Who"),
    ],
)
def test_what_may_be_an_answer_is_no_title(parse: Parse, question: str, answer: str) -> None:
    assert len(told(parse, answer, question)) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "**Adults**\n\n15 euros\n\n**Children**\n\n8 euros",
        "- Adults\n\n  15 euros\n\n- Children\n\n  8 euros\n",
    ],
)
def test_the_values_below_titles_are_answers(parse: Parse, answer: str) -> None:
    assert told(parse, answer, "What does it cost?") == ["It costs 15 euros.", "It costs 8 euros."]


def test_a_line_that_breaks_off_waits_for_its_end(parse: Parse) -> None:
    assert told(parse, "It was built\nin\n\n**1990**", "When was it built?") == ["It was built in 1990."]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("Hi Bob, no.", "It is not free."), ("Hi Bob, yes, for members.", "It is free, for members.")],
)
def test_a_yes_or_no_may_stand_behind_a_greeting(parse: Parse, answer: str, expected: str) -> None:
    assert told(parse, answer, "Is it free?") == [expected]


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (
            "Who was the first president?",
            "Thomas Jefferson, who had been a planter.",
            ["The first president was Thomas Jefferson.", "Thomas Jefferson had been a planter."],
        ),
        (
            "Which plan includes support?",
            "Only Basic, which costs €5.",
            ["Only Basic includes support.", "Basic costs €5."],
        ),
        (
            "Where was Anna Berg born?",
            "In Oslo, where her parents lived.",
            ["Anna Berg was born in Oslo.", "In Oslo, where Anna Berg's parents lived."],
        ),
        (
            "Who opens the door?",
            "The caretaker, Mr Novak, who works on Mondays.",
            [
                "The caretaker opens the door, Mr Novak.",
                "The caretaker works on Mondays.",
                "The caretaker is Mr Novak.",
            ],
        ),
        ("Who won?", "The man who lives in Rome.", ["The man who lives in Rome won."]),
        ("Who won?", "Anna Berg, who is 40, was first.", ["Anna Berg was first.", "Anna Berg is 40."]),
    ],
)
def test_an_answer_may_have_a_relative_clause(
    parse: Parse, question: str, answer: str, expected: list[str]
) -> None:
    assert told(parse, answer, question) == expected


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How do phones compare?", "The higher the price, the better the camera."),
        (
            "What did Florence Nightingale do?",
            "Florence Nightingale reformed hospital care during the Crimean War.",
        ),
        (
            "How much does the Volta 3 cost and what can it do?",
            "The Volta 3 costs £28,900, or £329 a month on lease.",
        ),
    ],
)
def test_a_sentence_about_what_was_asked_stands_alone(parse: Parse, question: str, sentence: str) -> None:
    assert told(parse, sentence, question) == [sentence]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What is paracetamol?", "Paracetamol lowers fever."),
        ("I have an old sofa. What do I do?", "An old sofa counts as garden waste."),
        ("What do I do?", "An old sofa counts as garden waste."),
        (
            "What did the study find?",
            "The trial, carried out in three hospitals, compared nurses who could lie down for 25"
            " minutes with others who had a break.",
        ),
    ],
)
def test_a_sentence_whose_verb_the_parser_misses_is_a_claim_by_itself(
    parse: Parse, question: str, sentence: str
) -> None:
    assert told(parse, sentence, question) == [sentence]


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("How much is the day pass?", "9 euros.", "The day pass is 9 euros."),
        ("Is the day pass free?", "No.", "The day pass is not free."),
        ("What is it?", "A company headquarters in Oslo.", "It is a company headquarters in Oslo."),
    ],
)
def test_a_noun_that_the_parser_took_for_a_verb_is_asked_about(
    parse: Parse, question: str, answer: str, expected: str
) -> None:
    assert told(parse, answer, question) == [expected]


def test_a_relative_clause_behind_a_reason_tells_of_its_noun(parse: Parse) -> None:
    answer = "Because of its copper mine, which closed in 1977."
    assert told(parse, answer, "Why is Norvik famous?")[1:] == ["Its copper mine closed in 1977."]


@pytest.mark.parametrize("answer", ["35.", "35. ", "35.\n", "35.\n\nThe mill is red."])
def test_a_number_and_a_full_stop_is_an_answer(parse: Parse, answer: str) -> None:
    assert told(parse, answer, "How old is Vera?")[0] == "Vera is 35."


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (
            "Must I book?",
            "No, there is plenty of room.",
            ["The user need not book.", "There is plenty of room."],
        ),
        (
            "Are cats allowed in the rooms?",
            "Yes, and the rooms are cleaned every day.",
            ["Cats are allowed in the rooms.", "The rooms are cleaned every day."],
        ),
        (
            "Can I collect it myself?",
            "Yes, but you need to call us.",
            ["The user can collect it themselves.", "The user needs to call us."],
        ),
        ("Are dogs allowed?", "Yes, they are allowed.", ["Dogs are allowed."]),
        ("Are dogs allowed?", "No, dogs are not.", ["Dogs are not."]),
        (
            "Are dogs allowed?",
            "No, dogs must stay outside.",
            ["Dogs are not allowed.", "Dogs must stay outside."],
        ),
        ("Was Ada born in Rome?", "No, she was born in Milan.", ["Ada was born in Milan."]),
        (
            "Can I cancel?",
            "Yes, we refund tickets if you call us.",
            ["We refund tickets if the user calls us."],
        ),
        ("Could you tell me of Rome?", "Yes, Rome lies in Italy.", ["Rome lies in Italy."]),
        ("When do you open?", "Yes, we open at nine.", ["We open at nine."]),
        ("Do you play football?", "Yeah, I love sports!", ["The assistant loves sports."]),
        ("Did you see the play?", "Yes, the hall was full.", ["The hall was full."]),
    ],
)
def test_a_yes_or_no_is_a_claim_beside_a_sentence_that_says_something_else(
    parse: Parse, question: str, answer: str, expected: list[str]
) -> None:
    assert told(parse, answer, question) == expected


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        (
            "How many guests may I bring?",
            "No more than three.",
            "The user may bring no more than three guests.",
        ),
        ("How long may I stay?", "No longer than two hours.", "The user may stay no longer than two hours."),
        ("How old may it be?", "Not older than six months.", "It may be not older than six months."),
        ("What does a room cost?", "More than 100 euros.", "A room costs more than 100 euros."),
        ("How many people came?", "Over 300.", "Over 300 people came."),
        ("Can I pay by card?", "Only above 10 euros.", "The user can pay by card only above 10 euros."),
        ("Where is it?", "Under the bridge.", "It is under the bridge."),
        ("Are cheques accepted?", "Only with a passport.", "Cheques are accepted only with a passport."),
        ("Are dogs allowed?", "With a lead, yes.", "Dogs are allowed with a lead."),
        ("How old must drivers be?", "At least 23.", "Drivers must be at least 23."),
        ("How many members has it?", "No more than 500.", "It has no more than 500 members."),
    ],
)
def test_an_answer_may_begin_with_a_limit(parse: Parse, question: str, answer: str, claim: str) -> None:
    assert told(parse, answer, question) == [claim]


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Is Sofia Bulgarian?", "Yes.", "Sofia is Bulgarian."),
        ("Was Marie Curie French?", "No.", "Marie Curie was not French."),
        ("Why is Bath famous?", "Because of its springs.", "Bath is famous because of its springs."),
    ],
)
def test_what_is_asked_of_a_name_is_no_part_of_it(
    parse: Parse, question: str, answer: str, claim: str
) -> None:
    assert told(parse, answer, question) == [claim]


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("The ferry doesn't run, does it?", "Yes, it does.", "The ferry does run."),
        ("The ferry doesn't run, does it?", "No.", "The ferry doesn't run."),
        ("The ferry doesn't run, does it?", "Yes.", "The ferry doesn't run, does it? Yes."),
        ("The pass costs $5, doesn't it?", "Yes.", "The pass costs $5."),
        ("The pass costs $5, doesn't it?", "Of course.", "The pass costs $5."),
    ],
)
def test_an_answer_to_a_tag_answers_the_statement_before_it(
    parse: Parse, question: str, answer: str, claim: str
) -> None:
    assert told(parse, answer, question) == [claim]


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (
            "Is the pool open?",
            "Yes, from May to September; in winter it's closed.",
            ["The pool is open, from May to September.", "In winter the pool is closed."],
        ),
        (
            "Is the pool open?",
            "Yes; in winter it's closed.",
            ["The pool is open.", "In winter the pool is closed."],
        ),
        (
            "Can I get a refund?",
            "Yes — within 14 days, as long as the ticket hasn't been used.",
            ["The user can get a refund, within 14 days, as long as the ticket hasn't been used."],
        ),
        (
            "Is the pool heated?",
            "Yes; it is in the garden.",
            ["The pool is heated.", "The pool is in the garden."],
        ),
    ],
)
def test_a_yes_keeps_its_limit(parse: Parse, question: str, answer: str, expected: list[str]) -> None:
    assert told(parse, answer, question) == expected


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Can you tell me when the pool opens?", "At nine.", ["The pool opens at nine."]),
        ("Do you know when the pool opens?", "Yes, at nine.", ["The pool opens at nine."]),
        ("Remind me how high it is.", "60 metres.", ["It is 60 metres."]),
        ("Could you tell me how much it costs?", "20 euros, breakfast included.",
         ["It costs 20 euros, breakfast included."]),
        ("I'd like to know if dogs are allowed.", "Only on a lead.", ["Dogs are allowed only on a lead."]),
        ("Can you tell me if dogs are allowed?", "No.", ["Dogs are not allowed."]),
        ("I was wondering whether I need a visa.", "No, you don't.", ["The user does not need a visa."]),
        ("Could you tell me when you open and how much it costs?", "At nine. 20 euros.",
         ["We open at nine.", "It costs 20 euros."]),
        ("Can you tell me when the pool opens?", "No, sorry.",
         ["We cannot tell the user when the pool opens."]),
        ("Can you tell me if it is open and dogs are allowed?", "Yes.",
         ["Can you tell me if it is open and dogs are allowed? Yes."]),
    ],
)  # fmt: skip
def test_an_answer_to_a_request_answers_the_question_in_it(
    parse: Parse, question: str, answer: str, expected: list[str]
) -> None:
    assert told(parse, answer, question) == expected


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Could you sum up the rules?", "Not on Sundays, no.",
         "Could you sum up the rules? Not on Sundays, no."),
        ("Can you explain the fees?", "Only above 10 euros.",
         "Can you explain the fees? Only above 10 euros."),
        ("Can you explain the fees?", "No.", "We cannot explain the fees."),
        ("Can you deliver on Sundays?", "Only before noon.", "We can deliver on Sundays only before noon."),
    ],
)  # fmt: skip
def test_a_request_to_tell_is_no_question_for_what_one_can_do(
    parse: Parse, question: str, answer: str, claim: str
) -> None:
    assert told(parse, answer, question) == [claim]


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("If Kofi drives too, adding him costs five dollars.",
         "If Kofi drives too, adding him costs five dollars."),
        ("If the dog is small, it may come in.", "If the dog is small, it may come in."),
        ("If they are old, or if you pay.", "Dogs are allowed if they are old, or if the user pays."),
        ("If you have a lead, which you can buy.",
         "Dogs are allowed if the user has a lead, which the user can buy."),
        ("If you pay, even when it's full.", "Dogs are allowed if the user pays, even when it's full."),
    ],
)  # fmt: skip
def test_a_condition_with_its_own_statement_stands_without_the_question(
    parse: Parse, answer: str, claim: str
) -> None:
    assert told(parse, answer, "Are dogs allowed?") == [claim]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Nope, though a lead is a must for cats.", ["Dogs are not allowed.", "A lead is a must for cats."]),
        ("Nah, cats are.", ["Dogs are not allowed.", "Cats are."]),
        ("Yep, but cats need a lead.", ["Dogs are allowed.", "Cats need a lead."]),
        ("Yes, although only on a lead.", ["Dogs are allowed, only on a lead."]),
        ("Though it is small, dogs are allowed.", ["It is small.", "Dogs are allowed."]),
    ],
)
def test_what_is_conceded_is_told_beside_the_yes_or_no(
    parse: Parse, answer: str, expected: list[str]
) -> None:
    assert told(parse, answer, "Are dogs allowed?") == expected

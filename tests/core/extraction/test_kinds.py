from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.asides import take_out
from vista_stream.core.extraction.keys import key_value
from vista_stream.core.extraction.kinds import certain_kind, is_concrete, is_courtesy, kind_of
from vista_stream.core.extraction.lists import is_row
from vista_stream.core.extraction.openers import opening
from vista_stream.core.extraction.splitter import split
from vista_stream.core.text.plaintext import strip_markup


@pytest.mark.parametrize(
    ("wording", "kind"),
    [
        ("The bridge opened in 1932.", ClaimKind.FACT),
        ("The US won the cup.", ClaimKind.FACT),
        ("The I-95 was closed.", ClaimKind.FACT),
        ('Lund said "I cannot help you".', ClaimKind.FACT),
        ("It is impossible to divide by zero.", ClaimKind.FACT),
        ("There is no information desk at the station.", ClaimKind.FACT),
        ("I don't know.", ClaimKind.REFUSAL),
        ("I’m not sure about the date.", ClaimKind.REFUSAL),
        ("I cannot help with that.", ClaimKind.REFUSAL),
        ("I do not have any specific details on the fee.", ClaimKind.REFUSAL),
        ("As an AI language model, I have no personal plans.", ClaimKind.REFUSAL),
        ("There is no information on this in the documents.", ClaimKind.REFUSAL),
        ("The provided context does not mention the price.", ClaimKind.REFUSAL),
        ("The article provided does not say when the pit closed.", ClaimKind.REFUSAL),
        ("The source has no date, so the answer cannot be determined.", ClaimKind.REFUSAL),
        ("It is unclear from the context who painted the cave.", ClaimKind.REFUSAL),
        ("Based on the documents provided, there is no clear answer.", ClaimKind.REFUSAL),
        ("The price is not mentioned in the given text.", ClaimKind.REFUSAL),
        ("There is not enough information to say.", ClaimKind.REFUSAL),
        ("I didn't know that Lyon is in France.", ClaimKind.ASSISTANT),
        ("I was trained on books.", ClaimKind.ASSISTANT),
        ("You should book early.", ClaimKind.RECOMMENDATION),
        ("You should try the soup.", ClaimKind.RECOMMENDATION),
        ("I'd recommend the museum.", ClaimKind.RECOMMENDATION),
        ("It is best to go in May.", ClaimKind.RECOMMENDATION),
        ("I love old bridges.", ClaimKind.OPINION),
        ("In my opinion, the first one wins.", ClaimKind.OPINION),
        ("Your cabin bag may weigh up to 10 kg.", ClaimKind.FACT),
        ("Your flight leaves at noon.", ClaimKind.FACT),
        ("Your bag may be heavy.", ClaimKind.ASSISTANT),
        ("You have a dog.", ClaimKind.ASSISTANT),
        ("Your sister sings.", ClaimKind.ASSISTANT),
        ("The older one is mine.", ClaimKind.ASSISTANT),
        ("Yesterday I read about Elizabeth I of England.", ClaimKind.ASSISTANT),
        ("Have a nice day!", ClaimKind.OPINION),
        ("Take care!", ClaimKind.OPINION),
        ("You're welcome!", ClaimKind.OPINION),
        ("It is important to book early.", ClaimKind.RECOMMENDATION),
        ("Please make sure that the door is shut.", ClaimKind.RECOMMENDATION),
        ("Let's go.", ClaimKind.ASSISTANT),
    ],
)
def test_the_kind_follows_the_wording(wording: str, kind: ClaimKind) -> None:
    assert kind_of(wording) is kind


@pytest.mark.parametrize(
    "wording",
    [
        "You can send the shoes back within 45 days.",
        "You’ll get a full refund.",
        "Your guarantee covers theft.",
        "Your new phone’s battery is covered by your contract.",
        "You are not eligible for a discount.",
        "You have 10 days to appeal.",
        "You should take 20 drops a day.",
        "You need to be 21 to rent a car in Norway.",
        "Drivers need to renew the licence every 5 years.",
        "The jab is recommended for children under 12.",
        "Wellington personally commanded the troops in Spain.",
        "The capital of Norway is Oslo 😊",
        "The capital of Norway is Oslo :)",
        "The capital of Norway is Oslo! :D :-) 😊",
        "The bridge opened in 1932!!",
        "The winner of 1998 was Life Is Beautiful.",
        "The song of that summer was Crazy.",
        "Thanks to Ada Lovelace, the engine had a program.",
        "The owner of the wreck could not be determined.",
        "Alcohol is not mentioned in the Ten Commandments.",
        "Based on the play by Ibsen, the film was not shown abroad.",
        "Based on the provided context, penguins cannot fly.",
        "According to the passage, the film was not a success.",
        "The article does not say when the pit closed.",
        "It is unclear who painted the cave.",
        "There was not enough information to charge him.",
        "World War I ended in 1920.",
        "James I died in 1650.",
        "Boliden owns a mine in Norway.",
        "The song I Want You by Bob Dylan came out in 1990.",
        "My Fair Lady opened in 1990.",
        "You Only Live Twice is a film of 1990.",
        "WoW was released in 2004.",
        "The Dude is played by Jeff Bridges.",
        "Umm Kulthum was an Egyptian singer.",
        "Male seahorses take care of the eggs.",
        "Employees have a day off on Monday.",
        "Players have a time limit of ten minutes.",
        "You are welcome to bring two dogs.",
        "The Louvre is an amazing museum in Lyon.",
        "Octopuses are fascinating creatures with five hearts.",
        "It is essential to photosynthesis.",
        "It is important to the economy of Chile.",
        "Regulators make sure that banks hold enough capital.",
        "There is no evidence that the vaccine given to children causes autism.",
        "The app lets users share photos.",
        "Node.js uses a blocking I/O model.",
        "You shouldn't take more than 9 g a day.",
        "You don't have to pay the 5% fee.",
    ],
)
def test_what_can_be_false_is_a_fact_however_it_is_said(wording: str) -> None:
    assert kind_of(wording) is ClaimKind.FACT


@pytest.mark.parametrize(
    "wording",
    [
        "You should take 20 drops a day.",
        "You should arrive by 5 p.m.",
        "Make sure that you send it back within 30 days.",
        "I'd recommend two pills a day.",
        "The mast is a stunning 90 metres tall.",
    ],
)
def test_an_amount_can_be_false_in_advice_and_praise(wording: str) -> None:
    assert kind_of(wording) in (ClaimKind.FACT, ClaimKind.ASSISTANT)


@pytest.mark.parametrize(
    "wording",
    [
        "You need to know Java before you enrol.",
        "You will arrive at London Gatwick.",
        "You must wear a helmet in the quarry.",
    ],
)
def test_what_is_said_to_you_about_rules_and_goods_is_a_fact(wording: str) -> None:
    assert kind_of(wording) is ClaimKind.FACT


@pytest.mark.parametrize(
    ("wording", "kind"),
    [
        ("I don't know.", ClaimKind.REFUSAL),
        ("You should take four tablets a day.", ClaimKind.FACT),
        ("You can send the shoes back within 45 days.", ClaimKind.FACT),
        ("The wizard isn't certain that Ada still sings.", ClaimKind.REFUSAL),
        ("The assistant does not know the year.", ClaimKind.REFUSAL),
        ("The assistant doesn’t have any details on the fee.", ClaimKind.REFUSAL),
        ("The agent has no idea which side is better.", ClaimKind.REFUSAL),
        ("The speaker couldn't find it.", ClaimKind.REFUSAL),
        ("Person A cannot confirm the price.", ClaimKind.REFUSAL),
        ("The guide declines to name a firm.", ClaimKind.REFUSAL),
        ("The user does not know the year.", None),
        ("The mayor has no idea which side is better.", None),
        ("The assistant cannot dive.", None),
        ("The assistant does not know that Lyon is in France.", None),
        ("Lake Bled is gorgeous.", None),
        ("The assistant has two dogs.", None),
    ],
)
def test_few_wordings_are_certain_by_rule(wording: str, kind: ClaimKind | None) -> None:
    assert certain_kind(wording) is kind


@pytest.mark.parametrize(
    ("wording", "concrete"),
    [
        ("Keep it for 5 days", True),
        ("Take two of them", True),
        ("See the Louvre when you can", True),
        ("Ask when I am back", False),
        ("Call when you are there", False),
    ],
)
def test_a_number_or_a_name_is_concrete(wording: str, concrete: bool) -> None:
    assert is_concrete(wording) is concrete


@pytest.mark.parametrize(
    "wording",
    [
        "Hi!",
        "Sure thing!",
        "Of course, here is a list:",
        "Thank you so much.",
        "Goodbye!",
        "Great question!",
        "Have a great trip!",
        "Thanks 😊",
        "Dear Mr. Smith,",
        "Dear valued customer,",
        "Hi Bob,",
        "Hola Bob!",
        "Hey folks,",
        "Hi 😀 there.",
        "@Bob",
        "Good evening, Mr. Brown!",
        "Ah, good old Bob!",
        "Interesting question, Bob.",
        "Well, good question.",
        "Hmm…",
        "So...",
        "No worries!",
        "One moment.",
    ],
)
def test_courtesies_are_known_whole(wording: str) -> None:
    assert is_courtesy(wording)


@pytest.mark.parametrize(
    "wording",
    [
        "Hi, Rome is old.",
        "Thanks to Ada, it works.",
        "Here Rome was founded.",
        "Hi, Monday.",
        "Hey Jude.",
        "Good question, Berlin.",
    ],
)
def test_a_courtesy_with_a_statement_is_none(wording: str) -> None:
    assert not is_courtesy(wording)


REPEATED = """here_is_ really_ a_ hahaah let_me_know_if_ feel_free_to_ thanks,_ I_ I_think_ I_don't_have_
    as_an_AI_ very_ is_ it_ that_ not_ based_on_the_ you_ so,_ in_my_ the_document_ . - ? "_ ( |
    , the_answer:_"""


@settings(max_examples=150, deadline=timedelta(seconds=5))
@given(
    unit=st.lists(st.sampled_from(REPEATED.split()), min_size=1, max_size=3),
    end=st.sampled_from([". x", "x.", "?"]),
)
@example(unit=["here is "], end=". x")
@example(unit=["It is ", "really "], end="x.")
@example(unit=["that hahaah"], end="x")
@example(unit=["as an AI I "], end="x")
def test_no_wording_of_a_sentence_s_length_is_read_for_long(unit: list[str], end: str) -> None:
    wording = "".join(unit).replace("_", " ")
    wording = "It is " + wording * (600 // len(wording)) + end
    for text in (wording, wording.removeprefix("It is ")):
        kind_of(text)
        is_courtesy(text)
        opening(text)
        split(text)
        is_row(text)
        key_value(text, item=True)
        take_out(strip_markup(text))
